//===- LaneLoop.cpp - Vectors of tiles of a loop ----------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LaneLoop.h"
#include "HamKaas/CodeGen/Kernel/KernelStrategy.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace hamkaas;

/// Most elements of a row that a tile has, some cache lines one after the
/// other. Rows may be a multiple of 4 KB apart, where lines that are prefetched
/// alone evict each other: sums of 16 rows of 384 KB take 0.20 ms with 128
/// elements, 0.30 with 64 (AMD Zen 5, AVX-512).
static constexpr int64_t rowElements = 128;

//===----------------------------------------------------------------------===//
// Analysis
//===----------------------------------------------------------------------===//

/// The size of the last dimension that the numbers of tiles count: all tiles if
/// they count no other.
LaneLoop::LaneLoop(scf::ForOp loop, int64_t tiles)
    : loop(loop), tiles(tiles), rowTiles(tiles) {
  for (Operation *user : loop.getInductionVar().getUsers())
    if (auto remainder = dyn_cast<arith::RemUIOp>(user))
      rowTiles = getConstantIntValue(remainder.getRhs()).value_or(tiles);
  kinds[loop.getInductionVar()] = Kind::Counting;
}

/// Numbers of tiles and what is added to them count lanes.
bool LaneLoop::analyzeIndex(Operation &op) {
  Value lhs = op.getOperand(0), rhs = op.getOperand(1),
        result = op.getResult(0);
  bool isNumber =
      lhs == loop.getInductionVar() && getConstantIntValue(rhs) == rowTiles;
  if (isa<arith::RemUIOp>(op) && isNumber)
    kinds[result] = Kind::Counting;
  else if (isa<arith::DivUIOp>(op) && isNumber)
    kinds[result] = Kind::Uniform;
  else if (isa<arith::AddIOp>(op) && getKind(lhs) != getKind(rhs))
    kinds[result] = Kind::Counting;
  else
    return false;
  return true;
}

bool LaneLoop::areAlongLast(OperandRange indices) const {
  return !indices.empty() && getKind(indices.back()) == Kind::Counting &&
         llvm::all_of(indices.drop_back(), [&](Value index) {
           return getKind(index) == Kind::Uniform;
         });
}

bool LaneLoop::analyzeLoop(scf::ForOp inner) {
  for (Value bound :
       {inner.getLowerBound(), inner.getUpperBound(), inner.getStep()})
    if (getKind(bound) != Kind::Uniform)
      return false;
  for (auto [argument, init, result] :
       llvm::zip_equal(inner.getRegionIterArgs(), inner.getInitArgs(),
                       inner.getResults())) {
    if (getKind(init) == Kind::Counting || init.getType().isIndex())
      return false;
    bool isTensor = isa<RankedTensorType>(init.getType());
    kinds[argument] = kinds[result] = isTensor ? Kind::Uniform : Kind::Vector;
  }
  return analyze(*inner.getBody());
}

bool LaneLoop::analyze(Operation &op) {
  if (auto inner = dyn_cast<scf::ForOp>(op))
    return analyzeLoop(inner);
  if (auto extract = dyn_cast<tensor::ExtractOp>(op)) {
    auto argument = dyn_cast<BlockArgument>(extract.getTensor());
    kinds[extract] = Kind::Vector;
    return argument && argument.getOwner() == loop->getBlock() &&
           areAlongLast(extract.getIndices());
  }
  if (auto insert = dyn_cast<tensor::InsertOp>(op))
    return getKind(insert.getScalar()) != Kind::Counting &&
           areAlongLast(insert.getIndices());
  auto isCounting = [&](Value operand) {
    return getKind(operand) == Kind::Counting;
  };
  if (llvm::any_of(op.getOperands(), isCounting))
    return isa<scf::YieldOp>(op) ? false
                                 : op.getNumOperands() == 2 && analyzeIndex(op);
  auto isVector = [&](Value operand) {
    return getKind(operand) == Kind::Vector;
  };
  if (isa<scf::YieldOp>(op) || op.hasTrait<OpTrait::ConstantLike>())
    return true;
  for (Value result : op.getResults())
    kinds[result] =
        llvm::any_of(op.getOperands(), isVector) ? Kind::Vector : Kind::Uniform;
  return OpTrait::hasElementwiseMappableTraits(&op);
}

bool LaneLoop::analyze(Block &block) {
  return llvm::all_of(block, [&](Operation &op) { return analyze(op); });
}

std::optional<LaneLoop> LaneLoop::match(scf::ForOp loop, int64_t tiles) {
  LaneLoop found(loop, tiles);
  if (found.rowTiles < 2 || tiles % found.rowTiles ||
      !found.analyze(*loop.getBody()))
    return std::nullopt;
  return found;
}

//===----------------------------------------------------------------------===//
// Emission
//===----------------------------------------------------------------------===//

Value LaneLoop::getVector(KernelBuilder &kernel, Value value) const {
  return kernel.broadcast(values.lookupOrDefault(value), lanes);
}

void LaneLoop::emitLoop(KernelBuilder &kernel, scf::ForOp inner) {
  OpBuilder &ir = kernel.ir();
  auto convert = [&](Value value) {
    return isa<RankedTensorType>(value.getType())
               ? values.lookupOrDefault(value)
               : getVector(kernel, value);
  };
  SmallVector<Value> inits;
  for (Value init : inner.getInitArgs())
    inits.push_back(convert(init));
  auto emitted = scf::ForOp::create(
      ir, kernel.loc(), values.lookupOrDefault(inner.getLowerBound()),
      values.lookupOrDefault(inner.getUpperBound()),
      values.lookupOrDefault(inner.getStep()), inits);
  OpBuilder::InsertionGuard guard(ir);
  ir.setInsertionPointToStart(emitted.getBody());
  values.map(inner.getInductionVar(), emitted.getInductionVar());
  values.map(inner.getRegionIterArgs(), emitted.getRegionIterArgs());
  values.map(inner.getResults(), emitted.getResults());
  for (Operation &op : inner.getBody()->without_terminator())
    emit(kernel, op);
  SmallVector<Value> yielded;
  for (Value value : inner.getBody()->getTerminator()->getOperands())
    yielded.push_back(convert(value));
  scf::YieldOp::create(ir, kernel.loc(), yielded);
}

void LaneLoop::emit(KernelBuilder &kernel, Operation &op) {
  auto convert = [&](OperandRange indices) {
    return llvm::map_to_vector(
        indices, [&](Value index) { return values.lookupOrDefault(index); });
  };
  if (auto inner = dyn_cast<scf::ForOp>(op))
    return emitLoop(kernel, inner);
  if (auto extract = dyn_cast<tensor::ExtractOp>(op)) {
    values.map(extract.getResult(),
               kernel.load(extract.getTensor(), convert(extract.getIndices()),
                           lanes, active));
    return;
  }
  if (auto insert = dyn_cast<tensor::InsertOp>(op)) {
    kernel.destination = values.lookupOrDefault(insert.getDest());
    kernel.store(getVector(kernel, insert.getScalar()),
                 convert(insert.getIndices()), active);
    values.map(insert.getResult(), kernel.destination);
    return;
  }
  if (llvm::none_of(op.getResults(), [&](Value result) {
        return getKind(result) == Kind::Vector;
      })) {
    kernel.ir().clone(op, values);
    return;
  }
  IRMapping operands;
  for (Value operand : op.getOperands())
    operands.map(operand, getVector(kernel, operand));
  Operation *clone = kernel.ir().clone(op, operands);
  for (auto [from, to] :
       llvm::zip_equal(op.getResults(), clone->getResults())) {
    to.setType(VectorType::get(lanes, from.getType()));
    values.map(from, to);
  }
}

/// The tiles from number `first` on.
void LaneLoop::emitLanes(KernelBuilder &kernel, Value first, int64_t lanes,
                         int64_t active) {
  this->lanes = lanes;
  this->active = active;
  values.clear();
  values.map(loop.getInductionVar(), first);
  values.map(loop.getRegionIterArg(0), kernel.destination);
  for (Operation &op : loop.getBody()->without_terminator())
    emit(kernel, op);
  kernel.destination =
      values.lookupOrDefault(loop.getBody()->getTerminator()->getOperand(0));
}

Tile LaneLoop::emit(KernelBuilder &kernel) {
  int64_t one = chooseLanes(kernel.target(), rowTiles);
  int64_t many = std::max<int64_t>(
      one, llvm::bit_floor<uint64_t>(std::min(rowElements, rowTiles)));
  int64_t blocks = llvm::divideCeil(rowTiles, many), rest = rowTiles % many;
  kernel.tileLoop(tiles / rowTiles * blocks, [&](Value tile) {
    Value block = kernel.remainder(tile, blocks);
    Value first =
        kernel.add(kernel.multiply(kernel.divide(tile, blocks), rowTiles),
                   kernel.multiply(block, many));
    auto whole = [&] { emitLanes(kernel, first, many, many); };
    auto last = [&] {
      for (int64_t at = 0; at < rest; at += one)
        emitLanes(kernel, kernel.add(first, at), one, std::min(one, rest - at));
    };
    if (!rest)
      return whole();
    kernel.writingBranch(kernel.isLess(block, rowTiles / many), whole, last);
  });
  return Tile{many};
}
