//===- Suggestion.cpp - The name that was perhaps meant ---------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Support/Suggestion.h"
#include <algorithm>

using llvm::StringRef;

std::string hamkaas::suggestName(StringRef name,
                                 llvm::ArrayRef<StringRef> known) {
  // Nobody types a longer one, which would take long to compare.
  constexpr size_t longest = 100;
  if (name.size() > longest)
    return "";
  // Two edits make any word of another one of three letters.
  unsigned most = std::min<size_t>(2, name.size() / 3);
  unsigned best = most + 1;
  StringRef nearest;
  for (StringRef other : known) {
    unsigned edits = name.edit_distance_insensitive(
        other, /*AllowReplacements=*/true, /*MaxEditDistance=*/most);
    if (edits >= best)
      continue;
    best = edits;
    nearest = other;
  }
  return nearest.empty() ? "" : (", did you mean '" + nearest + "'?").str();
}
