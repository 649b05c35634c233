//===- HostProgram.c - The runtime used from C ----------------------------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostProgram.h"

int hamkaasRunFromC(const HamKaasProgram *program, const float *scale,
                    const float *bias, const float *x, float *y,
                    int64_t *runs) {
  HamKaasNamedData parameters[2] = {{"scale", scale, 0}, {"bias", bias, 4}};
  HamKaasInstanceOptions options = {0};
  HamKaasInstance *instance = NULL;
  HamKaasError error;
  const void *inputs[1];
  void *outputs[2];

  parameters[0].bytes = program->parameters[0].bytes;
  options.structSize = sizeof(options);
  options.threads = 1;
  options.parameters = parameters;
  options.parameterCount = 2;
  error = HamKaasInstanceCreate(program, &options, &instance);
  inputs[0] = x;
  outputs[0] = y;
  outputs[1] = runs;
  if (!error)
    error = HamKaasInstanceRun(instance, inputs, outputs);
  HamKaasInstanceDestroy(instance);
  if (!error)
    return 0;
  HamKaasErrorFree(error);
  return 1;
}
