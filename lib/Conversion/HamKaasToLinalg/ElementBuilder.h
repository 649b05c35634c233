//===- ElementBuilder.h - Lowering of one element ---------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_CONVERSION_HAMKAASTOLINALG_ELEMENTBUILDER_H
#define HAMKAAS_LIB_CONVERSION_HAMKAASTOLINALG_ELEMENTBUILDER_H

#include "GenericBuilder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/TypeUtilities.h"

namespace hamkaas {

/// Arithmetic on the elements of one operation.
struct ElementBuilder {
  mlir::ImplicitLocOpBuilder &b;
  mlir::Operation *op;
  /// Element type of the first operand in GRAPH, where integers have signs.
  mlir::Type type;

  bool isFloat() const { return llvm::isa<mlir::FloatType>(type); }
  bool isUnsigned() const {
    return type.isUnsignedInteger() || type.isInteger(1);
  }

  /// A number in the type that is computed with.
  mlir::Value number(double value) const {
    return buildNumber(b, b.getLoc(), getComputeType(type), value);
  }
  mlir::Value compare(mlir::arith::CmpFPredicate predicate, mlir::Value l,
                      mlir::Value r) const {
    return mlir::arith::CmpFOp::create(b, predicate, l, r);
  }
  mlir::Value compare(mlir::arith::CmpIPredicate predicate, mlir::Value l,
                      mlir::Value r) const {
    return mlir::arith::CmpIOp::create(b, predicate, l, r);
  }
  mlir::Value select(mlir::Value condition, mlir::Value ifTrue,
                     mlir::Value ifFalse) const {
    return mlir::arith::SelectOp::create(b, condition, ifTrue, ifFalse);
  }
  /// FloatOp on floats, otherwise IntegerOp.
  template <typename FloatOp, typename IntegerOp>
  mlir::Value apply(mlir::Value l, mlir::Value r) const {
    if (isFloat())
      return FloatOp::create(b, l, r);
    return IntegerOp::create(b, l, r);
  }
};

/// An operation on elements, each operand repeated where its size is 1. `Body`
/// builds the value of an element from those of the operands.
template <typename OpTy, typename Body>
struct LowerElements
    : LinalgLoweringOpInterface::ExternalModel<LowerElements<OpTy, Body>,
                                               OpTy> {
  mlir::Value lowerToLinalg(mlir::Operation *op, mlir::OpBuilder &builder,
                            mlir::ValueRange operands) const {
    using namespace mlir;
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    SmallVector<AffineMap> maps;
    for (Value operand : operands)
      maps.push_back(
          getBroadcastMap(cast<RankedTensorType>(operand.getType()), type));
    return buildPointwise(
        builder, op, operands, maps,
        [&](OpBuilder &nested, Location loc, ValueRange x) -> Value {
          ImplicitLocOpBuilder b(loc, nested);
          ElementBuilder elements{
              b, op, getElementTypeOrSelf(op->getOperand(0).getType())};
          return Body()(elements, x);
        });
  }
};

/// Attaches a lowering whose body is `Body`, a lambda without captures.
template <typename OpTy, typename Body>
void attachElements(mlir::MLIRContext *context, Body) {
  OpTy::template attachInterface<LowerElements<OpTy, Body>>(*context);
}

} // namespace hamkaas

#endif // HAMKAAS_LIB_CONVERSION_HAMKAASTOLINALG_ELEMENTBUILDER_H
