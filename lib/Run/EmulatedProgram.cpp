//===- EmulatedProgram.cpp - A GPU's program on the CPU ---------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Run/EmulatedProgram.h"
#include "HamKaas/Runtime/Core/Functions.h"
#include "HamKaas/Runtime/Instance/Instance.h"
#include "HamKaas/Runtime/Instance/ProgramCheck.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Alignment.h"
#include "llvm/Support/MathExtras.h"
#include <cinttypes>
#include <cstdlib>

using namespace llvm;

namespace hamkaas {

//===----------------------------------------------------------------------===//
// The device of an instance
//===----------------------------------------------------------------------===//

namespace {

/// The tensors of the caller as device code gets them: of those that are not
/// aligned as it expects, copies.
class DeviceTensors {
public:
  DeviceTensors(ArrayRef<HamKaasTensorInfo> tensors, const void *const *given)
      : tensors(tensors), given(given, tensors.size()) {
    for (auto [tensor, from] : llvm::zip_equal(tensors, this->given)) {
      places.push_back(const_cast<void *>(from));
      if (llvm::isAddrAligned(Align(HAMKAAS_DEVICE_TENSOR_ALIGNMENT), from))
        continue;
      places.back() = std::aligned_alloc(
          HAMKAAS_DEVICE_TENSOR_ALIGNMENT,
          alignTo(tensor.bytes, HAMKAAS_DEVICE_TENSOR_ALIGNMENT));
      if (places.back())
        std::memcpy(places.back(), from, tensor.bytes);
    }
  }
  DeviceTensors(const DeviceTensors &) = delete;
  ~DeviceTensors() {
    for (auto [place, from] : llvm::zip_equal(places, given))
      if (place != from)
        std::free(place);
  }

  /// The first tensor without memory for its copy, or null.
  const HamKaasTensorInfo *findMissing() const {
    const auto *place = llvm::find(places, nullptr);
    return place == places.end() ? nullptr : &tensors[place - places.begin()];
  }

  void *const *data() const { return places.data(); }

  /// Gives the caller what was written to the copies.
  void copyBack() const {
    for (auto [tensor, place, to] : llvm::zip_equal(tensors, places, given))
      if (place != to)
        std::memcpy(const_cast<void *>(to), place, tensor.bytes);
  }

private:
  ArrayRef<HamKaasTensorInfo> tensors;
  ArrayRef<const void *> given;
  SmallVector<void *> places;
};

/// The context of a device.
class Session {
public:
  Session(const HamKaasDeviceCode &code, const HamKaasProgram &program,
          emulation::ThreadOrder order, emulation::ProductSums productSums)
      : code(code), program(program), calls(program.calls),
        emulator(order, productSums) {
    const auto &image =
        *static_cast<const emulation::EmulatedImage *>(code.image);
    for (const emulation::EmulatedKernel &kernel :
         ArrayRef(image.kernels, image.kernelCount))
      kernels[kernel.name] = &kernel;
    for (const emulation::EmulatedConstant &constant :
         ArrayRef(image.constants, image.constantCount))
      constants[constant.name] = constant.address;
    emulator.addConstants(image);
  }

  rt::Error prepare(const HamKaasExecution &engines,
                    const void *const *parameters, void *constants,
                    void *workspace) {
    if (!code.prepare)
      return rt::Error();
    HamKaasExecution execution = begin(engines);
    DeviceTensors onDevice(ArrayRef(program.parameters, program.parameterCount),
                           parameters);
    if (const HamKaasTensorInfo *missing = onDevice.findMissing())
      return refuse(*missing);
    int32_t failed =
        code.prepare(&execution, onDevice.data(), constants, workspace);
    return finish(execution, failed);
  }

  rt::Error run(const HamKaasExecution &engines, const void *const *inputs,
                void *const *outputs, const void *constants, void *state,
                void *workspace) {
    HamKaasExecution execution = begin(engines);
    DeviceTensors in(ArrayRef(program.inputs, program.inputCount), inputs);
    DeviceTensors out(ArrayRef(program.outputs, program.outputCount), outputs);
    for (const DeviceTensors *tensors : {&in, &out})
      if (const HamKaasTensorInfo *missing = tensors->findMissing())
        return refuse(*missing);
    int32_t failed = code.run(&execution, in.data(), out.data(), constants,
                              state, workspace);
    out.copyBack();
    return finish(execution, failed);
  }

private:
  /// `engines` are those of the processor, whose memory this is.
  HamKaasExecution begin(const HamKaasExecution &engines) {
    message.clear();
    llvm::fill(failure, 0);
    HamKaasExecution execution = {};
    execution.structSize = sizeof(execution);
    execution.device = this;
    execution.launch = [](void *device, int32_t kernel, void *const *arguments,
                          int64_t call) {
      return static_cast<Session *>(device)->launch(kernel, arguments, call);
    };
    execution.engines = engines.engines;
    runEngine = engines.callEngine;
    execution.callEngine = [](HamKaasExecution *execution, int32_t engineCall,
                              void *const *arguments, int64_t call) {
      auto &session = *static_cast<Session *>(execution->device);
      // After a failure everything stays as it was.
      return session.failure[0] == 0
                 ? session.runEngine(execution, engineCall, arguments, call)
                 : int32_t(0);
    };
    execution.parallelFor = [](void *, HamKaasKernelFunction kernel,
                               void *const *arguments, int64_t tiles,
                               int64_t *values) {
      return kernel(arguments, 0, tiles, values);
    };
    execution.copy = [](void *device, void *to, const void *from,
                        uint64_t bytes) {
      // After a failure everything stays as it was.
      if (static_cast<Session *>(device)->failure[0] == 0)
        std::memmove(to, from, bytes);
      return int32_t(0);
    };
    execution.findConstant = [](void *device, const char *name) {
      return static_cast<Session *>(device)->constants.lookup(name);
    };
    return execution;
  }

  int32_t launch(int32_t number, void *const *arguments, int64_t call) {
    const HamKaasDeviceKernel &kernel = code.kernels[number];
    const emulation::EmulatedKernel *function = kernels.lookup(kernel.name);
    if (!function || function->argumentCount != kernel.argumentCount + 2) {
      message = ("expected a kernel '" + Twine(kernel.name) + "' of " +
                 Twine(kernel.argumentCount + 2) + " arguments in the image")
                    .str();
      return 1;
    }
    SmallVector<uint64_t> values;
    for (void *argument : ArrayRef(arguments, kernel.argumentCount))
      values.push_back(reinterpret_cast<uint64_t>(argument));
    values.push_back(reinterpret_cast<uint64_t>(failure));
    values.push_back(static_cast<uint64_t>(call));
    message = emulator.launch(
        *function, {kernel.blocks, kernel.threads, kernel.sharedBytes},
        values.data());
    if (message.empty())
      return 0;
    if (call >= 0)
      message = std::string(calls[call].location) + ": error: " + message;
    return 1;
  }

  static rt::Error refuse(const HamKaasTensorInfo &tensor) {
    return rt::Error::format(
        "out of memory for an aligned copy of '%s' of %" PRIu64 " bytes",
        tensor.name, tensor.bytes);
  }

  /// The error of what was done, if there is one.
  rt::Error finish(const HamKaasExecution &execution, int32_t failed) const {
    if (failed)
      return rt::Error::format("%s", execution.message ? execution.message
                                                       : message.c_str());
    if (failure[0] == 0)
      return rt::Error();
    HamKaasFailure check = {};
    check.call = failure[0] - 1;
    std::copy(failure + 1, std::end(failure), check.values);
    return rt::describeFailure(program, check);
  }

  const HamKaasDeviceCode &code;
  const HamKaasProgram &program;
  const HamKaasCallInfo *calls;
  emulation::Emulator emulator;
  StringMap<const emulation::EmulatedKernel *> kernels;
  StringMap<const void *> constants;
  int32_t (*runEngine)(HamKaasExecution *execution, int32_t engineCall,
                       void *const *arguments, int64_t call) = nullptr;
  int64_t failure[5] = {};
  std::string message;
};

} // namespace

//===----------------------------------------------------------------------===//
// The program
//===----------------------------------------------------------------------===//

EmulatedProgram::EmulatedProgram(const HamKaasProgram &program)
    : code(*program.deviceCode) {
  // One of a single function is shorter.
  std::memcpy(&descriptor, &program,
              std::min(program.structSize, sizeof(descriptor)));
  // The other functions are programs for a GPU.
  descriptor.structSize = sizeof(descriptor);
  descriptor.function = rt::functionName(program);
  descriptor.functions = &self;
  descriptor.functionCount = 1;
  descriptor.deviceCode = nullptr;
  descriptor.prepare = code.prepare;
  descriptor.run = code.run;
}

Expected<std::unique_ptr<EmulatedProgram>>
EmulatedProgram::create(const HamKaasProgram &program) {
  if (!program.deviceCode)
    return createStringError("model '%s' has no device code to be emulated",
                             program.name);
  const char *architecture = program.deviceCode->architecture;
  if (StringRef(architecture) != emulation::emulatedArchitecture)
    return createStringError("model '%s': expected device code for the "
                             "emulator, got code for %s",
                             program.name, architecture);
  return std::unique_ptr<EmulatedProgram>(new EmulatedProgram(program));
}

/// Memory as a device has it: nobody has cleared it.
static void *allocate(void *, uint64_t bytes, rt::Error &) {
  bytes = alignTo(bytes, HAMKAAS_REGION_ALIGNMENT);
  void *memory = std::aligned_alloc(HAMKAAS_REGION_ALIGNMENT, bytes);
  if (memory)
    std::memset(memory, 0xff, bytes);
  return memory;
}

rt::Device
EmulatedProgram::createDevice(emulation::ThreadOrder order,
                              emulation::ProductSums productSums) const {
  rt::Device device = {};
  device.name = "cuda-emulation";
  device.context = new Session(code, descriptor, order, productSums);
  device.allocate = allocate;
  device.release = [](void *, void *memory) { std::free(memory); };
  device.copy = [](void *, void *to, const void *from, uint64_t bytes) {
    std::memcpy(to, from, bytes);
    return rt::Error();
  };
  device.copyToCaller = device.copy;
  device.zero = [](void *, void *memory, uint64_t bytes) {
    std::memset(memory, 0, bytes);
    return rt::Error();
  };
  device.prepare = [](rt::Instance &instance, const void *const *parameters,
                      void *workspace) {
    return static_cast<Session *>(instance.device.context)
        ->prepare(instance.execution, parameters, instance.constants->memory,
                  workspace);
  };
  device.run = [](rt::Instance &instance, const void *const *inputs,
                  void *const *outputs) {
    return static_cast<Session *>(instance.device.context)
        ->run(instance.execution, inputs, outputs, instance.constants->memory,
              instance.state->memory, instance.workspace->memory);
  };
  // All is done when the host half returns.
  device.synchronise = [](void *) { return rt::Error(); };
  device.destroy = [](void *context) {
    delete static_cast<Session *>(context);
  };
  return device;
}

} // namespace hamkaas
