//===- RowCodes.h - Codes of rows that operations decode --------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_DIALECT_HAMKAAS_GRAPH_ROWCODES_H
#define HAMKAAS_DIALECT_HAMKAAS_GRAPH_ROWCODES_H

#include "HamKaas/Dialect/HamKaas/Graph/BlockCodes.h"

namespace hamkaas {

/// A matrix `n x k` of float32 that is computed as `(codes - zeros) * scales`,
/// by `cast`, `sub`, `mul` and `reshape`, or the transposed one. The importer
/// of ONNX writes weights of few bits so.
struct RowCodes {
  /// `k = blocks * block`.
  int64_t n, blocks, block;
  /// If true, `n` is the last dimension of what follows.
  bool isTransposed;
  /// Of ui8 or i8, `n x k` in any shape.
  mlir::Value codes;
  /// Of float32, `n x blocks` in any shape, or one number.
  mlir::Value scales;
  /// Of ui8 and 4 bits, `n x blocks` in any shape; null if all are `zero`.
  mlir::Value zeros;
  int64_t zero = 0;
  /// 4 or 8.
  int64_t bits = 8;
};

/// None if `matrix`, transposed or not, is computed in another way, or if its
/// codes have 8 bits and different zero points.
std::optional<RowCodes> matchRowCodes(mlir::Value matrix, bool isTransposed);

/// Codes without a sign stay in 4 bits if all zero points are equal; others
/// become numbers of 8 bits.
BlockCodes splitRowCodes(mlir::OpBuilder &builder, mlir::Location loc,
                         const RowCodes &rows);

} // namespace hamkaas

#endif // HAMKAAS_DIALECT_HAMKAAS_GRAPH_ROWCODES_H
