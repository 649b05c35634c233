//===- UseEngines.cpp - Gives groups to engine libraries ------------------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AskEngines.h"
#include "HamKaas/Dialect/HamKaas/IR/EngineOps.h"
#include "HamKaas/Dialect/HamKaas/IR/RegionOps.h"
#include "HamKaas/Dialect/HamKaas/Kernels/Passes.h"
#include "HamKaas/Engine/Choices.h"
#include "HamKaas/Engine/EngineHost.h"
#include "HamKaas/Engine/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Pass/PassManager.h"
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
static constexpr StringLiteral choiceAttrName = "choice";

namespace {

/// The rules of the user, and one a choice, in its order.
struct Rules {
  std::vector<KnownRule> given, chosen;

  /// Those for `offer`, in their order, as far as the first that keeps it.
  SmallVector<KnownRule *> find(const Offer &offer) {
    if (auto choice = offer.slice.ops.back()->getAttrOfType<IntegerAttr>(
            choiceAttrName)) {
      KnownRule &known = chosen[choice.getInt()];
      return known.engine ? SmallVector<KnownRule *>{&known}
                          : SmallVector<KnownRule *>();
    }
    SmallVector<KnownRule *> found;
    for (KnownRule &known : given) {
      if (!known.rule.isAt(offer.ops, offer.locations))
        continue;
      if (!known.engine)
        break;
      found.push_back(&known);
    }
    return found;
  }
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
    if (llvm::Error error = findEngines()) {
      getOperation().emitError(llvm::toString(std::move(error)));
      return signalPassFailure();
    }
    if (failed(markChosen()))
      return signalPassFailure();
    // The rest of a group may have further parts.
    bool isDone = false;
    while (!isDone) {
      if (failed(formGroups()))
        return signalPassFailure();
      FailureOr<bool> hasGiven = giveGroups();
      if (failed(hasGiven))
        return signalPassFailure();
      isDone = !*hasGiven;
    }
    getOperation().walk([](Operation *op) { op->removeAttr(choiceAttrName); });
    warnOfUnused();
  }

private:
  LogicalResult formGroups() {
    OpPassManager form(ModuleOp::getOperationName());
    form.addPass(createFormGroups());
    return runPipeline(form, getOperation());
  }

  llvm::Error findEngines() {
    auto parsed = parseEngineRules(engines);
    if (!parsed)
      return parsed.takeError();
    const EngineHost &host = EngineHost::get(path);
    for (EngineRule &rule : *parsed)
      if (llvm::Error error = KnownRule::find(host, std::move(rule))
                                  .moveInto(rules.given.emplace_back()))
        return error;
    if (llvm::Error error = decodeChoices(choices).moveInto(known))
      return error;
    for (const Choice &choice : known) {
      auto chosen = parseEngineRules(choice.engine);
      if (!chosen)
        return chosen.takeError();
      if (llvm::Error error = KnownRule::find(host, std::move(chosen->front()))
                                  .moveInto(rules.chosen.emplace_back()))
        return error;
    }
    return llvm::Error::success();
  }

  /// Tells the operations that a choice is for, and dissolves all groups.
  LogicalResult markChosen() {
    if (known.empty())
      return success();
    if (failed(formGroups()))
      return failure();
    llvm::StringMap<size_t> numbers;
    for (auto [number, choice] : llvm::enumerate(known))
      numbers.try_emplace(choice.group, number);
    llvm::DenseSet<size_t> fitting;
    for (OfferedGroup &offered : collectOffers(getOperation())) {
      const Offer *whole = offered.getWhole();
      auto number =
          whole ? numbers.find(getGroupDigest(whole->text)) : numbers.end();
      if (number != numbers.end()) {
        fitting.insert(number->second);
        auto attr = Builder(&getContext()).getIndexAttr(number->second);
        for (Operation *op : whole->slice.ops)
          op->setAttr(choiceAttrName, attr);
      }
      dissolve(offered.group);
      offered.group.erase();
    }
    if (size_t others = known.size() - fitting.size())
      getOperation().emitWarning() << others << " of " << known.size()
                                   << " choices are for no group of the model";
    return success();
  }

  /// Gives at most one part of each group to an engine, and dissolves all
  /// groups but those. Returns whether there was a part.
  FailureOr<bool> giveGroups() {
    std::vector<OfferedGroup> groups = collectOffers(getOperation());
    auto findRules = [&](const Offer &offer) { return rules.find(offer); };
    if (llvm::Error error = tryEngines(groups, findRules, &getContext()))
      return getOperation().emitError(llvm::toString(std::move(error)));
    bool hasGiven = false;
    for (auto &[group, offers] : groups) {
      auto given = takeOffer(offers, findRules, &getContext());
      if (!given)
        return mlir::emitError(group.getLoc(),
                               llvm::toString(given.takeError()));
      IRMapping mapping = dissolve(group);
      if (given->offer) {
        given->rule->isUsed = true;
        SliceReplacer(given->offer->slice, mapping, given->engine,
                      given->offer->ops)
            .replace();
      }
      hasGiven |= given->offer != nullptr;
      group.erase();
    }
    return hasGiven;
  }

  void warnOfUnused() {
    for (const KnownRule &known : rules.given) {
      if (known.isUsed || !known.engine)
        continue;
      InFlightDiagnostic warning = getOperation().emitWarning("engine '")
                                   << known.rule.id
                                   << "' computes nothing of the model";
      if (!known.rule.place.empty())
        warning << " at '" << known.rule.place << "'";
    }
  }

  Rules rules;
  std::vector<Choice> known;
};

} // namespace
