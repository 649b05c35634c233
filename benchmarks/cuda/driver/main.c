//===- main.c - Runs compiled models on a machine with a GPU --------------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Commands.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] =
    "usage: hamkaas-cuda-driver COMMAND [OPTION...]\n"
    "  gpu                   describes the GPU\n"
    "  ceilings              measures what the GPU can do\n"
    "  questions             measures what models could do otherwise\n"
    "  failures MODEL.so     runs a model beside errors of the GPU\n"
    "  describe MODEL.so     names the tensors of a model\n"
    "  conformance FOLDER    runs recorded cases and compares the outputs\n"
    "  time MODEL.so         measures a model with random floats\n"
    "  profile MODEL.so      measures each of its kernels\n"
    "  agreement MODEL.so    compares all bits of many runs with those of one\n"
    "options:\n"
    "  --device=D            cuda (default), cuda:N or cpu\n"
    "  --only=NAME,...       the cases to run\n"
    "  --after=NAME          the case behind which to begin\n"
    "  --case-seconds=N      after which a case ends the process by SIGALRM\n"
    "                        (default: 20, 0 is never)\n"
    "  --seconds=S           to measure or compare for (default: 1)\n"
    "  --tolerance=T         allowed difference from the processor's outputs,\n"
    "                        in parts of the largest value (default: 1e-3)\n"
    "  --reference=MODEL.so  whose code for the processor computes these, if\n"
    "                        the measured model has none\n"
    "  --alternate           outputs go to two places by turns\n"
    "  --kernels             print the time of each call, too\n"
    "  --integers=FILE       parameters and inputs that are not floats, one\n"
    "                        after the other (default: 0)\n";

/// The value of the option `name`, if `argument` is that.
static const char *getValue(const char *argument, const char *name) {
  size_t length = strlen(name);
  return strncmp(argument, name, length) == 0 && argument[length] == '='
             ? argument + length + 1
             : NULL;
}

static int parseOption(const char *argument, Options *options) {
  const char *value;
  if ((value = getValue(argument, "--device")))
    options->device = value;
  else if ((value = getValue(argument, "--only")))
    options->only = value;
  else if ((value = getValue(argument, "--after")))
    options->after = value;
  else if ((value = getValue(argument, "--case-seconds")))
    options->caseSeconds = (unsigned)atoi(value);
  else if ((value = getValue(argument, "--seconds")))
    options->seconds = atof(value);
  else if ((value = getValue(argument, "--tolerance")))
    options->tolerance = atof(value);
  else if ((value = getValue(argument, "--reference")))
    options->reference = value;
  else if (strcmp(argument, "--alternate") == 0)
    options->alternates = 1;
  else if (strcmp(argument, "--kernels") == 0)
    options->listsCalls = 1;
  else if ((value = getValue(argument, "--integers")))
    options->integers = value;
  else
    return 0;
  return 1;
}

int main(int argc, char **argv) {
  Options options = {
      .device = "cuda", .caseSeconds = 20, .seconds = 1, .tolerance = 1e-3};
  const char *words[2] = {NULL, NULL};
  int count = 0;
  for (int i = 1; i < argc; ++i) {
    if (parseOption(argv[i], &options))
      continue;
    if (argv[i][0] == '-' || count == 2)
      return fputs(usage, stderr), 1;
    words[count++] = argv[i];
  }
  if (count == 1 && strcmp(words[0], "gpu") == 0)
    return printGpu(&options);
  if (count == 1 && strcmp(words[0], "ceilings") == 0)
    return printCeilings(&options);
  if (count == 1 && strcmp(words[0], "questions") == 0)
    return printQuestions(&options);
  if (count == 2 && strcmp(words[0], "failures") == 0)
    return checkFailures(words[1], &options);
  if (count == 2 && strcmp(words[0], "describe") == 0)
    return printInterface(words[1]);
  if (count == 2 && strcmp(words[0], "conformance") == 0)
    return runConformance(words[1], &options);
  if (count == 2 && strcmp(words[0], "profile") == 0)
    return printProfile(words[1], &options);
  if (count == 2 && strcmp(words[0], "time") == 0)
    return runTiming(words[1], &options);
  if (count == 2 && strcmp(words[0], "agreement") == 0)
    return runAgreement(words[1], &options);
  return fputs(usage, stderr), 1;
}
