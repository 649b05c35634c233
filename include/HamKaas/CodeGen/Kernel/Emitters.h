//===- Emitters.h - One emitter for each family of kernels ------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_CODEGEN_KERNEL_EMITTERS_H
#define HAMKAAS_CODEGEN_KERNEL_EMITTERS_H

#include "HamKaas/CodeGen/Kernel/KernelBuilder.h"
#include "HamKaas/CodeGen/Kernel/KernelStrategy.h"
#include "HamKaas/Dialect/HamKaas/IR/HamKaas.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace hamkaas {

/// Succeeds if `kernel` has the form that emitters expect.
llvm::LogicalResult verifyKernel(mlir::func::FuncOp kernel);

/// Makes `kernel`, whose loops `builder` has emitted, return the destination,
/// and sets the attributes that callers and later passes need.
void finishKernel(mlir::func::FuncOp kernel, const KernelBuilder &builder,
                  KernelFamily family, const llvm::SmallVector<int64_t> &tile);

/// The workers that compute a row together, a chunk each, on a machine that has
/// several per row.
class RowWorkers {
public:
  explicit RowWorkers(int64_t count) : count(count) {}
  virtual ~RowWorkers();

  /// Combines the values of the workers in a fixed order; all of them get the
  /// result. `worker` is the number of the executing worker.
  virtual mlir::Value combine(
      mlir::Value worker, mlir::Value value,
      llvm::function_ref<mlir::Value(mlir::Value, mlir::Value)> step) const = 0;

  const int64_t count;
};

/// The emitters. Each emits the tile loop of a kernel whose result is `result`,
/// and returns the tile it chose. Fails with an error at an unsupported
/// operation; the function is then in an undefined state.
llvm::FailureOr<Tile> emitContraction(KernelBuilder &kernel,
                                      mlir::Value result);
llvm::FailureOr<Tile> emitAttention(KernelBuilder &kernel, mlir::Value result);
llvm::FailureOr<Tile> emitReduction(KernelBuilder &kernel, mlir::Value result);
llvm::FailureOr<Tile> emitRow(KernelBuilder &kernel, mlir::Value result,
                              const RowWorkers *workers = nullptr);
/// As emitRow, for a permutation of rows to another dimension than the last.
llvm::FailureOr<Tile> emitRowsAcross(KernelBuilder &kernel, mlir::Value result);
llvm::FailureOr<Tile> emitElementwise(KernelBuilder &kernel,
                                      mlir::Value result);
llvm::FailureOr<Tile> emitMovement(KernelBuilder &kernel, mlir::Value result);
llvm::FailureOr<Tile> emitLoops(KernelBuilder &kernel, mlir::Value result);
/// A linear map of two dimensions by one constant matrix, and what follows it.
llvm::FailureOr<Tile> emitTransform(KernelBuilder &kernel, mlir::Value result);
/// Part of emitMovement, for the result of a `tensor.pad`.
llvm::FailureOr<Tile> emitPad(KernelBuilder &kernel, mlir::Value result);

struct Reduction;

/// Part of emitReduction, for sliding windows. Returns none, and emits nothing,
/// for other reductions. `order` is that of getEpilogueOrder.
std::optional<Tile> emitWindows(KernelBuilder &kernel,
                                const Reduction &reduction, mlir::Value result,
                                llvm::ArrayRef<int64_t> order);

/// Part of emitContraction, for convolutions whose groups have fewer channels
/// than a vector. Returns none, and emits nothing, for others.
llvm::FailureOr<std::optional<Tile>> emitGroups(KernelBuilder &kernel,
                                                mlir::linalg::LinalgOp root,
                                                mlir::Value result);

/// Emits a tile loop that writes all elements of `value` to the destination,
/// shifted by `offsets`, one per dimension. Returns the elements of a tile.
Tile emitElements(KernelBuilder &kernel, mlir::Value value,
                  mlir::ValueRange offsets);

/// A tensor that is written to the destination at `offsets`.
struct Piece {
  mlir::Value value;
  llvm::SmallVector<mlir::Value> offsets;
};

/// Emits one tile loop that writes all of `pieces`, of at least rank 1. Returns
/// the elements of a tile of the first.
Tile emitPieces(KernelBuilder &kernel, llvm::ArrayRef<Piece> pieces);

/// The dimension of `result`, other than its last, along which a permuted
/// operand is contiguous. None if the tree has no such operand.
std::optional<int64_t> findCrossDimension(mlir::Value result);

/// The first dimension of `value`, not before `first`, from which on those up
/// to `last` can be one, whose index runs on over the ends of `last`: all
/// tensors of the tree and the destination have them one behind the other. If
/// the destination `mayStretch`, it may have more elements along `last`, which
/// is then one with the dimension before.
int64_t findMergedDimension(mlir::Value value,
                            mlir::RankedTensorType destination, int64_t first,
                            int64_t last, bool mayStretch);

/// Tiles behind those of an emitter, by number.
struct OtherTiles {
  int64_t count = 0;
  llvm::function_ref<void(mlir::Value)> emit = nullptr;
};

/// Like emitElements, for a tree whose cross dimension is `cross`.
Tile emitTransposedElements(KernelBuilder &kernel, mlir::Value value,
                            int64_t cross, mlir::ValueRange offsets,
                            OtherTiles others = {});

/// Returns whether `result` permutes rows, its operand's last dimension, to
/// another dimension than the last.
bool areRowsAcross(mlir::Value result);

/// Part of emitMovement, for packing along another dimension than the last one
/// of the source.
Tile emitTransposedPack(KernelBuilder &kernel, mlir::linalg::PackOp pack);

/// Transposes a square matrix, whose `rows` are vectors.
void transposeSquare(KernelBuilder &kernel,
                     llvm::MutableArrayRef<mlir::Value> rows);

/// The totals of vectors of partial sums, a lane each. Their number is a power
/// of two, at most that of their lanes.
mlir::Value joinSums(KernelBuilder &kernel,
                     llvm::SmallVector<mlir::Value> sums);

/// Succeeds if a TreeEmitter can evaluate `result` from arguments and roots.
llvm::LogicalResult
verifyTree(mlir::Value result,
           llvm::function_ref<bool(mlir::Operation *)> isRoot = {});

/// A block of consecutive lanes along a dimension.
struct LaneBlock {
  mlir::Value index; /* of the first lane */
  int64_t active;    /* lanes that exist */
  int64_t slot;      /* position within a step of the unrolled loop */
};

/// The loop over tiles of `tileUnits` units each; the last may have fewer.
/// Calls `body` for each unit.
void forEachUnit(KernelBuilder &kernel, int64_t units, int64_t tileUnits,
                 llvm::function_ref<void(mlir::Value unit)> body);

/// Visits `extent` elements from `base` on in blocks of `lanes`, `unroll`
/// blocks per iteration. `carried` are iter args, updated in place.
void forEachLaneBlock(
    KernelBuilder &kernel, mlir::Value base, int64_t extent, int64_t lanes,
    int64_t unroll, llvm::SmallVectorImpl<mlir::Value> &carried, bool writes,
    llvm::function_ref<void(LaneBlock block,
                            llvm::MutableArrayRef<mlir::Value> carried)>
        body);

} // namespace hamkaas

#endif // HAMKAAS_CODEGEN_KERNEL_EMITTERS_H
