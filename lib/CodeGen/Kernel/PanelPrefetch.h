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

/// While blocks of rows use one stretch of a packed right side, the depth of a
/// block of one panel, brings the next stretch to the second-level cache: a few
/// bytes a step, evenly over all steps. Otherwise the first rows of the next
/// stretch wait for it, at the speed of the third-level cache or of memory;
/// the hardware sees a new stream only when it has begun.
class PanelPrefetch {
public:
  /// `panels` is an argument of the kernel, panels of `depth` steps one after
  /// the other. A stretch of `tile.depth` steps is used `uses` times. Does
  /// nothing if that is once: then there is no time to do it in, and reading is
  /// one stream.
  PanelPrefetch(KernelBuilder &kernel, mlir::Value panels, int64_t depth,
                const ContractionTile &tile, int64_t uses);

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
  int64_t elements = 0, depth, width = 0;
  /// Elements to bring in each step, 0 for none, and in all of a stretch.
  int64_t elementsPerStep = 0, elementsPerUse = 0, stretch = 0;

  /// The element that step `lower` brings.
  mlir::Value first;
  mlir::Value lower;
};

} // namespace hamkaas

#endif // HAMKAAS_LIB_CODEGEN_KERNEL_PANELPREFETCH_H
