//===- use-functions.c - Runs two functions from C ----------------*- C -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "functions.h"

#include <stdio.h>

static void print(const float z[6]) {
  printf("%g %g %g %g %g %g\n", z[0], z[1], z[2], z[3], z[4], z[5]);
}

int main(void) {
  const float x[6] = {0, 1, 2, 3, 4, 5}, step[3] = {1, 1, 1};
  float y[6], z[6];
  functions *model = NULL;
  const char *error = functions_create(NULL, &model);
  if (!error)
    error = functions_prefill(model, x, y);
  // One function loads what the other stores.
  for (int i = 0; i < 2 && !error; ++i)
    error = functions_decode(model, step, z);
  if (error)
    puts(error);
  print(y);
  print(z);
  printf("%d %d\n", FUNCTIONS_PREFILL_X_BYTES, FUNCTIONS_DECODE_X_BYTES);
  functions_free_error(error);
  functions_destroy(model);
  return 0;
}
