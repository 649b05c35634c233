//===- Profile.c - Times of the kernels of a model ------------------------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Commands.h"
#include "Contents.h"
#include "Gpu.h"
#include "Model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WarmUpRuns = 5, Runs = 20 };

/// The calls of one kernel, for all runs that were measured.
typedef struct KernelTimes {
  const HamKaasCallInfo *first;
  int calls;
  double seconds, flops, bytes;
} KernelTimes;

static int compareTimes(const void *a, const void *b) {
  double first = ((const KernelTimes *)a)->seconds;
  double second = ((const KernelTimes *)b)->seconds;
  return (first < second) - (first > second);
}

/// `before` holds what each call took until the first run that counts.
static void printKernels(const HamKaasProgram *program,
                         const HamKaasCallProfile *calls,
                         const HamKaasCallProfile *before) {
  KernelTimes *kernels =
      allocateOrExit(sizeof(KernelTimes) * (uint64_t)program->callCount);
  int count = 0;
  for (int32_t i = 0; i < program->callCount; ++i) {
    const HamKaasCallInfo *call = &program->calls[i];
    int at = 0;
    while (at < count && strcmp(kernels[at].first->kernel, call->kernel) != 0)
      ++at;
    if (at == count)
      kernels[count++] = (KernelTimes){.first = call};
    ++kernels[at].calls;
    kernels[at].seconds +=
        1e-9 * (double)(calls[i].nanoseconds - before[i].nanoseconds) / Runs;
    kernels[at].flops += (double)call->flops;
    kernels[at].bytes += (double)call->bytes;
  }
  qsort(kernels, (size_t)count, sizeof(KernelTimes), compareTimes);
  for (int i = 0; i < count; ++i) {
    const KernelTimes *kernel = &kernels[i];
    printf("%8.1f us  %3d calls  %7.2f us each  %6.0f GB/s  %6.0f GFLOP/s  "
           "%-4s %6lld tiles  %s\n",
           1e6 * kernel->seconds, kernel->calls,
           1e6 * kernel->seconds / kernel->calls,
           1e-9 * kernel->bytes / kernel->seconds,
           1e-9 * kernel->flops / kernel->seconds, kernel->first->kernel,
           (long long)kernel->first->tiles, kernel->first->ops);
  }
  free(kernels);
}

static HamKaasError profile(const HamKaasProgram *program,
                            const HamKaasInstanceOptions *options,
                            char *inputMemory) {
  HamKaasInstance *instance = NULL;
  HamKaasError error = HamKaasInstanceCreate(program, options, &instance);
  if (error)
    return error;
  void *outputMemory =
      allocateOrExit(getSpace(program->outputs, program->outputCount));
  void **inputs =
      findTensors(program->inputs, program->inputCount, inputMemory);
  void **outputs =
      findTensors(program->outputs, program->outputCount, outputMemory);
  uint64_t bytes = sizeof(HamKaasCallProfile) * (uint64_t)program->callCount;
  HamKaasCallProfile *before = allocateOrExit(bytes);
  for (int i = 0; i < WarmUpRuns + Runs && !error; ++i) {
    if (i == WarmUpRuns)
      memcpy(before, HamKaasInstanceProfile(instance), bytes);
    error = HamKaasInstanceRun(instance, (const void *const *)inputs, outputs);
  }
  if (!error)
    printKernels(program, HamKaasInstanceProfile(instance), before);
  free(before);
  free(inputs);
  free(outputs);
  free(outputMemory);
  HamKaasInstanceDestroy(instance);
  return error;
}

int printProfile(const char *path, const Options *options) {
  Model model;
  if (!loadModel(&model, path))
    return 1;
  int isOnGpu = strncmp(options->device, "cuda", 4) == 0;
  if (isOnGpu && !openGpu(options->device))
    return 2;
  const HamKaasProgram *program = model.program;
  char *integers;
  if (!readIntegers(program, options->integers, &integers))
    return 1;
  HamKaasInstanceOptions settings;
  memset(&settings, 0, sizeof(settings));
  settings.structSize = sizeof(settings);
  settings.device = options->device;
  HamKaasNamedData *parameters = makeParameters(program, integers);
  settings.parameters = parameters;
  settings.parameterCount = program->parameterCount;
  settings.profile = 1;
  char *inputs = makeInputs(program, integers, /*seed=*/0);
  HamKaasError error = profile(program, &settings, inputs);
  if (error)
    fprintf(stderr, "%s\n", error);
  free(inputs);
  releaseParameters(parameters, program->parameterCount);
  free(integers);
  unloadModel(&model);
  if (!error)
    return 0;
  HamKaasErrorFree(error);
  return 1;
}
