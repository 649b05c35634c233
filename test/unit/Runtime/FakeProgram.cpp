//===- FakeProgram.cpp - A compiled model, written by hand ----------------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FakeProgram.h"

#include <cstring>

using namespace hamkaas::test;

// Where the parts of the constants region lie.
static constexpr uint64_t biasOffset = 4096;

static int32_t copyKernel(void *const *arguments, int64_t begin, int64_t end,
                          int64_t *) {
  // Parameters may have any address.
  const char *from = static_cast<const char *>(arguments[0]);
  char *to = static_cast<char *>(arguments[1]);
  memcpy(to + begin * sizeof(float), from + begin * sizeof(float),
         (end - begin) * sizeof(float));
  return 0;
}

static int32_t scaleKernel(void *const *arguments, int64_t begin, int64_t end,
                           int64_t *values) {
  const float *x = static_cast<const float *>(arguments[0]);
  const float *scale = static_cast<const float *>(arguments[1]);
  const float *bias = static_cast<const float *>(arguments[2]);
  const int64_t *runs = static_cast<const int64_t *>(arguments[3]);
  float *y = static_cast<float *>(arguments[4]);
  if (x[0] < 0) {
    values[0] = static_cast<int64_t>(x[0]);
    values[1] = *runs;
    return 1;
  }
  for (int64_t i = begin; i < end; ++i)
    y[i] = x[i] * scale[i] + bias[0] + static_cast<float>(*runs);
  return 0;
}

static int32_t prepareFake(HamKaasExecution *execution,
                           const void *const *parameters, void *constants,
                           void *workspace) {
  // Goes through the workspace to see that there is one.
  void *scale[] = {const_cast<void *>(parameters[0]), workspace};
  void *fromWorkspace[] = {workspace, constants};
  void *bias[] = {const_cast<void *>(parameters[1]),
                  static_cast<char *>(constants) + biasOffset};
  int64_t values[4];
  execution->parallelFor(execution->pool, copyKernel, scale,
                         FakeProgram::elements, values);
  execution->parallelFor(execution->pool, copyKernel, fromWorkspace,
                         FakeProgram::elements, values);
  execution->parallelFor(execution->pool, copyKernel, bias, 1, values);
  return 0;
}

static int32_t runFake(HamKaasExecution *execution, const void *const *inputs,
                       void *const *outputs, const void *constants, void *state,
                       void *workspace) {
  char *constantBytes = static_cast<char *>(const_cast<void *>(constants));
  void *scaleArguments[] = {const_cast<void *>(inputs[0]), constantBytes,
                            constantBytes + biasOffset, state, workspace};
  execution->failure.call = 0;
  if (execution->parallelFor(execution->pool, scaleKernel, scaleArguments,
                             FakeProgram::elements, execution->failure.values))
    return 1;
  if (execution->callDone)
    execution->callDone(execution->profile, 0);
  void *copyArguments[] = {workspace, outputs[0]};
  execution->failure.call = 1;
  if (execution->parallelFor(execution->pool, copyKernel, copyArguments,
                             FakeProgram::elements, execution->failure.values))
    return 1;
  if (execution->callDone)
    execution->callDone(execution->profile, 1);
  int64_t *runs = static_cast<int64_t *>(state);
  *runs += 1;
  memcpy(outputs[1], runs, sizeof(*runs));
  return 0;
}

FakeProgram::FakeProgram() {
  constexpr uint64_t vectorBytes = elements * sizeof(float);
  inputs[0] = {"x", HamKaasFloat32, 1, vectorShape, vectorBytes, 0, nullptr};
  outputs[0] = {"y", HamKaasFloat32, 1, vectorShape, vectorBytes, 0, nullptr};
  outputs[1] = {"runs", HamKaasInt64, 1, oneShape, 8, 0, nullptr};
  parameters[0] = {"scale", HamKaasFloat32, 1, vectorShape, vectorBytes,
                   0,       nullptr};
  parameters[1] = {"bias", HamKaasFloat32, 2, biasShape, 4, 0, nullptr};
  states[0] = {"runs", HamKaasInt64, 1, oneShape, 8, 0, nullptr};
  calls[0] = {"k0",
              "elementwise",
              "fake.hk:3:6",
              "mul+add",
              3 * elements,
              3 * vectorBytes,
              elements,
              "x[0] is {0} after {1} runs, expected at least 0",
              1,
              nullptr};
  calls[1] = {"k1", "movement",      "fake.hk:4:6", "copy",
              0,    2 * vectorBytes, elements,      nullptr,
              1,    nullptr};

  program = {};
  program.structSize = sizeof(program);
  program.version = HAMKAAS_PROGRAM_VERSION;
  program.isaLevel = HamKaasIsaX86_64_V1;
  program.name = "fake";
  program.targetCpu = "x86-64";
  program.compiler = "hand";
  program.inputs = inputs;
  program.outputs = outputs;
  program.parameters = parameters;
  program.states = states;
  program.calls = calls;
  program.inputCount = 1;
  program.outputCount = 2;
  program.parameterCount = 2;
  program.stateCount = 1;
  program.callCount = 2;
  program.constantsBytes = biasOffset + 4;
  program.stateBytes = 8;
  program.workspaceBytes = vectorBytes;
  program.workspaceLowerBound = vectorBytes;
  program.prepareWorkspaceBytes = vectorBytes;
  program.prepare = prepareFake;
  program.run = runFake;
}

FakeRun::FakeRun(HamKaasInstance *instance) : instance(instance) {
  for (int64_t i = 0; i < FakeProgram::elements; ++i) {
    x[i] = 2;
    y[i] = -1;
  }
}

HamKaasError FakeRun::operator()() {
  const void *inputs[] = {x};
  void *outputs[] = {y, &runs};
  return HamKaasInstanceRun(instance, inputs, outputs);
}

FakeParameters::FakeParameters() {
  for (int64_t i = 0; i < FakeProgram::elements; ++i)
    scale[i] = static_cast<float>(i);
  named[0] = {"scale", scale, sizeof(scale)};
  named[1] = {"bias", bias, sizeof(bias)};
}
