//===- Emitters.h - One emitter for each family of kernels ------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_CODEGEN_KERNEL_EMITTERS_H
#define HAMKAAS_CODEGEN_KERNEL_EMITTERS_H

#include "HamKaas/CodeGen/Kernel/KernelBuilder.h"
#include "HamKaas/Dialect/HamKaas/IR/HamKaas.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace hamkaas {

/// Succeeds if `kernel` has the form of one before its loops are emitted.
llvm::LogicalResult verifyKernel(mlir::func::FuncOp kernel);

/// Lets `kernel`, whose loops `builder` has emitted, return what they wrote,
/// and notes what callers and later passes ask for.
void finishKernel(mlir::func::FuncOp kernel, const KernelBuilder &builder,
                  KernelFamily family, const llvm::SmallVector<int64_t> &tile);

/// Warps of a GPU that compute a row together, a part of it each.
struct CooperativeGroup {
  int64_t warps = 1;
  /// Combines what each of the warps has, in one order; all of them then have
  /// the result. `warp` is the number of the one that runs the code.
  std::function<mlir::Value(
      mlir::Value warp, mlir::Value value,
      llvm::function_ref<mlir::Value(mlir::Value, mlir::Value)> step)>
      combine;
};

/// Each emits the tile loop of a kernel whose result is `result`, and returns
/// the tile it chose. Fails with an error at the operation it does not cover;
/// the function is then in no defined state.
llvm::FailureOr<Tile> emitContraction(KernelBuilder &kernel,
                                      mlir::Value result);
llvm::FailureOr<Tile> emitAttention(KernelBuilder &kernel, mlir::Value result);
llvm::FailureOr<Tile> emitReduction(KernelBuilder &kernel, mlir::Value result);
llvm::FailureOr<Tile> emitRow(KernelBuilder &kernel, mlir::Value result,
                              CooperativeGroup *group = nullptr);
llvm::FailureOr<Tile> emitElementwise(KernelBuilder &kernel,
                                      mlir::Value result);
llvm::FailureOr<Tile> emitMovement(KernelBuilder &kernel, mlir::Value result);
llvm::FailureOr<Tile> emitLoops(KernelBuilder &kernel, mlir::Value result);
/// A linear map of two dimensions by one constant matrix, and what follows it.
llvm::FailureOr<Tile> emitTransform(KernelBuilder &kernel, mlir::Value result);
/// Part of emitMovement, for the result of a `tensor.pad`.
llvm::FailureOr<Tile> emitPad(KernelBuilder &kernel, mlir::Value result);

struct Reduction;

/// Part of emitReduction, for one over windows that slide over an operand;
/// none, and then nothing is emitted, if it is no such reduction. `order` as
/// getEpilogueOrder returns it.
std::optional<Tile> emitWindows(KernelBuilder &kernel,
                                const Reduction &reduction, mlir::Value result,
                                llvm::ArrayRef<int64_t> order);

/// Emits a tile loop that writes all elements of `value` to the destination,
/// `offsets` (one a dimension) further on. Returns the elements of a tile.
Tile emitElements(KernelBuilder &kernel, mlir::Value value,
                  mlir::ValueRange offsets);

/// A tensor that becomes a part of the destination, `offsets` further on.
struct Piece {
  mlir::Value value;
  llvm::SmallVector<mlir::Value> offsets;
};

/// Emits one tile loop that writes all of `pieces`, of at least rank 1. Returns
/// the elements of a tile of the first.
Tile emitPieces(KernelBuilder &kernel, llvm::ArrayRef<Piece> pieces);

/// The dimension of `result`, not its last, along which a tensor in memory is
/// contiguous that the last one crosses: a permuted operand. None if there is
/// no such tensor in the tree.
std::optional<int64_t> findCrossDimension(mlir::Value result);

/// As emitElements for a tree whose cross dimension is `cross`.
Tile emitTransposedElements(KernelBuilder &kernel, mlir::Value value,
                            int64_t cross, mlir::ValueRange offsets);

/// Transposes the square matrix of `rows`, vectors of as many lanes.
void transposeSquare(KernelBuilder &kernel,
                     llvm::MutableArrayRef<mlir::Value> rows);

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

/// Vector width for a dimension of `extent` elements.
int64_t chooseLanes(const TargetDescription &target, int64_t extent);

/// A tensor of a tree of linalg operations and how each of its indices depends
/// on the lane: it is `factor` times the lane's number and a multiple of
/// `rest`, of which that of 0 is 0.
struct LaneUse {
  struct Index {
    int64_t factor = 0, rest = 0;
    bool operator==(const Index &) const = default;
  };
  mlir::Value tensor;
  llvm::SmallVector<Index> at;
  bool operator==(const LaneUse &) const = default;
};

/// The results of a linear map at loops that depend on the lane.
llvm::SmallVector<LaneUse::Index>
applyToLanes(mlir::AffineMap map, llvm::ArrayRef<LaneUse::Index> loops);

/// The vector width for `extent` elements along the lanes, at which the tensors
/// of `uses` and of what they are computed from, up to leaves, are read. On a
/// GPU, several elements a thread where each tensor in memory has them next to
/// each other and aligned, or one element for all lanes; else, and on other
/// targets, that of chooseLanes.
int64_t chooseWideLanes(const CostModel &costs, int64_t extent,
                        llvm::ArrayRef<LaneUse> uses,
                        llvm::function_ref<bool(mlir::Value)> isLeaf = {});

/// Visits `extent` elements from `base` on in blocks of `lanes`, `unroll`
/// blocks an iteration. `carried` goes from block to block and is updated in
/// place.
void forEachLaneBlock(
    KernelBuilder &kernel, mlir::Value base, int64_t extent, int64_t lanes,
    int64_t unroll, llvm::SmallVectorImpl<mlir::Value> &carried, bool writes,
    llvm::function_ref<void(LaneBlock block,
                            llvm::MutableArrayRef<mlir::Value> carried)>
        body);

} // namespace hamkaas

#endif // HAMKAAS_CODEGEN_KERNEL_EMITTERS_H
