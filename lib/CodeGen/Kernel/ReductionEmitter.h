//===- ReductionEmitter.h - Emits the loops of a reduction ------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_CODEGEN_KERNEL_REDUCTIONEMITTER_H
#define HAMKAAS_LIB_CODEGEN_KERNEL_REDUCTIONEMITTER_H

#include "HamKaas/CodeGen/Kernel/Emitters.h"
#include "HamKaas/CodeGen/Kernel/Reduction.h"
#include "llvm/Support/MathExtras.h"

namespace hamkaas {

/// `size` results at a time along one loop.
struct BlockedLoop {
  int64_t loop = -1; /* -1 if there is none */
  int64_t extent = 1;
  int64_t size = 1;

  int64_t blocks() const { return llvm::divideCeil(extent, size); }
};

/// The results to compute at once if lanes are parallel: vectors of rows, of
/// which the last have `lastActive` lanes within the result.
struct Accumulators {
  Point first;
  int64_t rows, vectors, lastActive;
};

/// Emits a reduction that is no sliding window.
class ReductionEmitter {
public:
  ReductionEmitter(KernelBuilder &kernel, const Reduction &reduction,
                   mlir::Value result)
      : kernel(kernel), reduction(reduction), steps(kernel, reduction),
        root(reduction.op), result(result), extents(root.getStaticLoopRanges()),
        resultMap(root.getIndexingMapsArray().back()) {}

  llvm::FailureOr<Tile> emit();

private:
  llvm::LogicalResult matchResult();
  bool isReduced(int64_t loop) const {
    return llvm::is_contained(reduction.loops, loop);
  }
  void chooseLanes();
  void mergeLoops();
  void chooseBlocks();
  int64_t getReducedCount() const;

  void emitUnits(int64_t units, llvm::function_ref<void(mlir::Value)> body);
  llvm::SmallVector<mlir::Value>
  reduce(mlir::ValueRange sums, llvm::ArrayRef<int64_t> loops,
         llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::ValueRange)>
             body);

  void emitBlock(mlir::Value unit);
  void emitAccumulators(const Accumulators &block);
  void visit(const Accumulators &block, TreeEmitter::Leaf leaf,
             llvm::function_ref<void(TreeEmitter &, size_t)> body);
  void finishSums(const Accumulators &block, llvm::ArrayRef<mlir::Value> sums);
  void emitNumber(mlir::Value index);
  llvm::SmallVector<mlir::Value> addLanes(mlir::ValueRange carried);
  mlir::Value finish(TreeEmitter &tree, mlir::Value sum, PointRef point);

  // ReductionStreams.cpp
  bool isLarge(int64_t caches) const;
  bool isShort(int64_t count) const;
  int64_t countStreamed() const;
  bool readsStreams();
  void chooseStreams();
  void emitStreams(mlir::Value first, int64_t count);
  void addRows(mlir::Value first, int64_t count, mlir::Value row,
               int64_t rowCount);
  void forEachLine(int64_t count, bool writes,
                   llvm::function_ref<void(mlir::Value offset, int64_t vectors,
                                           int64_t lastActive)>
                       body);
  mlir::Value loadSum(mlir::Value offset, int64_t vector);
  void storeSum(mlir::Value sum, mlir::Value offset, int64_t vector);
  void prefetchOperand();

  KernelBuilder &kernel;
  const Reduction &reduction;
  ReductionSteps steps;
  mlir::linalg::LinalgOp root;
  mlir::Value result;
  llvm::SmallVector<int64_t> extents;
  mlir::AffineMap resultMap;

  /// The loop along the lanes: a parallel one, or one that is reduced.
  int64_t laneLoop = -1;
  int64_t lanes = 1;
  bool isAcross = false;
  /// Blocks of results that are computed at a time if lanes are parallel.
  BlockedLoop rows, columns;
  /// The sums of a block of columns, if they are in memory; null otherwise.
  mlir::Value sumMemory;
  /// The other parallel loops.
  llvm::SmallVector<int64_t> outer, outerShape;

  /// State of the emission: an index per loop.
  Point at;
};

} // namespace hamkaas

#endif // HAMKAAS_LIB_CODEGEN_KERNEL_REDUCTIONEMITTER_H
