//===- DnnEngines.cpp - The engines of graphs of nodes ----------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DnnEngines.h"
#include "HamKaas/Frontend/Builder/Diagnostics.h"
#include "llvm/ADT/StringSet.h"

using namespace hamkaas;
using namespace hamkaas::capi;
using llvm::createStringError;
using llvm::Error;
using llvm::Expected;
using llvm::StringRef;
using llvm::Twine;

static int64_t hashName(StringRef name) {
  uint64_t hash = 0xcbf29ce484222325;
  for (char c : name)
    hash = (hash ^ uint8_t(c)) * 0x100000001b3;
  return int64_t(hash);
}

//===----------------------------------------------------------------------===//
// The engine of this compiler
//===----------------------------------------------------------------------===//

static constexpr DnnKnob knobs[] = {
    {"hamkaas.max_workspace",
     "The results between kernels take no more bytes; 0 for no limit.",
     HamKaasDnnKnobInt64, 0, 0, INT64_MAX, 0, 0, 0},
    {"hamkaas.no_optimize",
     "Optimizations of the graph to skip, as --no-optimize takes them.",
     HamKaasDnnKnobString, 0, 0, 0, 0, 0, 0},
    {"hamkaas.precision",
     "For a GPU: the arithmetic of large float32 products: exact, tf32, 3xtf32 "
     "or bf16.",
     HamKaasDnnKnobString, 0, 0, 0, 0, 0, 0},
    {"hamkaas.target_cpu", "The ISA level of the program.",
     HamKaasDnnKnobString, 0, 0, 0, 0, 0, 0},
    {"hamkaas.winograd_error",
     "The largest error of a 3 x 3 convolution by Winograd's method; below "
     "7e-7 the method is off, and 0 stands for 1e-5.",
     HamKaasDnnKnobDouble, 0, 0, 0, 0, 0, 1},
};

static constexpr int64_t notes[] = {HamKaasDnnRuntimeCompilation,
                                    HamKaasDnnSerializesPlans};

std::vector<const DnnEngine *> capi::findDnnEngines(const DnnGraph &graph) {
  static constexpr StringRef name = "hamkaas";
  static const DnnEngine builtIn = {hashName(name), name, knobs, notes};
  // A graph that was lowered has only nodes that the compiler has.
  return {&builtIn};
}

//===----------------------------------------------------------------------===//
// Knobs
//===----------------------------------------------------------------------===//

static Error explainUnknownKnob(const DnnEngine &engine, StringRef id) {
  const DnnKnob *nearest =
      llvm::min_element(engine.knobs, [&](const DnnKnob &a, const DnnKnob &b) {
        return a.id.edit_distance(id) < b.id.edit_distance(id);
      });
  std::string text =
      "engine '" + engine.name.str() + "' has no knob " + graph::quote(id);
  if (nearest != engine.knobs.end())
    text += "; the nearest is '" + nearest->id.str() + "'";
  return createStringError(text);
}

/// Checks the type and the range of a value.
static Error checkKnobValue(const DnnKnob &knob, const DnnValue &value) {
  auto fail = [&](const Twine &expected) {
    return createStringError("knob '" + knob.id + "': expected " + expected);
  };
  switch (knob.type) {
  case HamKaasDnnKnobInt64:
    if (value.integers.size() != 1)
      return fail("one int64");
    if (value.integers.front() < knob.least ||
        value.integers.front() > knob.most)
      return fail("a number from " + Twine(knob.least) + " to " +
                  Twine(knob.most) + ", by default " + Twine(knob.standard) +
                  ", got " + Twine(value.integers.front()));
    return Error::success();
  case HamKaasDnnKnobDouble:
    if (value.reals.size() != 1)
      return fail("one double");
    if (!(value.reals.front() >= knob.realLeast &&
          value.reals.front() <= knob.realMost))
      return fail("a number from " + Twine(std::to_string(knob.realLeast)) +
                  " to " + std::to_string(knob.realMost) + ", by default " +
                  std::to_string(knob.realStandard) + ", got " +
                  std::to_string(value.reals.front()));
    return Error::success();
  case HamKaasDnnKnobString:
    if (value.type != HamKaasDnnTypeChar)
      return fail("a text");
    return Error::success();
  }
  llvm_unreachable("a knob has a type");
}

Expected<DnnSettings>
capi::readKnobChoices(const DnnEngine &engine,
                      llvm::ArrayRef<SharedDnnDescriptor> choices) {
  DnnSettings settings;
  llvm::StringSet<> seen;
  for (const SharedDnnDescriptor &choice : choices) {
    StringRef id = choice->find(HamKaasDnnAttrKnobId)->text;
    const DnnValue &value = *choice->find(HamKaasDnnAttrKnobValue);
    const DnnKnob *knob = llvm::find_if(
        engine.knobs, [&](const DnnKnob &knob) { return knob.id == id; });
    if (knob == engine.knobs.end())
      return explainUnknownKnob(engine, id);
    if (!seen.insert(id).second)
      return createStringError("knob '" + id + "' is set twice");
    if (Error error = checkKnobValue(*knob, value))
      return std::move(error);
    if (id == "hamkaas.max_workspace")
      settings.maxWorkspace = value.integers.front();
    else if (id == "hamkaas.winograd_error")
      settings.winogradError = value.reals.front();
    else if (id == "hamkaas.no_optimize")
      settings.noOptimize = value.text;
    else if (id == "hamkaas.precision")
      settings.precision = value.text;
    else if (id == "hamkaas.target_cpu")
      settings.targetCpu = value.text;
  }
  return settings;
}
