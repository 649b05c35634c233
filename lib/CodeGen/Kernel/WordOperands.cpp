//===- WordOperands.cpp - Narrow integers by words --------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WordOperands.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace hamkaas;

static constexpr int64_t wordBits = 32;

OpOperand *hamkaas::getWidened(Value operand) {
  auto cast = operand.getDefiningOp<linalg::GenericOp>();
  if (!cast || cast.getNumDpsInputs() != 1 || cast.getNumReductionLoops() > 0 ||
      !llvm::all_of(cast.getIndexingMapsArray(),
                    [](AffineMap map) { return map.isIdentity(); }))
    return nullptr;
  Operation *extended =
      cast.getBlock()->getTerminator()->getOperand(0).getDefiningOp();
  if (!isa_and_nonnull<arith::ExtFOp, arith::ExtSIOp, arith::ExtUIOp>(
          extended) ||
      extended->getOperand(0) != cast.getBlock()->getArgument(0))
    return nullptr;
  Type type = extended->getOperand(0).getType();
  bool isHalf =
      type.getIntOrFloatBitWidth() == 16 && !isa<arith::ExtUIOp>(extended);
  return isHalf || type.isInteger(8) ? cast.getDpsInputOperand(0) : nullptr;
}

int64_t hamkaas::getWordElements(Type type) {
  Type element = getElementTypeOrSelf(type);
  return element.isInteger(8) || element.isInteger(16)
             ? wordBits / element.getIntOrFloatBitWidth()
             : 1;
}

/// Returns whether consecutive iterations of `loop` read neighbours.
static bool runsAlongLast(AffineMap map, int64_t loop) {
  for (auto [i, expr] : llvm::enumerate(map.getResults())) {
    bool isLast = i + 1 == map.getNumResults();
    if (getFactors(map, i)[loop] != (isLast ? 1 : 0))
      return false;
  }
  return map.getNumResults() > 0;
}

std::optional<WordOperands> WordOperands::match(KernelBuilder &kernel,
                                                linalg::LinalgOp root,
                                                const ContractionLoops &loops) {
  OpOperand &given = *root.getDpsInputOperand(0);
  OpOperand *left = getWidened(given.get());
  OpOperand *right = getWidened(root.getDpsInputOperand(1)->get());
  if (!left || !right)
    return std::nullopt;
  int64_t elements = getWordElements(left->get().getType());
  if (elements == 1 || elements != getWordElements(right->get().getType()))
    return std::nullopt;
  bool areNeighbours =
      isa<BlockArgument>(left->get()) &&
      runsAlongLast(root.getMatchingIndexingMap(&given), loops.depth);
  return WordOperands(kernel, left->get(), right->get(), areNeighbours);
}

//===----------------------------------------------------------------------===//
// The left side
//===----------------------------------------------------------------------===//

Value WordOperands::loadWord(PointRef point) {
  SmallVector<Value> indices;
  for (const Coordinate &at : point)
    indices.push_back(at.index);
  kernel.forbidAlias(left);
  Value loaded = kernel.load(left, indices, /*lanes=*/elements,
                             /*active=*/elements);
  Value words = vector::BitCastOp::create(
      kernel.ir(), kernel.loc(), VectorType::get(1, kernel.ir().getI32Type()),
      loaded);
  return vector::ExtractOp::create(kernel.ir(), kernel.loc(), words,
                                   int64_t(0));
}

Value WordOperands::readLeft(int64_t count, PointOf pointOf) {
  if (areNeighbours && count == elements)
    return kernel.broadcast(loadWord(pointOf(0)), lanes);
  OpBuilder &ir = kernel.ir();
  Location loc = kernel.loc();
  Type type = ir.getI32Type();
  Value word;
  for (int64_t i = 0; i < count; ++i) {
    TreeEmitter tree(kernel, /*lanes=*/1, /*active=*/1);
    Value element =
        arith::ExtUIOp::create(ir, loc, type, tree.evaluate(left, pointOf(i)));
    if (!word) {
      word = element;
      continue;
    }
    Value bits =
        arith::ConstantIntOp::create(ir, loc, type, i * (wordBits / elements));
    element = arith::ShLIOp::create(ir, loc, element, bits);
    word = arith::OrIOp::create(ir, loc, word, element);
  }
  return kernel.broadcast(word, lanes);
}

//===----------------------------------------------------------------------===//
// The right side
//===----------------------------------------------------------------------===//

Value WordOperands::toWords(Value vector) {
  return vector::BitCastOp::create(
      kernel.ir(), kernel.loc(),
      VectorType::get(lanes, kernel.ir().getI32Type()), vector);
}

Value WordOperands::readRight(int64_t active, int64_t count, PointOf pointOf) {
  OpBuilder &ir = kernel.ir();
  Location loc = kernel.loc();
  TreeEmitter tree(kernel, lanes, active);
  auto type = VectorType::get(lanes, getElementTypeOrSelf(right.getType()));
  auto read = [&](int64_t i) -> Value {
    if (i < count)
      return tree.evaluateVector(right, pointOf(i));
    return arith::ConstantOp::create(ir, loc, ir.getZeroAttr(type));
  };
  auto interleave = [&](Value first, Value second) -> Value {
    return vector::InterleaveOp::create(ir, loc, first, second);
  };
  if (elements == 2)
    return toWords(interleave(read(0), read(1)));
  Value even = interleave(read(0), read(2));
  return toWords(interleave(even, interleave(read(1), read(3))));
}

Value WordOperands::loadPanel(Value panels, Value index) {
  // Panels are padded with zeros, so whole vectors are read.
  auto type =
      VectorType::get(elements * lanes, getElementTypeOrSelf(right.getType()));
  return toWords(vector::LoadOp::create(kernel.ir(), kernel.loc(), type, panels,
                                        kernel.multiply(index, elements)));
}
