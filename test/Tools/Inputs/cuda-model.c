//===- cuda-model.c - A compiled model for GPUs, written by hand ----------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// y = x, weights = scale, previous = last, last = x. Most of it are copies,
// which a driver without a GPU can do; the kernel does nothing.
//
//===----------------------------------------------------------------------===//

#include "hamkaas-c/Program.h"

enum { bytes = 4 * sizeof(float) };

static const int64_t shape[] = {4};
static const HamKaasTensorInfo inputs[] = {
    {"x", HamKaasFloat32, 1, shape, bytes, 0, NULL}};
static const HamKaasTensorInfo outputs[] = {
    {"y", HamKaasFloat32, 1, shape, bytes, 0, NULL},
    {"weights", HamKaasFloat32, 1, shape, bytes, 0, NULL},
    {"previous", HamKaasFloat32, 1, shape, bytes, 0, NULL}};
static const float scale[] = {1, 2, 3, 4};
static const HamKaasTensorInfo parameters[] = {
    {"scale", HamKaasFloat32, 1, shape, bytes, 0, scale}};
static const HamKaasTensorInfo states[] = {
    {"last", HamKaasFloat32, 1, shape, bytes, 0, NULL}};
static const HamKaasCallInfo calls[] = {
    {"k0", "elementwise", "model.hk:3:6", "relu", 4, 16, 1, NULL, 1, NULL}};

static const HamKaasDeviceKernel kernels[] = {{"k0", 1, 128, 1, 0, 0}};

static const char ptx[] = ".version 8.0\n"
                          ".target sm_80\n"
                          ".address_size 64\n"
                          ".visible .entry k0(.param .u64 x,\n"
                          "                   .param .u64 failure,\n"
                          "                   .param .u64 call) { ret; }\n";

static int32_t prepareDevice(HamKaasExecution *execution,
                             const void *const *from, void *constants,
                             void *workspace) {
  (void)workspace;
  return execution->copy(execution->device, constants, from[0], bytes);
}

static int32_t runDevice(HamKaasExecution *execution, const void *const *from,
                         void *const *to, const void *constants, void *state,
                         void *workspace) {
  (void)workspace;
  void *device = execution->device;
  void *arguments[] = {(void *)from[0]};
  return execution->launch(device, 0, arguments, 0) ||
         execution->copy(device, to[2], state, bytes) ||
         execution->copy(device, state, from[0], bytes) ||
         execution->copy(device, to[1], constants, bytes) ||
         execution->copy(device, to[0], from[0], bytes);
}

static const HamKaasDeviceCode code = {sizeof(HamKaasDeviceCode),
                                       "sm_80",
                                       ptx,
                                       sizeof(ptx),
                                       kernels,
                                       1,
                                       0,
                                       prepareDevice,
                                       runDevice,
                                       "exact",
                                       NULL,
                                       0,
                                       0,
                                       0};

__attribute__((visibility("default")))
const HamKaasProgram HamKaasModelProgram = {
    .structSize = sizeof(HamKaasProgram),
    .version = HAMKAAS_PROGRAM_VERSION,
    .isaLevel = HamKaasIsaX86_64_V1,
    .name = "copies",
    .targetCpu = "x86-64",
    .compiler = "hand",
    .inputs = inputs,
    .outputs = outputs,
    .parameters = parameters,
    .states = states,
    .calls = calls,
    .inputCount = 1,
    .outputCount = 3,
    .parameterCount = 1,
    .stateCount = 1,
    .callCount = 1,
    .constantsBytes = bytes,
    .stateBytes = bytes,
    .deviceCode = &code,
};
