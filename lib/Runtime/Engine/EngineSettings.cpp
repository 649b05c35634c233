//===- EngineSettings.cpp - Values of an engine's knobs -------------------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Runtime/Engine/EngineSettings.h"

#include <cerrno>
#include <cinttypes>
#include <cstdlib>
#include <cstring>

using namespace hamkaas::rt;

static bool isChoice(const HamKaasEngineKnob &knob, const char *value) {
  for (int32_t i = 0; i < knob.choiceCount; ++i)
    if (strcmp(knob.choices[i], value) == 0)
      return true;
  return false;
}

// "expected knob 'rows' to be an integer from 1 to 64 (default 8)"
static Error explainValue(const HamKaasEngineKnob &knob, const char *got) {
  TextBuilder text;
  text.append("expected knob '%s' to be ", knob.id);
  if (knob.kind == HamKaasEngineInteger) {
    text.append("an integer from %" PRId64 " to %" PRId64 " (default %" PRId64
                ")",
                knob.minimum, knob.maximum, knob.integer);
  } else if (knob.kind == HamKaasEngineNumber) {
    text.append("a number from %g to %g (default %g)", knob.leastNumber,
                knob.greatestNumber, knob.number);
  } else {
    text.append("one of ");
    for (int32_t i = 0; i < knob.choiceCount; ++i)
      text.append("%s'%s'", i > 0 ? ", " : "", knob.choices[i]);
    text.append(" (default '%s')", knob.text);
  }
  text.append(", got '%s'", got);
  return Error::adopt(text.release());
}

Error hamkaas::rt::checkKnob(const HamKaasEngineKnob &knob) {
  if (!knob.id || !*knob.id || strpbrk(knob.id, ":,=@ "))
    return Error::format("expected knobs with an id without ':', ',', '=', '@' "
                         "and spaces");
  bool isRight = false;
  if (knob.kind == HamKaasEngineInteger)
    isRight = knob.minimum <= knob.integer && knob.integer <= knob.maximum;
  else if (knob.kind == HamKaasEngineNumber)
    isRight =
        knob.leastNumber <= knob.number && knob.number <= knob.greatestNumber;
  else if (knob.kind == HamKaasEngineText)
    isRight = knob.choiceCount > 0 && knob.choices && knob.text &&
              isChoice(knob, knob.text);
  if (!isRight)
    return Error::format("expected knob '%s' to have a kind, and a default "
                         "that it allows",
                         knob.id);
  return Error();
}

EngineSettings::~EngineSettings() {
  free(text);
  free(settings);
}

static bool readSetting(const HamKaasEngineKnob &knob, const char *value,
                        HamKaasEngineSetting &setting) {
  char *end = nullptr;
  errno = 0;
  switch (knob.kind) {
  case HamKaasEngineInteger:
    setting.integer = strtoll(value, &end, 10);
    return errno == 0 && end != value && !*end &&
           setting.integer >= knob.minimum && setting.integer <= knob.maximum;
  case HamKaasEngineNumber:
    setting.number = strtod(value, &end);
    return end != value && !*end && setting.number >= knob.leastNumber &&
           setting.number <= knob.greatestNumber;
  default:
    setting.text = value;
    return isChoice(knob, value);
  }
}

Error EngineSettings::set(const HamKaasEngine &engine, const char *name,
                          const char *value) {
  for (int32_t i = 0; i < engine.knobCount; ++i)
    if (strcmp(engine.knobs[i].id, name) == 0)
      return readSetting(engine.knobs[i], value, settings[i])
                 ? Error()
                 : explainValue(engine.knobs[i], value);
  TextBuilder known;
  for (int32_t i = 0; i < engine.knobCount; ++i)
    known.append("%s'%s'", i > 0 ? ", " : "", engine.knobs[i].id);
  char *names = known.release();
  Error error = Error::format("expected one of its knobs %s, got '%s'",
                              names && *names ? names : "(it has none)", name);
  free(names);
  return error;
}

Error EngineSettings::parse(const HamKaasEngine &engine, const char *given) {
  settings = static_cast<HamKaasEngineSetting *>(
      calloc(static_cast<size_t>(engine.knobCount) + 1, sizeof(*settings)));
  text = strdup(given ? given : "");
  if (!settings || !text)
    return Error::format("out of memory for knobs");
  for (int32_t i = 0; i < engine.knobCount; ++i) {
    const HamKaasEngineKnob &knob = engine.knobs[i];
    settings[i].knob = knob.id;
    settings[i].kind = knob.kind;
    settings[i].integer = knob.integer;
    settings[i].number = knob.number;
    settings[i].text = knob.text;
  }
  char *rest = nullptr;
  for (char *word = strtok_r(text, ",", &rest); word;
       word = strtok_r(nullptr, ",", &rest)) {
    char *value = strchr(word, '=');
    if (!value)
      return Error::format("expected a knob and its value as in 'rows=64', got "
                           "'%s'",
                           word);
    *value++ = '\0';
    if (Error error = set(engine, word, value))
      return error;
  }
  return Error();
}
