//===- AskEngines.h - Which engine takes which group ------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_ENGINE_ASKENGINES_H
#define HAMKAAS_LIB_ENGINE_ASKENGINES_H

#include "GroupOffers.h"
#include "HamKaas/Engine/EngineHost.h"
#include "HamKaas/Engine/EngineRules.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <optional>

namespace hamkaas {

/// A rule with its engine; none for our own, with its knobs.
struct KnownRule {
  EngineRule rule;
  std::optional<rt::EngineAccess> engine = std::nullopt;
  mlir::DictionaryAttr knobs = nullptr;
  bool isUsed = false;

  static llvm::Expected<KnownRule> find(const EngineHost &host, EngineRule rule,
                                        mlir::MLIRContext *context);
};

/// The rules of engine libraries that an offer is for, in their order.
using FindRules =
    llvm::function_ref<llvm::SmallVector<KnownRule *>(const Offer &offer)>;

/// Asks all engines for all that they are offered in a child process, where
/// they may crash or hang. The error names the engine and the group.
llvm::Error tryEngines(llvm::ArrayRef<OfferedGroup> groups, FindRules findRules,
                       mlir::MLIRContext *context);

/// A rule whose engine takes an offer, and its plan; null if there is none.
struct TakenOffer {
  KnownRule *rule = nullptr;
  EngineAttr engine = nullptr;
};

/// The first of `rules` whose engine takes the offer.
llvm::Expected<TakenOffer> takeOffer(const Offer &offer,
                                     llvm::ArrayRef<KnownRule *> rules,
                                     mlir::MLIRContext *context);

} // namespace hamkaas

#endif // HAMKAAS_LIB_ENGINE_ASKENGINES_H
