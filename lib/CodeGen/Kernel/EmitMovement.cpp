//===- EmitMovement.cpp - Kernels that place data ---------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/CodeGen/Kernel/Emitters.h"
#include "HamKaas/CodeGen/Kernel/TreeEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace hamkaas;

//===----------------------------------------------------------------------===//
// Insertion into the destination
//===----------------------------------------------------------------------===//

/// The part of the destination that `insert` fills, whose destination begins
/// at `begin`.
static FailureOr<Piece> getPiece(KernelBuilder &kernel,
                                 tensor::InsertSliceOp insert,
                                 ArrayRef<Value> begin = {}) {
  if (insert.getSourceType().getRank() != insert.getDestType().getRank() ||
      !insert.hasUnitStride())
    return insert.emitError("expected a source of the destination's rank and "
                            "strides of 1");
  Piece piece{insert.getSource(), {}};
  for (OpFoldResult offset : insert.getMixedOffsets())
    if (std::optional<int64_t> constant = getConstantIntValue(offset))
      piece.offsets.push_back(kernel.constant(*constant));
    else
      piece.offsets.push_back(cast<Value>(offset));
  for (auto [offset, first] : llvm::zip(piece.offsets, begin))
    offset = kernel.add(first, offset);
  return piece;
}

/// Writes only the replaced rows: the others are already in place.
static FailureOr<Tile> emitInsert(KernelBuilder &kernel,
                                  tensor::InsertSliceOp insert) {
  FailureOr<Piece> piece = getPiece(kernel, insert);
  if (failed(piece) || failed(verifyTree(piece->value)))
    return failure();
  return emitElements(kernel, piece->value, piece->offsets);
}

/// Adds the tensors, which may be made of others, that fill an empty one up to
/// `last`. That begins at `begin` of the destination.
static LogicalResult addPieces(KernelBuilder &kernel,
                               tensor::InsertSliceOp last,
                               ArrayRef<Value> begin,
                               SmallVectorImpl<Piece> &pieces) {
  SmallVector<tensor::InsertSliceOp> inserts;
  Value dest = last.getResult();
  while (auto insert = dest.getDefiningOp<tensor::InsertSliceOp>()) {
    inserts.push_back(insert);
    dest = insert.getDest();
  }
  if (!dest.getDefiningOp<tensor::EmptyOp>())
    return last.emitError("expected insertions into the last argument of the "
                          "kernel or into an empty tensor");
  for (tensor::InsertSliceOp insert : llvm::reverse(inserts)) {
    FailureOr<Piece> piece = getPiece(kernel, insert, begin);
    if (failed(piece))
      return failure();
    auto inner = piece->value.getDefiningOp<tensor::InsertSliceOp>();
    if (inner ? failed(addPieces(kernel, inner, piece->offsets, pieces))
              : failed(verifyTree(piece->value)))
      return failure();
    if (!inner)
      pieces.push_back(std::move(*piece));
  }
  return success();
}

/// Writes tensors that fill an empty one together.
static FailureOr<Tile> emitConcat(KernelBuilder &kernel,
                                  tensor::InsertSliceOp last) {
  SmallVector<Piece> pieces;
  if (failed(addPieces(kernel, last, {}, pieces)))
    return failure();
  return emitPieces(kernel, pieces);
}

//===----------------------------------------------------------------------===//
// Packing into panels
//===----------------------------------------------------------------------===//

namespace {
/// Packs along one dimension: each row of the destination's last dimension is
/// `width` consecutive elements of the source, or the padding past its end. Or
/// the rows are words, of such an element and the next along another dimension.
class PackEmitter {
public:
  PackEmitter(KernelBuilder &kernel, linalg::PackOp pack)
      : kernel(kernel), pack(pack) {}

  FailureOr<Tile> emit() {
    ArrayRef<int64_t> tiles = pack.getStaticInnerTiles();
    wordElements = tiles.size() == 2 ? tiles.back() : 1;
    if (tiles.size() > 2 || !llvm::is_contained({1, 2, 4}, wordElements))
      return pack.emitError("expected a tile of one dimension, or a second one "
                            "of 2 or 4 elements, got [")
             << tiles << "]";
    if (failed(verifyTree(pack.getSource())))
      return failure();
    position = pack.getInnerDimsPos().front();
    width = pack.getStaticInnerTiles().front();
    lanes = chooseLanes(kernel.target(), width);
    int64_t extent = pack.getSourceType().getDimSize(position);
    panels = llvm::divideCeil(extent, width);
    rest = extent % width;
    int64_t tileRows = kernel.costs().tilePackedRows();

    outer = SmallVector<int64_t>(
        pack.getDestType().getShape().drop_back(tiles.size()));
    ArrayRef<int64_t> order = pack.getOuterDimsPerm();
    panelDim =
        order.empty() ? position : llvm::find(order, position) - order.begin();
    others = outer;
    others[panelDim] = 1;
    // The rows of a tile are read consecutively, from panel to panel.
    int64_t rows = ShapedType::getNumElements(others);
    kernel.tileLoop(llvm::divideCeil(rows, tileRows), [&](Value tile) {
      Value first = kernel.multiply(tile, tileRows);
      Value last = kernel.minimum(kernel.add(first, tileRows), rows);
      int64_t whole = rest ? panels - 1 : panels;
      kernel.writingLoop(
          kernel.constant(0), kernel.constant(whole), 1,
          [&](Value panel) { emitRows(first, last, panel, width); });
      if (rest)
        emitRows(first, last, kernel.constant(whole), rest);
    });
    return Tile{tileRows, width};
  }

private:
  /// The rows of one panel, of which the first `columns` come from the source.
  void emitRows(Value first, Value last, Value panel, int64_t columns) {
    kernel.writingLoop(first, last, 1, [&](Value row) {
      packedIndices = kernel.delinearize(row, others);
      packedIndices[panelDim] = panel;
      ArrayRef<int64_t> order = pack.getOuterDimsPerm();
      sourceIndices.assign(outer.size(), Value());
      for (size_t i = 0; i < outer.size(); ++i)
        sourceIndices[order.empty() ? i : order[i]] = packedIndices[i];
      emitPanel(panel, columns);
    });
  }

  /// The row of one panel, of which the first `columns` come from the source.
  void emitPanel(Value panel, int64_t columns) {
    for (int64_t at = 0; at < width; at += lanes) {
      int64_t active = std::clamp<int64_t>(columns - at, 0, lanes);
      if (wordElements > 1) {
        emitWords(panel, at, active);
        continue;
      }
      SmallVector<Value> indices = packedIndices;
      indices.push_back(kernel.constant(at));
      kernel.store(emitLanes(panel, at, active), indices,
                   std::min(lanes, width - at));
    }
  }

  /// The words of the lanes from column `at` on. Elements past the end of the
  /// depth are padding.
  void emitWords(Value panel, int64_t at, int64_t active) {
    OpBuilder &ir = kernel.ir();
    Location loc = kernel.loc();
    int64_t depth = pack.getInnerDimsPos().back();
    Value word = sourceIndices[depth];
    SmallVector<Value> elements;
    for (int64_t i = 0; i < wordElements; ++i) {
      Value index = kernel.add(kernel.multiply(word, wordElements), i);
      elements.push_back(emitElements(depth, index, panel, at, active));
    }
    sourceIndices[depth] = word;
    auto interleave = [&](Value even, Value odd) -> Value {
      return vector::InterleaveOp::create(ir, loc, even, odd);
    };
    Value words = wordElements == 2
                      ? interleave(elements[0], elements[1])
                      : interleave(interleave(elements[0], elements[2]),
                                   interleave(elements[1], elements[3]));
    for (int64_t lane = 0; lane < std::min(lanes, width - at); ++lane) {
      SmallVector<Value> indices = packedIndices;
      indices.append({kernel.constant(at + lane), kernel.constant(0)});
      Value elements = vector::ExtractStridedSliceOp::create(
          ir, loc, words, ArrayRef<int64_t>(wordElements * lane),
          ArrayRef<int64_t>(wordElements), ArrayRef<int64_t>(1));
      kernel.store(elements, indices, /*active=*/wordElements);
    }
  }

  /// The lanes from column `at` on of row `index` of the depth, or padding.
  Value emitElements(int64_t depth, Value index, Value panel, int64_t at,
                     int64_t active) {
    int64_t extent = pack.getSourceType().getDimSize(depth);
    sourceIndices[depth] = kernel.minimum(index, extent - 1);
    Value lanesOfRow = emitLanes(panel, at, active);
    if (extent % wordElements == 0)
      return lanesOfRow;
    return arith::SelectOp::create(
        kernel.ir(), kernel.loc(), kernel.isLess(index, extent), lanesOfRow,
        kernel.broadcast(pack.getPaddingValue(), lanes));
  }

  Value emitLanes(Value panel, int64_t at, int64_t active) {
    Value padding = active == lanes
                        ? Value()
                        : kernel.broadcast(pack.getPaddingValue(), lanes);
    if (active == 0)
      return padding;
    Point point;
    for (Value index : sourceIndices)
      point.push_back({index});
    point[position] = {kernel.add(kernel.multiply(panel, width), at),
                       /*step=*/1};
    Value vector = TreeEmitter(kernel, lanes, active)
                       .evaluateVector(pack.getSource(), point);
    if (active == lanes)
      return vector;
    return arith::SelectOp::create(kernel.ir(), kernel.loc(),
                                   kernel.mask(active, lanes), vector, padding);
  }

  KernelBuilder &kernel;
  linalg::PackOp pack;
  int64_t position = 0, width = 0, lanes = 0, panels = 0, rest = 0;
  /// Elements of the last dimension of the result if it has words, otherwise 1.
  int64_t wordElements = 1;
  /// The dimension of the panels among the outer ones of the result, and these
  /// without it.
  int64_t panelDim = 0;
  SmallVector<int64_t> outer, others;
  SmallVector<Value> packedIndices, sourceIndices;
};
} // namespace

/// Returns whether the rows of panels are read across rows of an argument.
static bool isTransposed(linalg::PackOp pack) {
  return isa<BlockArgument>(pack.getSource()) &&
         pack.getStaticInnerTiles().size() == 1 &&
         pack.getInnerDimsPos().front() + 1 != pack.getSourceType().getRank();
}

FailureOr<Tile> hamkaas::emitMovement(KernelBuilder &kernel, Value result) {
  if (auto insert = result.getDefiningOp<tensor::InsertSliceOp>()) {
    if (insert.getDest() == kernel.destinationArgument())
      return emitInsert(kernel, insert);
    return emitConcat(kernel, insert);
  }
  if (auto pack = result.getDefiningOp<linalg::PackOp>())
    return isTransposed(pack) ? emitTransposedPack(kernel, pack)
                              : PackEmitter(kernel, pack).emit();
  if (result.getDefiningOp<tensor::PadOp>())
    return emitPad(kernel, result);
  return emitElementwise(kernel, result);
}
