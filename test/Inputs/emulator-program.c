// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The part of emulated-run.py that runs in the emulator: one run of a program
// on one thread.

#include "hamkaas-c/Program.h"
#include <stdlib.h>
#include <string.h>

static int32_t runTiles(void *pool, HamKaasKernelFunction kernel,
                        void *const *arguments, int64_t tiles,
                        int64_t *values) {
  (void)pool;
  return kernel(arguments, 0, tiles, values);
}

static void *allocate(uint64_t bytes) {
  uint64_t alignment = HAMKAAS_REGION_ALIGNMENT;
  return aligned_alloc(alignment, (bytes / alignment + 1) * alignment);
}

int32_t getIsaLevel(const HamKaasProgram *program) { return program->isaLevel; }

const HamKaasTensorInfo *getInputs(const HamKaasProgram *program,
                                   int32_t *count) {
  *count = program->inputCount;
  return program->inputs;
}

const HamKaasTensorInfo *getOutputs(const HamKaasProgram *program,
                                    int32_t *count) {
  *count = program->outputCount;
  return program->outputs;
}

static int32_t prepare(const HamKaasProgram *program,
                       HamKaasExecution *execution, void *constants) {
  void *workspace = allocate(program->prepareWorkspaceBytes);
  const void **parameters =
      malloc((program->parameterCount + 1) * sizeof(void *));
  for (int32_t i = 0; i < program->parameterCount; ++i)
    parameters[i] = program->parameters[i].data;
  int32_t failed =
      program->prepare(execution, parameters, constants, workspace);
  free(parameters);
  free(workspace);
  return failed;
}

static void initializeStates(const HamKaasProgram *program, char *state,
                             const char *constants) {
  memset(state, 0, program->stateBytes);
  for (int32_t i = 0; i < program->initialStateCount; ++i) {
    const HamKaasInitialState *initial = &program->initialStates[i];
    const HamKaasTensorInfo *info = &program->states[initial->state];
    for (uint64_t at = 0; at < info->bytes; at += initial->bytes)
      memcpy(state + info->offset + at, constants + initial->offset,
             initial->bytes);
  }
}

/// Returns null, or the message of what failed.
const char *runProgram(const HamKaasProgram *program, const void *const *inputs,
                       void *const *outputs, uint64_t features) {
  for (int32_t i = 0; i < program->parameterCount; ++i)
    if (!program->parameters[i].data)
      return "a parameter is not in the program";
  HamKaasExecution execution;
  memset(&execution, 0, sizeof execution);
  execution.structSize = sizeof execution;
  execution.parallelFor = runTiles;
  execution.features = features;
  void *constants = allocate(program->constantsBytes);
  void *state = allocate(program->stateBytes);
  void *workspace = allocate(program->workspaceBytes);
  int32_t failed = program->prepare && prepare(program, &execution, constants);
  if (!failed) {
    initializeStates(program, state, constants);
    failed =
        program->run(&execution, inputs, outputs, constants, state, workspace);
  }
  free(workspace);
  free(state);
  free(constants);
  if (!failed)
    return NULL;
  return execution.message ? execution.message
                           : program->calls[execution.failure.call].check;
}
