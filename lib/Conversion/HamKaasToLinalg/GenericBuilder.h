//===- GenericBuilder.h - Short forms of linalg.generic ---------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_CONVERSION_HAMKAASTOLINALG_GENERICBUILDER_H
#define HAMKAAS_LIB_CONVERSION_HAMKAASTOLINALG_GENERICBUILDER_H

#include "HamKaas/Dialect/HamKaas/IR/HamKaas.h"
#include "mlir/IR/Builders.h"

namespace hamkaas {

/// Attach the interface to the ops of one family each.
void registerAttentionLowerings(mlir::MLIRContext *context);
void registerContractionLowerings(mlir::MLIRContext *context);
void registerWinogradLowerings(mlir::MLIRContext *context);
void registerCheckNanLowering(mlir::MLIRContext *context);
void registerElementwiseLowerings(mlir::MLIRContext *context);
void registerFlattenIndicesLowering(mlir::MLIRContext *context);
void registerIndexingLowerings(mlir::MLIRContext *context);
void registerLoopLowerings(mlir::MLIRContext *context);
void registerMathLowerings(mlir::MLIRContext *context);
void registerMovementLowerings(mlir::MLIRContext *context);
void registerRandomLowering(mlir::MLIRContext *context);
void registerReductionLowerings(mlir::MLIRContext *context);
void registerRowLowerings(mlir::MLIRContext *context);
void registerSortLowerings(mlir::MLIRContext *context);
void registerViewLowerings(mlir::MLIRContext *context);

/// Builds scalar code from the elements of the operands.
using BodyBuilder = llvm::function_ref<mlir::Value(
    mlir::OpBuilder &, mlir::Location, mlir::ValueRange)>;

/// Builds `linalg.generic` over the shape of `type`, all dimensions parallel,
/// into an empty tensor. `maps` has one map an operand, from the indices of the
/// result to those of the operand.
mlir::Value buildParallel(mlir::OpBuilder &builder, mlir::Location loc,
                          mlir::RankedTensorType type,
                          mlir::ValueRange operands,
                          llvm::ArrayRef<mlir::AffineMap> maps,
                          BodyBuilder body);

/// As buildParallel for the result of `op`, from `operands` that stand for its
/// own. The body gets values to compute with and returns one: an `i1` for a
/// boolean, integers without a sign, a float32 for a narrower float.
mlir::Value buildPointwise(mlir::OpBuilder &builder, mlir::Operation *op,
                           mlir::ValueRange operands,
                           llvm::ArrayRef<mlir::AffineMap> maps,
                           BodyBuilder body);

/// From an element as memory holds it, of the element type `type` in GRAPH, to
/// the value to compute with, and back.
mlir::Value decode(mlir::OpBuilder &builder, mlir::Location loc,
                   mlir::Value value, mlir::Type type);
mlir::Value encode(mlir::OpBuilder &builder, mlir::Location loc,
                   mlir::Value value, mlir::Type type);

/// The type of the values that stand for elements of `type` in computations.
mlir::Type getComputeType(mlir::Type type);

/// Builds `linalg.generic` that reduces the last dimension of `operands`, all
/// of one shape; the last argument of `body` is the value so far, at first
/// `initial`. The result has one dimension less.
mlir::Value buildRowReduction(mlir::OpBuilder &builder, mlir::Location loc,
                              mlir::ValueRange operands, mlir::Value initial,
                              BodyBuilder body);

/// `tensor.empty` filled with the scalar `value`.
mlir::Value buildFilled(mlir::OpBuilder &builder, mlir::Location loc,
                        mlir::RankedTensorType type, mlir::Value value);

/// The element of a `tensor<1xi64>`.
mlir::Value buildPosition(mlir::OpBuilder &builder, mlir::Location loc,
                          mlir::Value tensor);

mlir::Value buildFloat(mlir::OpBuilder &builder, mlir::Location loc,
                       float value);
/// A number of `type`, a float or an integer without a sign.
mlir::Value buildNumber(mlir::OpBuilder &builder, mlir::Location loc,
                        mlir::Type type, double value);
mlir::Value buildInt64(mlir::OpBuilder &builder, mlir::Location loc,
                       int64_t value);

/// From the indices of a result of `resultType` to those of an operand of
/// `type`, whose dimensions of size 1 are repeated.
mlir::AffineMap getBroadcastMap(mlir::RankedTensorType type,
                                mlir::RankedTensorType resultType);

/// `(d0, ..., dn-1) -> (d0, ..., dn-2)`, from an element to its row.
mlir::AffineMap getRowMap(mlir::MLIRContext *context, int64_t rank);

} // namespace hamkaas

#endif // HAMKAAS_LIB_CONVERSION_HAMKAASTOLINALG_GENERICBUILDER_H
