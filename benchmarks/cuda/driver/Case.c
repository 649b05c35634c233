//===- Case.c - A case of the conformance suite ---------------------------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Case.h"
#include "Contents.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MaxPath = 4096 };

static int fail(const Case *test, const char *expected, const char *suffix) {
  printf("FAILED %s: expected %s in %s%s\n", test->name, expected, test->name,
         suffix);
  return 0;
}

//===----------------------------------------------------------------------===//
// Recorded contents
//===----------------------------------------------------------------------===//

/// The file `folder/name` + `suffix`, or null if there is none.
static char *readCaseFile(const char *folder, const char *name,
                          const char *suffix, uint64_t *size) {
  char path[MaxPath];
  snprintf(path, sizeof(path), "%s/%s%s", folder, name, suffix);
  return readFile(path, size);
}

/// Copies tensors that follow each other to the places that they need.
static void placeTensors(const HamKaasTensorInfo *tensors, int32_t count,
                         const char *from, void *const *places) {
  for (int32_t i = 0; i < count; ++i) {
    memcpy(places[i], from, tensors[i].bytes);
    from += tensors[i].bytes;
  }
}

/// Returns 0 if the file is not there or of another size.
static int readTensors(const Case *test, const char *folder, const char *suffix,
                       const HamKaasTensorInfo *tensors, int32_t count,
                       void *memory) {
  uint64_t size = 0;
  char *contents = readCaseFile(folder, test->name, suffix, &size);
  int isRight = contents && size == sumBytes(tensors, count);
  if (isRight) {
    void **places = findTensors(tensors, count, memory);
    placeTensors(tensors, count, contents, places);
    free(places);
  }
  free(contents);
  return isRight;
}

static int loadRecorded(Case *test, const char *folder) {
  const HamKaasProgram *program = test->model.program;
  if (!readTensors(test, folder, ".in", program->inputs, program->inputCount,
                   test->inputMemory))
    return fail(test, "its inputs", ".in");
  uint64_t size = 0;
  test->expectedError = readCaseFile(folder, test->name, ".error", &size);
  if (test->expectedError || readTensors(test, folder, ".out", program->outputs,
                                         program->outputCount, test->expected))
    return 1;
  return fail(test, "its outputs", ".out");
}

//===----------------------------------------------------------------------===//
// Random contents
//===----------------------------------------------------------------------===//

/// Inputs and parameters of a large case are random, and its outputs are what
/// the processor computes by the program `reference`.
static int loadRandom(Case *test, const char *folder, const char *reference,
                      int isPositive) {
  const HamKaasProgram *program = test->model.program;
  char path[MaxPath];
  snprintf(path, sizeof(path), "%s/%s.so", folder, reference);
  Model model;
  if (!loadModel(&model, path))
    return fail(test, "a program for the processor", "'s reference");
  free(test->inputMemory);
  test->inputMemory = makeInputs(program, /*integers=*/NULL, /*seed=*/1);
  if (isPositive)
    makePositive(program, test->inputMemory);
  free(test->inputs);
  test->inputs =
      findTensors(program->inputs, program->inputCount, test->inputMemory);
  test->parameters = makeParameters(program, /*integers=*/NULL);
  void **places =
      findTensors(program->outputs, program->outputCount, test->expected);
  HamKaasError error =
      runProgram(model.program, test, /*runs=*/1, "cpu", places);
  free(places);
  unloadModel(&model);
  if (!error)
    return 1;
  printf("FAILED %s: on the processor: %s\n", test->name, error);
  HamKaasErrorFree(error);
  return 0;
}

//===----------------------------------------------------------------------===//
// Cases
//===----------------------------------------------------------------------===//

static void allocate(Case *test) {
  const HamKaasProgram *program = test->model.program;
  const HamKaasTensorInfo *inputs = program->inputs;
  const HamKaasTensorInfo *outputs = program->outputs;
  test->inputMemory = allocateOrExit(getSpace(inputs, program->inputCount));
  test->outputMemory = allocateOrExit(getSpace(outputs, program->outputCount));
  test->expected = allocateOrExit(getSpace(outputs, program->outputCount));
  test->inputs = findTensors(inputs, program->inputCount, test->inputMemory);
  test->outputs =
      findTensors(outputs, program->outputCount, test->outputMemory);
}

int loadCase(Case *test, const char *folder, const char *line) {
  char path[MaxPath], reference[MaxName], contents[MaxName] = "";
  memset(test, 0, sizeof(*test));
  int words = sscanf(line, "%255s %d %lf %255s %255s", test->name, &test->runs,
                     &test->tolerance, reference, contents);
  if (words < 3) {
    printf("FAILED: expected a case, got '%s'\n", line);
    return 0;
  }
  snprintf(path, sizeof(path), "%s/%s.so", folder, test->name);
  if (!loadModel(&test->model, path))
    return fail(test, "a program", ".so");
  allocate(test);
  return words > 3 ? loadRandom(test, folder, reference,
                                strcmp(contents, "positive") == 0)
                   : loadRecorded(test, folder);
}

void releaseCase(Case *test) {
  if (test->parameters)
    releaseParameters(test->parameters, test->model.program->parameterCount);
  unloadModel(&test->model);
  free(test->inputMemory);
  free(test->outputMemory);
  free(test->expected);
  free(test->inputs);
  free(test->outputs);
  free(test->expectedError);
}

HamKaasError runProgram(const HamKaasProgram *program, const Case *test,
                        int runs, const char *device, void *const *outputs) {
  HamKaasInstanceOptions options;
  memset(&options, 0, sizeof(options));
  options.structSize = sizeof(options);
  options.device = device;
  options.parameters = test->parameters;
  options.parameterCount =
      test->parameters ? test->model.program->parameterCount : 0;
  HamKaasInstance *instance = NULL;
  HamKaasError error = HamKaasInstanceCreate(program, &options, &instance);
  for (int run = 0; run < runs && !error; ++run)
    error = HamKaasInstanceRun(instance, (const void *const *)test->inputs,
                               outputs);
  HamKaasInstanceDestroy(instance);
  return error;
}
