//===- Conformance.c - Compares models with recorded outputs --------------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Commands.h"
#include "Model.h"
#include "Tensors.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MaxPath = 4096, MaxName = 256 };

typedef struct Case {
  char name[MaxName];
  int runs;
  double tolerance;
  Model model;
  /// As they are in the files: one after the other.
  char *inputs, *expected;
  /// As the program needs them.
  void *inputMemory, *outputMemory;
  void **inputAddresses, **outputAddresses;
  char *expectedError; /* null if the outputs are expected */
} Case;

/// The file `folder/name` + `suffix`, or null if there is none.
static char *readCaseFile(const char *folder, const char *name,
                          const char *suffix, uint64_t *size) {
  char path[MaxPath];
  snprintf(path, sizeof(path), "%s/%s%s", folder, name, suffix);
  return readFile(path, size);
}

static void releaseCase(Case *test) {
  unloadModel(&test->model);
  free(test->inputs);
  free(test->expected);
  free(test->inputMemory);
  free(test->outputMemory);
  free(test->inputAddresses);
  free(test->outputAddresses);
  free(test->expectedError);
}

/// Returns 0 and prints why if a file is missing or has another size.
static int loadCase(Case *test, const char *folder) {
  char path[MaxPath];
  snprintf(path, sizeof(path), "%s/%s.so", folder, test->name);
  if (!loadModel(&test->model, path))
    return 0;
  const HamKaasProgram *program = test->model.program;
  uint64_t size = 0;
  test->inputs = readCaseFile(folder, test->name, ".in", &size);
  if (!test->inputs || size != sumBytes(program->inputs, program->inputCount)) {
    printf("FAILED %s: expected its inputs in %s.in\n", test->name, test->name);
    return 0;
  }
  uint64_t outputBytes = sumBytes(program->outputs, program->outputCount);
  test->expectedError = readCaseFile(folder, test->name, ".error", &size);
  if (test->expectedError)
    return 1;
  test->expected = readCaseFile(folder, test->name, ".out", &size);
  if (test->expected && size == outputBytes)
    return 1;
  printf("FAILED %s: expected its outputs in %s.out\n", test->name, test->name);
  return 0;
}

/// Gives inputs and outputs the places that they need.
static void placeTensors(Case *test) {
  const HamKaasProgram *program = test->model.program;
  const HamKaasTensorInfo *inputs = program->inputs;
  const HamKaasTensorInfo *outputs = program->outputs;
  test->inputMemory = allocateOrExit(getSpace(inputs, program->inputCount));
  test->outputMemory = allocateOrExit(getSpace(outputs, program->outputCount));
  test->inputAddresses =
      findTensors(inputs, program->inputCount, test->inputMemory);
  test->outputAddresses =
      findTensors(outputs, program->outputCount, test->outputMemory);
  const char *from = test->inputs;
  for (int32_t i = 0; i < program->inputCount; ++i) {
    memcpy(test->inputAddresses[i], from, inputs[i].bytes);
    from += inputs[i].bytes;
  }
}

/// The error of the last run, or null.
static HamKaasError runModel(Case *test, const char *device) {
  const HamKaasProgram *program = test->model.program;
  HamKaasInstanceOptions options;
  memset(&options, 0, sizeof(options));
  options.structSize = sizeof(options);
  options.device = device;
  HamKaasInstance *instance = NULL;
  HamKaasError error = HamKaasInstanceCreate(program, &options, &instance);
  for (int run = 0; run < test->runs && !error; ++run)
    error =
        HamKaasInstanceRun(instance, (const void *const *)test->inputAddresses,
                           test->outputAddresses);
  HamKaasInstanceDestroy(instance);
  return error;
}

static int compareOutputs(const Case *test) {
  const HamKaasProgram *program = test->model.program;
  const char *expected = test->expected;
  for (int32_t i = 0; i < program->outputCount; ++i) {
    const HamKaasTensorInfo *tensor = &program->outputs[i];
    Difference difference =
        compareTensors(tensor, test->outputAddresses[i], expected);
    if (!isWithin(difference, test->tolerance)) {
      printf("FAILED %s: output '%s': largest difference %.3g where the "
             "largest value is %.3g, allowed is %.1g times that; %llu elements "
             "of another kind\n",
             test->name, tensor->name, difference.largest, difference.magnitude,
             test->tolerance, (unsigned long long)difference.unequal);
      return 0;
    }
    expected += tensor->bytes;
  }
  return 1;
}

static int checkCase(Case *test, const char *folder, const char *device) {
  if (!loadCase(test, folder))
    return 0;
  placeTensors(test);
  HamKaasError error = runModel(test, device);
  int passed = 0;
  if (error && !(test->expectedError && strstr(error, test->expectedError)))
    printf("FAILED %s: %s\n", test->name, error);
  else if (test->expectedError && !error)
    printf("FAILED %s: expected the error '%s'\n", test->name,
           test->expectedError);
  else
    passed = error || compareOutputs(test);
  if (error)
    HamKaasErrorFree(error);
  return passed;
}

static void printTensors(const char *kind, const HamKaasTensorInfo *tensors,
                         int32_t count) {
  for (int32_t i = 0; i < count; ++i)
    printf("%s %s %s\n", kind, isFloat(&tensors[i]) ? "floats" : "integers",
           tensors[i].name);
}

int printInterface(const char *path) {
  Model model;
  if (!loadModel(&model, path))
    return 1;
  const HamKaasProgram *program = model.program;
  printTensors("parameter", program->parameters, program->parameterCount);
  printTensors("input", program->inputs, program->inputCount);
  printTensors("output", program->outputs, program->outputCount);
  unloadModel(&model);
  return 0;
}

int runConformance(const char *folder, const Options *options) {
  char path[MaxPath];
  snprintf(path, sizeof(path), "%s/cases.txt", folder);
  FILE *list = fopen(path, "r");
  if (!list) {
    perror(path);
    return 1;
  }
  int passed = 0, failed = 0;
  Case test;
  memset(&test, 0, sizeof(test));
  while (fscanf(list, "%255s %d %lf", test.name, &test.runs, &test.tolerance) ==
         3) {
    if (options->only && strcmp(options->only, test.name) != 0)
      continue;
    if (checkCase(&test, folder, options->device))
      ++passed;
    else
      ++failed;
    releaseCase(&test);
    memset(&test, 0, sizeof(test));
    fflush(stdout);
  }
  fclose(list);
  printf("%d passed, %d failed on %s\n", passed, failed, options->device);
  return failed > 0 || passed == 0;
}
