//===- EngineCalls.cpp - What engine libraries compute --------------------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Runtime/Engine/EngineCalls.h"

#include "HamKaas/Runtime/Core/Functions.h"
#include "HamKaas/Runtime/Engine/EngineGroup.h"
#include "HamKaas/Runtime/Engine/EngineLibrary.h"

#include <cinttypes>
#include <cstdlib>
#include <cstring>
#include <new>
#include <unistd.h>

using namespace hamkaas::rt;

//===----------------------------------------------------------------------===//
// Finding the library
//===----------------------------------------------------------------------===//

// "FOLDER/NAME" in the folders of HAMKAAS_ENGINE_PATH if there is such a file,
// else `path`. Owned by the caller; null if there is no memory.
static char *findLibrary(const char *path) {
  // Not in a program that runs with more rights than its caller's.
  const char *folders = secure_getenv("HAMKAAS_ENGINE_PATH");
  const char *slash = strrchr(path, '/');
  const char *name = slash ? slash + 1 : path;
  while (folders && *folders) {
    size_t length = strcspn(folders, ":");
    if (length > 0) {
      TextBuilder text;
      text.append("%.*s/%s", static_cast<int>(length), folders, name);
      char *file = text.release();
      if (!file || access(file, F_OK) == 0)
        return file;
      free(file);
    }
    folders += length + (folders[length] == ':' ? 1 : 0);
  }
  return strdup(path);
}

static Error load(const HamKaasEngineCall &call, EngineAccess &access) {
  char *path = findLibrary(call.library);
  if (!path)
    return Error::format("out of memory for an engine library");
  EngineLibrary library;
  Error error = loadEngineLibrary(path, library);
  free(path);
  if (error)
    return error;
  const HamKaasEngine *engine = findEngine(library, call.engine);
  if (!engine)
    return Error::format("%s: has no engine of that id", library.path);
  access = EngineAccess(library, *engine);
  return Error();
}

//===----------------------------------------------------------------------===//
// One call
//===----------------------------------------------------------------------===//

namespace {

class EngineCall {
public:
  EngineCall() = default;
  EngineCall(const EngineCall &) = delete;
  EngineCall &operator=(const EngineCall &) = delete;
  ~EngineCall() {
    if (isPlanned)
      access.destroy(plan);
    free(static_cast<void *>(inputs));
  }

  /// Makes no plan if the call is for another device.
  Error create(const HamKaasEngineCall &given, EnginePlace place) {
    call = &given;
    if (Error error = group.parse(given.group))
      return error;
    if (group.get().device != place.device)
      return Error();
    inputs = static_cast<const void **>(calloc(
        static_cast<size_t>(group.get().inputCount) + 1, sizeof(const void *)));
    if (!inputs)
      return Error::format("out of memory for an engine call");
    if (Error error = load(given, access))
      return Error::format(
          "%s; install it, name its folder in HAMKAAS_ENGINE_PATH, or compile "
          "the model without the engine",
          error.message());
    if (Error error = makePlan())
      return error;
    return access.start(plan, place.number);
  }

  void abandonPlan() { isPlanned = false; }

  bool isReady() const { return isPlanned; }
  bool packs() const { return call->packs != 0; }

  int32_t countArguments() const {
    // The result, or what inputs are packed to.
    int32_t count = 1;
    for (int32_t i = 0; i < group.get().inputCount; ++i)
      count += isGiven(i) ? 1 : 0;
    if (call->packs)
      return count;
    return count + (call->packedBytes > 0 ? 1 : 0) +
           (call->workspaceBytes > 0 ? 1 : 0);
  }

  Error run(void *const *arguments, const HamKaasEngineThreads &threads,
            void *stream) const;

private:
  Error makePlan() {
    if (Error error = access.plan(group.get(), call->knobs, plan, isPlanned))
      return error;
    if (!isPlanned)
      return Error::format("%s: does not compute the group any more, which its "
                           "version %s did; compile the model again",
                           access.path(), call->version);
    if (plan.workspaceBytes > call->workspaceBytes ||
        plan.packedBytes != call->packedBytes)
      return Error::format(
          "%s: expected at most %" PRIu64 " bytes of workspace and %" PRIu64
          " of packed inputs, as version %s, got %" PRIu64 " and %" PRIu64
          "; compile the model again",
          access.path(), call->workspaceBytes, call->packedBytes, call->version,
          plan.workspaceBytes, plan.packedBytes);
    return Error();
  }

  /// Returns whether an input is an argument.
  bool isGiven(int32_t input) const {
    bool isConstant = group.get().values[input].isConstant != 0;
    return call->packs ? isConstant : !(isConstant && call->packedBytes > 0);
  }

  /// Fills `inputs` and returns the arguments behind them.
  void *const *takeInputs(void *const *arguments) const {
    for (int32_t i = 0; i < group.get().inputCount; ++i)
      inputs[i] = isGiven(i) ? *arguments++ : nullptr;
    return arguments;
  }

  const HamKaasEngineCall *call = nullptr;
  EngineGroup group;
  EngineAccess access;
  HamKaasEnginePlan plan = {};
  bool isPlanned = false;
  const void **inputs = nullptr;
};

} // namespace

// HamKaasKernelFunction.
static int32_t runBody(void *const *arguments, int64_t begin, int64_t end,
                       int64_t *) {
  reinterpret_cast<HamKaasEngineBody>(arguments[0])(arguments[1], begin, end);
  return 0;
}

// HamKaasEngineThreads::parallelFor.
static void runOnThreads(void *threads, HamKaasEngineBody body, void *context,
                         int64_t count) {
  const HamKaasExecution &execution = *static_cast<HamKaasExecution *>(threads);
  void *arguments[] = {reinterpret_cast<void *>(body), context};
  int64_t values[4];
  execution.parallelFor(execution.pool, runBody, arguments, count, values);
}

// HamKaasEngineThreads::parallelFor for a GPU, whose instance has no threads.
static void runHere(void *, HamKaasEngineBody body, void *context,
                    int64_t count) {
  body(context, 0, count);
}

Error EngineCall::run(void *const *arguments,
                      const HamKaasEngineThreads &threads, void *stream) const {
  arguments = takeInputs(arguments);
  if (call->packs)
    return access.prepare(plan, inputs, *arguments);
  HamKaasEngineRun run = {};
  run.structSize = sizeof(run);
  run.inputs = inputs;
  if (call->packedBytes > 0)
    run.packed = *arguments++;
  if (call->workspaceBytes > 0)
    run.workspace = *arguments++;
  run.result = *arguments;
  run.threads = threads;
  run.stream = stream;
  return access.run(plan, run);
}

//===----------------------------------------------------------------------===//
// All calls
//===----------------------------------------------------------------------===//

class hamkaas::rt::EngineCalls {
public:
  EngineCalls() = default;
  EngineCalls(const EngineCalls &) = delete;
  EngineCalls &operator=(const EngineCalls &) = delete;
  ~EngineCalls() {
    for (int32_t i = 0; i < count; ++i)
      calls[i].~EngineCall();
    free(calls);
  }

  Error create(const HamKaasProgram &program, EnginePlace place) {
    calls = static_cast<EngineCall *>(calloc(
        static_cast<size_t>(program.engineCallCount), sizeof(EngineCall)));
    if (!calls)
      return Error::format("out of memory for %d engine calls",
                           program.engineCallCount);
    for (; count < program.engineCallCount; ++count) {
      const HamKaasEngineCall &given = program.engineCalls[count];
      new (&calls[count]) EngineCall;
      if (Error error = calls[count].create(given, place)) {
        ++count;
        return Error::format("model '%s' needs engine '%s': %s", program.name,
                             given.engine, error.message());
      }
    }
    return Error();
  }

  void abandonPlans() {
    for (int32_t i = 0; i < count; ++i)
      calls[i].abandonPlan();
  }

  /// Null if there is no plan of that number.
  const EngineCall *find(int32_t number) const {
    return number >= 0 && number < count && calls[number].isReady()
               ? &calls[number]
               : nullptr;
  }

  /// HamKaasExecution::callEngine.
  static int32_t run(HamKaasExecution *execution, int32_t number,
                     void *const *arguments, int64_t) {
    auto &all = *static_cast<EngineCalls *>(execution->engines);
    all.error = all.calls[number].run(arguments, {runOnThreads, execution},
                                      /*stream=*/nullptr);
    if (!all.error)
      return 0;
    execution->message = all.error.message();
    return 1;
  }

private:
  EngineCall *calls = nullptr;
  int32_t count = 0;
  Error error; // of the last run
};

Error hamkaas::rt::createEngineCalls(const HamKaasProgram &program,
                                     EnginePlace place, EngineCalls *&created) {
  created = nullptr;
  if (!hasEngineCalls(program))
    return Error();
  void *memory = malloc(sizeof(EngineCalls));
  if (!memory)
    return Error::format("out of memory for engine calls");
  auto *calls = new (memory) EngineCalls;
  if (Error error = calls->create(program, place)) {
    destroyEngineCalls(calls);
    return error;
  }
  created = calls;
  return Error();
}

void hamkaas::rt::destroyEngineCalls(EngineCalls *calls) {
  if (!calls)
    return;
  calls->~EngineCalls();
  free(calls);
}

void hamkaas::rt::abandonEngineCalls(EngineCalls *calls) {
  if (calls)
    calls->abandonPlans();
  destroyEngineCalls(calls);
}

void hamkaas::rt::useEngineCalls(EngineCalls *calls,
                                 HamKaasExecution &execution) {
  execution.callEngine = EngineCalls::run;
  execution.engines = calls;
}

int32_t hamkaas::rt::countEngineArguments(const EngineCalls *calls,
                                          int32_t number) {
  const EngineCall *call = calls ? calls->find(number) : nullptr;
  return call ? call->countArguments() : -1;
}

bool hamkaas::rt::packsInputs(const EngineCalls &calls, int32_t number) {
  return calls.find(number)->packs();
}

Error hamkaas::rt::addEngineCall(const EngineCalls &calls, int32_t number,
                                 void *const *arguments, void *stream) {
  return calls.find(number)->run(arguments, {runHere, nullptr}, stream);
}
