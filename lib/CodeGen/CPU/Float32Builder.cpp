//===- Float32Builder.cpp - Arithmetic on float32 ---------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Float32Builder.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace hamkaas;

Float32Builder::Float32Builder(OpBuilder &builder, Location loc, Type type,
                               Float32Features features)
    : builder(loc, builder), type(type), features(features) {
  Type i32 = this->builder.getI32Type();
  auto vector = dyn_cast<VectorType>(type);
  integerType = vector ? vector.clone(i32) : i32;
}

Value Float32Builder::splat(TypedAttr value) {
  Type scalar = value.getType();
  if (auto vector = dyn_cast<VectorType>(type))
    value = DenseElementsAttr::get(vector.clone(scalar), Attribute(value));
  return arith::ConstantOp::create(builder, value);
}

Value Float32Builder::number(double value) {
  return splat(builder.getF32FloatAttr(value));
}

Value Float32Builder::integer(int32_t value) {
  return splat(builder.getI32IntegerAttr(value));
}

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

Value Float32Builder::add(Value a, Value b) {
  return arith::AddFOp::create(builder, a, b);
}

Value Float32Builder::subtract(Value a, Value b) {
  return arith::SubFOp::create(builder, a, b);
}

Value Float32Builder::multiply(Value a, Value b) {
  return arith::MulFOp::create(builder, a, b);
}

Value Float32Builder::divide(Value a, Value b) {
  return arith::DivFOp::create(builder, a, b);
}

Value Float32Builder::multiplyAdd(Value a, Value b, Value c) {
  if (features.fma)
    return math::FmaOp::create(builder, a, b, c);
  return add(multiply(a, b), c);
}

Value Float32Builder::polynomial(Value x, ArrayRef<double> coefficients) {
  Value sum = number(coefficients.front());
  for (double coefficient : coefficients.drop_front())
    sum = multiplyAdd(sum, x, number(coefficient));
  return sum;
}

Value Float32Builder::raise(Value x, double low) {
  Value lowest = number(low);
  return select(isLess(x, lowest), lowest, x);
}

Value Float32Builder::lower(Value x, double high) {
  Value highest = number(high);
  return select(isLess(highest, x), highest, x);
}

Value Float32Builder::clamp(Value x, double low, double high) {
  return lower(raise(x, low), high);
}

Value Float32Builder::negate(Value x) {
  return arith::NegFOp::create(builder, x);
}

Value Float32Builder::absolute(Value x) {
  return math::AbsFOp::create(builder, x);
}

Value Float32Builder::copySign(Value magnitude, Value sign) {
  return math::CopySignOp::create(builder, magnitude, sign);
}

Value Float32Builder::flipSign(Value x, Value sign) {
  Value bit = arith::AndIOp::create(
      builder, bits(sign), integer(std::numeric_limits<int32_t>::min()));
  return fromBits(arith::XOrIOp::create(builder, bits(x), bit));
}

Value Float32Builder::isEqual(Value a, Value b) {
  return arith::CmpFOp::create(builder, arith::CmpFPredicate::OEQ, a, b);
}

Value Float32Builder::isLess(Value a, Value b) {
  return arith::CmpFOp::create(builder, arith::CmpFPredicate::OLT, a, b);
}

Value Float32Builder::select(Value condition, Value a, Value b) {
  return arith::SelectOp::create(builder, condition, a, b);
}

//===----------------------------------------------------------------------===//
// Bits
//===----------------------------------------------------------------------===//

Value Float32Builder::bits(Value x) {
  return arith::BitcastOp::create(builder, integerType, x);
}

Value Float32Builder::fromBits(Value x) {
  return arith::BitcastOp::create(builder, type, x);
}

Value Float32Builder::shiftLeft(Value x, int32_t by) {
  return arith::ShLIOp::create(builder, x, integer(by));
}

Value Float32Builder::shiftRight(Value x, int32_t by) {
  return arith::ShRUIOp::create(builder, x, integer(by));
}

Value Float32Builder::shiftRightSigned(Value x, int32_t by) {
  return arith::ShRSIOp::create(builder, x, integer(by));
}

Value Float32Builder::toFloat(Value x) {
  return arith::SIToFPOp::create(builder, type, x);
}

Value Float32Builder::subtractIntegers(Value a, Value b) {
  return arith::SubIOp::create(builder, a, b);
}

//===----------------------------------------------------------------------===//
// AVX-512
//===----------------------------------------------------------------------===//

int64_t Float32Builder::scaleLanes() const {
  auto vector = dyn_cast<VectorType>(type);
  if (!features.scale || !vector ||
      !llvm::is_contained({4, 8, 16}, vector.getNumElements()))
    return 0;
  return vector.getNumElements();
}

Value Float32Builder::callIntrinsic(StringRef name, ValueRange operands) {
  return LLVM::CallIntrinsicOp::create(builder, type,
                                       builder.getStringAttr(name), operands)
      .getResult(0);
}

Value Float32Builder::scale(Value x, Value n) {
  int64_t lanes = scaleLanes();
  assert(lanes && "expected AVX-512");
  auto constant = [&](unsigned width, int64_t value) -> Value {
    return arith::ConstantIntOp::create(builder, value, width);
  };
  // All lanes are active, so the passthrough operand is unused.
  SmallVector<Value> operands{x, n, x,
                              constant(std::max<int64_t>(lanes, 8), -1)};
  if (lanes == 16)
    operands.push_back(constant(32, /*the current rounding=*/4));
  return callIntrinsic(
      ("llvm.x86.avx512.mask.scalef.ps." + Twine(32 * lanes)).str(), operands);
}

Value Float32Builder::lookup(ArrayRef<float> table, Value index) {
  assert(scaleLanes() == 16 && table.size() == 16 && "expected AVX-512");
  Value entries = arith::ConstantOp::create(
      builder, DenseElementsAttr::get(cast<VectorType>(type), table));
  return callIntrinsic("llvm.x86.avx512.permvar.sf.512", {entries, index});
}
