//===- State.cpp - What lasts from run to run -----------------------------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "State.h"

#include "HamKaas/Runtime/Core/TensorType.h"
#include "HamKaas/Runtime/Files/SafetensorsWriter.h"
#include "HamKaas/Runtime/Files/TensorFinder.h"

#include <cinttypes>
#include <cstdlib>
#include <cstring>

using namespace hamkaas::rt;

static void *addressOf(const Instance &instance,
                       const HamKaasTensorInfo &state) {
  return static_cast<char *>(instance.state->memory) + state.offset;
}

// Fills a state, doubling the copied part if the contents are one element.
static Error initialize(const Instance &instance,
                        const HamKaasInitialState &initial) {
  const Device &device = instance.device;
  const HamKaasTensorInfo &state = instance.program->states[initial.state];
  char *to = static_cast<char *>(addressOf(instance, state));
  const char *from =
      static_cast<const char *>(instance.constants->memory) + initial.offset;
  uint64_t bytes = initial.bytes;
  for (uint64_t done = 0; done < state.bytes; from = to, bytes = done) {
    if (bytes > state.bytes - done)
      bytes = state.bytes - done;
    if (Error error = device.copy(device.context, to + done, from, bytes))
      return error;
    done += bytes;
  }
  return Error();
}

Error hamkaas::rt::initializeState(const Instance &instance) {
  const Device &device = instance.device;
  const HamKaasProgram &program = *instance.program;
  if (instance.state->memory)
    if (Error error = device.zero(device.context, instance.state->memory,
                                  instance.state->bytes))
      return error;
  for (int32_t i = 0; i < program.initialStateCount; ++i)
    if (Error error = initialize(instance, program.initialStates[i]))
      return error;
  return device.synchronise(device.context);
}

static Error writeTensor(const Instance &instance,
                         const HamKaasTensorInfo &state, const void *data) {
  if (state.bytes == 0)
    return Error();
  return instance.device.copy(instance.device.context,
                              addressOf(instance, state), data, state.bytes);
}

static Error readTensor(const Instance &instance,
                        const HamKaasTensorInfo &state, uint64_t offset,
                        void *to, uint64_t bytes) {
  if (bytes == 0)
    return Error();
  return instance.device.copyToCaller(
      instance.device.context, to,
      static_cast<const char *>(addressOf(instance, state)) + offset, bytes);
}

//===----------------------------------------------------------------------===//
// One state
//===----------------------------------------------------------------------===//

static const HamKaasTensorInfo *findState(const HamKaasProgram &program,
                                          const char *name) {
  for (int32_t i = 0; i < program.stateCount; ++i)
    if (strcmp(program.states[i].name, name) == 0)
      return &program.states[i];
  return nullptr;
}

// Finds the state that the caller means and checks his buffer for it.
static Error findBuffer(const Instance &instance, const char *name,
                        const void *data, uint64_t bytes,
                        const HamKaasTensorInfo *&state) {
  if (!name)
    return Error::format("expected the name of a state, got null");
  state = findState(*instance.program, name);
  if (!state)
    return Error::format("model '%s' has no state '%s'", instance.program->name,
                         name);
  if (bytes != state->bytes) {
    TextBuilder text;
    text.append("state '%s': expected %" PRIu64 " bytes for ", name,
                state->bytes);
    appendType(text, *state);
    text.append(", got %" PRIu64, bytes);
    return Error::adopt(text.release());
  }
  if (!data && bytes > 0)
    return Error::format("state '%s': expected an address, got null", name);
  return Error();
}

static Error readState(Instance &instance, const char *name, void *data,
                       uint64_t bytes) {
  const HamKaasTensorInfo *state;
  if (Error error = findBuffer(instance, name, data, bytes, state))
    return error;
  return readTensor(instance, *state, 0, data, bytes);
}

static Error writeState(Instance &instance, const char *name, const void *data,
                        uint64_t bytes) {
  const HamKaasTensorInfo *state;
  if (Error error = findBuffer(instance, name, data, bytes, state))
    return error;
  if (Error error = writeTensor(instance, *state, data))
    return error;
  return instance.device.synchronise(instance.device.context);
}

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

// The names of tensors beside the states begin so.
static constexpr char extraPrefix[] = "extra.";

namespace {
// The tensors of a file: states, then those of the caller's.
struct Snapshot {
  const Instance &instance;
  HamKaasTensorInfo *tensors;
  size_t stateCount, count;
};
} // namespace

// TensorSource::read.
static Error readForFile(void *context, size_t tensor, uint64_t offset,
                         void *to, uint64_t bytes) {
  const Snapshot &snapshot = *static_cast<const Snapshot *>(context);
  const HamKaasTensorInfo &info = snapshot.tensors[tensor];
  if (tensor < snapshot.stateCount)
    return readTensor(snapshot.instance, info, offset, to, bytes);
  memcpy(to, static_cast<const char *>(info.data) + offset, bytes);
  return Error();
}

static Error checkExtra(const char *path, const HamKaasTensorInfo *extra,
                        int32_t count) {
  if (count < 0 || (count > 0 && !extra))
    return Error::format("%s: expected the %d tensors beside the states, got "
                         "null",
                         path, count);
  for (int32_t i = 0; i < count; ++i)
    if (!extra[i].name ||
        strncmp(extra[i].name, extraPrefix, strlen(extraPrefix)) != 0)
      return Error::format("%s: expected the name of tensor %d beside the "
                           "states to begin with '%s', got '%.200s'",
                           path, i, extraPrefix,
                           extra[i].name ? extra[i].name : "(null)");
  return Error();
}

static Error saveState(Instance &instance, const char *path,
                       const HamKaasTensorInfo *extra, int32_t extraCount) {
  if (Error error = checkExtra(path, extra, extraCount))
    return error;
  for (int32_t i = 0; i < extraCount; ++i)
    if (extra[i].bytes > 0 && !extra[i].data)
      return Error::format("%s: tensor '%.200s' has no data", path,
                           extra[i].name);
  const HamKaasProgram &program = *instance.program;
  auto states = static_cast<size_t>(program.stateCount);
  size_t count = states + static_cast<size_t>(extraCount);
  Snapshot snapshot = {instance, nullptr, states, count};
  snapshot.tensors = static_cast<HamKaasTensorInfo *>(
      malloc((count + 1) * sizeof(HamKaasTensorInfo)));
  if (!snapshot.tensors)
    return Error::format("%s: out of memory for %zu tensors", path, count);
  for (size_t i = 0; i < count; ++i)
    snapshot.tensors[i] = i < states ? program.states[i] : extra[i - states];
  Error error =
      writeSafetensors(path, snapshot.tensors, count, {readForFile, &snapshot});
  free(snapshot.tensors);
  return error;
}

static Error loadState(Instance &instance, const char *path) {
  const HamKaasProgram &program = *instance.program;
  SafetensorsFile file;
  if (Error error = file.open(path))
    return error;
  TensorFinder finder(program.name, "state", program.states,
                      program.stateCount);
  if (Error error = finder.allocate())
    return error;
  finder.takeFile(file, path, extraPrefix);
  finder.reportMissing(path);
  if (Error error = finder.takeProblems())
    return error;
  for (int32_t i = 0; i < program.stateCount; ++i)
    if (Error error =
            writeTensor(instance, program.states[i], finder.addresses()[i]))
      return error;
  return instance.device.synchronise(instance.device.context);
}

static Error readExtra(const char *path, const HamKaasTensorInfo *extra,
                       void *const *data, int32_t count) {
  if (Error error = checkExtra(path, extra, count))
    return error;
  SafetensorsFile file;
  if (Error error = file.open(path))
    return error;
  TensorFinder finder(path, "extra tensor", extra, count);
  if (Error error = finder.allocate())
    return error;
  finder.takeFile(file, path, /*ignored=*/"");
  finder.reportMissing(path);
  if (Error error = finder.takeProblems())
    return error;
  for (int32_t i = 0; i < count; ++i)
    if (extra[i].bytes > 0)
      memcpy(data[i], finder.addresses()[i], extra[i].bytes);
  return Error();
}

//===----------------------------------------------------------------------===//
// The C interface
//===----------------------------------------------------------------------===//

// Calls `action` with exclusive use of the instance.
template <typename Action>
static HamKaasError useState(HamKaasInstance *handle, Action action) {
  PinnedInstance instance(handle, instanceKind);
  if (!instance)
    return instance.explain().release();
  RegionUse use(*instance->state, &*instance);
  if (use.other())
    return explainUse(*instance, use).release();
  return action(*instance).release();
}

HamKaasError HamKaasInstanceResetState(HamKaasInstance *instance) {
  return useState(instance,
                  [](Instance &used) { return initializeState(used); });
}

HamKaasError HamKaasInstanceReadState(HamKaasInstance *instance,
                                      const char *name, void *data,
                                      uint64_t bytes) {
  return useState(instance, [=](Instance &used) {
    return readState(used, name, data, bytes);
  });
}

HamKaasError HamKaasInstanceWriteState(HamKaasInstance *instance,
                                       const char *name, const void *data,
                                       uint64_t bytes) {
  return useState(instance, [=](Instance &used) {
    return writeState(used, name, data, bytes);
  });
}

static Error expectPath() {
  return Error::format("expected the path of a file, got null");
}

HamKaasError HamKaasInstanceSaveSnapshot(HamKaasInstance *instance,
                                         const char *path,
                                         const HamKaasTensorInfo *extra,
                                         int32_t extraCount) {
  return useState(instance, [=](Instance &used) {
    return path ? saveState(used, path, extra, extraCount) : expectPath();
  });
}

HamKaasError HamKaasInstanceSaveState(HamKaasInstance *instance,
                                      const char *path) {
  return HamKaasInstanceSaveSnapshot(instance, path, nullptr, 0);
}

HamKaasError HamKaasInstanceLoadState(HamKaasInstance *instance,
                                      const char *path) {
  return useState(instance, [=](Instance &used) {
    return path ? loadState(used, path) : expectPath();
  });
}

HamKaasError HamKaasSnapshotRead(const char *path,
                                 const HamKaasTensorInfo *extra,
                                 void *const *data, int32_t extraCount) {
  return (path ? readExtra(path, extra, data, extraCount) : expectPath())
      .release();
}
