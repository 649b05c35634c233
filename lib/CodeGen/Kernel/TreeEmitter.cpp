//===- TreeEmitter.cpp - Elements of linalg graphs --------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/CodeGen/Kernel/TreeEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace hamkaas;

Point hamkaas::lanePoint(ValueRange outer, Value lane) {
  Point point;
  for (Value index : outer)
    point.push_back({index});
  point.push_back({lane, /*step=*/1});
  return point;
}

TreeEmitter::TreeEmitter(KernelBuilder &kernel, int64_t lanes, int64_t active,
                         Leaf leaf)
    : kernel(kernel), lanes(lanes), active(active), leaf(std::move(leaf)) {}

Value TreeEmitter::evaluate(Value tensor, PointRef point) {
  if (leaf)
    if (Value value = leaf(tensor, point))
      return value;
  for (auto &[at, value] : known[tensor])
    if (PointRef(at) == point)
      return value;
  Value value = define(tensor, point);
  known[tensor].emplace_back(Point(point), value);
  return value;
}

void TreeEmitter::store(Value tensor, PointRef point, ValueRange offsets) {
  Point target(point);
  SmallVector<Value> indices;
  for (auto [coordinate, offset] : llvm::zip_equal(target, offsets)) {
    coordinate.index = kernel.add(coordinate.index, offset);
    indices.push_back(coordinate.index);
  }
  setWritten(target);
  kernel.store(evaluateVector(tensor, point), indices, active);
}

void TreeEmitter::storeInRow(Value tensor, Value first) {
  writtenNumbers = emitIndex({first, /*step=*/1});
  Point point;
  for (Value index :
       kernel.delinearize(writtenNumbers, kernel.destinationType().getShape()))
    point.push_back({index});
  setWritten(point);
  kernel.scatter(evaluateVector(tensor, point), writtenNumbers, active);
}

Value TreeEmitter::define(Value tensor, PointRef point) {
  if (auto fill = tensor.getDefiningOp<linalg::FillOp>())
    return fill.getInputs().front();
  if (auto unpack = tensor.getDefiningOp<linalg::UnPackOp>())
    return evaluateUnpack(unpack, point);
  if (auto pad = tensor.getDefiningOp<tensor::PadOp>())
    return evaluatePad(pad, point);
  DenseElementsAttr constant;
  if (matchPattern(tensor, m_Constant(&constant)) && constant.isSplat())
    return arith::ConstantOp::create(
        kernel.ir(), kernel.loc(),
        cast<TypedAttr>(constant.getSplatValue<Attribute>()));
  auto op = tensor.getDefiningOp<linalg::LinalgOp>();
  if (!op)
    return read(tensor, point);

  auto result = cast<OpResult>(tensor);
  AffineMap map = op.getIndexingMapMatchingResult(result);
  Point iteration(op.getNumLoops());
  for (auto [expr, coordinate] : llvm::zip_equal(map.getResults(), point))
    iteration[cast<AffineDimExpr>(expr).getPosition()] = coordinate;
  IRMapping values = evaluateBody(op, iteration, /*except=*/nullptr);
  return values.lookupOrDefault(
      op.getBlock()->getTerminator()->getOperand(result.getResultNumber()));
}

//===----------------------------------------------------------------------===//
// Bodies of linalg operations
//===----------------------------------------------------------------------===//

Value TreeEmitter::evaluateOperand(linalg::LinalgOp op, OpOperand &operand,
                                   PointRef point) {
  if (!isa<RankedTensorType>(operand.get().getType()))
    return operand.get();
  return evaluate(
      operand.get(),
      applyLinear(kernel, op.getMatchingIndexingMap(&operand), point));
}

IRMapping TreeEmitter::evaluateBody(linalg::LinalgOp op, PointRef point,
                                    Operation *except) {
  IRMapping values;
  for (OpOperand &operand : op->getOpOperands()) {
    BlockArgument argument = op.getMatchingBlockArgument(&operand);
    bool needed = llvm::any_of(argument.getUsers(), [&](Operation *user) {
      return user != except || !op.isDpsInit(&operand);
    });
    if (needed)
      values.map(argument, evaluateOperand(op, operand, point));
  }
  for (Operation &inner : op.getBlock()->without_terminator())
    if (&inner != except)
      emit(inner, point, values);
  return values;
}

Value TreeEmitter::evaluateContribution(linalg::LinalgOp op,
                                        Operation *combiner, Value contribution,
                                        PointRef point) {
  return evaluateBody(op, point, combiner).lookupOrDefault(contribution);
}

void TreeEmitter::emit(Operation &op, PointRef point, IRMapping &values) {
  if (auto index = dyn_cast<linalg::IndexOp>(op)) {
    values.map(index.getResult(), emitIndex(point[index.getDim()]));
    return;
  }
  if (auto extract = dyn_cast<tensor::ExtractOp>(op)) {
    values.map(extract.getResult(), emitExtract(extract, values));
    return;
  }
  auto isVector = [&](Value operand) {
    return isa<VectorType>(values.lookupOrDefault(operand).getType());
  };
  if (llvm::none_of(op.getOperands(), isVector)) {
    kernel.ir().clone(op, values);
    return;
  }
  if (Value mask = emitLaneCompare(op, values)) {
    values.map(op.getResult(0), mask);
    return;
  }
  IRMapping vectors;
  for (Value operand : op.getOperands())
    vectors.map(operand,
                kernel.broadcast(values.lookupOrDefault(operand), lanes));
  Operation *clone = kernel.ir().clone(op, vectors);
  for (auto [from, to] :
       llvm::zip_equal(op.getResults(), clone->getResults())) {
    to.setType(VectorType::get(lanes, from.getType()));
    values.map(from, to);
  }
  noteCounting(op, values);
}

Value TreeEmitter::emitIndex(Coordinate coordinate) {
  assert(coordinate.offsets.empty() && "expected lanes of a common step");
  if (!coordinate.step)
    return coordinate.index;
  OpBuilder &ir = kernel.ir();
  Value indices = kernel.laneNumbers(lanes);
  if (coordinate.step != 1)
    indices = arith::MulIOp::create(
        ir, kernel.loc(), indices,
        kernel.broadcast(kernel.constant(coordinate.step), lanes));
  indices = arith::AddIOp::create(ir, kernel.loc(), indices,
                                  kernel.broadcast(coordinate.index, lanes));
  counting[indices] = coordinate;
  return indices;
}

/// The coordinate of `value`, if it increases by a constant from lane to lane;
/// a scalar has step 0.
std::optional<Coordinate> TreeEmitter::getCounting(Value value) const {
  if (!isa<VectorType>(value.getType()))
    return Coordinate{value};
  auto known = counting.find(value);
  if (known == counting.end())
    return std::nullopt;
  return known->second;
}

/// Casts, sums and multiples of such values have the property, too. Recording
/// it shows that elements read at them are contiguous.
void TreeEmitter::noteCounting(Operation &op, IRMapping &values) {
  // Narrower integers may wrap from one lane to the next.
  Type type = op.getResult(0).getType();
  if (!isa<arith::IndexCastOp, arith::AddIOp, arith::SubIOp, arith::MulIOp>(
          op) ||
      !(type.isIndex() || type.isSignlessInteger(64)))
    return;
  SmallVector<Coordinate> operands;
  IRMapping first;
  for (Value operand : op.getOperands()) {
    std::optional<Coordinate> at = getCounting(values.lookupOrDefault(operand));
    if (!at)
      return;
    operands.push_back(*at);
    first.map(operand, at->index);
  }
  int64_t step = operands[0].step;
  if (isa<arith::AddIOp>(op))
    step += operands[1].step;
  if (isa<arith::SubIOp>(op))
    step -= operands[1].step;
  if (isa<arith::MulIOp>(op)) {
    if (operands[0].step == 0)
      std::swap(operands[0], operands[1]);
    std::optional<int64_t> factor = getConstantIntValue(operands[1].index);
    if (!factor || operands[1].step)
      return;
    step = operands[0].step * *factor;
  }
  counting[values.lookup(op.getResult(0))] = {
      kernel.ir().clone(op, first)->getResult(0), step};
}

/// A comparison of indices with a bound becomes a mask of the first lanes,
/// which is far cheaper than a vector of 64-bit numbers.
Value TreeEmitter::emitLaneCompare(Operation &op, IRMapping &values) {
  auto compare = dyn_cast<arith::CmpIOp>(op);
  if (!compare)
    return nullptr;
  Value indices = values.lookupOrDefault(compare.getLhs());
  Value bound = values.lookupOrDefault(compare.getRhs());
  arith::CmpIPredicate predicate = compare.getPredicate();
  if (predicate == arith::CmpIPredicate::sgt) {
    std::swap(indices, bound);
    predicate = arith::CmpIPredicate::slt;
  }
  std::optional<Coordinate> at = getCounting(indices);
  if (!at || at->step != 1 || predicate != arith::CmpIPredicate::slt ||
      isa<VectorType>(bound.getType()))
    return nullptr;
  // Computed numbers may wrap between two lanes; indices cannot.
  if (!getElementTypeOrSelf(indices).isIndex() &&
      !indices.getDefiningOp<arith::IndexCastOp>())
    return nullptr;

  OpBuilder &ir = kernel.ir();
  Location loc = kernel.loc();
  auto cast = [&](Value value) -> Value {
    if (value.getType().isIndex())
      return value;
    return arith::IndexCastOp::create(ir, loc, ir.getIndexType(), value);
  };
  auto clamp = [&](Value value, int64_t low, int64_t high) -> Value {
    value = arith::MaxSIOp::create(ir, loc, value, kernel.constant(low));
    return arith::MinSIOp::create(ir, loc, value, kernel.constant(high));
  };
  // The bound may be any number: the difference must not wrap.
  int64_t limit = int64_t(1) << 62;
  Value count = arith::SubIOp::create(
      ir, loc, clamp(cast(bound), -limit, limit), cast(at->index));
  return vector::CreateMaskOp::create(
      ir, loc, VectorType::get(lanes, ir.getI1Type()), clamp(count, 0, lanes));
}

//===----------------------------------------------------------------------===//
// Conditions for evaluation
//===----------------------------------------------------------------------===//

/// The body may read the kernel's inputs directly, at computed points.
static LogicalResult verifyExtract(tensor::ExtractOp op) {
  auto argument = dyn_cast<BlockArgument>(op.getTensor());
  if (argument && argument != argument.getOwner()->getArguments().back())
    return success();
  return op.emitError("expected to read an input of the kernel");
}

LogicalResult hamkaas::verifyBody(linalg::LinalgOp op) {
  for (OpOperand &operand : op->getOpOperands())
    if (!isLinear(op.getMatchingIndexingMap(&operand)))
      return op->emitError("expected operand ")
             << operand.getOperandNumber()
             << " to be indexed by sums of multiples of loops, got "
             << AffineMapAttr::get(op.getMatchingIndexingMap(&operand));
  for (Operation &inner : op.getBlock()->without_terminator()) {
    if (auto extract = dyn_cast<tensor::ExtractOp>(inner)) {
      if (failed(verifyExtract(extract)))
        return failure();
    } else if (!isa<linalg::IndexOp>(inner) &&
               !OpTrait::hasElementwiseMappableTraits(&inner) &&
               !inner.hasTrait<OpTrait::ConstantLike>()) {
      return inner.emitError("expected an operation that works on vectors as "
                             "it does on elements");
    }
  }
  return success();
}

LogicalResult hamkaas::verifyElementwise(linalg::LinalgOp op) {
  for (Value result : op->getResults())
    if (!op.getIndexingMapMatchingResult(cast<OpResult>(result))
             .isPermutation())
      return op->emitError("expected each result to be indexed by a "
                           "permutation of the loops");
  return verifyBody(op);
}
