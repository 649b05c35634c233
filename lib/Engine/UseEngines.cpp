//===- UseEngines.cpp - Gives groups to engine libraries ------------------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AskEngines.h"
#include "HamKaas/Dialect/HamKaas/IR/EngineOps.h"
#include "HamKaas/Dialect/HamKaas/IR/Knobs.h"
#include "HamKaas/Dialect/HamKaas/IR/RegionOps.h"
#include "HamKaas/Dialect/HamKaas/Kernels/Passes.h"
#include "HamKaas/Engine/Choices.h"
#include "HamKaas/Engine/EngineHost.h"
#include "HamKaas/Engine/OwnEngine.h"
#include "HamKaas/Engine/Passes.h"
#include "HamKaas/Engine/VerifyEngine.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringMap.h"
#include <vector>

namespace hamkaas {
#define GEN_PASS_DEF_USEENGINES
#include "HamKaas/Engine/Passes.h.inc"
} // namespace hamkaas

using namespace mlir;
using namespace hamkaas;

//===----------------------------------------------------------------------===//
// Rules and choices
//===----------------------------------------------------------------------===//

/// On the operations of a group that a choice is for, until the pass ends: the
/// number of its rule.
static constexpr StringLiteral choiceAttrName = "engine_choice";

namespace {

/// The rules of the user, and one a choice, in its order.
class Rules {
public:
  std::vector<KnownRule> given, chosen;

  /// Those for `offer`, in their order, as far as the first that keeps it.
  SmallVector<KnownRule *> find(const Offer &offer) {
    SmallVector<KnownRule *> found;
    for (KnownRule &known : getRules(offer)) {
      if (!known.rule.isAt(offer.ops, offer.locations))
        continue;
      if (!known.engine)
        break;
      if (!offer.text.empty())
        found.push_back(&known);
    }
    return found;
  }

  /// The rule that keeps `offer`; null if there is none.
  KnownRule *findOwn(const Offer &offer) {
    for (KnownRule &known : getRules(offer))
      if (!known.engine && known.rule.isAt(offer.ops, offer.locations))
        return &known;
    return nullptr;
  }

  bool any(llvm::function_ref<bool(const KnownRule &)> isWanted) const {
    return llvm::any_of(given, isWanted) || llvm::any_of(chosen, isWanted);
  }

private:
  MutableArrayRef<KnownRule> getRules(const Offer &offer) {
    auto choice =
        offer.slice.ops.back()->getAttrOfType<IntegerAttr>(choiceAttrName);
    return choice ? MutableArrayRef(chosen[choice.getInt()])
                  : MutableArrayRef(given);
  }
};

/// Operations that have been dealt with, without numbers.
class DoneOps {
public:
  void insert(const Offer &offer) {
    for (Operation *op : offer.slice.ops)
      if (!isNumber(op))
        ops.insert(op);
  }

  bool containsAny(const Offer &offer) const {
    return llvm::any_of(offer.slice.ops,
                        [&](Operation *op) { return ops.contains(op); });
  }

private:
  llvm::DenseSet<Operation *> ops;
};

} // namespace

/// Gives the operations of `offer` the knobs that they have. Returns whether
/// there was one.
static bool setOwnKnobs(const Offer &offer, DictionaryAttr knobs) {
  bool hasAny = false;
  for (Operation *op : offer.slice.ops) {
    SmallVector<NamedAttribute> own;
    for (NamedAttribute knob : knobs)
      if (hasKnob(op, knob.getName()))
        own.push_back(knob);
    if (!own.empty())
      setKnobs(op, DictionaryAttr::get(op->getContext(), own));
    hasAny |= !own.empty();
  }
  return hasAny;
}

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
    if (llvm::Error error = findEngines()) {
      getOperation().emitError(llvm::toString(std::move(error)));
      return signalPassFailure();
    }
    // The input may have any attributes.
    dropChoiceMarks();
    if (failed(markChosen()))
      return signalPassFailure();
    // The rest of a group may have further parts.
    bool isDone = !rules.any(
        [](const KnownRule &known) { return known.engine.has_value(); });
    while (!isDone) {
      if (failed(formGroups()))
        return signalPassFailure();
      FailureOr<bool> hasGiven = giveGroups();
      if (failed(hasGiven))
        return signalPassFailure();
      isDone = !*hasGiven;
    }
    if (failed(turnKnobs()))
      return signalPassFailure();
    dropChoiceMarks();
    warnOfUnused();
  }

private:
  void dropChoiceMarks() {
    getOperation().walk([](Operation *op) { op->removeAttr(choiceAttrName); });
  }

  LogicalResult formGroups() {
    OpPassManager form(ModuleOp::getOperationName());
    form.addPass(createFormGroups());
    return runPipeline(form, getOperation());
  }

  EngineTarget getTarget() const {
    return {device.getValue(), precision.getValue()};
  }

  llvm::Error findEngines() {
    auto parsed = parseEngineRules(engines);
    if (!parsed)
      return parsed.takeError();
    const EngineHost &host = EngineHost::get(path);
    for (EngineRule &rule : *parsed)
      if (llvm::Error error =
              KnownRule::find(host, std::move(rule), &getContext())
                  .moveInto(rules.given.emplace_back()))
        return error;
    if (llvm::Error error = decodeChoices(choices).moveInto(known))
      return error;
    for (const Choice &choice : known) {
      auto chosen = parseEngineRules(choice.engine);
      if (!chosen)
        return chosen.takeError();
      if (llvm::Error error =
              KnownRule::find(host, std::move(chosen->front()), &getContext())
                  .moveInto(rules.chosen.emplace_back()))
        return error;
    }
    return llvm::Error::success();
  }

  /// Tells the operations that a choice is for, and dissolves all groups.
  LogicalResult markChosen() {
    if (known.empty())
      return success();
    EngineTarget target = getTarget();
    if (failed(formGroups()))
      return failure();
    llvm::StringMap<size_t> numbers;
    for (auto [number, choice] : llvm::enumerate(known))
      numbers.try_emplace(choice.group, number);
    for (auto &[group, offers] : collectOffers(getOperation(), &target)) {
      auto number = offers.empty() || offers.front().text.empty()
                        ? numbers.end()
                        : numbers.find(getGroupDigest(offers.front().text));
      if (number != numbers.end()) {
        fitting.insert(number->second);
        // Their engines lost, or were not asked.
        for (KnownRule &given : rules.given)
          given.isUsed |=
              given.rule.isAt(offers.front().ops, offers.front().locations);
        auto attr = Builder(&getContext()).getIndexAttr(number->second);
        for (Operation *op : offers.front().slice.ops)
          op->setAttr(choiceAttrName, attr);
      }
      dissolve(group);
      group.erase();
    }
    if (size_t others = known.size() - fitting.size())
      getOperation().emitWarning() << others << " of " << known.size()
                                   << " choices are for no group of the model";
    return success();
  }

  /// Gives at most one part of each group to an engine, and dissolves all
  /// groups but those. Returns whether there was a part.
  FailureOr<bool> giveGroups() {
    EngineTarget target = getTarget();
    std::vector<OfferedGroup> groups = collectOffers(getOperation(), &target);
    auto findRules = [&](const Offer &offer) { return rules.find(offer); };
    if (llvm::Error error = tryEngines(groups, findRules, &getContext()))
      return getOperation().emitError(llvm::toString(std::move(error)));
    bool hasGiven = false;
    for (auto &[group, offers] : groups) {
      const Offer *taken = nullptr;
      auto given = give(offers, taken);
      if (!given)
        return mlir::emitError(group.getLoc(),
                               llvm::toString(given.takeError()));
      if (taken && verify)
        if (llvm::Error error = verifyChoice(*taken, *given))
          return mlir::emitError(taken->slice.ops.back()->getLoc(),
                                 llvm::toString(std::move(error)));
      IRMapping mapping = dissolve(group);
      if (taken)
        SliceReplacer(taken->slice, mapping, *given, taken->ops).replace();
      hasGiven |= taken != nullptr;
      group.erase();
    }
    return hasGiven;
  }

  /// The plan of the first part that an engine takes, which is `taken` then.
  llvm::Expected<EngineAttr> give(ArrayRef<Offer> offers,
                                  const Offer *&taken /* out */) {
    // A group that stays ours as a whole is not offered in parts.
    DoneOps kept;
    for (const Offer &offer : offers) {
      if (kept.containsAny(offer))
        continue;
      auto given = takeOffer(offer, rules.find(offer), &getContext());
      if (!given)
        return given.takeError();
      if (given->rule) {
        given->rule->isUsed = true;
        taken = &offer;
        return given->engine;
      }
      if (KnownRule *own = rules.findOwn(offer);
          own && own->rule.place == offer.ops)
        kept.insert(offer);
    }
    return EngineAttr();
  }

  /// Sets the knobs of what stays ours.
  LogicalResult turnKnobs() {
    if (!rules.any([](const KnownRule &known) {
          return known.knobs && !known.knobs.empty();
        }))
      return success();
    if (failed(formGroups()))
      return failure();
    for (auto &[group, offers] :
         collectOffers(getOperation(), /*target=*/nullptr)) {
      DoneOps done;
      for (const Offer &offer : offers) {
        KnownRule *known = rules.findOwn(offer);
        if (!known || done.containsAny(offer))
          continue;
        known->isUsed |= setOwnKnobs(offer, known->knobs);
        done.insert(offer);
      }
      dissolve(group);
      group.erase();
    }
    return success();
  }

  /// Equal groups are verified once.
  llvm::Error verifyChoice(const Offer &offer, EngineAttr chosen) {
    if (!verified.insert(chosen).second)
      return llvm::Error::success();
    auto engine = EngineHost::get(path).find(chosen.getId());
    if (!engine)
      return engine.takeError();
    return verifyEngine(*engine, chosen.getGroup(), chosen.getKnobs(),
                        offer.ops + " at " + offer.location);
  }

  void warnOfUnused() {
    for (size_t number : fitting) {
      const KnownRule &chosen = rules.chosen[number];
      if (!chosen.isUsed && (chosen.engine || !chosen.knobs.empty()))
        getOperation().emitWarning("the choice '")
            << known[number].engine << "' does not apply to group "
            << known[number].group;
    }
    for (const KnownRule &known : rules.given) {
      if (known.isUsed || (!known.engine && known.knobs.empty()))
        continue;
      InFlightDiagnostic warning =
          getOperation().emitWarning("engine '")
          << known.rule.id
          << (known.engine ? "' computes nothing of the model"
                           : "' has no such knobs in the model");
      if (!known.rule.place.empty())
        warning << " at '" << known.rule.place << "'";
    }
  }

  Rules rules;
  std::vector<Choice> known;
  /// The numbers of choices that are for a group of the graph.
  llvm::SetVector<size_t> fitting;
  llvm::DenseSet<EngineAttr> verified;
};

} // namespace
