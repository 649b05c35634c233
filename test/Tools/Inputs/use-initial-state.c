//===- use-initial-state.c - Resets state from C ------------------*- C -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "initial.h"

#include <stdio.h>

static const char *run(initial *model) {
  const float x[] = {1, 1, 1};
  float sum[3], mask[5];
  int64_t count;
  uint8_t seen[3];
  const char *error = initial_run(model, x, sum, &count, mask, seen);
  if (!error)
    printf("%g %g %g, %d\n", sum[0], sum[1], sum[2], (int)count);
  return error;
}

int main(void) {
  initial *model = NULL;
  const char *error = initial_create(NULL, &model);
  if (!error)
    error = run(model);
  if (!error)
    error = run(model);
  if (!error)
    error = initial_reset_state(model);
  if (!error)
    error = run(model);
  if (error)
    puts(error);
  initial_free_error(error);
  initial_destroy(model);
  return 0;
}
