//===- PieceRows.cpp - Rows of several pieces -------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/CodeGen/Kernel/PieceRows.h"
#include "HamKaas/CodeGen/Kernel/ElementRows.h"
#include "HamKaas/CodeGen/Kernel/TreeEmitter.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace hamkaas;

/// Independent blocks of lanes in flight.
static constexpr int64_t unrolledBlocks = 4;
/// Vectors below which part of a row is short: its lines are those of others.
static constexpr int64_t shortVectors = 4;

static ArrayRef<int64_t> getShape(const Piece &piece) {
  return cast<RankedTensorType>(piece.value.getType()).getShape();
}

//===----------------------------------------------------------------------===//
// Grouping
//===----------------------------------------------------------------------===//

/// Returns whether rows of `a` and `b` are parts of the same rows.
static bool areBeside(const Piece &a, const Piece &b) {
  return getShape(a).drop_back() == getShape(b).drop_back() &&
         ArrayRef(a.offsets).drop_back() == ArrayRef(b.offsets).drop_back();
}

/// Returns whether writing rows of `group` pays. Long ones and permuted ones
/// have better tiles of their own.
static bool paysByRows(const KernelBuilder &kernel, ArrayRef<Piece> group) {
  if (group.size() == 1)
    return false;
  int64_t extent = 0, least = INT64_MAX;
  for (const Piece &piece : group) {
    extent += getShape(piece).back();
    least = std::min(least, getShape(piece).back());
    if (findCrossDimension(piece.value))
      return false;
  }
  return least < shortVectors * kernel.target().lanes &&
         extent <= kernel.costs().tileElements();
}

SmallVector<SmallVector<Piece>>
hamkaas::groupPieces(const KernelBuilder &kernel, ArrayRef<Piece> pieces) {
  SmallVector<SmallVector<Piece>> beside, groups;
  for (const Piece &piece : pieces) {
    auto known = llvm::find_if(beside, [&](ArrayRef<Piece> group) {
      return areBeside(group.front(), piece);
    });
    if (known == beside.end() || kernel.target().gathers)
      beside.push_back({piece});
    else
      known->push_back(piece);
  }
  for (SmallVector<Piece> &group : beside)
    if (paysByRows(kernel, group))
      groups.push_back(std::move(group));
    else
      for (Piece &piece : group)
        groups.push_back({std::move(piece)});
  return groups;
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

PieceRows::PieceRows(KernelBuilder &kernel, ArrayRef<Piece> pieces)
    : kernel(kernel), pieces(pieces), outer(getShape(pieces[0]).drop_back()),
      rows(ShapedType::getNumElements(outer)) {
  SmallVector<int64_t> merged =
      mergeOuterDimensions(kernel, pieces[0].value, outer.size());
  // Each piece reads other tensors, which may not permit it.
  if (llvm::all_of(pieces.drop_front(), [&](const Piece &piece) {
        return merged ==
               mergeOuterDimensions(kernel, piece.value, outer.size());
      }))
    outer = merged;
  for (const Piece &piece : pieces)
    extent += getShape(piece).back();
  tileRows = chooseTileRows(kernel.costs(), rows, extent);
}

void PieceRows::emitTile(Value tile) {
  Value first = kernel.multiply(tile, tileRows);
  Value last = kernel.add(first, tileRows);
  if (rows % tileRows)
    last = kernel.minimum(last, rows);
  kernel.writingLoop(first, last, 1, [&](Value row) {
    SmallVector<Value> indices = kernel.delinearize(row, outer);
    for (const Piece &piece : pieces)
      emitPiece(piece, indices);
  });
}

void PieceRows::emitPiece(const Piece &piece, ValueRange row) {
  int64_t count = getShape(piece).back();
  int64_t lanes = chooseLanes(kernel.target(), count);
  SmallVector<Value> none;
  forEachLaneBlock(
      kernel, kernel.constant(0), count, lanes, unrolledBlocks, none,
      /*writes=*/true, [&](LaneBlock block, MutableArrayRef<Value>) {
        TreeEmitter(kernel, lanes, block.active)
            .store(piece.value, lanePoint(row, block.index), piece.offsets);
      });
}
