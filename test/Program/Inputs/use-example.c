//===- use-example.c - Runs the example model from C --------------*- C -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "example.h"

#include <stdio.h>

static int fail(const char *message) {
  printf("error: %s\n", message);
  example_free_error(message);
  return 1;
}

int main(void) {
  const float x[] = {1, 2, 3, 4};
  const float y[] = {0.5F, 0.5F, 0.5F, 0.5F};
  float sum[EXAMPLE_SUM_BYTES / sizeof(float)];
  example_options options = EXAMPLE_OPTIONS_INIT;
  example *model = NULL;
  int run;
#ifdef PASS_PARAMETERS
  const float bias[] = {100, 200, 300, 400};
  options.bias = bias;
#endif
  options.threads = 2;

  const char *error = example_create(&options, &model);
  if (error)
    return fail(error);
  for (run = 0; run < 3; ++run) {
    error = run == 2 ? example_reset_state(model) : NULL;
    if (error)
      return fail(error);
    error = example_run(model, x, y, sum);
    if (error)
      return fail(error);
    printf("%g %g %g %g\n", sum[0], sum[1], sum[2], sum[3]);
  }
  example_destroy(model);

  options.struct_size -= 1;
  fail(example_create(&options, &model));
  options.struct_size += 1;
  options.device = "abacus";
  fail(example_create(&options, &model));
  return 0;
}
