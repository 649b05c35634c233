//===- FakeDeviceCode.cpp - A fake program for a GPU ----------------------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FakeDeviceCode.h"

#include "FakeCuda.h"

using namespace hamkaas::test;

//===----------------------------------------------------------------------===//
// The kernels
//===----------------------------------------------------------------------===//

// The arguments of a kernel, the last of them `failure` and the call.
template <typename T> static T *at(uint64_t word) {
  return reinterpret_cast<T *>(word);
}

static bool hasFailed(uint64_t failure) { return at<int64_t>(failure)[0] != 0; }

static void copyOnDevice(const uint64_t *words) {
  if (hasFailed(words[2]))
    return;
  for (int64_t i = 0; i < FakeProgram::elements; ++i)
    at<float>(words[1])[i] = at<const float>(words[0])[i];
}

static void checkOnDevice(const uint64_t *words) {
  float first = at<const float>(words[0])[0];
  int64_t *failure = at<int64_t>(words[5]);
  if (hasFailed(words[5]) || first >= 0)
    return;
  failure[0] = static_cast<int64_t>(words[6]) + 1;
  failure[1] = static_cast<int64_t>(first);
  failure[2] = *at<const int64_t>(words[3]);
}

static void scaleOnDevice(const uint64_t *words) {
  if (hasFailed(words[5]))
    return;
  for (int64_t i = 0; i < FakeProgram::elements; ++i)
    at<float>(words[4])[i] =
        at<const float>(words[0])[i] * at<const float>(words[1])[i] +
        at<const float>(words[2])[0] +
        static_cast<float>(*at<const int64_t>(words[3]));
}

static void incrementOnDevice(const uint64_t *words) {
  if (!hasFailed(words[1]))
    ++*at<int64_t>(words[0]);
}

//===----------------------------------------------------------------------===//
// Calls of the program
//===----------------------------------------------------------------------===//

// Where the parts of the constants region lie.
static constexpr uint64_t biasOffset = 4096;

static void *offset(const void *region, uint64_t bytes) {
  return reinterpret_cast<void *>(reinterpret_cast<uint64_t>(region) + bytes);
}

static int32_t prepareDevice(HamKaasExecution *execution,
                             const void *const *parameters, void *constants,
                             void *workspace) {
  void *device = execution->device;
  void *scale[] = {const_cast<void *>(parameters[0]), workspace};
  void *fromWorkspace[] = {workspace, constants};
  if (execution->launch(device, FakeDeviceCode::Copy, scale, -1) ||
      execution->launch(device, FakeDeviceCode::Copy, fromWorkspace, -1))
    return 1;
  return execution->copy(device, offset(constants, biasOffset), parameters[1],
                         sizeof(float));
}

static int32_t runDevice(HamKaasExecution *execution, const void *const *inputs,
                         void *const *outputs, const void *constants,
                         void *state, void *workspace) {
  void *device = execution->device;
  void *scale[] = {const_cast<void *>(inputs[0]), offset(constants, 0),
                   offset(constants, biasOffset), state, workspace};
  void *copy[] = {workspace, outputs[0]};
  if (execution->launch(device, FakeDeviceCode::ScaleChecks, scale, 0) ||
      execution->launch(device, FakeDeviceCode::Scale, scale, 0) ||
      execution->launch(device, FakeDeviceCode::Copy, copy, 1) ||
      execution->launch(device, FakeDeviceCode::Increment, &state, 1))
    return 1;
  return execution->copy(device, outputs[1], state, sizeof(int64_t));
}

FakeDeviceCode::FakeDeviceCode(FakeProgram &fake) {
  kernels[Copy] = {"copy", 2, 128, 2, 0, 0};
  kernels[ScaleChecks] = {"scale_checks", 5, 1, 1, 0, 0};
  kernels[Scale] = {"scale", 5, 128, 2, 1024, 0};
  kernels[Increment] = {"increment", 1, 1, 1, 0, 0};
  cuda::registerKernel("copy", 4, copyOnDevice);
  cuda::registerKernel("scale_checks", 7, checkOnDevice);
  cuda::registerKernel("scale", 7, scaleOnDevice);
  cuda::registerKernel("increment", 3, incrementOnDevice);

  code = {};
  code.structSize = sizeof(code);
  code.architecture = "sm_80";
  code.image = "fake";
  code.imageBytes = sizeof("fake");
  code.kernels = kernels;
  code.kernelCount = 4;
  code.prepare = prepareDevice;
  code.run = runDevice;
  fake.program.deviceCode = &code;
}
