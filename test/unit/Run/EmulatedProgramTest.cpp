//===- EmulatedProgramTest.cpp - Tests of emulated programs -----*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program written by hand: one kernel doubles, a copy, a constant.
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Run/EmulatedProgram.h"
#include "HamKaas/Runtime/Instance/CreateInstance.h"
#include "gtest/gtest.h"
#include <sys/mman.h>
#include <unistd.h>

// A size that a test asks for in vain must not end a sanitized process.
extern "C" const char *__asan_default_options() {
  return "allocator_may_return_null=1";
}
extern "C" const char *__tsan_default_options() {
  return "allocator_may_return_null=1";
}

namespace hamkaas {
namespace {

constexpr int64_t count = 4;
constexpr int64_t dataBytes[] = {4 * count, 4 * count, 40, -1};
const float table[count] = {10, 20, 30, 40};

/// y[i] = 2 * x[i], or a failure if x[0] is negative.
void doubleAll(const uint64_t *arguments, emulation::EmulatedThread *thread) {
  auto *x = reinterpret_cast<const float *>(arguments[0]);
  auto *y = reinterpret_cast<float *>(arguments[1]);
  auto *failure = reinterpret_cast<int64_t *>(arguments[2]);
  if (x[0] < 0) {
    failure[0] = static_cast<int64_t>(arguments[3]) + 1;
    failure[1] = static_cast<int64_t>(x[0]);
    return;
  }
  // Two elements beyond the end for a value that asks for it.
  int64_t i = thread->thread + (x[0] == 99 ? 2 : 0);
  thread->functions->access(thread, y + i, 4, 4, emulation::AccessWrite,
                            "a store");
  y[i] = 2 * x[i];
}

const emulation::EmulatedKernel emulatedKernels[] = {
    {"double", doubleAll, dataBytes, 4, 0}};
const emulation::EmulatedConstant emulatedConstants[] = {
    {"table", table, sizeof(table)}};
const emulation::EmulatedImage image = {emulatedKernels, 1, emulatedConstants,
                                        1};
const HamKaasDeviceKernel kernels[] = {{"double", 2, count, 1, 0, 0},
                                       {"missing", 2, 1, 1, 0, 0}};

/// outputs[0] = 2 * inputs[0]; outputs[1] = what is in the table.
int32_t run(HamKaasExecution *execution, const void *const *inputs,
            void *const *outputs, const void *, void *, void *) {
  void *arguments[] = {const_cast<void *>(inputs[0]), outputs[0]};
  if (execution->launch(execution->device, 0, arguments, 0))
    return 1;
  const void *from = execution->findConstant(execution->device, "table");
  return execution->copy(execution->device, outputs[1], from, sizeof(table));
}

/// As run, which gets tensors as a GPU does.
int32_t runAligned(HamKaasExecution *execution, const void *const *inputs,
                   void *const *outputs, const void *constants, void *state,
                   void *workspace) {
  for (const void *tensor : {inputs[0], static_cast<const void *>(outputs[0])})
    EXPECT_EQ(reinterpret_cast<uintptr_t>(tensor) %
                  HAMKAAS_DEVICE_TENSOR_ALIGNMENT,
              0u);
  return run(execution, inputs, outputs, constants, state, workspace);
}

int32_t runMissing(HamKaasExecution *execution, const void *const *inputs,
                   void *const *outputs, const void *, void *, void *) {
  void *arguments[] = {const_cast<void *>(inputs[0]), outputs[0]};
  return execution->launch(execution->device, 1, arguments, -1);
}

class EmulatedProgramTest : public testing::Test {
protected:
  EmulatedProgramTest() {
    code.structSize = sizeof(code);
    code.architecture = emulation::emulatedArchitecture;
    code.image = &image;
    code.imageBytes = sizeof(image);
    code.kernels = kernels;
    code.kernelCount = 2;
    code.run = run;
    call.kernel = "double";
    call.location = "model.hk:3:1";
    call.check = "expected 0 or more, got {0}";
    program.structSize = sizeof(program);
    program.version = HAMKAAS_PROGRAM_VERSION;
    program.isaLevel = HamKaasIsaX86_64_V1;
    program.name = "model";
    program.inputs = &tensors[0];
    program.inputCount = 1;
    program.outputs = &tensors[1];
    program.outputCount = 2;
    program.calls = &call;
    program.callCount = 1;
    program.deviceCode = &code;
  }

  /// Runs on `x`; returns the error, if there is one.
  std::string runOn(std::vector<float> x) {
    auto emulated = EmulatedProgram::create(program);
    if (!emulated)
      return llvm::toString(emulated.takeError());
    HamKaasInstanceOptions options = {};
    options.structSize = sizeof(options);
    HamKaasInstance *instance = nullptr;
    std::string text = take(rt::createInstance(
        (*emulated)->program(), options,
        (*emulated)->createDevice(emulation::ThreadOrder()), instance));
    if (!text.empty())
      return text;
    const void *inputs[] = {x.data() + first};
    void *outputs[] = {y.data() + first, z.data() + first};
    HamKaasError error = HamKaasInstanceRun(instance, inputs, outputs);
    text = error ? error : "";
    HamKaasErrorFree(error);
    HamKaasInstanceDestroy(instance);
    return text;
  }

  static std::string take(rt::Error error) {
    HamKaasError text = error.release();
    std::string copy = text ? text : "";
    HamKaasErrorFree(text);
    return copy;
  }

  const int64_t shape[1] = {count};
  HamKaasTensorInfo tensors[3] = {
      {"x", HamKaasFloat32, 1, shape, 4 * count, 0, nullptr},
      {"y", HamKaasFloat32, 1, shape, 4 * count, 0, nullptr},
      {"z", HamKaasFloat32, 1, shape, 4 * count, 0, nullptr}};
  HamKaasCallInfo call = {};
  HamKaasDeviceCode code = {};
  HamKaasProgram program = {};
  /// Where tensors begin in their memory.
  int64_t first = 0;
  std::vector<float> y = std::vector<float>(count);
  std::vector<float> z = std::vector<float>(count);
};

TEST_F(EmulatedProgramTest, LaunchesAndCopies) {
  EXPECT_EQ(runOn({1, 2, 3, 4}), "");
  EXPECT_EQ(y, (std::vector<float>{2, 4, 6, 8}));
  EXPECT_EQ(z, (std::vector<float>{10, 20, 30, 40}));
}

// Before the first function of a library there may be no memory, so nothing may
// look there, as a check of calls through pointers did.
TEST_F(EmulatedProgramTest, RunsCodeThatBeginsAPage) {
  constexpr uint8_t instructions[] = {0x31, 0xc0, 0xc3}; // xor eax, eax; ret
  auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  void *memory = mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, /*fd=*/-1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  char *begin = static_cast<char *>(memory) + page;
  memcpy(begin, instructions, sizeof(instructions));
  ASSERT_EQ(mprotect(begin, page, PROT_READ | PROT_EXEC), 0);
  ASSERT_EQ(mprotect(memory, page, PROT_NONE), 0);
  code.run = reinterpret_cast<HamKaasRunFunction>(begin);
  EXPECT_EQ(runOn({1, 2, 3, 4}), "");
  munmap(memory, 2 * page);
}

TEST_F(EmulatedProgramTest, GivesDeviceCodeAlignedTensors) {
  code.run = runAligned;
  first = 1;
  y.resize(count + 1);
  z.resize(count + 1);
  EXPECT_EQ(runOn({0, 1, 2, 3, 4}), "");
  EXPECT_EQ(y, (std::vector<float>{0, 2, 4, 6, 8}));
  EXPECT_EQ(z, (std::vector<float>{0, 10, 20, 30, 40}));
}

TEST_F(EmulatedProgramTest, SaysWhenThereIsNoMemoryForAnAlignedCopy) {
  first = 1;
  y.resize(count + 1);
  z.resize(count + 1);
  tensors[1].bytes = uint64_t(1) << 62;
  EXPECT_EQ(runOn({0, 1, 2, 3, 4}),
            "out of memory for an aligned copy of 'y' of 4611686018427387904 "
            "bytes");
  EXPECT_EQ(z, std::vector<float>(count + 1));
}

TEST_F(EmulatedProgramTest, NothingIsCopiedAfterAFailure) {
  EXPECT_EQ(runOn({-5, 2, 3, 4}),
            "model.hk:3:1: error: expected 0 or more, got -5");
  EXPECT_EQ(z, std::vector<float>(count));
}

TEST_F(EmulatedProgramTest, SaysWhereAKernelIsWrong) {
  EXPECT_EQ(runOn({99, 2, 3, 4}),
            "model.hk:3:1: error: kernel 'double', block 0: thread 2 writes 4 "
            "bytes at a store: offset 16 of argument 1, which has 16 bytes");
}

TEST_F(EmulatedProgramTest, MissesKernelsOfTheImage) {
  code.run = runMissing;
  EXPECT_EQ(runOn({1, 2, 3, 4}),
            "expected a kernel 'missing' of 4 arguments in the image");
}

TEST_F(EmulatedProgramTest, RefusesOtherPrograms) {
  code.architecture = "sm_80";
  EXPECT_EQ(runOn({1, 2, 3, 4}), "model 'model': expected device code for the "
                                 "emulator, got code for sm_80");
  program.deviceCode = nullptr;
  EXPECT_EQ(runOn({1, 2, 3, 4}),
            "model 'model' has no device code to be emulated");
}

} // namespace
} // namespace hamkaas
