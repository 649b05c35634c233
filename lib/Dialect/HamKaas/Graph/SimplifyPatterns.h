//===- SimplifyPatterns.h - Rewrites of hamkaas-simplify --------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_DIALECT_HAMKAAS_GRAPH_SIMPLIFYPATTERNS_H
#define HAMKAAS_LIB_DIALECT_HAMKAAS_GRAPH_SIMPLIFYPATTERNS_H

#include "HamKaas/Dialect/HamKaas/IR/Locations.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/PatternMatch.h"

namespace hamkaas {

/// The elements of a constant; null for any other value.
mlir::DenseElementsAttr getConstantElements(mlir::Value value);

/// The number that all elements of a constant are; nothing for any other value
/// or another type of elements.
std::optional<llvm::APFloat> getSplatFloat(mlir::Value value);
std::optional<llvm::APInt> getSplatInteger(mlir::Value value);

/// A constant of one element that a binary operation repeats to the shape of
/// its lhs, of `rank` dimensions.
mlir::Value createSplat(mlir::PatternRewriter &rewriter, mlir::Location loc,
                        int64_t rank, mlir::Type elementType,
                        const llvm::APFloat &value);
mlir::Value createSplat(mlir::PatternRewriter &rewriter, mlir::Location loc,
                        int64_t rank, mlir::Type elementType,
                        const llvm::APInt &value);

/// Adds the patterns of one subject.
void populateArithmeticPatterns(mlir::RewritePatternSet &patterns);
void populateClampPatterns(mlir::RewritePatternSet &patterns);
void populateCastPatterns(mlir::RewritePatternSet &patterns);
void populateBroadcastPatterns(mlir::RewritePatternSet &patterns);
void populateProductPatterns(mlir::RewritePatternSet &patterns);
void populateConcatPatterns(mlir::RewritePatternSet &patterns);
void populateWindowPatterns(mlir::RewritePatternSet &patterns);

/// Lets concatenations in `root` read earlier ones of their first operands.
void shareConcats(mlir::Operation *root);

} // namespace hamkaas

#endif // HAMKAAS_LIB_DIALECT_HAMKAAS_GRAPH_SIMPLIFYPATTERNS_H
