//===- PieceRows.h - Rows of several pieces ---------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_CODEGEN_KERNEL_PIECEROWS_H
#define HAMKAAS_CODEGEN_KERNEL_PIECEROWS_H

#include "HamKaas/CodeGen/Kernel/Emitters.h"

namespace hamkaas {

/// Pieces beside each other along the last dimension, such as an image and its
/// margins. A tile writes whole rows, so that each line of memory is written
/// once, where piece by piece would write a part of it at a time.
class PieceRows {
public:
  PieceRows(KernelBuilder &kernel, llvm::ArrayRef<Piece> pieces);

  int64_t tiles() const { return llvm::divideCeil(rows, tileRows); }
  Tile shape() const { return {tileRows, extent}; }
  void emitTile(mlir::Value tile);

private:
  void emitPiece(const Piece &piece, mlir::ValueRange row);

  KernelBuilder &kernel;
  llvm::SmallVector<Piece> pieces;
  llvm::SmallVector<int64_t> outer;
  int64_t rows, extent = 0, tileRows;
};

/// `pieces` in groups, each of which is to be written row by row or a piece of
/// its own.
llvm::SmallVector<llvm::SmallVector<Piece>>
groupPieces(const KernelBuilder &kernel, llvm::ArrayRef<Piece> pieces);

} // namespace hamkaas

#endif // HAMKAAS_CODEGEN_KERNEL_PIECEROWS_H
