//===- CombinerBuilder.h - What reductions combine --------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_CONVERSION_HAMKAASTOLINALG_COMBINERBUILDER_H
#define HAMKAAS_LIB_CONVERSION_HAMKAASTOLINALG_COMBINERBUILDER_H

#include "GenericBuilder.h"
#include "mlir/Dialect/Utils/StructuredOpsUtils.h"

namespace hamkaas {

/// Builds what a reduction of elements of one type does. Booleans are combined
/// as bytes, floats of 16 bits as float32, and other elements as they are.
class CombinerBuilder {
public:
  /// `type` is the element type in GRAPH.
  CombinerBuilder(mlir::OpBuilder &builder, mlir::Location loc,
                  Combiner combiner, mlir::Type type)
      : builder(builder), loc(loc), combiner(combiner), type(type) {}

  /// The type of what is combined.
  mlir::Type getSumType() const;
  /// The neutral element, of that type.
  mlir::TypedAttr getNeutral() const;
  /// The contribution of an element as memory holds it.
  mlir::Value buildContribution(mlir::OpBuilder &b, mlir::Value element) const;
  /// The product of the contributions of two elements.
  mlir::Value buildProduct(mlir::OpBuilder &b, mlir::Value lhs,
                           mlir::Value rhs) const;
  mlir::Value combine(mlir::OpBuilder &b, mlir::Value sum,
                      mlir::Value contribution) const;

  /// Builds the reduction of `operands` over the loops of `iterators` to a
  /// tensor of `shape`, elements as memory holds them. `maps` has one map an
  /// operand and that of the result. `contribution` gets their elements.
  mlir::Value build(llvm::ArrayRef<int64_t> shape, mlir::ValueRange operands,
                    llvm::ArrayRef<mlir::AffineMap> maps,
                    llvm::ArrayRef<mlir::utils::IteratorType> iterators,
                    BodyBuilder contribution) const;

private:
  mlir::OpBuilder &builder;
  mlir::Location loc;
  Combiner combiner;
  mlir::Type type;
};

} // namespace hamkaas

#endif // HAMKAAS_LIB_CONVERSION_HAMKAASTOLINALG_COMBINERBUILDER_H
