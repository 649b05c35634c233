//===- GroupOffers.cpp - What is offered to engines -----------------------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GroupOffers.h"
#include "HamKaas/Dialect/HamKaas/IR/EngineOps.h"
#include "HamKaas/Dialect/HamKaas/IR/TensorViews.h"
#include "HamKaas/Program/CollectProgramInfo.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace hamkaas;

bool hamkaas::isNumber(Operation *op) { return matchPattern(op, m_Constant()); }

static bool isOfferable(Operation *op) {
  auto kernelOp = dyn_cast<KernelOpInterface>(op);
  return op->getNumResults() == 1 && op->getNumRegions() == 0 &&
         (isNumber(op) || (kernelOp && !kernelOp.checksValues()));
}

/// The operations of `block` that `last` needs, or it alone with its numbers.
/// Nothing if others need one of them, too.
static SmallVector<Operation *> findOps(Operation *last, bool isAlone) {
  llvm::SetVector<Operation *> found;
  found.insert(last);
  for (size_t i = 0; i < found.size(); ++i)
    for (Value operand : found[i]->getOperands())
      if (Operation *op = operand.getDefiningOp();
          op && op->getBlock() == last->getBlock() &&
          (!isAlone || isNumber(op)))
        found.insert(op);
  auto isShared = [&](Operation *op) {
    return op != last && !isNumber(op) &&
           llvm::any_of(op->getUsers(),
                        [&](Operation *user) { return !found.contains(user); });
  };
  if (!llvm::all_of(found, isOfferable) || llvm::any_of(found, isShared))
    return {};
  SmallVector<Operation *> ops = found.takeVector();
  llvm::sort(ops,
             [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  return ops;
}

namespace {

/// The parts of a group, largest first.
class GroupOffers {
public:
  GroupOffers(GroupOp group, const llvm::DenseSet<Operation *> &movable,
              const EngineTarget *target)
      : group(group), movable(movable), target(target) {}

  std::vector<Offer> collect() {
    std::vector<Offer> offers;
    // Engine libraries do not write in place.
    bool describes = target && !group.getUpdated();
    for (ArrayRef<Operation *> ops : listParts()) {
      Offer &offer = offers.emplace_back(makeOffer(ops));
      if (describes)
        offer.text = describeSlice(offer.slice, *target).value_or("");
    }
    // Ours computes what no other may, too.
    Offer whole = makeOffer(
        llvm::map_to_vector(group.getBody().front().without_terminator(),
                            [](Operation &op) { return &op; }));
    if (offers.empty() || offers.front().slice.ops != whole.slice.ops)
      offers.insert(offers.begin(), std::move(whole));
    return offers;
  }

private:
  SmallVector<SmallVector<Operation *>> listParts() {
    SmallVector<SmallVector<Operation *>> parts;
    for (Operation &op : group.getBody().front().without_terminator()) {
      if (isNumber(&op))
        continue;
      for (bool isAlone : {false, true})
        if (SmallVector<Operation *> ops = findOps(&op, isAlone);
            !ops.empty() && !llvm::is_contained(parts, ops))
          parts.push_back(std::move(ops));
    }
    llvm::stable_sort(parts,
                      [](ArrayRef<Operation *> a, ArrayRef<Operation *> b) {
                        return a.size() > b.size();
                      });
    return parts;
  }

  Offer makeOffer(ArrayRef<Operation *> ops) {
    Offer offer;
    offer.slice.ops.assign(ops.begin(), ops.end());
    SmallVector<Location> locations;
    for (Operation *op : ops) {
      for (Value operand : op->getOperands())
        if (!llvm::is_contained(ops, operand.getDefiningOp()) &&
            !llvm::is_contained(offer.slice.inputs, operand)) {
          offer.slice.inputs.push_back(operand);
          offer.slice.isConstant.push_back(isConstant(operand));
        }
      if (isNumber(op))
        continue;
      offer.ops +=
          (offer.ops.empty() ? "" : "+") + op->getName().stripDialect().str();
      locations.push_back(op->getLoc());
      offer.locations.push_back(formatLocation(op->getLoc()));
    }
    offer.location = formatLocation(
        FusedLoc::get(group.getContext(), locations, Attribute()));
    return offer;
  }

  bool isConstant(Value value) {
    auto argument = dyn_cast<BlockArgument>(value);
    return argument &&
           movable.contains(
               group.getInputs()[argument.getArgNumber()].getDefiningOp());
  }

  GroupOp group;
  const llvm::DenseSet<Operation *> &movable;
  const EngineTarget *target;
};

} // namespace

std::vector<OfferedGroup> hamkaas::collectOffers(ModuleOp graph,
                                                 const EngineTarget *target) {
  std::vector<OfferedGroup> groups;
  graph.walk([&](Block *block) {
    if (isa<GroupOp>(block->getParentOp()))
      return;
    llvm::DenseSet<Operation *> movable = findMovableOps(*block);
    for (auto group : block->getOps<GroupOp>()) {
      if (!group.getBody().getOps<EngineCallOp>().empty())
        continue;
      std::vector<Offer> offers;
      if (!movable.contains(group))
        offers = GroupOffers(group, movable, target).collect();
      groups.push_back({group, std::move(offers)});
    }
  });
  return groups;
}
