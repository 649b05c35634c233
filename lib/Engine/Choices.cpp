//===- Choices.cpp - Which engine computes which group --------------------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Engine/Choices.h"
#include "HamKaas/Support/Json.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/BLAKE3.h"
#include <cmath>

using namespace llvm;
using namespace hamkaas;

/// Raised when files of the old format would be misread.
static constexpr int64_t formatVersion = 1;
static constexpr size_t digestDigits = 32;

//===----------------------------------------------------------------------===//
// Groups
//===----------------------------------------------------------------------===//

std::string hamkaas::getGroupDigest(StringRef text) {
  // The script says the same again, in words that may change.
  BLAKE3 hasher;
  hasher.update(text.split("script\n").first);
  return toHex(ArrayRef<uint8_t>(hasher.final<digestDigits / 2>()),
               /*LowerCase=*/true);
}

static bool isDigest(StringRef text) {
  return text.size() == digestDigits &&
         all_of(text, [](char c) { return isHexDigit(c) && !isUpper(c); });
}

/// Returns whether `text` is one rule without a place.
static bool isEngine(StringRef text) {
  auto rules = parseEngineRules(text);
  bool isOne = rules && rules->size() == 1 && rules->front().place.empty();
  consumeError(rules.takeError());
  return isOne;
}

static bool comesBefore(const Choice &choice, StringRef group) {
  return choice.group < group;
}

const Choice *Choices::find(StringRef group) const {
  auto place = llvm::lower_bound(groups, group, comesBefore);
  return place != groups.end() && place->group == group ? &*place : nullptr;
}

void Choices::set(Choice choice) {
  auto place = llvm::lower_bound(groups, choice.group, comesBefore);
  if (place != groups.end() && place->group == choice.group)
    *place = std::move(choice);
  else
    groups.insert(place, std::move(choice));
}

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

namespace hamkaas {
// For json::ObjectMapper.

static bool fromJSON(const json::Value &value, TriedEngine &tried,
                     json::Path path) {
  json::ObjectMapper map(value, path);
  int64_t nanoseconds = 0;
  if (!map || !map.map("engine", tried.engine) ||
      !map.map("nanoseconds", nanoseconds))
    return false;
  tried.seconds = double(nanoseconds) * 1e-9;
  return true;
}

static bool fromJSON(const json::Value &value, Choice &choice,
                     json::Path path) {
  json::ObjectMapper map(value, path);
  if (!map || !map.map("group", choice.group) ||
      !map.map("engine", choice.engine) ||
      !map.mapOptional("ops", choice.ops) ||
      !map.mapOptional("at", choice.at) ||
      !map.mapOptional("tried", choice.tried))
    return false;
  if (!isDigest(choice.group)) {
    path.field("group").report("expected 32 digits of 0 to 9 and a to f");
    return false;
  }
  if (!isEngine(choice.engine)) {
    path.field("engine").report("expected an engine such as 'hamkaas:rows=4'");
    return false;
  }
  return true;
}
} // namespace hamkaas

/// "line 3, column 4: ..." in place of "[3:4, byte=20]: ...".
static Error explainSyntax(Error error) {
  std::string text = toString(std::move(error));
  StringRef rest = text;
  if (rest.consume_front("[")) {
    auto [place, message] = rest.split("]: ");
    auto [line, column] = place.split(", ").first.split(':');
    return createStringError("line " + line + ", column " + column + ": " +
                             message);
  }
  return createStringError(text);
}

Expected<Choices> hamkaas::parseChoices(StringRef text) {
  auto value = parseJson(text);
  if (!value)
    return explainSyntax(value.takeError());
  json::Path::Root root("choices");
  json::Path path(root);
  Choices choices;
  json::ObjectMapper map(*value, path);
  int64_t version = 0;
  if (!map || !map.map("hamkaas_choices", version))
    return root.getError();
  if (version != formatVersion)
    return createStringError("expected version " + Twine(formatVersion) +
                             " of the file, got " + Twine(version));
  std::vector<Choice> groups;
  if (!map.map("target", choices.target) ||
      !map.mapOptional("device", choices.device) ||
      !map.mapOptional("threads", choices.threads) ||
      !map.map("groups", groups))
    return root.getError();
  for (Choice &choice : groups) {
    if (choices.find(choice.group))
      return createStringError("expected each group once, got " + choice.group +
                               " twice");
    choices.set(std::move(choice));
  }
  return choices;
}

void hamkaas::printChoices(const Choices &choices, raw_ostream &stream) {
  json::OStream json(stream, /*IndentSize=*/2);
  json.object([&] {
    json.attribute("hamkaas_choices", formatVersion);
    json.attribute("target", choices.target);
    json.attribute("device", choices.device);
    json.attribute("threads", choices.threads);
    json.attributeArray("groups", [&] {
      for (const Choice &choice : choices.groups)
        json.object([&] {
          json.attribute("group", choice.group);
          json.attribute("engine", choice.engine);
          json.attribute("ops", choice.ops);
          json.attribute("at", choice.at);
          json.attributeArray("tried", [&] {
            for (const TriedEngine &tried : choice.tried)
              json.object([&] {
                json.attribute("engine", tried.engine);
                json.attribute("nanoseconds",
                               std::llround(tried.seconds * 1e9));
              });
          });
        });
    });
  });
  stream << '\n';
}

//===----------------------------------------------------------------------===//
// Options of a pass
//===----------------------------------------------------------------------===//

std::string hamkaas::encodeChoices(ArrayRef<Choice> choices) {
  return join(map_range(choices,
                        [](const Choice &choice) {
                          return choice.group + "=" + choice.engine;
                        }),
              ",");
}

Expected<std::vector<Choice>> hamkaas::decodeChoices(StringRef text) {
  std::vector<Choice> choices;
  SmallVector<StringRef> parts;
  if (!text.empty())
    text.split(parts, ',');
  for (StringRef part : parts) {
    auto [group, engine] = part.split('=');
    if (!isDigest(group) || !isEngine(engine))
      return createStringError("expected DIGEST=ENGINE, got '" + part + "'");
    Choice &choice = choices.emplace_back();
    choice.group = group.str();
    choice.engine = engine.str();
  }
  return choices;
}
