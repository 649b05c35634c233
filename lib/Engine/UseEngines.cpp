//===- UseEngines.cpp - Gives groups to engine libraries ------------------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DescribeGroup.h"
#include "HamKaas/Dialect/HamKaas/IR/EngineOps.h"
#include "HamKaas/Dialect/HamKaas/IR/RegionOps.h"
#include "HamKaas/Dialect/HamKaas/IR/TensorViews.h"
#include "HamKaas/Dialect/HamKaas/Kernels/Passes.h"
#include "HamKaas/Engine/EngineHost.h"
#include "HamKaas/Engine/EngineRules.h"
#include "HamKaas/Engine/Passes.h"
#include "HamKaas/Program/CollectProgramInfo.h"
#include "HamKaas/Runtime/Engine/EngineGroup.h"
#include "Trial.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/SetVector.h"
#include <vector>

namespace hamkaas {
#define GEN_PASS_DEF_USEENGINES
#include "HamKaas/Engine/Passes.h.inc"
} // namespace hamkaas

using namespace mlir;
using namespace hamkaas;

namespace {

/// A rule with its engine; none for our own.
struct KnownRule {
  EngineRule rule;
  std::optional<rt::EngineAccess> engine;
  bool isUsed = false;
};

/// A part of a group that is offered to engines.
struct Offer {
  EngineSlice slice;
  std::string location; ///< Of all operations, as reports have it.
  std::vector<std::string> locations; ///< One an operation.
  std::string ops;                    ///< "matmul+add"
  std::string text;
};

} // namespace

//===----------------------------------------------------------------------===//
// Asking
//===----------------------------------------------------------------------===//

/// The plan of an engine for a group; null if it does not apply.
static llvm::Expected<EngineAttr>
ask(const KnownRule &known, const Offer &offer, MLIRContext *context) {
  rt::EngineGroup group;
  if (rt::Error error = group.parse(offer.text.c_str()))
    return llvm::createStringError(error.message());
  const rt::EngineAccess &engine = *known.engine;
  bool applies = false;
  double seconds = 0;
  if (rt::Error error = engine.applies(group.get(), applies, seconds))
    return llvm::createStringError(error.message());
  if (!applies)
    return EngineAttr();
  HamKaasEnginePlan plan;
  bool isPlanned = false;
  if (rt::Error error =
          engine.plan(group.get(), known.rule.knobs.c_str(), plan, isPlanned))
    return llvm::createStringError(error.message());
  if (!isPlanned)
    return EngineAttr();
  auto attr = EngineAttr::get(context, engine.id(), engine.version(),
                              engine.path(), offer.text, known.rule.knobs,
                              plan.workspaceBytes, plan.packedBytes,
                              /*packs=*/false);
  engine.destroy(plan);
  return attr;
}

/// The rules for the place of `offer`, in their order, as far as the first that
/// keeps it.
static SmallVector<KnownRule *> findRules(MutableArrayRef<KnownRule> rules,
                                          const Offer &offer) {
  SmallVector<KnownRule *> found;
  for (KnownRule &known : rules) {
    if (!known.rule.isAt(offer.ops, offer.locations))
      continue;
    if (!known.engine)
      break;
    found.push_back(&known);
  }
  return found;
}

/// "engine 'openblas' of /lib/x.so: matmul+add at net.hk:4:6"
static std::string describe(const KnownRule &known, const Offer &offer) {
  return std::string("engine '") + known.engine->id() + "' of " +
         known.engine->path() + ": " + offer.ops + " at " + offer.location;
}

//===----------------------------------------------------------------------===//
// Offers
//===----------------------------------------------------------------------===//

/// Numbers are part of the kernels that read them.
static bool isNumber(Operation *op) { return matchPattern(op, m_Constant()); }

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
  GroupOffers(GroupOp group, const llvm::DenseSet<Operation *> &movable)
      : group(group), movable(movable) {}

  std::vector<Offer> collect() {
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
    std::vector<Offer> offers;
    for (ArrayRef<Operation *> ops : parts)
      if (std::optional<Offer> offer = makeOffer(ops))
        offers.push_back(std::move(*offer));
    return offers;
  }

private:
  std::optional<Offer> makeOffer(ArrayRef<Operation *> ops) {
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
    std::optional<std::string> text = describeSlice(offer.slice);
    if (!text)
      return std::nullopt;
    offer.text = std::move(*text);
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
};

} // namespace

//===----------------------------------------------------------------------===//
// Replacing
//===----------------------------------------------------------------------===//

/// Puts the operations of `group` before it, and returns where they are.
static IRMapping dissolve(GroupOp group) {
  OpBuilder builder(group);
  Block &body = group.getBody().front();
  IRMapping mapping;
  mapping.map(body.getArguments(), group.getInputs());
  for (Operation &op : body.without_terminator())
    builder.clone(op, mapping);
  for (auto [result, value] :
       llvm::zip_equal(group.getResults(), body.getTerminator()->getOperands()))
    result.replaceAllUsesWith(mapping.lookup(value));
  return mapping;
}

namespace {

/// Replaces operations by a group of an engine.
class SliceReplacer {
public:
  SliceReplacer(const EngineSlice &slice, const IRMapping &mapping,
                EngineAttr engine, StringRef names)
      : engine(engine), names(names), isConstant(slice.isConstant) {
    for (Operation *op : slice.ops)
      ops.push_back(mapping.lookup(op->getResult(0)).getDefiningOp());
    for (Value input : slice.inputs)
      inputs.push_back(mapping.lookup(input));
    builder.setInsertionPoint(ops.back());
    SmallVector<Location> locations;
    for (Operation *op : ops)
      if (!isNumber(op))
        locations.push_back(op->getLoc());
    loc = builder.getFusedLoc(locations);
  }

  void replace() {
    SmallVector<Value> given, constants;
    for (auto [input, constant] : llvm::zip_equal(inputs, isConstant))
      (constant && engine.getPacked() > 0 ? constants : given).push_back(input);
    if (!constants.empty())
      given.push_back(createPacking(constants));
    Value result = ops.back()->getResult(0);
    GroupOp created =
        createGroup(given, getFamily(),
                    cast<RankedTensorType>(result.getType()), engine, names);
    created->setAttr(HamKaasDialect::flopsAttrName,
                     builder.getI64IntegerAttr(countFlops()));
    result.replaceAllUsesWith(created.getResult(0));
    for (Operation *op : llvm::reverse(ops))
      if (op->use_empty())
        op->erase();
  }

private:
  /// That of the operation that a kernel of ours would begin with.
  KernelFamily getFamily() const {
    KernelFamily family = KernelFamily::Elementwise;
    for (Operation *op : ops)
      if (auto kernelOp = dyn_cast<KernelOpInterface>(op))
        if (KernelFamily own = kernelOp.getKernelFamily();
            family == KernelFamily::Elementwise && own != KernelFamily::View)
          family = own;
    return family;
  }

  int64_t countFlops() const {
    int64_t flops = 0;
    for (Operation *op : ops)
      if (auto kernelOp = dyn_cast<KernelOpInterface>(op))
        flops = std::min<uint64_t>(INT64_MAX,
                                   uint64_t(flops) + kernelOp.getFlops());
    return flops;
  }

  Value createPacking(ValueRange constants) {
    auto packing = EngineAttr::get(
        engine.getContext(), engine.getId(), engine.getVersion(),
        engine.getLibrary(), engine.getGroup(), engine.getKnobs(),
        engine.getWorkspace(), engine.getPacked(), /*packs=*/true);
    auto type =
        RankedTensorType::get(engine.getPacked(), builder.getIntegerType(8));
    return createGroup(constants, KernelFamily::Movement, type, packing, "pack")
        .getResult(0);
  }

  GroupOp createGroup(ValueRange operands, KernelFamily family,
                      RankedTensorType type, EngineAttr attr,
                      StringRef opNames) {
    auto created = GroupOp::create(
        builder, *loc, TypeRange(type), operands,
        KernelFamilyAttr::get(builder.getContext(), family), IntegerAttr());
    created->setAttr(HamKaasDialect::opsAttrName,
                     builder.getStringAttr(opNames));
    Block &body = created.getBody().emplaceBlock();
    for (Value operand : operands)
      body.addArgument(operand.getType(), operand.getLoc());
    OpBuilder inner = OpBuilder::atBlockEnd(&body);
    SmallVector<Type> types;
    if (attr.getWorkspace() > 0 && !attr.getPacks())
      types.push_back(RankedTensorType::get(attr.getWorkspace(),
                                            builder.getIntegerType(8)));
    types.push_back(type);
    SmallVector<Value> inits;
    for (Type init : types)
      inits.push_back(tensor::EmptyOp::create(inner, *loc, init, ValueRange()));
    auto call = EngineCallOp::create(inner, *loc, TypeRange(types), attr,
                                     body.getArguments(), inits);
    YieldOp::create(inner, *loc, call.getResults().back());
    return created;
  }

  EngineAttr engine;
  StringRef names;
  ArrayRef<bool> isConstant;
  SmallVector<Operation *> ops;
  SmallVector<Value> inputs;
  OpBuilder builder{engine.getContext()};
  std::optional<Location> loc;
};

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

struct UseEngines : hamkaas::impl::UseEnginesBase<UseEngines> {
  using UseEnginesBase::UseEnginesBase;

  void runOnOperation() override {
    SmallVector<KnownRule> rules;
    if (failed(findEngines(rules)))
      return signalPassFailure();
    // The rest of a group may have further parts.
    bool isDone = false;
    while (!isDone) {
      OpPassManager form(ModuleOp::getOperationName());
      form.addPass(createFormGroups());
      if (failed(runPipeline(form, getOperation())))
        return signalPassFailure();
      FailureOr<bool> hasGiven = giveGroups(rules);
      if (failed(hasGiven))
        return signalPassFailure();
      isDone = !*hasGiven;
    }
    warnOfUnused(rules);
  }

private:
  LogicalResult findEngines(SmallVectorImpl<KnownRule> &known) {
    auto parsed = parseEngineRules(engines);
    if (!parsed)
      return getOperation().emitError(llvm::toString(parsed.takeError()));
    for (EngineRule &rule : *parsed) {
      KnownRule &added = known.emplace_back();
      added.rule = std::move(rule);
      if (added.rule.id == ownEngine)
        continue;
      auto engine = EngineHost::get(path).find(added.rule.id);
      if (!engine)
        return getOperation().emitError(llvm::toString(engine.takeError()));
      added.engine = *engine;
    }
    return success();
  }

  /// Gives at most one part of each group to an engine, and dissolves all
  /// groups but those. Returns whether there was a part.
  FailureOr<bool> giveGroups(MutableArrayRef<KnownRule> rules) {
    std::vector<std::pair<GroupOp, std::vector<Offer>>> groups =
        collectOffers();
    if (failed(tryAll(rules, groups)))
      return failure();
    bool hasGiven = false;
    for (auto &[group, offers] : groups) {
      auto given = give(rules, offers);
      if (!given)
        return mlir::emitError(group.getLoc(),
                               llvm::toString(given.takeError()));
      auto [offer, engine] = *given;
      IRMapping mapping = dissolve(group);
      if (engine)
        SliceReplacer(offer->slice, mapping, engine, offer->ops).replace();
      hasGiven |= engine != nullptr;
      group.erase();
    }
    return hasGiven;
  }

  /// Of all groups that are no engine's.
  std::vector<std::pair<GroupOp, std::vector<Offer>>> collectOffers() {
    std::vector<std::pair<GroupOp, std::vector<Offer>>> groups;
    getOperation().walk([&](Block *block) {
      if (isa<GroupOp>(block->getParentOp()))
        return;
      llvm::DenseSet<Operation *> movable = findMovableOps(*block);
      for (auto group : block->getOps<GroupOp>()) {
        if (!group.getBody().getOps<EngineCallOp>().empty())
          continue;
        std::vector<Offer> offers;
        // Engines do not write in place, and prepare nothing but their own.
        if (!group.getUpdated() && !movable.contains(group))
          offers = GroupOffers(group, movable).collect();
        groups.emplace_back(group, std::move(offers));
      }
    });
    return groups;
  }

  /// In a child process, where an engine may crash.
  LogicalResult
  tryAll(MutableArrayRef<KnownRule> rules,
         ArrayRef<std::pair<GroupOp, std::vector<Offer>>> groups) {
    MLIRContext *context = &getContext();
    if (llvm::Error error = tryInChild([&](TrialStep step) {
          for (const auto &[group, offers] : groups)
            for (const Offer &offer : offers)
              for (const KnownRule *known : findRules(rules, offer)) {
                step(describe(*known, offer));
                // This process reports errors.
                llvm::consumeError(ask(*known, offer, context).takeError());
              }
        }))
      return getOperation().emitError(llvm::toString(std::move(error)));
    return success();
  }

  /// The first part that an engine takes; null if there is none.
  llvm::Expected<std::pair<const Offer *, EngineAttr>>
  give(MutableArrayRef<KnownRule> rules, ArrayRef<Offer> offers) {
    for (const Offer &offer : offers)
      for (KnownRule *known : findRules(rules, offer)) {
        auto engine = ask(*known, offer, &getContext());
        if (!engine)
          return engine.takeError();
        if (!*engine)
          continue;
        known->isUsed = true;
        return std::make_pair(&offer, *engine);
      }
    return std::make_pair(static_cast<const Offer *>(nullptr), EngineAttr());
  }

  void warnOfUnused(ArrayRef<KnownRule> rules) {
    for (const KnownRule &known : rules) {
      if (known.isUsed || !known.engine)
        continue;
      InFlightDiagnostic warning = getOperation().emitWarning("engine '")
                                   << known.rule.id
                                   << "' computes nothing of the model";
      if (!known.rule.place.empty())
        warning << " at '" << known.rule.place << "'";
    }
  }
};

} // namespace
