//===- use-library.c - Compiles, runs and writes a model from C ---*- C -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

/* usage: use-library OUTPUT.so */

#include "hamkaas-c/Compat.h"
#include "hamkaas-c/Compiler.h"

#include <stdio.h>
#include <string.h>

static const char script[] = "$1 = InputTensor(x, float32, [4]);\n"
                             "$2 = ConstantTensor(bias, float32, [4]);\n"
                             "$3 = SumNode($1, $2);\n"
                             "$4 = ReLUNode($3);\n"
                             "result = $4;\n";

static int report(HamKaasError error) {
  if (!error)
    return 0;
  printf("error: %s\n", error);
  HamKaasErrorFree(error);
  return 1;
}

static int run(HamKaasModel *model) {
  const float bias[] = {1, 2, 3, -4}, x[] = {10, 20, 30, -40};
  const void *inputs[1];
  void *outputs[1];
  float y[4];
  HamKaasNamedData parameter = {"bias", NULL, sizeof(bias)};
  HamKaasInstanceOptions options = {0};
  HamKaasInstance *instance = NULL;
  inputs[0] = x;
  outputs[0] = y;
  parameter.data = bias;
  options.structSize = sizeof(options);
  options.parameters = &parameter;
  options.parameterCount = 1;
  if (report(HamKaasModelCreateInstance(model, &options, &instance)))
    return 1;
  if (!report(HamKaasInstanceRun(instance, inputs, outputs)))
    printf("%g %g %g %g\n", y[0], y[1], y[2], y[3]);
  HamKaasInstanceDestroy(instance);
  return 0;
}

int main(int argc, char **argv) {
  HamKaasModel *model = NULL, *loaded = NULL;
  if (argc != 2 ||
      report(HamKaasModelCompile(script, strlen(script), NULL, &model)))
    return 1;
  if (run(model))
    return 1;
  if (report(HamKaasModelWrite(model, argv[1], NULL)) ||
      report(HamKaasModelLoad(argv[1], NULL, &loaded)) || run(loaded))
    return 1;
  report(HamKaasModelDestroy(loaded));
  report(HamKaasModelDestroy(loaded));
  report(HamKaasModelDestroy(model));
  return 0;
}
