//===- CudaDevice.cpp - An NVIDIA GPU that runs one program ---------------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Runtime/Device.h"

#include "CudaBindings.h"
#include "CudaContext.h"
#include "CudaModule.h"
#include "CudaSequence.h"
#include "ProgramCheck.h"

#include <cinttypes>
#include <cstdlib>
#include <cstring>
#include <new>

using namespace hamkaas::rt;
using namespace hamkaas::rt::cuda;

namespace {

/// The context of a Device.
struct CudaDevice {
  explicit CudaDevice(const HamKaasProgram &program) : program(program) {}

  const HamKaasProgram &program;
  CudaContext context;
  CudaModule *module = nullptr;
  CudaBindings bindings;
  CudaSequence sequence{context};
  ProgramMemory memory = {};
  /// Whether each kernel is waited for.
  bool isBlocking = false;
  /// The most that a kernel of the program takes, and room for them.
  int32_t maximumWords = 0;
  uint64_t *words = nullptr;
};

/// A call of a function of the program, which says what the GPU is to do: the
/// context of HamKaasExecution::launch and so on.
struct Description {
  CudaDevice &device;
  CudaSequence &sequence;
  bool notesTimes;
  Error error;
};

} // namespace

static CudaDevice &toDevice(void *context) {
  return *static_cast<CudaDevice *>(context);
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

static void *allocate(void *context, uint64_t bytes, Error &reason) {
  CudaDevice &device = toDevice(context);
  CudaScope scope(device.context);
  reason = scope.enter();
  CudaMemory memory;
  if (!reason)
    reason = memory.allocate(device.context, bytes, "a region");
  return reinterpret_cast<void *>(memory.address());
}

static void release(void *context, void *memory) {
  CudaDevice &device = toDevice(context);
  CudaScope scope(device.context);
  if (scope.enterToRelease())
    device.context.driver().cuMemFree(reinterpret_cast<CUdeviceptr>(memory));
}

// Both ways; the driver knows which memory is whose.
static Error copyAndWait(CudaDevice &device, const void *to, const void *from,
                         uint64_t bytes, const char *what) {
  CudaScope scope(device.context);
  if (Error error = scope.enter())
    return error;
  if (Error error =
          device.context.check(device.context.driver().cuMemcpyAsync(
                                   reinterpret_cast<CUdeviceptr>(to),
                                   reinterpret_cast<CUdeviceptr>(from), bytes,
                                   device.context.stream()),
                               "%s", what))
    return error;
  return device.context.wait(what);
}

static Error copy(void *context, void *to, const void *from, uint64_t bytes) {
  return copyAndWait(toDevice(context), to, from, bytes,
                     "cannot copy to its memory");
}

static Error copyToCaller(void *context, void *to, const void *from,
                          uint64_t bytes) {
  return copyAndWait(toDevice(context), to, from, bytes,
                     "cannot copy from its memory");
}

static Error zero(void *context, void *memory, uint64_t bytes) {
  CudaDevice &device = toDevice(context);
  CudaScope scope(device.context);
  if (Error error = scope.enter())
    return error;
  return device.context.check(device.context.driver().cuMemsetD8Async(
                                  reinterpret_cast<CUdeviceptr>(memory), 0,
                                  bytes, device.context.stream()),
                              "cannot set its memory to zero");
}

static Error synchronise(void *context) {
  CudaDevice &device = toDevice(context);
  CudaScope scope(device.context);
  if (Error error = scope.enter())
    return error;
  return device.context.wait("cannot wait for it");
}

//===----------------------------------------------------------------------===//
// What the program calls
//===----------------------------------------------------------------------===//

static const HamKaasCallInfo *findCall(const HamKaasProgram &program,
                                       int64_t call) {
  return call >= 0 && call < program.callCount ? &program.calls[call] : nullptr;
}

// "kernel 'k0' (matmul+add) at mnist.hk:4:6". Null if there is no memory.
static char *describeLaunch(const HamKaasProgram &program,
                            const HamKaasDeviceKernel &kernel,
                            int64_t callNumber) {
  TextBuilder text;
  text.append("model '%s': kernel '%s'", program.name, kernel.name);
  if (const HamKaasCallInfo *call = findCall(program, callNumber)) {
    if (call->ops)
      text.append(" (%s)", call->ops);
    if (call->location)
      text.append(" at %s", call->location);
  } else {
    text.append(" of its preparation");
  }
  return text.release();
}

static Error explainLaunch(CudaDevice &device, CUresult result,
                           const HamKaasDeviceKernel &kernel, int64_t call) {
  if (result == CUDA_SUCCESS)
    return Error();
  char *what = describeLaunch(device.program, kernel, call);
  Error error = device.context.check(result, "%s", what ? what : "a kernel");
  free(what);
  return error;
}

// A kernel that only checks is a part of the call that follows it.
static bool isCheck(const HamKaasDeviceKernel &kernel) {
  static constexpr char suffix[] = "_checks";
  constexpr size_t length = sizeof(suffix) - 1;
  size_t nameLength = strlen(kernel.name);
  return nameLength > length &&
         strcmp(kernel.name + nameLength - length, suffix) == 0;
}

// HamKaasExecution::launch.
static int32_t launchKernel(void *context, int32_t number,
                            void *const *arguments, int64_t call) {
  Description &description = *static_cast<Description *>(context);
  CudaDevice &device = description.device;
  const HamKaasDeviceCode &code = *device.program.deviceCode;
  if (number < 0 || number >= code.kernelCount) {
    description.error =
        Error::format("model '%s': expected the number of a kernel below %d, "
                      "found %d",
                      device.program.name, code.kernelCount, number);
    return 1;
  }
  const HamKaasDeviceKernel &kernel = code.kernels[number];
  int32_t count = kernel.argumentCount;
  for (int32_t i = 0; i < count; ++i)
    device.words[i] = reinterpret_cast<uint64_t>(arguments[i]);
  device.words[count] = device.bindings.failure();
  device.words[count + 1] = static_cast<uint64_t>(call);
  CUresult result = description.sequence.addKernel(
      device.module->function(number), kernel, device.words, count + 2);
  if (result == CUDA_SUCCESS && description.notesTimes)
    result = description.sequence.addTimestamp(call, !isCheck(kernel));
  description.error = explainLaunch(device, result, kernel, call);
  return description.error ? 1 : 0;
}

// HamKaasExecution::copy.
static int32_t copyMemory(void *context, void *to, const void *from,
                          uint64_t bytes) {
  Description &description = *static_cast<Description *>(context);
  CUresult result =
      description.sequence.addCopy({reinterpret_cast<uint64_t>(to),
                                    reinterpret_cast<uint64_t>(from), bytes});
  description.error = description.device.context.check(
      result, "model '%s': a copy of %" PRIu64 " bytes",
      description.device.program.name, bytes);
  return description.error ? 1 : 0;
}

// HamKaasExecution::findConstant.
static const void *findConstant(void *context, const char *name) {
  Description &description = *static_cast<Description *>(context);
  CudaDevice &device = description.device;
  CUdeviceptr address = 0;
  size_t bytes = 0;
  CUresult result = device.context.driver().cuModuleGetGlobal(
      &address, &bytes, device.module->handle(), name);
  if (result == CUDA_SUCCESS)
    return reinterpret_cast<const void *>(address);
  if (!description.error)
    description.error =
        device.context.check(result, "model '%s': cannot find constant '%s'",
                             device.program.name, name);
  return nullptr;
}

static HamKaasExecution makeExecution(Description &description) {
  HamKaasExecution execution = {};
  execution.structSize = sizeof(execution);
  execution.failure.call = -1;
  execution.launch = launchKernel;
  execution.copy = copyMemory;
  execution.findConstant = findConstant;
  execution.device = &description;
  return execution;
}

// What a function of the program has left behind.
static Error explainReturn(int32_t failed, const HamKaasExecution &execution,
                           Description &description) {
  if (description.error)
    return static_cast<Error &&>(description.error);
  if (!failed)
    return Error();
  if (execution.message)
    return Error::format("%s", execution.message);
  return describeFailure(description.device.program, execution.failure);
}

//===----------------------------------------------------------------------===//
// Preparation
//===----------------------------------------------------------------------===//

namespace {

/// Parameters on the GPU: those of the caller in one allocation.
class DeviceParameters {
public:
  explicit DeviceParameters(CudaDevice &device) : device(device) {}
  DeviceParameters(const DeviceParameters &) = delete;
  DeviceParameters &operator=(const DeviceParameters &) = delete;
  /// In the scope of the context.
  ~DeviceParameters() {
    memory.release(device.context);
    free(found);
  }

  Error copy(const void *const *given);
  const void *const *addresses() const { return found; }

private:
  CudaDevice &device;
  CudaMemory memory;
  const void **found = nullptr;
};

} // namespace

Error DeviceParameters::copy(const void *const *given) {
  constexpr uint64_t mask = HAMKAAS_REGION_ALIGNMENT - 1;
  const HamKaasProgram &program = device.program;
  CudaContext &context = device.context;
  uint64_t bytes = 0;
  for (int32_t i = 0; i < program.parameterCount; ++i)
    bytes += (program.parameters[i].bytes + mask) & ~mask;
  if (Error error = memory.allocate(context, bytes, "its parameters"))
    return error;
  // calloc may return null for zero entries.
  found = static_cast<const void **>(
      calloc(static_cast<size_t>(program.parameterCount) + 1, sizeof(void *)));
  if (!found)
    return Error::format("out of memory for a table of %d parameters",
                         program.parameterCount);
  uint64_t offset = 0;
  for (int32_t i = 0; i < program.parameterCount; ++i) {
    const HamKaasTensorInfo &parameter = program.parameters[i];
    CUdeviceptr place = memory.address() + offset;
    offset += (parameter.bytes + mask) & ~mask;
    found[i] = reinterpret_cast<const void *>(place);
    if (parameter.bytes == 0)
      continue;
    // They may be the caller's or the GPU's.
    if (Error error = context.check(
            context.driver().cuMemcpyAsync(
                place, reinterpret_cast<CUdeviceptr>(given[i]), parameter.bytes,
                context.stream()),
            "cannot copy parameter '%s' to its memory", parameter.name))
      return error;
  }
  return Error();
}

static Error callPrepare(CudaDevice &device, const void *const *parameters,
                         void *constants, void *workspace) {
  using Mode = CudaSequence::Mode;
  CudaSequence sequence(device.context);
  if (Error error =
          sequence.start(device.isBlocking ? Mode::Blocking : Mode::AtOnce,
                         device.maximumWords))
    return error;
  if (Error error =
          device.context.check(sequence.addZeros(device.bindings.failure(), 10),
                               "cannot set its memory to zero"))
    return error;
  Description description = {device, sequence, /*notesTimes=*/false, Error()};
  HamKaasExecution execution = makeExecution(description);
  int32_t failed = device.program.deviceCode->prepare(&execution, parameters,
                                                      constants, workspace);
  return explainReturn(failed, execution, description);
}

// Device::prepare.
static Error prepare(void *context, const void *const *parameters,
                     void *constants, void *workspace) {
  CudaDevice &device = toDevice(context);
  if (!device.program.deviceCode->prepare)
    return Error();
  CudaScope scope(device.context);
  if (Error error = scope.enter())
    return error;
  DeviceParameters onDevice(device);
  if (Error error = onDevice.copy(parameters))
    return error;
  Error error = callPrepare(device, onDevice.addresses(), constants, workspace);
  // Also after an error: the memory is given back now.
  Error ending = device.context.wait("the preparation failed");
  return error ? static_cast<Error &&>(error) : static_cast<Error &&>(ending);
}

//===----------------------------------------------------------------------===//
// Runs
//===----------------------------------------------------------------------===//

// Calls the program's function, which adds its steps.
static Error describeKernels(CudaDevice &device) {
  Description description = {device, device.sequence,
                             device.memory.profile != nullptr, Error()};
  HamKaasExecution execution = makeExecution(description);
  const ProgramMemory &memory = device.memory;
  int32_t failed = device.program.deviceCode->run(
      &execution, device.bindings.inputs(), device.bindings.outputs(),
      memory.constants, memory.state, memory.workspace);
  return explainReturn(failed, execution, description);
}

// All that a run does, in its order.
static Error describeRun(CudaDevice &device) {
  CudaSequence &sequence = device.sequence;
  const CudaBindings &bindings = device.bindings;
  auto check = [&](CUresult result) {
    return device.context.check(result, "model '%s': cannot make its graph",
                                device.program.name);
  };
  if (Error error = check(sequence.begin()))
    return error;
  if (Error error = check(sequence.addZeros(bindings.failure(), 10)))
    return error;
  if (Error error = check(bindings.addCopiesIn(sequence)))
    return error;
  if (device.memory.profile)
    if (Error error = check(sequence.addTimestamp(-1, false)))
      return error;
  if (Error error = describeKernels(device))
    return error;
  if (Error error = check(bindings.addCopiesOut(sequence)))
    return error;
  return check(sequence.end());
}

// The driver may refuse to update a graph that it makes anew: for memory of
// another kind, say.
static Error makeGraph(CudaDevice &device) {
  bool wasComplete = device.sequence.isComplete();
  Error error = describeRun(device);
  if (!error)
    return Error();
  device.sequence.clear();
  if (!wasComplete || device.context.isLost())
    return error;
  error = describeRun(device);
  if (error)
    device.sequence.clear();
  return error;
}

// Device::start.
static Error start(void *context, const ProgramMemory &memory) {
  CudaDevice &device = toDevice(context);
  device.memory = memory;
  CudaScope scope(device.context);
  if (Error error = scope.enter())
    return error;
  using Mode = CudaSequence::Mode;
  if (Error error = device.sequence.start(device.isBlocking ? Mode::Blocking
                                                            : Mode::Graph,
                                          device.maximumWords))
    return error;
  return device.isBlocking ? Error() : makeGraph(device);
}

static Error addProfile(CudaDevice &device) {
  for (int32_t i = 1; i < device.sequence.timestampCount(); ++i) {
    CudaSequence::Interval interval = {};
    if (Error error =
            device.context.check(device.sequence.readInterval(i, interval),
                                 "cannot read the times of its profile"))
      return error;
    if (!findCall(device.program, interval.call))
      continue;
    HamKaasCallProfile &entry = device.memory.profile[interval.call];
    entry.runs += interval.isRun;
    entry.nanoseconds += interval.nanoseconds;
  }
  return Error();
}

// The error of the first check that failed, if any.
static Error explainChecks(const CudaDevice &device) {
  const int64_t *values = device.bindings.failureValues();
  if (values[0] == 0)
    return Error();
  HamKaasFailure failure = {values[0] - 1,
                            {values[1], values[2], values[3], values[4]}};
  return describeFailure(device.program, failure);
}

static Error launchAndWait(CudaDevice &device) {
  CudaContext &context = device.context;
  if (Error error = context.check(device.sequence.launch(),
                                  "model '%s': cannot launch its graph",
                                  device.program.name))
    return error;
  return context.check(
      context.driver().cuStreamSynchronize(context.stream()),
      device.isBlocking
          ? "model '%s': the run failed"
          : "model '%s': the run failed (with CUDA_LAUNCH_BLOCKING=1 this "
            "names the kernel)",
      device.program.name);
}

// Device::run.
static Error run(void *context, const void *const *inputs,
                 void *const *outputs) {
  CudaDevice &device = toDevice(context);
  CudaScope scope(device.context);
  if (Error error = scope.enter())
    return error;
  auto change = CudaBindings::Change::None;
  Error binding = device.bindings.bind(device.context, inputs, outputs, change);
  // What is bound now, perhaps in part, is not in the graph.
  if (binding || change == CudaBindings::Change::Steps)
    device.sequence.clear();
  if (binding)
    return binding;
  device.bindings.readInputs();
  if (device.isBlocking) {
    if (Error error = describeRun(device))
      return error;
  } else if (change != CudaBindings::Change::None ||
             !device.sequence.isComplete()) {
    if (Error error = makeGraph(device))
      return error;
  }
  if (Error error = launchAndWait(device))
    return error;
  if (Error error = explainChecks(device))
    return error;
  device.bindings.writeOutputs();
  return device.memory.profile ? addProfile(device) : Error();
}

//===----------------------------------------------------------------------===//
// Creation
//===----------------------------------------------------------------------===//

static void destroy(void *context) {
  CudaDevice *device = static_cast<CudaDevice *>(context);
  // In a forked child the driver's things are the parent's.
  if (!isForkedFromCuda()) {
    CudaScope scope(device->context);
    bool isEntered = scope.enterToRelease();
    if (isEntered) {
      device->sequence.clear();
      device->bindings.release(device->context);
    }
    CudaModule::release(device->context, device->module, isEntered);
  }
  free(device->words);
  device->~CudaDevice();
  free(device);
}

static Error createWords(CudaDevice &device) {
  const HamKaasDeviceCode &code = *device.program.deviceCode;
  for (int32_t i = 0; i < code.kernelCount; ++i)
    if (code.kernels[i].argumentCount + 2 > device.maximumWords)
      device.maximumWords = code.kernels[i].argumentCount + 2;
  device.words = static_cast<uint64_t *>(
      calloc(static_cast<size_t>(device.maximumWords) + 1, sizeof(uint64_t)));
  return device.words ? Error() : Error::format("out of memory for a device");
}

// The convention of CUDA's own runtime.
static bool isBlockingAskedFor() {
  const char *value = getenv("CUDA_LAUNCH_BLOCKING");
  return value && *value && strcmp(value, "0") != 0;
}

static Error open(CudaDevice &device, int32_t number, bool &isUsable) {
  const HamKaasDeviceCode &code = *device.program.deviceCode;
  if (Error error = device.context.open(number, code.architecture))
    return error;
  isUsable = true;
  device.isBlocking = isBlockingAskedFor();
  if (Error error = createWords(device))
    return error;
  CudaScope scope(device.context);
  if (Error error = scope.enter())
    return error;
  if (Error error =
          CudaModule::acquire(device.context, device.program, device.module))
    return error;
  return device.bindings.start(device.context, device.program);
}

Error hamkaas::rt::createCudaDevice(int32_t number,
                                    const HamKaasProgram &program,
                                    Device &device, bool &isUsable) {
  isUsable = false;
  if (!program.deviceCode)
    return Error::format("device 'cuda:%d': model '%s' has no code for it; "
                         "compile it with --target=cuda",
                         number, program.name);
  void *memory = malloc(sizeof(CudaDevice));
  if (!memory)
    return Error::format("out of memory for a device");
  auto *created = new (memory) CudaDevice(program);
  if (Error error = open(*created, number, isUsable)) {
    destroy(created);
    return error;
  }
  device = {};
  device.name = created->context.name();
  device.context = created;
  device.allocate = allocate;
  device.release = release;
  device.copy = copy;
  device.copyToCaller = copyToCaller;
  device.zero = zero;
  device.synchronise = synchronise;
  device.destroy = destroy;
  device.prepare = prepare;
  device.start = start;
  device.run = run;
  return Error();
}
