//===- app.c - A program with models ------------------------------*- C -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "model_2_relu.h"
#include "network.h"

#include <stdio.h>

int scale_once(const float *x, float *y);

static const char *run_network(const float *x, float *y) {
  network *model = NULL;
  const char *error = network_create(NULL, &model);
  if (!error)
    error = network_run(model, x, y);
  network_destroy(model);
  return error;
}

static const char *run_relu(const float *x, float *y) {
  model_2_relu *model = NULL;
  const char *error = model_2_relu_create(NULL, &model);
  if (!error)
    error = model_2_relu_run(model, x, y);
  model_2_relu_destroy(model);
  return error;
}

int main(void) {
  const float x[12] = {-1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
  float scaled[6], y[8], positive[2];
  const char *error = run_network(x, y);
  if (!error)
    error = run_relu(x, positive);
  if (error || scale_once(x, scaled))
    return printf("%s\n", error ? error : "not scaled"), 1;
  printf("%g %g %g\n", (double)scaled[0], (double)scaled[1], (double)scaled[2]);
  printf("%d\n%g %g\n", NETWORK_X_BYTES, (double)positive[0],
         (double)positive[1]);
  return 0;
}
