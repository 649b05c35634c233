//===- AskEngines.cpp - Which engine takes which group --------------------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AskEngines.h"
#include "HamKaas/Engine/OwnEngine.h"
#include "HamKaas/Engine/Trial.h"
#include "HamKaas/Runtime/Engine/EngineGroup.h"

using namespace mlir;
using namespace hamkaas;

llvm::Expected<KnownRule>
KnownRule::find(const EngineHost &host, EngineRule rule, MLIRContext *context) {
  KnownRule known{std::move(rule)};
  if (known.rule.id == ownEngine) {
    if (llvm::Error error =
            readOwnKnobs(known.rule.knobs, context).moveInto(known.knobs))
      return std::move(error);
    return known;
  }
  auto engine = host.find(known.rule.id);
  if (!engine)
    return engine.takeError();
  known.engine = *engine;
  return known;
}

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

/// "engine 'openblas' of /lib/x.so: matmul+add at net.hk:4:6"
static std::string describe(const KnownRule &known, const Offer &offer) {
  return std::string("engine '") + known.engine->id() + "' of " +
         known.engine->path() + ": " + offer.ops + " at " + offer.location;
}

llvm::Error hamkaas::tryEngines(ArrayRef<OfferedGroup> groups,
                                FindRules findRules, MLIRContext *context) {
  return tryInChild([&](TrialStep step) {
    for (const OfferedGroup &group : groups)
      for (const Offer &offer : group.offers)
        for (const KnownRule *known : findRules(offer)) {
          step(describe(*known, offer));
          // The parent reports errors.
          llvm::consumeError(ask(*known, offer, context).takeError());
        }
  });
}

llvm::Expected<TakenOffer> hamkaas::takeOffer(const Offer &offer,
                                              ArrayRef<KnownRule *> rules,
                                              MLIRContext *context) {
  for (KnownRule *known : rules) {
    auto engine = ask(*known, offer, context);
    if (!engine)
      return engine.takeError();
    if (*engine)
      return TakenOffer{known, *engine};
  }
  return TakenOffer();
}
