//===- FoldAffine.cpp - Folds scales and offsets ----------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Dialect/HamKaas/Graph/Passes.h"
#include "HamKaas/Dialect/HamKaas/IR/ArithmeticOps.h"
#include "HamKaas/Dialect/HamKaas/IR/ConstantOps.h"
#include "HamKaas/Dialect/HamKaas/IR/MathOps.h"
#include "HamKaas/Dialect/HamKaas/IR/TensorViews.h"
#include "HamKaas/Dialect/HamKaas/IR/ViewOps.h"
#include "SimplifyPatterns.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace hamkaas {
#define GEN_PASS_DEF_FOLDAFFINE
#include "HamKaas/Dialect/HamKaas/Graph/Passes.h.inc"
} // namespace hamkaas

using namespace mlir;
using namespace hamkaas;

namespace {

/// `x * p` or `x + p`, where `p` is a parameter and `x` is not.
struct Affine {
  Value x, parameter;
  explicit operator bool() const { return x != nullptr; }
};

/// Rewrites chains to the form `contraction * p + p` or `x * p + p`, in order,
/// so that each operation sees an operand in that form.
class AffineFolder {
public:
  void run(Block &block);

private:
  void fold(Operation *op);
  Value foldProduct(Operation *op, Value x, Value scale);
  Value foldSum(Operation *op, Value x, Value offset);
  Value foldIntoWeights(Operation *op, Value x, Value scale);
  Value getScale(Operation *op);
  Value getOffset(Operation *op);

  template <typename OpTy> Affine match(Value value) const;
  bool isChain(Value value) const;
  OpOperand *getScalableWeights(Operation *op) const;
  bool isParameter(Value value) const { return parameters.contains(value); }
  template <typename OpTy>
  Value combine(OpBuilder &builder, Location loc, Value a, Value b);
  template <typename OpTy, typename... Args>
  Value createParameter(OpBuilder &builder, Location loc, Args... args);

  llvm::DenseSet<Value> parameters;
};

} // namespace

//===----------------------------------------------------------------------===//
// Parameters
//===----------------------------------------------------------------------===//

template <typename OpTy, typename... Args>
Value AffineFolder::createParameter(OpBuilder &builder, Location loc,
                                    Args... args) {
  Value value = OpTy::create(builder, loc, args...);
  parameters.insert(value);
  return value;
}

/// Returns whether an operation broadcasts `b` to the shape of `a`.
static bool repeatsTo(Value b, Value a) {
  auto from = cast<RankedTensorType>(b.getType());
  auto to = cast<RankedTensorType>(a.getType());
  return from.getRank() == to.getRank() &&
         llvm::all_of(llvm::zip_equal(from.getShape(), to.getShape()),
                      [](auto dims) {
                        auto [fromDim, toDim] = dims;
                        return fromDim == toDim || fromDim == 1;
                      });
}

/// The sum or product of two parameters; null if it would be larger than both.
template <typename OpTy>
Value AffineFolder::combine(OpBuilder &builder, Location loc, Value a,
                            Value b) {
  if (!repeatsTo(b, a))
    std::swap(a, b);
  return repeatsTo(b, a) ? createParameter<OpTy>(builder, loc, a, b) : Value();
}

//===----------------------------------------------------------------------===//
// Matching
//===----------------------------------------------------------------------===//

/// The operation that computes `value` for a single user.
template <typename OpTy> static OpTy getSingleUse(Value value) {
  return value.hasOneUse() ? value.getDefiningOp<OpTy>() : OpTy();
}

/// `value` as a single-use `x * p` or `x + p`.
template <typename OpTy> Affine AffineFolder::match(Value value) const {
  auto op = getSingleUse<OpTy>(value);
  if (!op || isParameter(op.getLhs()) || !isParameter(op.getRhs()))
    return {};
  return {op.getLhs(), op.getRhs()};
}

static OpOperand *getColumnWeights(Operation *op) {
  auto kernelOp = dyn_cast_or_null<KernelOpInterface>(op);
  return kernelOp ? kernelOp.getColumnWeights() : nullptr;
}

/// The weights that can absorb a factor of the result; null if there are none.
OpOperand *AffineFolder::getScalableWeights(Operation *op) const {
  OpOperand *weights = getColumnWeights(op);
  // Weights with other users would have to exist twice.
  bool isScalable = weights && op->hasOneUse() && isParameter(weights->get()) &&
                    weights->get().hasOneUse();
  return isScalable ? weights : nullptr;
}

/// Returns whether the producer of `value` can absorb a factor.
bool AffineFolder::isChain(Value value) const {
  if (match<MulOp>(value) || getScalableWeights(value.getDefiningOp()))
    return true;
  Affine sum = match<AddOp>(value);
  return sum &&
         (match<MulOp>(sum.x) || getScalableWeights(sum.x.getDefiningOp()));
}

/// The parameter that the op multiplies its lhs by; null if it does not.
Value AffineFolder::getScale(Operation *op) {
  if (isa<MulOp>(op))
    return op->getOperand(1);
  if (!isa<DivOp>(op))
    return nullptr;
  OpBuilder builder(op);
  Value divisor = op->getOperand(1);
  auto type = cast<RankedTensorType>(divisor.getType());
  Value one = createParameter<ConstantOp>(
      builder, op->getLoc(),
      DenseElementsAttr::get(type,
                             builder.getFloatAttr(type.getElementType(), 1.0)));
  return createParameter<DivOp>(builder, op->getLoc(), one, divisor);
}

/// The parameter that the op adds to its lhs; null if it does not.
Value AffineFolder::getOffset(Operation *op) {
  if (isa<AddOp>(op))
    return op->getOperand(1);
  if (!isa<SubOp>(op))
    return nullptr;
  OpBuilder builder(op);
  return createParameter<NegOp>(builder, op->getLoc(), op->getOperand(1));
}

//===----------------------------------------------------------------------===//
// Folding
//===----------------------------------------------------------------------===//

/// The contraction `x` with weights that are multiplied by `scale`, one number
/// a column; null if that is not possible.
Value AffineFolder::foldIntoWeights(Operation *op, Value x, Value scale) {
  Operation *contraction = x.getDefiningOp();
  OpOperand *weights = getScalableWeights(contraction);
  if (!weights)
    return nullptr;
  auto type = cast<RankedTensorType>(scale.getType());
  auto columns = type.getShape().back();
  if (type.getNumElements() != columns)
    return nullptr;
  auto weightsType = cast<RankedTensorType>(weights->get().getType());
  SmallVector<int64_t> shape(weightsType.getRank(), 1);
  shape.back() = columns;
  OpBuilder builder(op);
  Location loc = fuseLocations(contraction, op);
  Value factors =
      createParameter<ReshapeOp>(builder, loc, type.clone(shape), scale);
  Value scaled = createParameter<MulOp>(builder, loc, weights->get(), factors);
  Operation *copy = builder.clone(*contraction);
  copy->setOperand(weights->getOperandNumber(), scaled);
  copy->setLoc(loc);
  return copy->getResult(0);
}

/// `x * scale` in a place of `op`.
Value AffineFolder::foldProduct(Operation *op, Value x, Value scale) {
  OpBuilder builder(op);
  if (Affine sum = match<AddOp>(x)) {
    Value offset = combine<MulOp>(builder, op->getLoc(), sum.parameter, scale);
    if (!offset)
      return nullptr;
    // NOTE: the sum is the only user of its operand, and will be gone.
    Value product = foldProduct(op, sum.x, scale);
    return product
               ? AddOp::create(builder, fuseLocations(x.getDefiningOp(), op),
                               product, offset)
                     .getResult()
               : Value();
  }
  if (Affine product = match<MulOp>(x)) {
    Value both =
        combine<MulOp>(builder, op->getLoc(), product.parameter, scale);
    if (!both)
      return nullptr;
    Value folded = foldIntoWeights(op, product.x, both);
    return folded ? folded
                  : MulOp::create(builder, fuseLocations(x.getDefiningOp(), op),
                                  product.x, both)
                        .getResult();
  }
  return foldIntoWeights(op, x, scale);
}

/// `x + offset`, where `x` is a sum.
Value AffineFolder::foldSum(Operation *op, Value x, Value offset) {
  Affine sum = match<AddOp>(x);
  OpBuilder builder(op);
  Value both =
      sum ? combine<AddOp>(builder, op->getLoc(), sum.parameter, offset)
          : Value();
  if (!both)
    return nullptr;
  return AddOp::create(builder, fuseLocations(x.getDefiningOp(), op), sum.x,
                       both);
}

/// Erases the operations of a folded chain: they would count as users.
static void eraseUnused(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!op->use_empty() || !(isa<AddOp, MulOp>(op) || getColumnWeights(op)))
      return;
    value = op->getOperand(0);
    op->erase();
  }
}

void AffineFolder::fold(Operation *op) {
  if (!isa<AddOp, SubOp, MulOp, DivOp>(op))
    return;
  auto element =
      cast<RankedTensorType>(op->getResult(0).getType()).getElementType();
  // A rounding to 16 bits between the steps would change the result.
  if (!isa<Float32Type, Float64Type>(element))
    return;
  bool isCommutative = isa<AddOp, MulOp>(op);
  if (isCommutative && isParameter(op->getOperand(0)) &&
      op->getOperand(0).getType() == op->getOperand(1).getType())
    op->setOperands({op->getOperand(1), op->getOperand(0)});
  Value x = op->getOperand(0);
  if (isParameter(x) || !isParameter(op->getOperand(1)))
    return;
  Value result;
  if (isa<MulOp, DivOp>(op) && isChain(x))
    result = foldProduct(op, x, getScale(op));
  else if (isa<AddOp, SubOp>(op) && match<AddOp>(x))
    result = foldSum(op, x, getOffset(op));
  if (!result)
    return;
  op->getResult(0).replaceAllUsesWith(result);
  op->erase();
  eraseUnused(x);
}

void AffineFolder::run(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(block)) {
    bool isKnown = isParameterSource(&op) ||
                   (isa<KernelOpInterface>(op) &&
                    llvm::all_of(op.getOperands(), [&](Value operand) {
                      return isParameter(operand);
                    }));
    if (isKnown)
      parameters.insert(op.getResults().begin(), op.getResults().end());
    else
      fold(&op);
  }
}

namespace {

struct FoldAffine : hamkaas::impl::FoldAffineBase<FoldAffine> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>())
      for (Block &block : function.getBody())
        AffineFolder().run(block);
  }
};

} // namespace
