//===- SplitConcats.cpp - Gives what is joined its place --------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Dialect/HamKaas/IR/HamKaas.h"
#include "HamKaas/Dialect/HamKaas/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"

namespace hamkaas {
#define GEN_PASS_DEF_SPLITCONCATS
#include "HamKaas/Dialect/HamKaas/Transforms/Passes.h.inc"
} // namespace hamkaas

using namespace mlir;
using namespace hamkaas;

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

/// Whether the elements that `insert` replaces lie one after the other.
static bool isContiguous(tensor::InsertSliceOp insert) {
  ArrayRef<int64_t> from = insert.getSourceType().getShape();
  ArrayRef<int64_t> to = insert.getDestType().getShape();
  if (from.size() != to.size() || from.empty() || !insert.hasUnitStride() ||
      ShapedType::isDynamicShape(insert.getStaticOffsets()))
    return false;
  size_t split = llvm::find_if(to, [](int64_t size) { return size != 1; }) -
                 to.begin();
  return ShapedType::getNumElements(from) > 0 &&
         from.drop_front(std::min(split + 1, from.size())) ==
             to.drop_front(std::min(split + 1, to.size()));
}

/// `value` before it was reshaped.
static Value getReshaped(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(op))
      break;
    value = op->getOperand(0);
  }
  return value;
}

/// The inputs that `group` joins, before they were reshaped, in their order in memory; none if it does
/// anything else, or if one of them is not one part of the result.
static SmallVector<Value> getParts(GroupOp group) {
  SmallVector<Value> parts;
  if (group.getUpdated() || group.getNumResults() != 1)
    return {};
  Value result = group.getBody().front().getTerminator()->getOperand(0);
  while (auto insert = result.getDefiningOp<tensor::InsertSliceOp>()) {
    auto source = dyn_cast<BlockArgument>(insert.getSource());
    if (!source || !isContiguous(insert))
      return {};
    parts.push_back(getReshaped(group.getInputs()[source.getArgNumber()]));
    result = insert.getDest();
  }
  if (!result.getDefiningOp<tensor::EmptyOp>())
    return {};
  std::reverse(parts.begin(), parts.end());
  return parts;
}

/// Whether `value` is all that is computed into a buffer of its own, which can
/// be anywhere.
static bool hasOwnBuffer(Value value) {
  auto group = value.getDefiningOp<GroupOp>();
  return (group && !group.getUpdated()) ||
         isa_and_present<ScanOp, tensor::InsertSliceOp>(value.getDefiningOp());
}

/// Whether `result`, which a function or the body of a loop returns, is the new
/// value of a state. It is written late, for the old one may be read.
static bool isState(OpOperand &result) {
  Operation *parent = result.getOwner()->getParentOp();
  if (auto scan = dyn_cast<ScanOp>(parent))
    return result.getOperandNumber() < scan.getInits().size();
  auto region = cast<func::FuncOp>(parent).getResultAttrOfType<StringAttr>(
      result.getOperandNumber(), HamKaasDialect::regionAttrName);
  return region && region.getValue() == "state";
}

//===----------------------------------------------------------------------===//
// Splitting
//===----------------------------------------------------------------------===//

namespace {

/// Replaces one group that joins `parts`.
class ConcatSplitter {
public:
  explicit ConcatSplitter(GroupOp group)
      : group(group), builder(group), loc(group.getLoc()),
        type(cast<RankedTensorType>(group.getResult(0).getType())),
        result(createEmpty(type.getNumElements())) {}

  /// Adds neighbours, which `isCopy` says memory planning may do nothing for.
  void add(ArrayRef<Value> parts, bool isCopy) {
    SmallVector<Value> inputs;
    for (Value part : parts)
      inputs.push_back(flatten(part));
    int64_t size = 0;
    for (Value input : inputs)
      size += getSize(input);
    OpFoldResult offset = getNumber(begin), length = getNumber(size);
    inputs.push_back(tensor::ExtractSliceOp::create(
        builder, loc, result, offset, length, getNumber(1)));
    result = tensor::InsertSliceOp::create(builder, loc,
                                           createGroup(inputs, isCopy), result,
                                           offset, length, getNumber(1));
    begin += size;
  }

  /// Returns the result in its one dimension.
  Value finish() {
    Value parts = result;
    if (type.getRank() > 1)
      result = tensor::ExpandShapeOp::create(builder, loc, type, result,
                                             getAllDimensions(type));
    group.getResult(0).replaceAllUsesWith(result);
    group.erase();
    return parts;
  }

private:
  static int64_t getSize(Value value) {
    return cast<RankedTensorType>(value.getType()).getNumElements();
  }

  static SmallVector<ReassociationIndices>
  getAllDimensions(RankedTensorType type) {
    return {llvm::to_vector<2>(llvm::seq<int64_t>(type.getRank()))};
  }

  OpFoldResult getNumber(int64_t value) { return builder.getIndexAttr(value); }

  Value createEmpty(int64_t size) {
    return tensor::EmptyOp::create(builder, loc, size, type.getElementType());
  }

  Value flatten(Value value) {
    auto from = cast<RankedTensorType>(value.getType());
    if (from.getRank() == 1)
      return value;
    return tensor::CollapseShapeOp::create(builder, loc, value,
                                           getAllDimensions(from));
  }

  /// Joins all `inputs` but the last one, which is the place of the result.
  Value createGroup(ArrayRef<Value> inputs, bool isCopy) {
    auto created = GroupOp::create(
        builder, loc, inputs.back().getType(), inputs, group.getFamilyAttr(),
        builder.getI64IntegerAttr(inputs.size() - 1));
    created->setDiscardableAttrs(group->getDiscardableAttrDictionary());
    if (isCopy)
      created->setAttr(HamKaasDialect::copyAttrName, builder.getUnitAttr());
    OpBuilder::InsertionGuard guard(builder);
    Block &body = created.getBody().emplaceBlock();
    builder.setInsertionPointToStart(&body);
    Value joined = createEmpty(getSize(inputs.back()));
    int64_t at = 0;
    for (Value input : inputs.drop_back()) {
      Value part = body.addArgument(input.getType(), loc);
      joined = tensor::InsertSliceOp::create(builder, loc, part, joined,
                                             getNumber(at),
                                             getNumber(getSize(input)),
                                             getNumber(1));
      at += getSize(input);
    }
    body.addArgument(inputs.back().getType(), loc);
    YieldOp::create(builder, loc, joined);
    return created.getResult(0);
  }

  GroupOp group;
  OpBuilder builder;
  Location loc;
  RankedTensorType type;
  /// Of one dimension, with the parts so far.
  Value result;
  int64_t begin = 0;
};

struct SplitConcats : hamkaas::impl::SplitConcatsBase<SplitConcats> {
  void runOnOperation() override {
    SmallVector<GroupOp> groups;
    getOperation().walk([&](Operation *op) {
      if (auto group = dyn_cast<GroupOp>(op))
        groups.push_back(group);
      else if (isa<func::ReturnOp>(op) ||
               (isa<YieldOp>(op) && isa<ScanOp>(op->getParentOp())))
        noteResults(op);
    });
    for (GroupOp group : groups)
      if (!states.contains(group.getResult(0)))
        split(group);
  }

private:
  void noteResults(Operation *terminator) {
    for (OpOperand &result : terminator->getOpOperands()) {
      Value value = getReshaped(result.get());
      placed.insert(value);
      if (isState(result))
        states.insert(value);
    }
  }

  /// Replaces the longest beginning of `parts` that an earlier concat joins by
  /// its result. Returns the node of all parts.
  size_t shareBeginning(SmallVector<Value> &parts) {
    size_t node = 0, shared = 0, sharedNode = 0;
    for (auto [i, part] : llvm::enumerate(parts)) {
      auto [next, isNew] = nodes.try_emplace({node, part}, joinedAt.size());
      if (isNew)
        joinedAt.push_back(Value());
      node = next->second;
      if (joinedAt[node]) {
        shared = i;
        sharedNode = node;
      }
    }
    if (shared > 0) {
      parts.erase(parts.begin(), parts.begin() + shared);
      parts.front() = joinedAt[sharedNode];
    }
    return node;
  }

  void split(GroupOp group) {
    SmallVector<Value> parts = getParts(group);
    if (parts.empty())
      return;
    size_t node = shareBeginning(parts);
    joinedAt[node] = group.getResult(0);
    SmallVector<bool> isCopy;
    // Of several places, a value gets the first.
    for (Value part : parts)
      isCopy.push_back(hasOwnBuffer(part) && placed.insert(part).second);
    if (!llvm::is_contained(isCopy, true))
      return;
    ConcatSplitter splitter(group);
    for (size_t i = 0, next; i < parts.size(); i = next) {
      next = i + 1;
      while (!isCopy[i] && next < parts.size() && !isCopy[next])
        ++next;
      splitter.add(ArrayRef(parts).slice(i, next - i), isCopy[i]);
    }
    bool isResult = placed.contains(group.getResult(0));
    joinedAt[node] = splitter.finish();
    if (isResult)
      placed.insert(joinedAt[node]);
  }

  /// The parts of all concats so far as a tree: from a node and the next part to
  /// another node, and what joins all up to a node, if anything does.
  DenseMap<std::pair<size_t, Value>, size_t> nodes;
  SmallVector<Value> joinedAt{Value()};
  /// What a program returns, or some concat has the place of.
  DenseSet<Value> placed;
  /// New values of states.
  DenseSet<Value> states;
};

} // namespace
