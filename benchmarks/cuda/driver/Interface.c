//===- Interface.c - The tensors of a model -------------------------------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Commands.h"
#include "Model.h"
#include "Tensors.h"

#include <stdio.h>

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
