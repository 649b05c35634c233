//===- EngineRules.cpp - The rules of --engine ----------------------------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Engine/EngineRules.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace hamkaas;

bool EngineRule::isAt(StringRef ops, ArrayRef<std::string> locations) const {
  if (place.empty() || ops == place)
    return true;
  return any_of(locations, [&](StringRef location) {
    // A line has all its columns.
    return location.consume_front(place) &&
           (location.empty() || location.front() == ':');
  });
}

static bool isId(StringRef text) {
  return !text.empty() && all_of(text, [](char c) {
    return isDigit(c) || (isAlpha(c) && isLower(c)) || c == '.' || c == '_' ||
           c == '-';
  });
}

static Error explain(StringRef rule) {
  return createStringError("expected rules such as "
                           "'openblas:rows=64@matmul+add', got '" +
                           rule + "'");
}

static Expected<EngineRule> parseRule(StringRef text) {
  EngineRule rule;
  auto [engine, place] = text.split('@');
  SmallVector<StringRef> parts;
  engine.split(parts, ':');
  if (!isId(parts.front()) || (text.contains('@') && place.empty()))
    return explain(text);
  SmallVector<StringRef> knobs;
  for (StringRef knob : drop_begin(parts)) {
    auto [name, value] = knob.split('=');
    if (name.empty() || value.empty() || !all_of(knob, isPrint))
      return explain(text);
    if (is_contained(knobs, name))
      return createStringError("expected each knob once, got '" + name +
                               "' twice in '" + text + "'");
    knobs.push_back(name);
  }
  rule.id = parts.front().str();
  rule.knobs = join(drop_begin(parts), ",");
  rule.place = place.str();
  return rule;
}

Expected<std::vector<EngineRule>> hamkaas::parseEngineRules(StringRef text) {
  std::vector<EngineRule> rules;
  SmallVector<StringRef> parts;
  if (!text.empty())
    text.split(parts, ',');
  for (StringRef part : parts)
    if (Error error = parseRule(part).moveInto(rules.emplace_back()))
      return std::move(error);
  return rules;
}
