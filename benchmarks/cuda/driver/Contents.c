//===- Contents.c - What parameters and inputs hold -----------------------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Contents.h"
#include "Model.h"
#include "Tensors.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t sumIntegers(const HamKaasTensorInfo *tensors, int32_t count) {
  uint64_t bytes = 0;
  for (int32_t i = 0; i < count; ++i)
    bytes += isFloat(&tensors[i]) ? 0 : tensors[i].bytes;
  return bytes;
}

int readIntegers(const HamKaasProgram *program, const char *path,
                 char **integers) {
  *integers = NULL;
  if (!path)
    return 1;
  uint64_t size = 0;
  uint64_t expected =
      sumIntegers(program->parameters, program->parameterCount) +
      sumIntegers(program->inputs, program->inputCount);
  *integers = readFile(path, &size);
  if (*integers && size == expected)
    return 1;
  fprintf(stderr, "%s: expected a file of %llu bytes\n", path,
          (unsigned long long)expected);
  free(*integers);
  return 0;
}

/// Copies the integers of a tensor from `*next`, if there are any, and goes
/// behind them.
static void takeIntegers(const HamKaasTensorInfo *tensor, void *data,
                         const char **next) {
  if (!*next || isFloat(tensor))
    return;
  memcpy(data, *next, tensor->bytes);
  *next += tensor->bytes;
}

HamKaasNamedData *makeParameters(const HamKaasProgram *program,
                                 const char *integers) {
  HamKaasNamedData *parameters =
      allocateOrExit(sizeof(*parameters) * (uint64_t)program->parameterCount);
  for (int32_t i = 0; i < program->parameterCount; ++i) {
    const HamKaasTensorInfo *tensor = &program->parameters[i];
    void *data = allocateOrExit(tensor->bytes);
    fillTensor(tensor, data, (uint64_t)i, /*isParameter=*/1);
    takeIntegers(tensor, data, &integers);
    parameters[i].name = tensor->name;
    parameters[i].data = data;
    parameters[i].bytes = tensor->bytes;
  }
  return parameters;
}

void releaseParameters(HamKaasNamedData *parameters, int32_t count) {
  for (int32_t i = 0; i < count; ++i)
    free((void *)parameters[i].data);
  free(parameters);
}

char *makeInputs(const HamKaasProgram *program, const char *integers,
                 uint64_t seed) {
  if (integers)
    integers += sumIntegers(program->parameters, program->parameterCount);
  char *memory = allocateOrExit(getSpace(program->inputs, program->inputCount));
  void **places = findTensors(program->inputs, program->inputCount, memory);
  for (int32_t i = 0; i < program->inputCount; ++i) {
    fillTensor(&program->inputs[i], places[i], 1000 * seed + (uint64_t)i,
               /*isParameter=*/0);
    takeIntegers(&program->inputs[i], places[i], &integers);
  }
  free(places);
  return memory;
}

void makePositive(const HamKaasProgram *program, char *inputs) {
  for (int32_t i = 0; i < program->inputCount; ++i) {
    const HamKaasTensorInfo *tensor = &program->inputs[i];
    if (tensor->elementType == HamKaasFloat32)
      for (float *at = (float *)inputs, *end = at + tensor->bytes / sizeof(*at);
           at < end; ++at)
        *at = fabsf(*at);
    inputs += getSpace(tensor, 1);
  }
}
