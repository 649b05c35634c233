//===- Session.c - Runs of a model on one device --------------------------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Session.h"

#include "Gpu.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int report(HamKaasError error) {
  if (!error)
    return 1;
  fprintf(stderr, "%s\n", error);
  HamKaasErrorFree(error);
  return 0;
}

int openSession(Session *session, const HamKaasProgram *program,
                const char *device, const HamKaasNamedData *parameters,
                int profile) {
  memset(session, 0, sizeof(*session));
  HamKaasInstanceOptions options;
  memset(&options, 0, sizeof(options));
  options.structSize = sizeof(options);
  options.device = device;
  options.parameters = parameters;
  options.parameterCount = program->parameterCount;
  options.profile = profile;
  if (!report(HamKaasInstanceCreate(program, &options, &session->instance)))
    return 0;
  session->isOnGpu = strncmp(device, "cuda", 4) == 0;
  session->inputBytes = getSpace(program->inputs, program->inputCount);
  session->outputBytes = getSpace(program->outputs, program->outputCount);
  void *(*allocate)(uint64_t) =
      session->isOnGpu ? allocateOnGpu : allocateOrExit;
  session->inputMemory = allocate(session->inputBytes);
  session->outputMemory = allocate(session->outputBytes);
  session->inputs =
      findTensors(program->inputs, program->inputCount, session->inputMemory);
  session->outputs = findTensors(program->outputs, program->outputCount,
                                 session->outputMemory);
  return 1;
}

void closeSession(Session *session) {
  HamKaasInstanceDestroy(session->instance);
  void (*release)(void *) = session->isOnGpu ? releaseOnGpu : free;
  if (session->inputMemory)
    release(session->inputMemory);
  if (session->outputMemory)
    release(session->outputMemory);
  free(session->inputs);
  free(session->outputs);
}

void setInputs(Session *session, const void *from) {
  if (session->isOnGpu)
    copyToGpu(session->inputMemory, from, session->inputBytes);
  else
    memcpy(session->inputMemory, from, session->inputBytes);
}

void getOutputs(const Session *session, void *to) {
  if (session->isOnGpu)
    copyFromGpu(to, session->outputMemory, session->outputBytes);
  else
    memcpy(to, session->outputMemory, session->outputBytes);
}

int runOnce(Session *session) {
  return report(HamKaasInstanceRun(session->instance,
                                   (const void *const *)session->inputs,
                                   session->outputs));
}
