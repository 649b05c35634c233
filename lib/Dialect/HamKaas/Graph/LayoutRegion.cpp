//===- LayoutRegion.cpp - Values whose layout changes together --*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LayoutRegion.h"
#include "HamKaas/Dialect/HamKaas/IR/DimensionOps.h"
#include "HamKaas/Dialect/HamKaas/IR/TensorViews.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"

using namespace mlir;
using namespace hamkaas;

/// Limit on visits: enough for the layouts of images and of attention heads to
/// meet at a value.
static constexpr int maxVisits = 16;

//===----------------------------------------------------------------------===//
// LayoutGraph
//===----------------------------------------------------------------------===//

LayoutGraph::LayoutGraph(Block &block) {
  for (Operation &op : block) {
    order[&op] = order.size();
    if (isParameterSource(&op) ||
        (isa<KernelOpInterface>(op) &&
         llvm::all_of(op.getOperands(),
                      [&](Value operand) { return isParameter(operand); })))
      parameters.insert(op.getResults().begin(), op.getResults().end());
  }
}

bool LayoutGraph::visit(Value value) { return ++visits[value] <= maxVisits; }

void LayoutGraph::addReplacement(Value created, Value replaced) {
  visits[created] = visits.lookup(replaced);
  if (isParameter(replaced))
    parameters.insert(created);
  if (Operation *op = created.getDefiningOp())
    // An argument of the block comes before all ops.
    order[op] = order.lookup(replaced.getDefiningOp());
}

//===----------------------------------------------------------------------===//
// Growth
//===----------------------------------------------------------------------===//

LayoutRegion::LayoutRegion(LayoutGraph &graph, ArrayRef<int64_t> permutation)
    : graph(graph), permutation(permutation),
      inverse(invertPermutationVector(permutation)) {}

static bool hasRank(Value value, size_t rank) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && size_t(type.getRank()) == rank;
}

bool LayoutRegion::isInside(Operation *op) const {
  if (op->getNumResults() != 1 || graph.isParameter(op->getResult(0)) ||
      !hasRank(op->getResult(0), permutation.size()))
    return false;
  auto result = getResultPermutation(op, permutation);
  return result && *result == permutation;
}

bool LayoutRegion::add(Value value) {
  Operation *op = value.getDefiningOp();
  bool isPermute = isa_and_nonnull<PermuteOp>(op);
  if (graph.isParameter(value) || !op || !(isPermute || isInside(op))) {
    edges.insert(value);
    return true;
  }
  return !values.insert(value) || graph.visit(value);
}

bool LayoutRegion::addOperands(Operation *op) {
  return isa<PermuteOp>(op) ||
         llvm::all_of(op->getOperands(), [&](Value operand) {
           return !hasRank(operand, permutation.size()) || add(operand);
         });
}

bool LayoutRegion::addUsers(Value value) {
  return llvm::all_of(value.getUsers(), [&](Operation *user) {
    return !isInside(user) || add(user->getResult(0));
  });
}

bool LayoutRegion::grow(Value seed) {
  if (!add(seed))
    return false;
  for (size_t i = 0; i < values.size(); ++i)
    if (!addOperands(values[i].getDefiningOp()) || !addUsers(values[i]))
      return false;
  // A permute between two values of the region would have to change twice.
  return !values.empty() && llvm::none_of(values, [&](Value value) {
    auto permute = value.getDefiningOp<PermuteOp>();
    return permute && values.contains(permute.getX());
  });
}

//===----------------------------------------------------------------------===//
// Costs
//===----------------------------------------------------------------------===//

/// The bytes that permuting a tensor like `type` moves.
static int64_t getCost(Type type, ArrayRef<int64_t> permutation) {
  if (keepsOrder(cast<ShapedType>(type).getShape(), permutation))
    return 0;
  return getByteCount(type);
}

PermuteOp hamkaas::findPermute(Value value, ArrayRef<int64_t> permutation) {
  constexpr int maxUsers = 16;
  int seen = 0;
  for (Operation *user : value.getUsers()) {
    auto permute = dyn_cast<PermuteOp>(user);
    if (permute && permute.getPermutation() == permutation)
      return permute;
    if (++seen == maxUsers)
      break;
  }
  return nullptr;
}

int64_t LayoutRegion::getEdgeCost(Value edge) const {
  if (graph.isParameter(edge) || findPermute(edge, permutation))
    return 0;
  return getCost(edge.getType(), permutation);
}

std::optional<SmallVector<int64_t>>
LayoutRegion::getEndPermutation(Operation *user) const {
  if (user->getNumOperands() != 1 || user->getNumResults() != 1 ||
      isa<PermuteOp>(user) || isInside(user))
    return std::nullopt;
  return getResultPermutation(user, permutation);
}

int64_t LayoutRegion::getUserGain(Operation *user, Type permuted) const {
  if (auto permute = dyn_cast<PermuteOp>(user))
    return getCost(permute.getX().getType(), permute.getPermutation()) -
           getCost(permuted,
                   applyPermutation(inverse, permute.getPermutation()));
  if (auto end = getEndPermutation(user))
    return -getCost(user->getResult(0).getType(), *end);
  return 0;
}

int64_t LayoutRegion::getValueGain(Value value) const {
  auto type = cast<RankedTensorType>(value.getType());
  Type permuted = type.clone(applyPermutation(type.getShape(), permutation));
  int64_t gain = 0;
  // The cost of keeping the value in its old layout, too.
  int64_t originalCost = getCost(permuted, inverse);
  if (auto permute = value.getDefiningOp<PermuteOp>()) {
    Type from = permute.getX().getType();
    originalCost = getCost(from, permute.getPermutation());
    gain =
        originalCost -
        getCost(from, applyPermutation(permute.getPermutation(), permutation));
  }
  bool needsOriginal = false;
  for (Operation *user : value.getUsers()) {
    if (isInside(user))
      continue;
    gain += getUserGain(user, permuted);
    needsOriginal |= !isa<PermuteOp>(user) && !getEndPermutation(user);
  }
  return needsOriginal ? gain - originalCost : gain;
}

int64_t LayoutRegion::getGain() {
  int64_t gain = 0;
  for (Value edge : edges)
    gain -= getEdgeCost(edge);
  for (Value value : values)
    gain += getValueGain(value);
  return gain;
}
