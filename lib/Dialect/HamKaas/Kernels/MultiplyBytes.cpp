//===- MultiplyBytes.cpp - Products of bytes --------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DenseConvolutions.h"
#include "HamKaas/Dialect/HamKaas/IR/ArithmeticOps.h"
#include "HamKaas/Dialect/HamKaas/IR/ConstantOps.h"
#include "HamKaas/Dialect/HamKaas/IR/ContractionOps.h"
#include "HamKaas/Dialect/HamKaas/IR/DimensionOps.h"
#include "HamKaas/Dialect/HamKaas/IR/ElementwiseOps.h"
#include "HamKaas/Dialect/HamKaas/IR/ReductionOps.h"
#include "HamKaas/Dialect/HamKaas/IR/RegionOps.h"
#include "HamKaas/Dialect/HamKaas/IR/TensorViews.h"
#include "HamKaas/Dialect/HamKaas/Kernels/Passes.h"
#include "NarrowProducts.h"
#include "PadConvolutions.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Iterators.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/DenseMap.h"

namespace hamkaas {
#define GEN_PASS_DEF_MULTIPLYBYTES
#include "HamKaas/Dialect/HamKaas/Kernels/Passes.h.inc"
} // namespace hamkaas

using namespace mlir;
using namespace hamkaas;

namespace {

/// Integers that are `bytes - zero - number`, the bytes unsigned.
struct ByteNumbers {
  Value bytes;
  int64_t number = 0;
  /// One number of 32 bits, in the rank of the bytes; null for 0.
  Value zero;
};

/// Finds the bytes that integers of 16 bits are made of.
class ByteFinder {
public:
  std::optional<ByteNumbers> find(Value value);

  /// Lets all that reads `value` as floats read its bytes, which are in memory
  /// for a product.
  void readBytes(Value value);

private:
  std::optional<ByteNumbers> build(Value value);
  std::optional<ByteNumbers> findCast(CastOp cast);
  std::optional<ByteNumbers> findDifference(SubOp sub);
  std::optional<ByteNumbers> findMoved(Operation *op);
  Value getUnsigned(Value bytes);

  DenseMap<Value, std::optional<ByteNumbers>> known;
  /// Signed bytes as unsigned ones.
  DenseMap<Value, Value> unsignedBytes;
};

} // namespace

static RankedTensorType getTensorType(Value value) {
  return cast<RankedTensorType>(value.getType());
}

static Value castTo(OpBuilder &builder, Location loc, Value value,
                    Type element) {
  RankedTensorType type = getTensorType(value).clone(element);
  return type == value.getType()
             ? value
             : CastOp::create(builder, loc, type, value).getResult();
}

/// A number in a tensor of rank `rank`.
static Value makeNumber(OpBuilder &builder, Location loc, int64_t rank,
                        Type element, int64_t number) {
  auto type = RankedTensorType::get(SmallVector<int64_t>(rank, 1), element);
  TypedAttr attr = isa<FloatType>(element)
                       ? TypedAttr(builder.getFloatAttr(element, number))
                       : TypedAttr(builder.getIntegerAttr(element, number));
  return ConstantOp::create(builder, loc, DenseElementsAttr::get(type, attr));
}

//===----------------------------------------------------------------------===//
// Bytes
//===----------------------------------------------------------------------===//

/// A signed byte is an unsigned one less this.
static constexpr int64_t signedZero = 128;

static bool isSigned(Value bytes) {
  return getTensorType(bytes).getElementType().isSignlessInteger();
}

Value ByteFinder::getUnsigned(Value bytes) {
  Value &found = unsignedBytes[bytes];
  if (found)
    return found;
  OpBuilder builder(bytes.getContext());
  builder.setInsertionPointAfterValue(bytes);
  Location loc = bytes.getLoc();
  Type narrow = builder.getI16Type();
  Value sum =
      AddOp::create(builder, loc, castTo(builder, loc, bytes, narrow),
                    makeNumber(builder, loc, getTensorType(bytes).getRank(),
                               narrow, signedZero));
  return found = castTo(builder, loc, sum,
                        builder.getIntegerType(8, /*isSigned=*/false));
}

std::optional<ByteNumbers> ByteFinder::findCast(CastOp cast) {
  Value bytes = cast.getX();
  if (!getTensorType(bytes).getElementType().isInteger(8))
    return std::nullopt;
  if (isSigned(bytes))
    return ByteNumbers{getUnsigned(bytes), signedZero, nullptr};
  return ByteNumbers{bytes, 0, nullptr};
}

std::optional<ByteNumbers> ByteFinder::findDifference(SubOp sub) {
  std::optional<ByteNumbers> found = find(sub.getLhs());
  if (!found || getTensorType(sub.getLhs()) != sub.getType() || found->zero)
    return std::nullopt;
  OpBuilder builder(sub);
  DenseIntElementsAttr constant;
  if (matchPattern(sub.getRhs(), m_Constant(&constant)) && constant.isSplat()) {
    found->number += constant.getSplatValue<APInt>().getSExtValue();
    return found;
  }
  if (getElementCount(getTensorType(sub.getRhs())) != 1)
    return std::nullopt;
  SmallVector<int64_t> ones(sub.getType().getRank(), 1);
  found->zero = reshape(
      builder, sub.getLoc(),
      castTo(builder, sub.getLoc(), sub.getRhs(), builder.getI32Type()), ones);
  return found;
}

std::optional<ByteNumbers> ByteFinder::findMoved(Operation *op) {
  std::optional<ByteNumbers> found = find(op->getOperand(0));
  if (!found)
    return std::nullopt;
  OpBuilder builder(op);
  RankedTensorType type = getTensorType(op->getResult(0));
  found->bytes = moveAlike(op, found->bytes);
  SmallVector<int64_t> ones(type.getRank(), 1);
  if (found->zero)
    found->zero = reshape(builder, op->getLoc(), found->zero, ones);
  return found;
}

std::optional<ByteNumbers> ByteFinder::build(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op || !getTensorType(value).getElementType().isSignlessInteger(16))
    return std::nullopt;
  if (auto cast = dyn_cast<CastOp>(op))
    return findCast(cast);
  if (auto sub = dyn_cast<SubOp>(op))
    return findDifference(sub);
  if (movesElements(op))
    return findMoved(op);
  return std::nullopt;
}

std::optional<ByteNumbers> ByteFinder::find(Value value) {
  if (auto place = known.find(value); place != known.end())
    return place->second;
  std::optional<ByteNumbers> found = build(value);
  known[value] = found;
  return found;
}

//===----------------------------------------------------------------------===//
// Readers of bytes
//===----------------------------------------------------------------------===//

/// Replaces `reader`, a cast of `numbers` to a type that has all of them.
static void readFrom(const ByteNumbers &numbers, CastOp reader) {
  OpBuilder builder(reader);
  Location loc = reader.getLoc();
  Type element = reader.getType().getElementType();
  Value result = castTo(builder, loc, numbers.bytes, element);
  if (numbers.number)
    result = SubOp::create(builder, loc, result,
                           makeNumber(builder, loc, reader.getType().getRank(),
                                      element, numbers.number));
  if (numbers.zero)
    result = SubOp::create(builder, loc, result,
                           castTo(builder, loc, numbers.zero, element));
  reader.replaceAllUsesWith(result);
}

static SmallVector<CastOp> getCasts(Value value,
                                    llvm::function_ref<bool(Type)> accepts) {
  SmallVector<CastOp> casts;
  for (Operation *user : value.getUsers())
    if (auto cast = dyn_cast<CastOp>(user);
        cast && accepts(cast.getType().getElementType()))
      casts.push_back(cast);
  return casts;
}

void ByteFinder::readBytes(Value value) {
  auto isFloat = [](Type type) { return type.isF32(); };
  while (Operation *op = value.getDefiningOp()) {
    std::optional<ByteNumbers> numbers = find(value);
    if (!numbers)
      break;
    for (CastOp reader : getCasts(value, isFloat))
      readFrom(*numbers, reader);
    value = op->getOperand(0);
  }
  // The bytes themselves: signed ones need not be in memory, too.
  auto place = unsignedBytes.find(value);
  if (place == unsignedBytes.end())
    return;
  ByteNumbers numbers{place->second, signedZero, nullptr};
  Operation *conversion = place->second.getDefiningOp();
  auto isWide = [](Type type) { return type.isF32() || type.isInteger(16); };
  for (CastOp reader : getCasts(value, isWide))
    if (conversion->isBeforeInBlock(reader))
      readFrom(numbers, reader);
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// The weights as signed bytes; null if they have other numbers.
static Value getSignedBytes(Value weights) {
  std::optional<Interval> range = getRange(weights);
  if (!range || range->least < INT8_MIN || range->most > INT8_MAX)
    return nullptr;
  auto widened = weights.getDefiningOp<CastOp>();
  if (widened && getTensorType(widened.getX()).getElementType() ==
                     IntegerType::get(weights.getContext(), 8))
    return widened.getX();
  OpBuilder builder(weights.getContext());
  builder.setInsertionPointAfterValue(weights);
  return castTo(builder, weights.getLoc(), weights, builder.getI8Type());
}

/// The zero point of `left` times the sums of the columns of `weights`, in
/// which `window` dimensions before the last are added up.
static Value multiplyColumnSums(OpBuilder &builder, Location loc, Value weights,
                                int64_t window, const ByteNumbers &left) {
  RankedTensorType type = getTensorType(weights);
  SmallVector<int64_t> dims = llvm::to_vector(
      llvm::seq(type.getRank() - 1 - window, type.getRank() - 1));
  Value sums = ReduceOp::create(builder, loc, Combiner::Sum, weights, dims);
  SmallVector<int64_t> shape(type.getShape());
  for (int64_t dim : dims)
    shape[dim] = 1;
  sums = reshape(builder, loc, sums, shape);
  Value zero = left.zero;
  if (left.number) {
    Value number = makeNumber(builder, loc, type.getRank(),
                              builder.getI32Type(), left.number);
    zero = zero ? AddOp::create(builder, loc, zero, number) : number;
  }
  return MulOp::create(builder, loc, sums, zero);
}

/// Returns whether the left side of `product` can be padded by bytes.
static bool canPad(Operation *product, const ByteNumbers &left) {
  auto conv = dyn_cast<ConvOp>(product);
  if (!conv || !conv.isPadded())
    return true;
  return !left.zero && isWorthPadding(conv) && left.number >= 0 &&
         left.number <= UINT8_MAX;
}

static Value padBytes(OpBuilder &builder, ConvOp conv,
                      const ByteNumbers &left) {
  SmallVector<int64_t> none(conv.getPadLow().size(), 0);
  Value padded = padOperand(builder, conv, left.bytes, none, left.number);
  conv.setPadLow(none);
  conv.setPadHigh(none);
  return padded;
}

static void replaceProduct(Operation *product, ByteNumbers left,
                           Value weights) {
  OpBuilder builder(product);
  Location loc = product->getLoc();
  auto conv = dyn_cast<ConvOp>(product);
  if (conv && conv.isPadded())
    left.bytes = padBytes(builder, conv, left);
  Type wide = builder.getI32Type();
  product->setOperand(0, castTo(builder, loc, left.bytes, wide));
  product->setOperand(1, castTo(builder, loc, weights, wide));
  if (!left.number && !left.zero)
    return;
  builder.setInsertionPointAfter(product);
  // NOTE: a cast of its own: that of the product belongs to its kernel.
  Value right = castTo(builder, loc, weights, wide);
  int64_t window = conv ? getTensorType(right).getRank() - 1 : 1;
  auto result =
      SubOp::create(builder, loc, product->getResult(0),
                    multiplyColumnSums(builder, loc, right, window, left));
  product->getResult(0).replaceAllUsesExcept(result, result);
}

namespace {
struct MultiplyBytes : hamkaas::impl::MultiplyBytesBase<MultiplyBytes> {
  void runOnOperation() override {
    getOperation().walk([&](Block *block) {
      if (isa<func::FuncOp, ScanOp>(block->getParentOp()))
        multiplyIn(*block);
    });
    for (Value value : multiplied)
      finder.readBytes(value);
    eraseUnused();
  }

private:
  void multiplyIn(Block &block) {
    DenseSet<Operation *> parameterOps = findParameterOps(block);
    SmallVector<Operation *> products;
    for (Operation &op : block)
      if (isa<MatMulOp, ConvOp>(op) && multipliesNarrow(&op) &&
          !parameterOps.contains(&op))
        products.push_back(&op);
    for (Operation *product : products) {
      Value integers = getNarrowOperand(product, 0);
      Value weights = getNarrowOperand(product, 1);
      // Those that are computed in a run are not packed into panels.
      if (!parameterOps.contains(weights.getDefiningOp()))
        continue;
      std::optional<ByteNumbers> left = finder.find(integers);
      if (!left || !canPad(product, *left))
        continue;
      auto [place, isNew] = signedBytes.insert({weights, nullptr});
      if (isNew)
        place->second = getSignedBytes(weights);
      if (!place->second)
        continue;
      replaceProduct(product, *left, place->second);
      multiplied.push_back(integers);
    }
  }

  static Value getNarrowOperand(Operation *product, unsigned number) {
    return product->getOperand(number).getDefiningOp<CastOp>().getX();
  }

  void eraseUnused() {
    getOperation().walk<WalkOrder::PostOrder, ReverseIterator>(
        [](Operation *op) {
          if (isOpTriviallyDead(op))
            op->erase();
        });
  }

  ByteFinder finder;
  /// Weights of 16 bits as signed bytes, null where these cannot have them.
  DenseMap<Value, Value> signedBytes;
  /// Left sides whose bytes products multiply.
  SmallVector<Value> multiplied;
};
} // namespace
