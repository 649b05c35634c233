//===- Timing.c - Measures models -----------------------------------------===//
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
#include "Tensors.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WarmUpRuns = 5, LeastRuns = 20, MaxRuns = 100000, InputSets = 4 };

static int compareTimes(const void *a, const void *b) {
  double first = *(const double *)a, second = *(const double *)b;
  return (first > second) - (first < second);
}

//===----------------------------------------------------------------------===//
// The command
//===----------------------------------------------------------------------===//

typedef struct Times {
  int count;
  double median, least;
} Times;

/// Measures runs whose outputs go to `places` by turns.
static int measure(Session *session, char *const *sets, void **const *places,
                   double seconds, Times *times) {
  double *all = allocateOrExit(sizeof(double) * MaxRuns);
  int succeeds = 1;
  double begin = readClock();
  int count = -WarmUpRuns;
  while (succeeds && count < MaxRuns &&
         (count < LeastRuns || readClock() - begin < seconds)) {
    setInputs(session, sets[(count + WarmUpRuns) % InputSets]);
    session->outputs = places[(count + WarmUpRuns) % 2];
    double start = readClock();
    succeeds = runOnce(session);
    if (count >= 0)
      all[count] = readClock() - start;
    else
      begin = readClock();
    ++count;
  }
  if (succeeds) {
    qsort(all, (size_t)count, sizeof(double), compareTimes);
    times->count = count;
    times->median = all[count / 2];
    times->least = all[0];
  }
  free(all);
  return succeeds;
}

static int measureInTurns(Session *session, const HamKaasProgram *program,
                          char *const *sets, const Options *options,
                          Times *times) {
  if (!options->alternates || !session->isOnGpu) {
    void **const places[] = {session->outputs, session->outputs};
    return measure(session, sets, places, options->seconds, times);
  }
  void *memory = allocateOnGpu(session->outputBytes);
  void **outputs = session->outputs;
  void **others = findTensors(program->outputs, program->outputCount, memory);
  void **const places[] = {outputs, others};
  int succeeds = measure(session, sets, places, options->seconds, times);
  session->outputs = outputs;
  free(others);
  releaseOnGpu(memory);
  return succeeds;
}

/// Seconds that a call took in all runs so far, by the device's clock. On a GPU
/// that is by events, from which `empty`, the interval of an empty kernel, is
/// subtracted: for the kernel, and for that of its checks.
static double readCall(const Session *session, const HamKaasProgram *program,
                       int32_t call, double empty) {
  const HamKaasCallProfile *profile =
      HamKaasInstanceProfile(session->instance) + call;
  double kernels = (double)profile->runs * (program->calls[call].check ? 2 : 1);
  double seconds = 1e-9 * (double)profile->nanoseconds - kernels * empty;
  return seconds > 0 ? seconds : 0;
}

static double readCalls(const Session *session, const HamKaasProgram *program,
                        double empty) {
  double seconds = 0;
  for (int32_t i = 0; i < program->callCount; ++i)
    seconds += readCall(session, program, i, empty);
  return seconds;
}

/// Prints a line of JSON for each call.
static void printCalls(const Session *session, const HamKaasProgram *program,
                       double empty) {
  for (int32_t i = 0; i < program->callCount; ++i) {
    const HamKaasCallInfo *call = &program->calls[i];
    double runs = (double)HamKaasInstanceProfile(session->instance)[i].runs;
    double us =
        runs > 0 ? 1e6 * readCall(session, program, i, empty) / runs : 0;
    printf("{\"call\": %d, \"kernel\": \"%s\", \"ops\": \"%s\", \"us\": "
           "%.2f, \"flops\": %llu, \"bytes\": %llu}\n",
           i, call->kernel, call->ops, us, (unsigned long long)call->flops,
           (unsigned long long)call->bytes);
  }
}

/// Sets `median` to the time of a run without what lies between its calls.
static int measureCalls(const HamKaasProgram *program, const Options *options,
                        const HamKaasNamedData *parameters, char *const *sets,
                        double empty, double *median) {
  Session session;
  if (!openSession(&session, program, options->device, parameters, 1))
    return 0;
  double all[LeastRuns];
  int succeeds = 1;
  for (int i = -WarmUpRuns; i < LeastRuns && succeeds; ++i) {
    setInputs(&session, sets[(i + WarmUpRuns) % InputSets]);
    double before = readCalls(&session, program, empty);
    succeeds = runOnce(&session);
    if (i >= 0)
      all[i] = readCalls(&session, program, empty) - before;
  }
  if (succeeds && options->listsCalls)
    printCalls(&session, program, empty);
  closeSession(&session);
  if (!succeeds)
    return 0;
  qsort(all, LeastRuns, sizeof(double), compareTimes);
  *median = all[LeastRuns / 2];
  return 1;
}

/// Runs once on new instances of both devices, that of the processor of a
/// program that computes the same. Returns the largest share of the largest
/// value by which outputs differ; -1 if it cannot be told, -2 if values of
/// another kind differ.
static double compareWithCpu(const HamKaasProgram *program, const char *device,
                             const HamKaasProgram *reference,
                             const HamKaasNamedData *parameters,
                             const void *input) {
  if (!reference->run || strcmp(device, "cpu") == 0)
    return -1;
  double worst = -1;
  Session sessions[2];
  memset(sessions, 0, sizeof(sessions));
  char *outputs[2] = {NULL, NULL};
  int succeeds = 1;
  for (int i = 0; i < 2 && succeeds; ++i) {
    succeeds = openSession(&sessions[i], i ? reference : program,
                           i ? "cpu" : device, parameters, 0);
    if (!succeeds)
      break;
    setInputs(&sessions[i], input);
    succeeds = runOnce(&sessions[i]);
    outputs[i] = allocateOrExit(sessions[i].outputBytes);
    getOutputs(&sessions[i], outputs[i]);
  }
  for (int32_t i = 0; i < program->outputCount && succeeds; ++i) {
    uint64_t place = getSpace(program->outputs, i);
    Difference difference = compareTensors(
        &program->outputs[i], outputs[0] + place, outputs[1] + place);
    double share = difference.magnitude > 0
                       ? difference.largest / difference.magnitude
                       : difference.largest;
    if (difference.unequal)
      share = -2;
    if (share == -2 || (worst != -2 && share > worst))
      worst = share;
  }
  for (int i = 0; i < 2; ++i) {
    if (sessions[i].instance)
      closeSession(&sessions[i]);
    free(outputs[i]);
  }
  return worst;
}

static void printResult(const HamKaasProgram *program, const Options *options,
                        const Times *times, double calls, double empty,
                        double difference) {
  unsigned long long flops = 0, bytes = 0;
  for (int32_t i = 0; i < program->callCount; ++i) {
    flops += program->calls[i].flops;
    bytes += program->calls[i].bytes;
  }
  printf("{\"model\": \"%s\", \"device\": \"%s\", \"median_us\": %.3f, "
         "\"least_us\": %.3f, \"kernels_us\": %.3f, "
         "\"empty_kernel_us\": %.3f, \"runs\": %d, \"kernels\": %d, \"flops\": "
         "%llu, "
         "\"bytes\": %llu, \"difference\": %.3g}\n",
         program->name, options->device, 1e6 * times->median,
         1e6 * times->least, 1e6 * calls, 1e6 * empty, times->count,
         program->callCount, flops, bytes, difference);
}

int runTiming(const char *path, const Options *options) {
  Model model, reference;
  if (!loadModel(&model, path) ||
      !loadModel(&reference, options->reference ? options->reference : path))
    return 1;
  int isOnGpu = strncmp(options->device, "cuda", 4) == 0;
  if (isOnGpu && !openGpu(options->device))
    return 2;
  char *integers;
  if (!readIntegers(model.program, options->integers, &integers))
    return 1;
  HamKaasNamedData *parameters = makeParameters(model.program, integers);
  char *sets[InputSets];
  for (int i = 0; i < InputSets; ++i)
    sets[i] = makeInputs(model.program, integers, (uint64_t)i);
  double difference = compareWithCpu(model.program, options->device,
                                     reference.program, parameters, sets[0]);
  Session session;
  Times times = {0, 0, 0};
  int succeeds =
      openSession(&session, model.program, options->device, parameters, 0);
  if (succeeds) {
    succeeds = measureInTurns(&session, model.program, sets, options, &times);
    closeSession(&session);
  }
  double calls = 0, empty = isOnGpu && succeeds ? measureEmptyKernel() : 0;
  if (succeeds)
    succeeds =
        measureCalls(model.program, options, parameters, sets, empty, &calls);
  if (succeeds)
    printResult(model.program, options, &times, calls, empty, difference);
  if (succeeds && (difference == -2 || difference > options->tolerance)) {
    fprintf(stderr, "%s: the outputs differ from those of the processor\n",
            path);
    succeeds = 0;
  }
  for (int i = 0; i < InputSets; ++i)
    free(sets[i]);
  releaseParameters(parameters, model.program->parameterCount);
  free(integers);
  unloadModel(&reference);
  unloadModel(&model);
  return !succeeds;
}
