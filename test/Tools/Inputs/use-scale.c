//===- use-scale.c - Runs scale.hk from C -------------------------*- C -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "scale.h"

#include <stdio.h>

// With an argument the digest of the weights is not compared.
int main(int argc, char **argv) {
  const float x[] = {1, 1, 1, 1, 1, 1};
  float y[6];
  scale_options options = SCALE_OPTIONS_INIT;
  scale *model = NULL;
  const char *error;
  (void)argv;
  options.unverified = argc > 1;
  error = scale_create(&options, &model);
  if (!error)
    error = scale_run(model, x, y);
  if (error)
    puts(error);
  else
    printf("%g %g %g\n", y[0], y[1], y[2]);
  scale_free_error(error);
  scale_destroy(model);
  return 0;
}
