//===- EngineRules.h - The rules of --engine --------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_ENGINE_ENGINERULES_H
#define HAMKAAS_ENGINE_ENGINERULES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace hamkaas {

/// The id that stands for our own code generator.
inline constexpr llvm::StringLiteral ownEngine = "hamkaas";

/// That of the interpreter, which checks others.
inline constexpr llvm::StringLiteral referenceEngine = "reference";

/// One rule: groups at `place` are for engine `id`.
struct EngineRule {
  std::string id;
  /// "rows=64,kind=fast"; empty for the defaults.
  std::string knobs;
  /// The operations of a group, "matmul+add", or a source line, "net.hk:4";
  /// empty for all groups.
  std::string place;

  /// Returns whether a group of these operations ("matmul+add"), each at one of
  /// the locations ("net.hk:4:6"), is at the place.
  bool isAt(llvm::StringRef ops, llvm::ArrayRef<std::string> locations) const;
};

/// Reads "openblas:rows=64@matmul+add,hamkaas@net.hk:9".
llvm::Expected<std::vector<EngineRule>> parseEngineRules(llvm::StringRef text);

} // namespace hamkaas

#endif // HAMKAAS_ENGINE_ENGINERULES_H
