//===- LaneLoop.h - Vectors of tiles of a loop ------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_CODEGEN_KERNEL_LANELOOP_H
#define HAMKAAS_LIB_CODEGEN_KERNEL_LANELOOP_H

#include "HamKaas/CodeGen/Kernel/KernelBuilder.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"

namespace hamkaas {

/// A loop over independent tiles of which neighbours read and write neighbours
/// along the last dimension: sums along another one. A vector has several.
class LaneLoop {
public:
  /// None if tiles differ in anything else.
  static std::optional<LaneLoop> match(mlir::scf::ForOp loop, int64_t tiles);

  /// Emits the tile loop of the kernel, and returns its tile.
  Tile emit(KernelBuilder &kernel);

private:
  /// The same for all lanes, an index that counts them, or a value for each.
  enum class Kind { Uniform, Counting, Vector };

  LaneLoop(mlir::scf::ForOp loop, int64_t tiles);

  Kind getKind(mlir::Value value) const { return kinds.lookup(value); }
  bool analyze(mlir::Block &block);
  bool analyze(mlir::Operation &op);
  bool analyzeIndex(mlir::Operation &op);
  bool analyzeLoop(mlir::scf::ForOp inner);
  bool areAlongLast(mlir::OperandRange indices) const;

  void emitLanes(KernelBuilder &kernel, mlir::Value first, int64_t lanes,
                 int64_t active);
  void emit(KernelBuilder &kernel, mlir::Operation &op);
  void emitLoop(KernelBuilder &kernel, mlir::scf::ForOp inner);
  mlir::Value getVector(KernelBuilder &kernel, mlir::Value value) const;

  mlir::scf::ForOp loop;
  int64_t tiles;
  /// Tiles that are neighbours: those of a row.
  int64_t rowTiles;
  llvm::DenseMap<mlir::Value, Kind> kinds;
  /// State while lanes are emitted.
  mlir::IRMapping values;
  int64_t lanes = 1, active = 1;
};

} // namespace hamkaas

#endif // HAMKAAS_LIB_CODEGEN_KERNEL_LANELOOP_H
