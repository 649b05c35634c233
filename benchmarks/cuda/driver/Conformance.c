//===- Conformance.c - Compares models with their outputs -----------------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Case.h"
#include "Clock.h"
#include "Commands.h"
#include "Gpu.h"
#include "Tensors.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MaxPath = 4096, MaxLine = 1024 };

/// Prints the outputs that differ. Sets `share` to the largest difference, in
/// parts of the largest value.
static int compareOutputs(const Case *test, double *share) {
  const HamKaasProgram *program = test->model.program;
  *share = 0;
  for (int32_t i = 0; i < program->outputCount; ++i) {
    const HamKaasTensorInfo *tensor = &program->outputs[i];
    const char *expected =
        (const char *)test->expected + getSpace(program->outputs, i);
    Difference difference = compareTensors(tensor, test->outputs[i], expected);
    if (!isWithin(difference, test->tolerance)) {
      printf("FAILED %s: output '%s': largest difference %.3g where the "
             "largest value is %.3g, allowed is %.1g times that; %llu elements "
             "of another kind\n",
             test->name, tensor->name, difference.largest, difference.magnitude,
             test->tolerance, (unsigned long long)difference.unequal);
      return 0;
    }
    if (difference.largest > *share * difference.magnitude)
      *share = difference.largest / difference.magnitude;
  }
  return 1;
}

/// Runs a case that is loaded, and prints its result.
static int checkCase(const Case *test, const char *device) {
  double start = readClock(), share = 0;
  HamKaasError error =
      runProgram(test->model.program, test, test->runs, device, test->outputs);
  double seconds = readClock() - start;
  int passed = 0;
  if (error && !(test->expectedError && strstr(error, test->expectedError)))
    printf("FAILED %s: %s\n", test->name, error);
  else if (test->expectedError && !error)
    printf("FAILED %s: expected the error '%s'\n", test->name,
           test->expectedError);
  else
    passed = error || compareOutputs(test, &share);
  if (passed)
    printf("passed %s in %.2f s, largest difference %.1e\n", test->name,
           seconds, share);
  if (error)
    HamKaasErrorFree(error);
  return passed;
}

typedef struct Counts {
  int passed, failed, skipped;
} Counts;

/// True if there is code to run; otherwise prints so. Large cases have none for
/// the CPU, with which they are compared.
static int hasCode(const Case *test, int isOnGpu) {
  if (isOnGpu || test->model.program->run)
    return 1;
  printf("skipped %s: it has code for a GPU alone\n", test->name);
  return 0;
}

/// The name is printed before the case is touched: of one that does not end,
/// nothing else is known.
static void runLine(const char *line, const char *name, const char *folder,
                    const Options *options, int isOnGpu, Counts *counts) {
  Case test;
  printf("run %s\n", name);
  alarm(options->caseSeconds);
  if (!loadCase(&test, folder, line))
    ++counts->failed;
  else if (!hasCode(&test, isOnGpu))
    ++counts->skipped;
  else if (checkCase(&test, options->device))
    ++counts->passed;
  else
    ++counts->failed;
  releaseCase(&test);
  alarm(0);
}

static void printCounts(const Counts *counts, const char *device) {
  printf("%d passed, %d failed", counts->passed, counts->failed);
  if (counts->skipped)
    printf(", %d skipped", counts->skipped);
  printf(" on %s\n", device);
}

/// True if `names`, separated by commas, has `name`. Null stands for all
/// names.
static int isAskedFor(const char *name, const char *names) {
  size_t length = strlen(name);
  for (const char *at = names; at; at = strchr(at, ',')) {
    at += *at == ',';
    if (strncmp(at, name, length) == 0 &&
        (at[length] == '\0' || at[length] == ','))
      return 1;
  }
  return !names;
}

int runConformance(const char *folder, const Options *options) {
  char path[MaxPath], line[MaxLine], name[MaxName];
  snprintf(path, sizeof(path), "%s/cases.txt", folder);
  FILE *list = fopen(path, "r");
  if (!list) {
    perror(path);
    return 1;
  }
  setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
  // Otherwise each instance would make the context and destroy it.
  int isOnGpu = strncmp(options->device, "cuda", 4) == 0;
  if (isOnGpu && !openGpu(options->device)) {
    fclose(list);
    return 2;
  }
  Counts counts = {0, 0, 0};
  int isLost = 0, isSkipping = options->after != NULL;
  while (!isLost && fgets(line, sizeof(line), list)) {
    line[strcspn(line, "\n")] = '\0';
    if (sscanf(line, "%255s", name) != 1 || !isAskedFor(name, options->only))
      continue;
    if (isSkipping) {
      isSkipping = strcmp(name, options->after) != 0;
      continue;
    }
    runLine(line, name, folder, options, isOnGpu, &counts);
    isLost = isOnGpu && isGpuLost();
  }
  fclose(list);
  if (isLost)
    printf("the GPU was lost: go on in a new process with --after=%s\n", name);
  printCounts(&counts, options->device);
  if (isLost)
    return StatusLost;
  return counts.failed > 0 || counts.passed + counts.skipped == 0;
}
