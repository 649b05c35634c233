//===- ProgramCheck.cpp - What callers and programs get wrong -------------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Runtime/Instance/ProgramCheck.h"

#include "HamKaas/Runtime/Core/Functions.h"
#include "HamKaas/Runtime/Core/TensorType.h"
#include "HamKaas/Runtime/Cpu/Isa.h"

#include <cinttypes>
#include <cstring>

using namespace hamkaas::rt;

// 4 KB of arguments, which every GPU takes, less `failure` and the call.
static constexpr int32_t maximumKernelArguments = 4096 / 8 - 2;

static Error checkFunctions(const HamKaasProgram &program,
                            HamKaasRunFunction run,
                            HamKaasPrepareFunction prepare) {
  if (!run || (program.constantsBytes > 0 && !prepare))
    return Error::format("model '%s': the program has no %s function",
                         program.name, run ? "prepare" : "run");
  return Error();
}

static Error checkDeviceKernel(const HamKaasProgram &program,
                               const HamKaasDeviceKernel &kernel) {
  if (!kernel.name || kernel.argumentCount < 0 ||
      kernel.argumentCount > maximumKernelArguments)
    return Error::format("model '%s': device kernel '%s': expected 0 to %d "
                         "arguments, got %d",
                         program.name, kernel.name ? kernel.name : "",
                         maximumKernelArguments, kernel.argumentCount);
  if (kernel.threads < 1 || kernel.threads > 1024 || kernel.blocks < 0 ||
      kernel.blocks > INT32_MAX)
    return Error::format(
        "model '%s': device kernel '%s': expected at most "
        "%d blocks of 1 to 1024 threads, got %" PRId64 " of %d",
        program.name, kernel.name, INT32_MAX, kernel.blocks, kernel.threads);
  return Error();
}

static Error checkDeviceCode(const HamKaasProgram &program) {
  const HamKaasDeviceCode &code = *program.deviceCode;
  if (code.structSize < sizeof(HamKaasDeviceCode))
    return Error::format("model '%s': expected device code of at least %zu "
                         "bytes, got %zu",
                         program.name, sizeof(HamKaasDeviceCode),
                         code.structSize);
  if (!code.image || code.imageBytes == 0 || code.kernelCount < 0 ||
      (code.kernelCount > 0 && !code.kernels))
    return Error::format("model '%s': the device code has no image or no table "
                         "of kernels",
                         program.name);
  for (int32_t i = 0; i < code.kernelCount; ++i)
    if (Error error = checkDeviceKernel(program, code.kernels[i]))
      return error;
  return checkFunctions(program, code.run, code.prepare);
}

static Error checkInitialStates(const HamKaasProgram &program) {
  for (int32_t i = 0; i < program.initialStateCount; ++i) {
    const HamKaasInitialState &initial = program.initialStates[i];
    if (initial.state < 0 || initial.state >= program.stateCount)
      return Error::format("model '%s': expected the number of a state with "
                           "contents to be from 0 to %d, got %d",
                           program.name, program.stateCount - 1, initial.state);
    const HamKaasTensorInfo &state = program.states[initial.state];
    if (initial.bytes < 1 || initial.bytes > state.bytes ||
        initial.offset > program.constantsBytes ||
        initial.bytes > program.constantsBytes - initial.offset)
      return Error::format("model '%s': expected contents of 1 to %" PRIu64
                           " bytes for state '%s', within %" PRIu64
                           " bytes of constants, got %" PRIu64 " at %" PRIu64,
                           program.name, state.bytes, state.name,
                           program.constantsBytes, initial.bytes,
                           initial.offset);
  }
  return Error();
}

static Error checkEngineCalls(const HamKaasProgram &program) {
  if (!hasEngineCalls(program))
    return Error();
  for (int32_t i = 0; i < program.engineCallCount; ++i) {
    const HamKaasEngineCall *call =
        program.engineCalls ? &program.engineCalls[i] : nullptr;
    if (!call || !call->engine || !call->version || !call->library ||
        !call->group)
      return Error::format("model '%s': engine call %d lacks its engine, "
                           "library or group",
                           program.name, i);
  }
  return Error();
}

static Error checkFunction(const HamKaasProgram *program) {
  if (!program)
    return Error::format("expected a program, got null");
  // The size first: it says whether the other members are there.
  if (program->structSize < minimalProgramSize)
    return Error::format("expected a program descriptor of at least %zu "
                         "bytes, got %zu",
                         minimalProgramSize, program->structSize);
  if (program->version != HAMKAAS_PROGRAM_VERSION)
    return Error::format("expected a program of version %d, got %u; compile "
                         "the model with the compiler of this runtime",
                         HAMKAAS_PROGRAM_VERSION, program->version);
  bool isForCpu = program->run || !program->deviceCode;
  if (isForCpu)
    if (Error error = checkFunctions(*program, program->run, program->prepare))
      return error;
  if (program->deviceCode)
    if (Error error = checkDeviceCode(*program))
      return error;
  if (Error error = checkElementTypes(*program))
    return error;
  if (Error error = checkInitialStates(*program))
    return error;
  return checkEngineCalls(*program);
}

Error hamkaas::rt::checkProgram(const HamKaasProgram *program) {
  if (Error error = checkFunction(program))
    return error;
  if (hasFunctions(*program) && program->functionCount < 1)
    return Error::format("model '%s': expected at least one function, got %d",
                         program->name, program->functionCount);
  for (int32_t i = 0; i < functionCount(*program); ++i) {
    const HamKaasProgram *function = functionAt(*program, i);
    if (Error error = checkFunction(function))
      return error;
    if (function->constantsBytes != program->constantsBytes ||
        function->stateBytes != program->stateBytes)
      return Error::format("model '%s': expected functions with the same "
                           "constants and state, got others for function '%s'",
                           program->name, functionName(*function));
  }
  HamKaasIsaLevel offered;
  if (Error error = findIsaLevel(offered))
    return error;
  return checkIsaLevel(program->isaLevel, offered);
}

// An older caller's structure is shorter, a newer one's longer; its additional
// bytes must be zero. A size that was never set may be any number.
static Error checkSize(const HamKaasInstanceOptions &given) {
  constexpr size_t largest = 4096;
  size_t size = given.structSize;
  // Pointers are not cut, whatever the last field.
  if (size == 0 || size > largest ||
      size % alignof(HamKaasInstanceOptions) != 0)
    return Error::format("expected the size of HamKaasInstanceOptions in "
                         "structSize, got %zu",
                         size);
  const char *bytes = reinterpret_cast<const char *>(&given);
  for (size_t i = sizeof(given); i < size; ++i)
    if (bytes[i] != 0)
      return Error::format("HamKaasInstanceOptions asks for what this library "
                           "does not know");
  return Error();
}

Error hamkaas::rt::readOptions(const HamKaasInstanceOptions *given,
                               HamKaasInstanceOptions &options) {
  options = {};
  if (given) {
    if (Error error = checkSize(*given))
      return error;
    memcpy(&options, given,
           given->structSize < sizeof(options) ? given->structSize
                                               : sizeof(options));
  }
  if (!options.device)
    options.device = "cpu";
  if (options.parameterCount < 0)
    return Error::format("expected a parameterCount of at least 0, got %d",
                         options.parameterCount);
  if (options.parameterCount > 0 && !options.parameters)
    return Error::format("expected %d parameters, got null",
                         options.parameterCount);
  return Error();
}

Error hamkaas::rt::checkBuffers(const char *what,
                                const HamKaasTensorInfo *tensors, int32_t count,
                                const void *const *addresses) {
  if (count > 0 && !addresses)
    return Error::format("expected %d %s addresses, got null", count, what);
  for (int32_t i = 0; i < count; ++i) {
    if (!addresses[i])
      return Error::format("%s '%s': expected an address, got null", what,
                           tensors[i].name);
    size_t alignment = elementTypeSize(tensors[i].elementType);
    if (alignment != 0 &&
        reinterpret_cast<uintptr_t>(addresses[i]) % alignment != 0)
      return Error::format("%s '%s': expected an address aligned to %zu "
                           "bytes, got %p",
                           what, tensors[i].name, alignment, addresses[i]);
  }
  return Error();
}

// Appends `pattern` with {0} to {3} replaced by values.
static void appendWithValues(TextBuilder &text, const char *pattern,
                             const int64_t *values) {
  while (*pattern) {
    bool isPlace = pattern[0] == '{' && pattern[1] >= '0' &&
                   pattern[1] <= '3' && pattern[2] == '}';
    if (isPlace) {
      text.append("%" PRId64, values[pattern[1] - '0']);
      pattern += 3;
      continue;
    }
    size_t length = 1 + strcspn(pattern + 1, "{");
    text.append("%.*s", static_cast<int>(length), pattern);
    pattern += length;
  }
}

Error hamkaas::rt::describeFailure(const HamKaasProgram &program,
                                   const HamKaasFailure &failure) {
  if (failure.call < 0 || failure.call >= program.callCount)
    return Error::format("model '%s': error: a run-time check failed in "
                         "unknown call %" PRId64,
                         program.name, failure.call);
  const HamKaasCallInfo &call = program.calls[failure.call];
  TextBuilder text;
  text.append("%s: error: ", call.location ? call.location : program.name);
  appendWithValues(text, call.check ? call.check : "a run-time check failed",
                   failure.values);
  return Error::adopt(text.release());
}
