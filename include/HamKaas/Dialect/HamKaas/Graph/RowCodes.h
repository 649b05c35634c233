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
/// by `cast`, `sub`, `mul` and `reshape`. The importer of ONNX writes weights
/// of few bits so.
struct RowCodes {
  /// Of ui8, `n x blocks x block`.
  mlir::Value codes;
  /// Of float32, `n x blocks x 1`.
  mlir::Value scales;
  /// Of ui8, `n x blocks` in any shape; null if all are `zero`.
  mlir::Value zeros;
  int64_t zero = 0;
  /// 4 or 8.
  int64_t bits;

  int64_t getBlock() const;
};

/// None if `matrix` is computed in another way, or if its codes without their
/// zero points have more than 8 bits.
std::optional<RowCodes> matchRowCodes(mlir::Value matrix);

/// Codes without a sign stay in 4 bits if all zero points are equal; others
/// become numbers of 8 bits.
BlockCodes splitRowCodes(mlir::OpBuilder &builder, mlir::Location loc,
                         const RowCodes &rows);

} // namespace hamkaas

#endif // HAMKAAS_DIALECT_HAMKAAS_GRAPH_ROWCODES_H
