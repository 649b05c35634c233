//===- Agreement.c - Compares the bits of two programs --------------------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Clock.h"
#include "Commands.h"
#include "Contents.h"
#include "Gpu.h"
#include "Session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { InputSets = 4 };

/// Runs a model once on each set of inputs.
static int computeExpected(const HamKaasProgram *program, const char *device,
                           const HamKaasNamedData *parameters,
                           char *const *sets, char *const *expected) {
  Session session;
  int succeeds = openSession(&session, program, device, parameters, 0);
  if (!succeeds)
    return 0;
  for (int i = 0; i < InputSets && succeeds; ++i) {
    setInputs(&session, sets[i]);
    succeeds = runOnce(&session);
    getOutputs(&session, expected[i]);
  }
  closeSession(&session);
  return succeeds;
}

static int isEqual(const HamKaasProgram *program, const char *got,
                   const char *expected) {
  for (int32_t i = 0; i < program->outputCount; ++i) {
    uint64_t place = getSpace(program->outputs, i);
    if (memcmp(got + place, expected + place, program->outputs[i].bytes) != 0)
      return 0;
  }
  return 1;
}

/// Counts the runs within so many seconds, and those whose outputs differ.
static int countRuns(const HamKaasProgram *program, const Options *options,
                     const HamKaasNamedData *parameters, char *const *sets,
                     char *const *expected, int *runs, int *wrong) {
  Session session;
  int succeeds = openSession(&session, program, options->device, parameters, 0);
  if (!succeeds)
    return 0;
  char *outputs = allocateOrExit(session.outputBytes);
  double begin = readClock();
  while (succeeds && readClock() - begin < options->seconds) {
    int set = *runs % InputSets;
    setInputs(&session, sets[set]);
    succeeds = runOnce(&session);
    getOutputs(&session, outputs);
    ++*runs;
    *wrong += !isEqual(program, outputs, expected[set]);
  }
  free(outputs);
  closeSession(&session);
  return succeeds;
}

int runAgreement(const char *path, const Options *options) {
  Model model, reference;
  if (!loadModel(&model, path) ||
      !loadModel(&reference, options->reference ? options->reference : path))
    return 1;
  const HamKaasProgram *program = model.program;
  if (strncmp(options->device, "cuda", 4) == 0 && !openGpu(options->device))
    return 2;
  char *integers;
  if (!readIntegers(program, options->integers, &integers))
    return 1;
  HamKaasNamedData *parameters = makeParameters(program, integers);
  char *sets[InputSets], *expected[InputSets];
  for (int i = 0; i < InputSets; ++i) {
    sets[i] = makeInputs(program, integers, (uint64_t)i);
    expected[i] =
        allocateOrExit(getSpace(program->outputs, program->outputCount));
  }
  int runs = 0, wrong = 0;
  int succeeds =
      computeExpected(reference.program, options->device, parameters, sets,
                      expected) &&
      countRuns(program, options, parameters, sets, expected, &runs, &wrong);
  if (succeeds)
    printf("{\"model\": \"%s\", \"device\": \"%s\", \"runs\": %d, "
           "\"differing\": %d}\n",
           program->name, options->device, runs, wrong);
  for (int i = 0; i < InputSets; ++i) {
    free(sets[i]);
    free(expected[i]);
  }
  releaseParameters(parameters, program->parameterCount);
  free(integers);
  unloadModel(&reference);
  unloadModel(&model);
  return !succeeds || wrong > 0;
}
