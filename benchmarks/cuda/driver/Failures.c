//===- Failures.c - What is left of a GPU after errors --------------------===//
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

/// A model, and one set of inputs for all its runs.
typedef struct Subject {
  const HamKaasProgram *program;
  const char *device;
  HamKaasNamedData *parameters;
  void **inputs, **outputs;
  void *outputMemory;
  int failures;
} Subject;

static HamKaasError create(const Subject *subject, HamKaasInstance **instance) {
  HamKaasInstanceOptions options;
  memset(&options, 0, sizeof(options));
  options.structSize = sizeof(options);
  options.device = subject->device;
  options.parameters = subject->parameters;
  options.parameterCount = subject->program->parameterCount;
  *instance = NULL;
  return HamKaasInstanceCreate(subject->program, &options, instance);
}

static HamKaasError run(const Subject *subject, HamKaasInstance *instance) {
  return HamKaasInstanceRun(instance, (const void *const *)subject->inputs,
                            subject->outputs);
}

static HamKaasError createAndRun(const Subject *subject) {
  HamKaasInstance *instance;
  HamKaasError error = create(subject, &instance);
  if (!error)
    error = run(subject, instance);
  HamKaasInstanceDestroy(instance);
  return error;
}

/// `part` is of the error that should have come, or null for none.
static void expect(Subject *subject, const char *step, HamKaasError error,
                   const char *part) {
  int isRight = part ? error && strstr(error, part) : !error;
  printf("%s %s: %s\n", isRight ? "passed" : "FAILED", step,
         error ? error : "no error");
  fflush(stdout);
  subject->failures += !isRight;
  HamKaasErrorFree(error);
}

/// Runs where no memory is left on the GPU, and then where there is some again.
static void exhaustMemory(Subject *subject) {
  void *filling = fillGpuMemory();
  expect(subject, "without memory", createAndRun(subject), "out of memory");
  releaseGpuMemory(filling);
  expect(subject, "with memory again", createAndRun(subject), NULL);
}

/// Has another user of the context, as PyTorch may be one, lose it by a kernel.
static void loseContext(Subject *subject) {
  HamKaasInstance *instance;
  expect(subject, "before the loss", create(subject, &instance), NULL);
  if (!instance)
    return;
  beginBadAccessOnGpu();
  expect(subject, "first run after the loss", run(subject, instance),
         "was lost");
  expect(subject, "second run after the loss", run(subject, instance),
         "was lost");
  HamKaasInstanceDestroy(instance);
  expect(subject, "new instance after the loss", createAndRun(subject),
         "restart the process");
}

int checkFailures(const char *path, const Options *options) {
  Model model;
  if (!loadModel(&model, path))
    return 1;
  if (!openGpu(options->device))
    return 2;
  const HamKaasProgram *program = model.program;
  Subject subject = {.program = program, .device = options->device};
  subject.parameters = makeParameters(program, /*integers=*/NULL);
  char *inputMemory = makeInputs(program, /*integers=*/NULL, /*seed=*/0);
  uint64_t outputBytes = getSpace(program->outputs, program->outputCount);
  subject.outputMemory = allocateOrExit(outputBytes);
  subject.inputs =
      findTensors(program->inputs, program->inputCount, inputMemory);
  subject.outputs =
      findTensors(program->outputs, program->outputCount, subject.outputMemory);
  void *first = allocateOrExit(outputBytes);
  memset(subject.outputMemory, 0, outputBytes);
  expect(&subject, "first run", createAndRun(&subject), NULL);
  memcpy(first, subject.outputMemory, outputBytes);
  memset(subject.outputMemory, 0, outputBytes);
  exhaustMemory(&subject);
  if (memcmp(first, subject.outputMemory, outputBytes) != 0) {
    printf("FAILED with memory again: other outputs\n");
    ++subject.failures;
  }
  loseContext(&subject);
  free(first);
  free(subject.inputs);
  free(subject.outputs);
  free(subject.outputMemory);
  free(inputMemory);
  releaseParameters(subject.parameters, program->parameterCount);
  unloadModel(&model);
  return subject.failures > 0;
}
