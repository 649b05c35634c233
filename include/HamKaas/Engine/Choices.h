//===- Choices.h - Which engine computes which group ------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_ENGINE_CHOICES_H
#define HAMKAAS_ENGINE_CHOICES_H

#include "HamKaas/Engine/EngineRules.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"
#include <string>
#include <vector>

namespace hamkaas {

/// An engine with its knobs, and how long it took.
struct TriedEngine {
  std::string engine; ///< A rule without a place: "openblas:rows=64".
  double seconds = 0; ///< The median of runs.
};

/// The engine of all groups that are equal but for their place in the model.
struct Choice {
  std::string group;  ///< getGroupDigest.
  std::string engine; ///< A rule without a place: "openblas:rows=64".
  /// For people: the operations, and where the first such group is.
  std::string ops, at;
  /// Also for people. Our own code without knobs comes first.
  std::vector<TriedEngine> tried;
};

/// The contents of a choices file.
struct Choices {
  std::string target; ///< ISA level: "x86-64-v3".
  std::string device; ///< The processor that measured: "znver3".
  int64_t threads = 0;
  std::vector<Choice> groups; ///< By ascending `group`.

  /// Null if there is none.
  const Choice *find(llvm::StringRef group) const;
  /// Adds a choice, or replaces that of its group.
  void set(Choice choice);
};

/// Reads the text of a choices file. An error says where and what is wrong.
llvm::Expected<Choices> parseChoices(llvm::StringRef text);

void printChoices(const Choices &choices, llvm::raw_ostream &stream);

/// Identifies a group by what it computes, whatever it is a part of: 32 digits.
/// `text` is that of `HamKaas/Runtime/Engine/EngineGroup.h`.
std::string getGroupDigest(llvm::StringRef text);

/// Choices as the option of a pass: "DIGEST=ID[:KNOB=VALUE]...", separated by
/// commas.
std::string encodeChoices(llvm::ArrayRef<Choice> choices);

/// The inverse, of which only `group` and `engine` are set.
llvm::Expected<std::vector<Choice>> decodeChoices(llvm::StringRef text);

} // namespace hamkaas

#endif // HAMKAAS_ENGINE_CHOICES_H
