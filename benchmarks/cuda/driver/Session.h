//===- Session.h - Runs of a model on one device ------------------*- C -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_BENCHMARKS_CUDA_SESSION_H
#define HAMKAAS_BENCHMARKS_CUDA_SESSION_H

#include "Model.h"

/// An instance with inputs and outputs in the device's memory.
typedef struct Session {
  HamKaasInstance *instance;
  int isOnGpu;
  void *inputMemory, *outputMemory;
  void **inputs, **outputs;
  uint64_t inputBytes, outputBytes;
} Session;

/// These return 0 and print why if they fail.
int openSession(Session *session, const HamKaasProgram *program,
                const char *device, const HamKaasNamedData *parameters,
                int profile);
int runOnce(Session *session);
void closeSession(Session *session);

/// Gives the next run other inputs, laid out as by `findTensors`.
void setInputs(Session *session, const void *from);
void getOutputs(const Session *session, void *to);

#endif
