//===- PanelCopy.h - Packs the panel that a tile uses -----------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_CODEGEN_KERNEL_PANELCOPY_H
#define HAMKAAS_LIB_CODEGEN_KERNEL_PANELCOPY_H

#include "HamKaas/CodeGen/Kernel/Contraction.h"
#include "HamKaas/CodeGen/Kernel/KernelBuilder.h"

namespace hamkaas {

/// In an unpacked right side, each step of the depth is on another page. So the
/// first row block of a tile copies what it reads, a few KB, to the stack. The
/// other blocks read the copy like a packed panel, and meanwhile prefetch what
/// the next tile copies, evenly over their steps.
class PanelCopy {
public:
  /// `source` is an argument of the kernel, `[..., depth, columns]`. `uses`
  /// blocks of rows, more than one, use a stretch of it.
  PanelCopy(KernelBuilder &kernel, mlir::Value source,
            const ContractionTile &tile, int64_t uses);

  /// Step `step` of the stretch in use, from 0 on, and vector `number` of it.
  void store(mlir::Value vector, mlir::Value step, int64_t number);
  mlir::Value load(mlir::Value step, int64_t number);

  /// Begins with block number `use` of those that read the copy, from 0 on.
  /// The next stretch begins at element `next` of the source.
  void begin(mlir::Value next, mlir::Value use);
  /// Stops prefetching until the next `begin`.
  void end() { next = nullptr; }
  /// Prefetches the part of the next stretch that is due in step `step`.
  void prefetch(mlir::Value step);
  /// Prefetches all that is due in block number `use`, in one go.
  void prefetchBlock(mlir::Value next, mlir::Value use);

private:
  KernelBuilder &kernel;
  mlir::Value source, scratch;
  void prefetchLine(mlir::Value first, int64_t line);

  int64_t lanes, depth, width, rowSize, lineElements, lines, uses;
  /// Steps over which a row of the next stretch is prefetched, a power of two.
  int64_t stepsPerRow, linesPerStep;
  mlir::Value next, firstStep;
};

} // namespace hamkaas

#endif // HAMKAAS_LIB_CODEGEN_KERNEL_PANELCOPY_H
