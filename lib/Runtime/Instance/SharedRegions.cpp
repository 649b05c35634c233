//===- SharedRegions.cpp - Regions of another instance --------------------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SharedRegions.h"

#include "HamKaas/Runtime/Core/Functions.h"
#include "HamKaas/Runtime/Core/TensorType.h"

#include <cinttypes>
#include <cstring>

using namespace hamkaas::rt;

// `option` is the one that names the other instance.
static Error checkSource(const char *option, const PinnedInstance &source,
                         const Instance &instance) {
  if (!source)
    return Error::format("%s: %s", option, source.explain().message());
  if (strcmp(source->device.name, instance.device.name) != 0)
    return Error::format("%s: expected an instance on device '%s', got one "
                         "on '%s'",
                         option, instance.device.name, source->device.name);
  return Error();
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

static Error checkNoParameters(const HamKaasInstanceOptions &options) {
  if (options.parameterCount > 0)
    return Error::format("constantsOf: expected no parameters beside it, "
                         "got %d",
                         options.parameterCount);
  if (options.weightsFile)
    return Error::format("constantsOf: expected no weightsFile beside it, "
                         "got '%s'",
                         options.weightsFile);
  return Error();
}

Error hamkaas::rt::shareConstants(Instance &instance,
                                  const HamKaasInstanceOptions &options) {
  if (Error error = checkNoParameters(options))
    return error;
  PinnedInstance source(options.constantsOf, instanceKind);
  if (Error error = checkSource("constantsOf", source, instance))
    return error;
  // One of the same name may be another one.
  if (functionAt(*source->program, 0) != functionAt(*instance.program, 0))
    return Error::format("constantsOf: expected an instance of the program "
                         "'%s' itself, got one of another program '%s'",
                         instance.program->name, source->program->name);
  instance.constants = shareRegion(source->constants);
  return Error();
}

//===----------------------------------------------------------------------===//
// State
//===----------------------------------------------------------------------===//

static bool isSameState(const HamKaasTensorInfo &left,
                        const HamKaasTensorInfo &right) {
  bool same = strcmp(left.name, right.name) == 0 &&
              left.elementType == right.elementType && left.rank == right.rank;
  for (int32_t i = 0; same && i < left.rank; ++i)
    same = left.shape[i] == right.shape[i];
  return same;
}

static void appendState(TextBuilder &text, const HamKaasTensorInfo &state) {
  text.append("'%s' (", state.name);
  appendType(text, state);
  text.append(")");
}

static Error describeDifference(int32_t position,
                                const HamKaasProgram &expected,
                                const HamKaasProgram &found) {
  TextBuilder text;
  text.append("stateOf: expected state number %d to be ", position);
  appendState(text, expected.states[position]);
  text.append(" as of model '%s', got ", expected.name);
  appendState(text, found.states[position]);
  text.append(" of model '%s'", found.name);
  return Error::adopt(text.release());
}

// Programs of equal tables lie alike, unless other versions of the compiler
// made them.
static bool isSameLayout(const HamKaasProgram &left,
                         const HamKaasProgram &right) {
  bool same = left.stateBytes == right.stateBytes;
  for (int32_t i = 0; same && i < left.stateCount; ++i)
    same = left.states[i].offset == right.states[i].offset;
  return same;
}

static Error checkStates(const HamKaasProgram &expected,
                         const HamKaasProgram &found) {
  for (int32_t i = 0; i < expected.stateCount && i < found.stateCount; ++i)
    if (!isSameState(expected.states[i], found.states[i]))
      return describeDifference(i, expected, found);
  if (expected.stateCount != found.stateCount)
    return Error::format("stateOf: expected %d states as of model '%s', got "
                         "%d of model '%s'",
                         expected.stateCount, expected.name, found.stateCount,
                         found.name);
  if (!isSameLayout(expected, found))
    return Error::format("stateOf: the states of model '%s' lie otherwise than "
                         "those of model '%s'; compile both with the same "
                         "compiler",
                         expected.name, found.name);
  return Error();
}

Error hamkaas::rt::shareState(Instance &instance,
                              const HamKaasInstanceOptions &options) {
  PinnedInstance source(options.stateOf, instanceKind);
  if (Error error = checkSource("stateOf", source, instance))
    return error;
  if (Error error = checkStates(*instance.program, *source->program))
    return error;
  instance.state = shareRegion(source->state);
  return Error();
}
