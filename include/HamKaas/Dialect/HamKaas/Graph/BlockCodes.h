//===- BlockCodes.h - Codes and scales of blocks ----------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_DIALECT_HAMKAAS_GRAPH_BLOCKCODES_H
#define HAMKAAS_DIALECT_HAMKAAS_GRAPH_BLOCKCODES_H

#include "HamKaas/Dialect/HamKaas/IR/QuantizationOps.h"
#include "mlir/IR/Builders.h"

namespace hamkaas {

/// A matrix as `hamkaas.dequantize_panels` takes it, but for the packing of its
/// rows, which become columns there, into panels.
struct BlockCodes {
  /// Of ui8, `n x (k * bits / 8)`.
  mlir::Value codes;
  /// `n x (k / block)`; offsets may be null.
  mlir::Value scales, offsets;
  /// `n x (k / group) x 1`, or 2 if there are offsets; null if the scales are
  /// floats.
  mlir::Value factors;
  int64_t bits, span, block, zero;
};

/// Takes rows of blocks apart, by operations on GRAPH.
BlockCodes splitBlocks(mlir::OpBuilder &builder, DequantizeBlocksOp op);

/// The rows of `x` as columns of panels: `panels x inner x width`, with the
/// width where `permutation` puts it. Zeros fill up the last panel.
mlir::Value packIntoPanels(mlir::OpBuilder &builder, mlir::Location loc,
                           mlir::Value x, int64_t width,
                           llvm::ArrayRef<int64_t> inner,
                           llvm::ArrayRef<int64_t> permutation);

} // namespace hamkaas

#endif // HAMKAAS_DIALECT_HAMKAAS_GRAPH_BLOCKCODES_H
