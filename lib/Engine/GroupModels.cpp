//===- GroupModels.cpp - The groups of a graph by themselves --------------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Engine/GroupModels.h"
#include "AskEngines.h"
#include "HamKaas/Dialect/HamKaas/Kernels/Passes.h"
#include "HamKaas/Engine/Choices.h"
#include "HamKaas/Engine/OwnEngine.h"
#include "HamKaas/Runtime/Engine/EngineGroup.h"
#include "HamKaas/Support/Errors.h"
#include "HamKaas/Support/ReportError.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace hamkaas;

//===----------------------------------------------------------------------===//
// Candidates
//===----------------------------------------------------------------------===//

/// Values of a knob worth comparing with its default.
static SmallVector<std::string> listValues(const HamKaasEngineKnob &knob) {
  SmallVector<std::string> values;
  if (knob.kind == HamKaasEngineText) {
    for (const char *choice : ArrayRef(knob.choices, size_t(knob.choiceCount)))
      if (StringRef(choice) != knob.text)
        values.push_back(choice);
  } else if (knob.kind == HamKaasEngineInteger) {
    int64_t twice = 0;
    if (llvm::MulOverflow<int64_t>(knob.integer, 2, twice))
      twice = knob.integer;
    for (int64_t value : {knob.integer / 2, twice})
      if (value != knob.integer && value >= knob.minimum &&
          value <= knob.maximum)
        values.push_back(std::to_string(value));
  } else {
    for (double value : {knob.number / 2, knob.number * 2})
      if (value != knob.number && value >= knob.leastNumber &&
          value <= knob.greatestNumber)
        values.push_back(llvm::formatv("{0}", value).str());
  }
  return values;
}

/// The engine with its defaults, then with another value of one knob each.
static SmallVector<EngineRule> listSettings(const HamKaasEngine &engine) {
  SmallVector<EngineRule> rules{{engine.id, "", ""}};
  for (const HamKaasEngineKnob &knob :
       ArrayRef(engine.knobs, size_t(engine.knobCount)))
    for (const std::string &value : listValues(knob))
      rules.push_back({engine.id, knob.id + ("=" + value), ""});
  return rules;
}

/// All engines of the path, but for those that only check others, and those
/// that are in two files.
static std::vector<EngineRule> listAll(const EngineHost &host) {
  std::vector<EngineRule> rules;
  for (const EngineFile &file : host.getFiles()) {
    if (!file.problem.empty())
      continue;
    for (const HamKaasEngine *engine : ArrayRef(
             file.library.table->engines, file.library.table->engineCount)) {
      auto found = host.find(engine->id);
      if (found && engine->id != referenceEngine)
        rules.push_back({engine->id, "", ""});
      llvm::consumeError(found.takeError());
    }
  }
  return rules;
}

/// Each rule with its engine. That of a library without knobs stands for
/// several.
static llvm::Expected<std::vector<KnownRule>>
findCandidates(StringRef text, const EngineHost &host, MLIRContext *context) {
  auto parsed = parseEngineRules(text);
  if (!parsed)
    return parsed.takeError();
  std::vector<EngineRule> rules =
      parsed->empty() ? listAll(host) : std::move(*parsed);
  std::vector<KnownRule> candidates;
  for (EngineRule &rule : rules) {
    auto known = KnownRule::find(host, std::move(rule), context);
    if (!known)
      return known.takeError();
    if (!known->engine || !known->rule.knobs.empty()) {
      candidates.push_back(std::move(*known));
      continue;
    }
    for (EngineRule &setting : listSettings(known->engine->get())) {
      setting.place = known->rule.place;
      candidates.push_back({std::move(setting), known->engine});
    }
  }
  return candidates;
}

/// "openblas:rows=64"
static std::string formatRule(const EngineRule &rule) {
  std::string text = rule.id;
  for (char c : rule.knobs.empty() ? "" : ":" + rule.knobs)
    text += c == ',' ? ':' : c;
  return text;
}

//===----------------------------------------------------------------------===//
// Groups
//===----------------------------------------------------------------------===//

/// The groups of `graph`, which stays in that form.
static llvm::Expected<std::vector<OfferedGroup>> formGroups(ModuleOp graph) {
  PassManager manager(graph.getContext());
  manager.addPass(createFormGroups());
  if (failed(manager.run(graph)))
    return llvm::make_error<ReportedError>();
  EngineTarget target;
  return collectOffers(graph, &target);
}

llvm::Expected<std::vector<GroupModel>>
hamkaas::collectGroupModels(ModuleOp graph, const EngineSearch &search) {
  MLIRContext *context = graph.getContext();
  auto candidates =
      findCandidates(search.rules, EngineHost::get(search.path), context);
  if (!candidates)
    return candidates.takeError();
  OwningOpRef<ModuleOp> copy(graph.clone());
  auto groups = formGroups(*copy);
  if (!groups)
    return groups.takeError();
  // Of equal groups, the first.
  llvm::StringSet<> known;
  llvm::erase_if(*groups, [&](const OfferedGroup &group) {
    return group.offers.empty() || group.offers.front().text.empty() ||
           !known.insert(getGroupDigest(group.offers.front().text)).second;
  });

  auto isFor = [](const KnownRule &candidate, const Offer &offer) {
    return !offer.text.empty() &&
           candidate.rule.isAt(offer.ops, offer.locations);
  };
  auto findAll = [&](const Offer &offer) {
    SmallVector<KnownRule *> found;
    for (KnownRule &candidate : *candidates)
      if (candidate.engine && isFor(candidate, offer))
        found.push_back(&candidate);
    return found;
  };
  if (llvm::Error error = tryEngines(*groups, findAll, context))
    return std::move(error);

  std::vector<GroupModel> models;
  for (const OfferedGroup &group : *groups) {
    const Offer &whole = group.offers.front();
    rt::EngineGroup described;
    if (rt::Error error = described.parse(whole.text.c_str()))
      return toError(std::move(error));
    GroupModel model;
    for (const std::string &knobs :
         listOwnVariants(described.get(), search.target, search.winogradError))
      model.engines.push_back(formatRule({ownEngine.str(), knobs, ""}));
    for (KnownRule &candidate : *candidates) {
      if (!candidate.engine && isFor(candidate, whole)) {
        std::string rule = formatRule(candidate.rule);
        if (!llvm::is_contained(model.engines, rule))
          model.engines.push_back(rule);
        // It keeps the group, as without measuring.
        break;
      }
      if (!candidate.engine)
        continue;
      for (const Offer &offer : group.offers) {
        if (!isFor(candidate, offer))
          continue;
        auto taken = takeOffer(offer, &candidate, context);
        if (!taken)
          return taken.takeError();
        if (!taken->rule)
          continue;
        model.engines.push_back(formatRule(candidate.rule));
        break;
      }
    }
    if (model.engines.size() < 2)
      continue;
    model.digest = getGroupDigest(whole.text);
    model.ops = whole.ops;
    model.at = whole.location;
    model.module = makeSliceModel(whole.slice, /*hasParameters=*/true);
    models.push_back(std::move(model));
  }
  return models;
}
