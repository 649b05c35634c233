//===- Group.cpp - What joins a kernel --------------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Group.h"
#include "DenseConvolutions.h"
#include "HamKaas/Dialect/HamKaas/IR/Knobs.h"
#include "HamKaas/Dialect/HamKaas/IR/MovementOps.h"
#include "JoinConcats.h"
#include "NarrowProducts.h"
#include "PlanarWindows.h"
#include "RowChains.h"
#include "WindowSources.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace hamkaas;

KernelOpInterface hamkaas::getKernelOp(Operation *op) {
  auto kernelOp = dyn_cast_or_null<KernelOpInterface>(op);
  if (!kernelOp || kernelOp.getKernelFamily() == KernelFamily::View)
    return nullptr;
  return kernelOp;
}

bool hamkaas::isRoot(KernelOpInterface op) {
  KernelFamily family = op.getKernelFamily();
  return family == KernelFamily::Contraction ||
         family == KernelFamily::Reduction || family == KernelFamily::Row ||
         family == KernelFamily::Transform || family == KernelFamily::Attention;
}

/// Returns whether `op` pads around elements, not between them. Row by row that
/// takes a third of the time of element by element: 64 images of 112 x 112 with
/// one zero around 0.14 ms instead of 0.52 (AMD Zen 3).
static bool isCopyWithMargin(Operation *op) {
  auto pad = dyn_cast<PadOp>(op);
  return pad && llvm::all_of(pad.getInterior(),
                             [](int64_t count) { return count == 0; });
}

Group::Group(KernelOpInterface last, const DenseSet<Operation *> &parameterOps,
             const FormGroupsOptions &options)
    : last(last), root(isRoot(last) ? last : nullptr),
      parameterOps(parameterOps) {
  members.insert(last);
  addJoined();
  if (addPlanarWindows() || addAttention(options.widenKeys) || addRowChain() ||
      (options.rowsAcross && addRowsAcross()))
    return;
  for (size_t i = 0; i < members.size(); ++i)
    addProducers(members[i]);
  if (isCopyWithMargin(last) && !root)
    family = KernelFamily::Movement;
  addStridedImages();
  addNarrowSource();
  dropNarrowBranches();
  addPanels();
  addGroups();
  if (options.computeRows)
    addRow();
  if (options.repeatLeft)
    addRepeatedLeft();
  if (options.narrowProducts)
    addNarrowOperands();
  if (options.narrowWeights)
    addNarrowWeights();
}

//===----------------------------------------------------------------------===//
// Members
//===----------------------------------------------------------------------===//

/// Operations whose results a concat copies.
void Group::addJoined() {
  std::optional<SmallVector<Operation *>> joined = findJoined(last);
  if (!joined)
    return;
  root = last;
  for (Operation *op : *joined)
    if (parameterOps.contains(op) == parameterOps.contains(last) &&
        members.size() < maxGroupMembers) {
      members.insert(op);
      rootProducers.insert(op);
    }
}

bool Group::addPlanarWindows() {
  SmallVector<Operation *> chain = findPlanarWindows(last, maxGroupMembers);
  if (chain.empty() || parameterOps.contains(last) ||
      parameterOps.contains(chain.back()))
    return false;
  members.insert_range(chain);
  root = getKernelOp(chain.end()[-2]);
  addPermutedWeights();
  return true;
}

/// Reductions of rows and what computes with them, such as the logarithm of
/// a softmax.
bool Group::addRowChain() {
  SmallVector<Operation *> chain =
      findRowChain(last, parameterOps, maxGroupMembers);
  if (chain.empty())
    return false;
  members.insert_range(chain);
  family = KernelFamily::Row;
  return true;
}

/// An operand of a contraction or a permutation is read more than once or in
/// another order, so it must be in memory.
static bool readsInOrder(Operation *op) {
  auto kernelOp = dyn_cast<KernelOpInterface>(op);
  return kernelOp && kernelOp.readsInOrder();
}

ArrayRef<int64_t> hamkaas::getResultShape(Operation *op) {
  return cast<ShapedType>(op->getResult(0).getType()).getShape();
}

void Group::addProducers(Operation *op) {
  if (!readsInOrder(op))
    return;
  for (Value operand : op->getOperands()) {
    KernelOpInterface producer = getKernelOp(operand.getDefiningOp());
    if (producer && members.size() < maxGroupMembers && canJoin(producer, op)) {
      members.insert(producer);
      if (feedsRoot(producer))
        rootProducers.insert(producer);
      if (isRoot(producer))
        root = producer;
    }
  }
}

/// The shape of what `user` reads element by element. The result of an
/// operation on rows, whose first operand has them, may be one element a row.
ArrayRef<int64_t> Group::getReadShape(Operation *user) {
  if (user == root && root.getKernelFamily() == KernelFamily::Row)
    return cast<ShapedType>(user->getOperand(0).getType()).getShape();
  return getResultShape(user);
}

/// True if the root reads `op`, directly or not.
bool Group::feedsRoot(Operation *op) const {
  return llvm::any_of(op->getUsers(), [&](Operation *user) {
    return user == root || rootProducers.contains(user);
  });
}

bool Group::canJoin(KernelOpInterface producer, Operation *user) {
  KernelFamily family = producer.getKernelFamily();
  if (family == KernelFamily::Movement || family == KernelFamily::Loops ||
      family == KernelFamily::Attention)
    return false;
  if (isRoot(producer) && root)
    return false;
  if (producer.checksValues() && llvm::any_of(members, [](Operation *member) {
        return cast<KernelOpInterface>(member).checksValues();
      }))
    return false;
  // A repeated operand would be computed once for every repetition.
  bool isReduced =
      user == root && root.getKernelFamily() == KernelFamily::Reduction;
  if (!isReduced && getResultShape(producer) != getReadShape(user))
    return false;
  // Values known when the program is loaded are computed then, not in each run,
  // but what only repeats them, which would be kept and read.
  bool isRepeated = repeats(producer);
  if (parameterOps.contains(producer) != parameterOps.contains(last) &&
      !(isRepeated && parameterOps.contains(producer)))
    return false;
  if (producer->getBlock() != last->getBlock() ||
      !llvm::all_of(producer->getUsers(), [&](Operation *user) {
        return contains(user) && readsInOrder(user);
      }))
    return false;
  if (!feedsRoot(producer))
    return true;
  if (isJoinedSlice(producer, root))
    return true;
  if (isRepeated && root.getKernelFamily() == KernelFamily::Reduction)
    return true;
  // Each pass over a row computes it again: that costs less than a trip
  // through memory for an addition, and more for an exponential.
  return producer.isPointwise() &&
         (root.getKernelFamily() != KernelFamily::Row || producer.isCheap());
}

/// Adds what takes every second row and column of images for their transform,
/// which reads them where they are.
void Group::addStridedImages() {
  if (Operation *slice = findStridedImages(last);
      slice && slice->getBlock() == last->getBlock())
    members.insert(slice);
}

/// Adds what computes the operand of sliding windows from a narrower tensor,
/// such as dequantized bytes: less memory is read, and neighbouring windows
/// share what is computed.
void Group::addNarrowSource() {
  Value source = getWindowOperand(root ? root.getOperation() : nullptr);
  if (!source || parameterOps.contains(last))
    return;
  SmallVector<Operation *> chain = findDequantizing(source);
  auto mayJoin = [&](Operation *op) {
    return op->getBlock() == last->getBlock() && !parameterOps.contains(op);
  };
  if (members.size() + chain.size() <= maxGroupMembers &&
      llvm::all_of(chain, mayJoin))
    members.insert_range(chain);
}

//===----------------------------------------------------------------------===//
// The group
//===----------------------------------------------------------------------===//

/// A constant of equal elements is a number in the code of the kernel where
/// it is read element by element.
bool Group::isNumber(Value operand, ArrayRef<Operation *> ops) const {
  DenseElementsAttr elements;
  return matchPattern(operand, m_Constant(&elements)) && elements.isSplat() &&
         llvm::all_of(ops, [&](Operation *op) {
           return !llvm::is_contained(op->getOperands(), operand) ||
                  cast<KernelOpInterface>(op).isPointwise();
         });
}

/// "matmul+add+relu".
static std::string describe(ArrayRef<Operation *> ops) {
  std::string text;
  for (Operation *op : ops) {
    if (!getKernelOp(op))
      continue;
    if (!text.empty())
      text += '+';
    text += op->getName().stripDialect();
  }
  return text;
}

GroupOp Group::create() {
  SmallVector<Operation *> ops(members.begin(), members.end());
  llvm::sort(ops,
             [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });

  OpOperand *updated = last.getUpdatedOperand();
  llvm::SetVector<Value> read, numbers;
  SmallVector<Location> locations;
  int64_t flops = 0;
  for (Operation *op : ops) {
    locations.push_back(op->getLoc());
    flops = addCounts(flops, cast<KernelOpInterface>(op).getFlops());
    for (OpOperand &operand : op->getOpOperands())
      if (&operand != updated && !contains(operand.get().getDefiningOp()))
        (isNumber(operand.get(), ops) ? numbers : read).insert(operand.get());
  }

  // A value that is both read and updated becomes two arguments: writing the
  // result must not change what is read.
  OpBuilder builder(last);
  SmallVector<Value> inputs;
  IntegerAttr updatedIndex;
  if (updated) {
    updatedIndex = builder.getI64IntegerAttr(0);
    inputs.push_back(updated->get());
  }
  llvm::append_range(inputs, read);
  // Line tables have room for one location: that of the root.
  LocationAttr rootLocation;
  if (root && ops.size() > 1)
    rootLocation = root->getLoc();
  auto group = GroupOp::create(
      builder, builder.getFusedLoc(locations, rootLocation),
      last->getResultTypes(), inputs,
      KernelFamilyAttr::get(
          builder.getContext(),
          family.value_or((root ? root : last).getKernelFamily())),
      updatedIndex);
  group->setAttr(HamKaasDialect::opsAttrName,
                 builder.getStringAttr(describe(ops)));
  group->setAttr(HamKaasDialect::flopsAttrName,
                 builder.getI64IntegerAttr(flops));
  // A kernel has one tiling, that of its root.
  setKnobs(group, getKnobs(root ? root : last));

  Block &body = group.getBody().emplaceBlock();
  IRMapping mapping;
  for (Value input : inputs)
    body.addArgument(input.getType(), input.getLoc());
  for (auto [input, argument] :
       llvm::zip_equal(read, body.getArguments().take_back(read.size())))
    mapping.map(input, argument);
  builder.setInsertionPointToStart(&body);
  for (Value number : numbers)
    builder.clone(*number.getDefiningOp(), mapping);
  for (Operation *op : ops)
    builder.clone(*op, mapping);
  if (updated)
    body.back().setOperand(updated->getOperandNumber(), body.getArgument(0));
  YieldOp::create(builder, group.getLoc(), mapping.lookup(last->getResult(0)));

  last->getResult(0).replaceAllUsesWith(group.getResult(0));
  for (Operation *op : llvm::reverse(ops))
    op->erase();
  return group;
}
