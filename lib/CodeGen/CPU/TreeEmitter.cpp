//===- TreeEmitter.cpp - Elements of linalg graphs --------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TreeEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace hamkaas;

Point hamkaas::lanePoint(ValueRange outer, Value lane) {
  Point point;
  for (Value index : outer)
    point.push_back({index});
  point.push_back({lane, /*lane=*/true});
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

Value TreeEmitter::define(Value tensor, PointRef point) {
  if (auto fill = tensor.getDefiningOp<linalg::FillOp>())
    return fill.getInputs().front();
  if (auto unpack = tensor.getDefiningOp<linalg::UnPackOp>())
    return evaluateUnpack(unpack, point);
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
  Point at;
  for (AffineExpr expr : op.getMatchingIndexingMap(&operand).getResults())
    if (auto dim = dyn_cast<AffineDimExpr>(expr))
      at.push_back(point[dim.getPosition()]);
    else
      at.push_back(
          {kernel.constant(cast<AffineConstantExpr>(expr).getValue())});
  return evaluate(operand.get(), at);
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
  // A cast of indices still counts up; remember its first lane, too.
  if (auto cast = dyn_cast<arith::IndexCastOp>(op))
    if (Value first = firstLanes.lookup(values.lookup(cast.getIn())))
      firstLanes[values.lookup(cast.getOut())] = arith::IndexCastOp::create(
          kernel.ir(), kernel.loc(), cast.getType(), first);
}

Value TreeEmitter::emitIndex(Coordinate coordinate) {
  if (!coordinate.lane)
    return coordinate.index;
  OpBuilder &ir = kernel.ir();
  Value steps = vector::StepOp::create(
      ir, kernel.loc(), VectorType::get(lanes, ir.getIndexType()));
  Value indices = arith::AddIOp::create(
      ir, kernel.loc(), steps, kernel.broadcast(coordinate.index, lanes));
  firstLanes[indices] = coordinate.index;
  return indices;
}

/// Comparing indices with a bound asks for a mask of the first lanes, which is
/// far cheaper than a vector of 64-bit numbers.
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
  Value first = firstLanes.lookup(indices);
  if (!first || predicate != arith::CmpIPredicate::slt ||
      isa<VectorType>(bound.getType()))
    return nullptr;

  OpBuilder &ir = kernel.ir();
  Location loc = kernel.loc();
  auto cast = [&](Value value) -> Value {
    if (value.getType().isIndex())
      return value;
    return arith::IndexCastOp::create(ir, loc, ir.getIndexType(), value);
  };
  Value count = arith::SubIOp::create(ir, loc, cast(bound), cast(first));
  count = arith::MaxSIOp::create(ir, loc, count, kernel.constant(0));
  count = arith::MinSIOp::create(ir, loc, count, kernel.constant(lanes));
  return vector::CreateMaskOp::create(
      ir, loc, VectorType::get(lanes, ir.getI1Type()), count);
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

Value TreeEmitter::read(Value tensor, PointRef point) {
  if (PointRef(written) != point)
    kernel.forbidAlias(tensor);
  if (tensor == kernel.destinationArgument())
    tensor = kernel.destination;
  SmallVector<Value> indices;
  for (Coordinate coordinate : point)
    indices.push_back(coordinate.index);
  bool anyLane = llvm::any_of(point, [](Coordinate c) { return c.lane; });
  if (!anyLane)
    return tensor::ExtractOp::create(kernel.ir(), kernel.loc(), tensor,
                                     indices);
  bool contiguous =
      point.back().lane &&
      llvm::none_of(point.drop_back(), [](Coordinate c) { return c.lane; });
  if (!contiguous)
    return readStrided(tensor, point);
  return kernel.load(tensor, indices, lanes, active);
}

Value TreeEmitter::readStrided(Value tensor, PointRef point) {
  SmallVector<Value> elements;
  for (int64_t lane = 0; lane < lanes; ++lane) {
    // Lanes that are not active may lie outside of the tensor.
    if (lane >= active) {
      elements.push_back(elements.front());
      continue;
    }
    SmallVector<Value> indices;
    for (Coordinate c : point)
      indices.push_back(c.lane ? kernel.add(c.index, lane) : c.index);
    elements.push_back(
        tensor::ExtractOp::create(kernel.ir(), kernel.loc(), tensor, indices));
  }
  auto type = VectorType::get(lanes, elements.front().getType());
  return vector::FromElementsOp::create(kernel.ir(), kernel.loc(), type,
                                        elements);
}

/// Lanes along a tiled dimension must not cross the end of a tile.
Value TreeEmitter::evaluateUnpack(linalg::UnPackOp op, PointRef point) {
  Point outer(point), packed;
  SmallVector<Coordinate> inner;
  for (auto [position, tile] :
       llvm::zip_equal(op.getInnerDimsPos(), op.getStaticInnerTiles())) {
    Coordinate at = point[position];
    outer[position] = {kernel.divide(at.index, tile)};
    inner.push_back({kernel.remainder(at.index, tile), at.lane});
  }
  ArrayRef<int64_t> order = op.getOuterDimsPerm();
  for (size_t i = 0; i < outer.size(); ++i)
    packed.push_back(outer[order.empty() ? i : order[i]]);
  packed.append(inner.begin(), inner.end());
  return evaluate(op.getSource(), packed);
}

//===----------------------------------------------------------------------===//
// What can be evaluated
//===----------------------------------------------------------------------===//

LogicalResult hamkaas::verifyBody(linalg::LinalgOp op) {
  for (OpOperand &operand : op->getOpOperands())
    for (AffineExpr expr : op.getMatchingIndexingMap(&operand).getResults())
      if (!isa<AffineDimExpr, AffineConstantExpr>(expr))
        return op->emitError("expected operand ")
               << operand.getOperandNumber()
               << " to be indexed by loops and constants, got "
               << AffineMapAttr::get(op.getMatchingIndexingMap(&operand));
  for (Operation &inner : op.getBlock()->without_terminator())
    if (!isa<linalg::IndexOp>(inner) &&
        !OpTrait::hasElementwiseMappableTraits(&inner) &&
        !inner.hasTrait<OpTrait::ConstantLike>())
      return inner.emitError("expected an operation that works on vectors as "
                             "it does on elements");
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
