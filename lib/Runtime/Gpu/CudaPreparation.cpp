//===- CudaPreparation.cpp - Make the constants on a GPU ------------------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CudaDescription.h"
#include "HamKaas/Runtime/Instance/Instance.h"

#include <cstdlib>

using namespace hamkaas::rt;
using namespace hamkaas::rt::cuda;

namespace {

/// Parameters on the GPU: those of the caller in one allocation.
class DeviceParameters {
public:
  explicit DeviceParameters(CudaProgram &device) : device(device) {}
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
  CudaProgram &device;
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

static Error callPrepare(CudaProgram &device, const void *const *parameters,
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
  Description description = {device, sequence, /*isRun=*/false, Error()};
  HamKaasExecution execution = makeExecution(description);
  int32_t failed = device.program.deviceCode->prepare(&execution, parameters,
                                                      constants, workspace);
  return explainReturn(failed, execution, description);
}

Error hamkaas::rt::prepareOnCuda(Instance &instance,
                                 const void *const *parameters,
                                 void *workspace) {
  CudaProgram &device = *static_cast<CudaProgram *>(instance.device.context);
  if (!device.program.deviceCode->prepare)
    return Error();
  CudaScope scope(device.context);
  if (Error error = scope.enter())
    return error;
  DeviceParameters onDevice(device);
  if (Error error = onDevice.copy(parameters))
    return error;
  Error error = callPrepare(device, onDevice.addresses(),
                            instance.constants->memory, workspace);
  // Also after an error: the memory is given back now.
  Error ending = device.context.wait("the preparation failed");
  return error ? static_cast<Error &&>(error) : static_cast<Error &&>(ending);
}
