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

/// A rule with its engine; none for our own.
struct KnownRule {
  EngineRule rule;
  std::optional<rt::EngineAccess> engine = std::nullopt;
  bool isUsed = false;

  static llvm::Expected<KnownRule> find(const EngineHost &host,
                                        EngineRule rule);
};

/// The rules of engines that an offer is for, in their order.
using FindRules =
    llvm::function_ref<llvm::SmallVector<KnownRule *>(const Offer &offer)>;

/// Asks all engines for all that they are offered in a child process, where
/// they may crash or hang. The error names the engine and the group.
llvm::Error tryEngines(llvm::ArrayRef<OfferedGroup> groups, FindRules findRules,
                       mlir::MLIRContext *context);

/// A part of a group that an engine takes; null if there is none.
struct TakenOffer {
  const Offer *offer = nullptr;
  KnownRule *rule = nullptr;
  EngineAttr engine = nullptr;
};

/// The first part that an engine takes.
llvm::Expected<TakenOffer> takeOffer(llvm::ArrayRef<Offer> offers,
                                     FindRules findRules,
                                     mlir::MLIRContext *context);

} // namespace hamkaas

#endif // HAMKAAS_LIB_ENGINE_ASKENGINES_H
