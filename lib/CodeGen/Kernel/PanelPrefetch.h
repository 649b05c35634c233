//===- PanelPrefetch.h - Brings packed panels nearer ------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_CODEGEN_KERNEL_PANELPREFETCH_H
#define HAMKAAS_LIB_CODEGEN_KERNEL_PANELPREFETCH_H

#include "HamKaas/CodeGen/Kernel/Contraction.h"
#include "HamKaas/CodeGen/Kernel/KernelBuilder.h"

namespace hamkaas {

/// Prefetches the next stretch of a packed right side (a depth block of one
/// panel) to the L2 cache while row blocks use the current one: a few bytes per
/// step, evenly over all steps. Otherwise the first rows of the next stretch
/// would wait for the L3 cache or memory, because the hardware sees a new
/// stream only after it has begun.
class PanelPrefetch {
public:
  /// `panels` is an argument of the kernel: consecutive panels of `depth`
  /// steps. A stretch of `tile.depth` steps is used `uses` times. Does nothing
  /// for a single use, which leaves no time to prefetch and is one stream
  /// anyway. A step has `width` elements.
  PanelPrefetch(KernelBuilder &kernel, mlir::Value panels, int64_t depth,
                const ContractionTile &tile, int64_t uses, int64_t width);

  /// Begins with steps `lower` to `upper` of the `panel`, for the rows number
  /// `use` of those that use the stretch.
  void begin(mlir::Value panel, mlir::Value use, mlir::Value lower,
             mlir::Value upper);
  /// Emits what step `step` brings.
  void emit(mlir::Value step);
  /// Emits nothing from here to the next `begin`.
  void end() { first = nullptr; }

private:
  KernelBuilder &kernel;
  mlir::Value panels;
  int64_t elements, depth, width;
  /// Elements to bring in each step, 0 for none, and in all of a stretch.
  int64_t elementsPerStep = 0, elementsPerUse = 0, stretch = 0;

  /// The element that step `lower` brings.
  mlir::Value first;
  mlir::Value lower;
};

} // namespace hamkaas

#endif // HAMKAAS_LIB_CODEGEN_KERNEL_PANELPREFETCH_H
