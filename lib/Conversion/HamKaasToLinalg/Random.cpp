//===- Random.cpp - Lowering of random_bits ---------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GenericBuilder.h"
#include "HamKaas/Dialect/HamKaas/IR/MathOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include <array>

using namespace mlir;
using namespace hamkaas;
using arith::CmpIPredicate;

namespace {

/// Arithmetic on words of 32 bits in lanes of 64, which CPUs multiply at once.
/// NOTE: the upper halves of words are undefined, as only products would need
/// them to be 0.
struct WordBuilder {
  ImplicitLocOpBuilder &b;

  Value number(int64_t value) const {
    return arith::ConstantOp::create(b, b.getI64IntegerAttr(value));
  }
  Value add(Value l, Value r) const { return arith::AddIOp::create(b, l, r); }
  Value bitXor(Value l, Value r) const {
    return arith::XOrIOp::create(b, l, r);
  }
  Value low(Value x) const {
    return arith::AndIOp::create(b, x, number(0xFFFFFFFF));
  }
  Value high(Value x) const { return arith::ShRUIOp::create(b, x, number(32)); }
  Value multiply(Value word, int64_t factor) const {
    return arith::MulIOp::create(b, low(word), number(factor));
  }
  Value select(Value condition, Value ifTrue, Value ifFalse) const {
    return arith::SelectOp::create(b, condition, ifTrue, ifFalse);
  }
  Value compare(CmpIPredicate predicate, Value l, Value r) const {
    return arith::CmpIOp::create(b, predicate, l, r);
  }
};

struct LowerRandomBits
    : LinalgLoweringOpInterface::ExternalModel<LowerRandomBits, RandomBitsOp> {
  Value lowerToLinalg(Operation *op, OpBuilder &builder,
                      ValueRange operands) const {
    auto bits = cast<RandomBitsOp>(op);
    RankedTensorType type = getStorageType(bits.getType());
    SmallVector<AffineMap> maps;
    for (int64_t part = 0; part < 3; ++part)
      maps.push_back(AffineMap::get(type.getRank(), 0,
                                    builder.getAffineConstantExpr(part)));
    SmallVector<Value> parts(3, operands[0]);
    return buildParallel(builder, op->getLoc(), type, parts, maps,
                         [&](OpBuilder &nested, Location loc, ValueRange x) {
                           ImplicitLocOpBuilder b(loc, nested);
                           return buildElement(WordBuilder{b}, bits, x);
                         });
  }

private:
  using Block = std::array<Value, 4>;

  static Value buildElement(const WordBuilder &w, RandomBitsOp bits,
                            ValueRange generator) {
    Value element = buildRowMajorIndex(w, bits.getType().getShape());
    Value block = arith::ShRUIOp::create(w.b, element, w.number(2));
    // Neither half of the sum wraps: counts of elements have 47 bits.
    Value offset = w.add(block, w.number(bits.getOffset()));
    Block words = buildRounds(
        w, generator[0], buildCounter(w, generator[1], generator[2], offset));
    return buildChoice(w, words,
                       arith::AndIOp::create(w.b, element, w.number(3)));
  }

  static Value buildRowMajorIndex(const WordBuilder &w,
                                  ArrayRef<int64_t> shape) {
    Value result = w.number(0);
    int64_t stride = 1;
    for (int64_t dim = shape.size() - 1; dim >= 0; --dim) {
      Value index = arith::IndexCastOp::create(
          w.b, w.b.getI64Type(), linalg::IndexOp::create(w.b, dim));
      result =
          w.add(result, arith::MulIOp::create(w.b, index, w.number(stride)));
      stride *= shape[dim];
    }
    return result;
  }

  static Block buildCounter(const WordBuilder &w, Value low, Value high,
                            Value offset) {
    Value sum = w.add(low, offset);
    Value wraps = w.compare(CmpIPredicate::ult, sum, low);
    high = w.add(high, w.select(wraps, w.number(1), w.number(0)));
    return {sum, w.high(sum), high, w.high(high)};
  }

  static Block buildRounds(const WordBuilder &w, Value key, Block x) {
    Value low = key, high = w.high(key);
    for (int round = 0; round < 10; ++round) {
      Value first = w.multiply(x[0], 0xD2511F53);
      Value second = w.multiply(x[2], 0xCD9E8D57);
      x = {w.bitXor(w.bitXor(w.high(second), x[1]), low), second,
           w.bitXor(w.bitXor(w.high(first), x[3]), high), first};
      low = w.add(low, w.number(0x9E3779B9));
      high = w.add(high, w.number(0xBB67AE85));
    }
    return x;
  }

  static Value buildChoice(const WordBuilder &w, const Block &x, Value which) {
    auto isBelow = [&](int64_t number) {
      return w.compare(CmpIPredicate::ult, which, w.number(number));
    };
    Value word = w.select(isBelow(2), w.select(isBelow(1), x[0], x[1]),
                          w.select(isBelow(3), x[2], x[3]));
    return arith::TruncIOp::create(w.b, w.b.getI32Type(), word);
  }
};

} // namespace

void hamkaas::registerRandomLowering(MLIRContext *context) {
  RandomBitsOp::attachInterface<LowerRandomBits>(*context);
}
