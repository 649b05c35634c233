//===- SplitConcats.cpp - Gives what is joined its place --------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Dialect/HamKaas/IR/RegionOps.h"
#include "HamKaas/Dialect/HamKaas/Kernels/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"

namespace hamkaas {
#define GEN_PASS_DEF_SPLITCONCATS
#include "HamKaas/Dialect/HamKaas/Kernels/Passes.h.inc"
} // namespace hamkaas

using namespace mlir;
using namespace hamkaas;

/// Limit on insertions into one tensor and what it is a part of. The time of
/// upstream's bufferization analysis is cubic in their number: 0.15 s for 32 in
/// a row, 1.7 s for 64.
static constexpr size_t maxInsertions = 32;
/// Limit on the sum of their third powers in one block: 0.3 s.
static constexpr size_t maxWork = 2 * 32 * 32 * 32;

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

/// The dimension along which the operands of a concat of type `type` are
/// contiguous in it.
static size_t getPartDimension(RankedTensorType type) {
  ArrayRef<int64_t> shape = type.getShape();
  size_t dim = llvm::find_if(shape, [](int64_t size) { return size != 1; }) -
               shape.begin();
  return std::min(dim, shape.size() - 1);
}

/// Returns whether a tensor of type `part` is contiguous in one of type `whole`
/// that it is concatenated to.
static bool isPart(RankedTensorType part, RankedTensorType whole) {
  if (part.getRank() != whole.getRank() || part.getRank() == 0)
    return false;
  size_t dim = getPartDimension(whole);
  ArrayRef<int64_t> from = part.getShape(), to = whole.getShape();
  return part.getNumElements() > 0 &&
         from.take_front(dim) == to.take_front(dim) &&
         from.drop_front(dim + 1) == to.drop_front(dim + 1);
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

/// The inputs that `group` concatenates, in memory order; none if it does
/// anything else, or if one of them is not contiguous in the result.
static SmallVector<Value> getParts(GroupOp group) {
  SmallVector<Value> parts;
  if (group.getUpdated() || group.getNumResults() != 1)
    return {};
  Value result = group.getBody().front().getTerminator()->getOperand(0);
  while (auto insert = result.getDefiningOp<tensor::InsertSliceOp>()) {
    auto source = dyn_cast<BlockArgument>(insert.getSource());
    if (!source || !insert.hasUnitStride() ||
        !isPart(insert.getSourceType(), insert.getDestType()))
      return {};
    parts.push_back(group.getInputs()[source.getArgNumber()]);
    result = insert.getDest();
  }
  if (!result.getDefiningOp<tensor::EmptyOp>())
    return {};
  std::reverse(parts.begin(), parts.end());
  return parts;
}

/// Returns whether `value` is the only content of a buffer of its own, which
/// can be placed anywhere.
static bool hasOwnBuffer(Value value) {
  auto group = value.getDefiningOp<GroupOp>();
  return (group && !group.getUpdated()) ||
         isa_and_present<ScanOp, tensor::InsertSliceOp>(value.getDefiningOp());
}

/// Returns whether `result`, which a function or the body of a loop returns, is
/// the new value of a state. It is written late, for the old one may be read.
static bool isState(OpOperand &result) {
  Operation *parent = result.getOwner()->getParentOp();
  if (auto scan = dyn_cast<ScanOp>(parent))
    return result.getOperandNumber() < scan.getInits().size();
  auto region =
      cast<func::FuncOp>(parent).getResultAttrOfType<MemoryRegionAttr>(
          result.getOperandNumber(), HamKaasDialect::regionAttrName);
  return region && region.getValue() == MemoryRegion::State;
}

//===----------------------------------------------------------------------===//
// Splitting
//===----------------------------------------------------------------------===//

namespace {

/// Replaces one group by others that join some of its parts each.
class ConcatSplitter {
public:
  explicit ConcatSplitter(GroupOp group)
      : group(group), builder(group), loc(group.getLoc()),
        type(cast<RankedTensorType>(group.getResult(0).getType())),
        dim(getPartDimension(type)), result(createEmpty(type)) {}

  /// Adds neighbours. With `isCopy`, memory planning may remove their copy.
  void add(ArrayRef<Value> parts, bool isCopy) {
    SmallVector<int64_t> shape(type.getShape());
    shape[dim] = 0;
    for (Value part : parts)
      shape[dim] += getExtent(part);
    SmallVector<Value> inputs(parts);
    inputs.push_back(tensor::ExtractSliceOp::create(
        builder, loc, result, getOffsets(begin), getNumbers(shape),
        getNumbers(SmallVector<int64_t>(shape.size(), 1))));
    result = insert(createGroup(inputs, isCopy), result, begin);
    begin += shape[dim];
  }

  Value finish() {
    group.getResult(0).replaceAllUsesWith(result);
    group.erase();
    return result;
  }

private:
  int64_t getExtent(Value part) const {
    return cast<RankedTensorType>(part.getType()).getDimSize(dim);
  }

  SmallVector<OpFoldResult> getNumbers(ArrayRef<int64_t> numbers) {
    return getAsIndexOpFoldResult(builder.getContext(), numbers);
  }

  SmallVector<OpFoldResult> getOffsets(int64_t at) {
    SmallVector<int64_t> offsets(type.getRank(), 0);
    offsets[dim] = at;
    return getNumbers(offsets);
  }

  Value createEmpty(RankedTensorType of) {
    return tensor::EmptyOp::create(builder, loc, of.getShape(),
                                   of.getElementType());
  }

  Value insert(Value part, Value whole, int64_t at) {
    ArrayRef<int64_t> shape = cast<RankedTensorType>(part.getType()).getShape();
    return tensor::InsertSliceOp::create(
        builder, loc, part, whole, getOffsets(at), getNumbers(shape),
        getNumbers(SmallVector<int64_t>(shape.size(), 1)));
  }

  /// Joins all `inputs` but the last one, which is the place of the result.
  Value createGroup(ArrayRef<Value> inputs, bool isCopy) {
    auto place = cast<RankedTensorType>(inputs.back().getType());
    auto created =
        GroupOp::create(builder, loc, place, inputs, group.getFamilyAttr(),
                        builder.getI64IntegerAttr(inputs.size() - 1));
    created->setDiscardableAttrs(group->getDiscardableAttrDictionary());
    if (isCopy)
      created->setAttr(HamKaasDialect::copyAttrName, builder.getUnitAttr());
    OpBuilder::InsertionGuard guard(builder);
    Block &body = created.getBody().emplaceBlock();
    builder.setInsertionPointToStart(&body);
    Value joined = createEmpty(place);
    int64_t at = 0;
    for (Value input : inputs.drop_back()) {
      joined = insert(body.addArgument(input.getType(), loc), joined, at);
      at += getExtent(input);
    }
    body.addArgument(place, loc);
    YieldOp::create(builder, loc, joined);
    return created.getResult(0);
  }

  GroupOp group;
  OpBuilder builder;
  Location loc;
  RankedTensorType type;
  size_t dim;
  /// With the parts so far.
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
      if (group.getNumResults() == 1)
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

  void split(GroupOp group) {
    SmallVector<Value> parts = getParts(group);
    if (parts.empty())
      return;
    SmallVector<bool> isCopy;
    // Of several places, a value gets the first.
    for (Value part : parts) {
      Value value = getReshaped(part);
      isCopy.push_back(hasOwnBuffer(value) && placed.insert(value).second);
    }
    size_t count = parts.size();
    for (Value part : parts)
      count += insertions.lookup(getReshaped(part));
    size_t &work = works[group->getBlock()];
    if (!llvm::is_contained(isCopy, true) || count > maxInsertions ||
        work + count * count * count > maxWork)
      return;
    // Parts of the old contents may lie elsewhere in the state.
    if (states.contains(group.getResult(0)) &&
        llvm::is_contained(isCopy, false))
      return;
    work += count * count * count;
    ConcatSplitter splitter(group);
    for (size_t i = 0, next; i < parts.size(); i = next) {
      next = i + 1;
      while (!isCopy[i] && next < parts.size() && !isCopy[next])
        ++next;
      splitter.add(ArrayRef(parts).slice(i, next - i), isCopy[i]);
    }
    bool isResult = placed.contains(group.getResult(0));
    Value joined = splitter.finish();
    insertions[joined] = count;
    if (isResult)
      placed.insert(joined);
  }

  /// Values that the program returns, or whose place some concat has.
  DenseSet<Value> placed;
  /// New values of states.
  DenseSet<Value> states;
  /// Per concat that was split, how many it consists of.
  DenseMap<Value, size_t> insertions;
  DenseMap<Block *, size_t> works;
};

} // namespace
