//===- use-state.c - Reads and sets the example model's state -----*- C -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

/* usage: use-state FILE.safetensors
   The state "n" of the example model counts its runs. */

#include "example.h"

#include <stdio.h>

static void report(const char *message) {
  if (!message)
    return;
  printf("error: %s\n", message);
  example_free_error(message);
}

static void print(example *model) {
  float n = -1;
  report(example_read_state(model, "n", &n, sizeof(n)));
  printf("n = %g\n", n);
}

static void run(example *model, int times) {
  const float x[4] = {0}, y[4] = {0};
  float sum[4];
  while (times-- > 0)
    report(example_run(model, x, y, sum));
  print(model);
}

int main(int argc, char **argv) {
  const float n = 40;
  double wrong = 0;
  example *model = NULL;
  if (argc != 2)
    return 1;
  report(example_create(NULL, &model));
  run(model, 3);
  report(example_write_state(model, "n", &n, sizeof(n)));
  run(model, 2);
  report(example_save_state(model, argv[1]));
  report(example_reset_state(model));
  print(model);
  report(example_load_state(model, argv[1]));
  print(model);

  report(example_read_state(model, "m", &wrong, sizeof(wrong)));
  report(example_write_state(model, "n", &wrong, sizeof(wrong)));
  report(example_load_state(model, "/none/state.safetensors"));
  report(example_save_state(model, "/none/state.safetensors"));
  print(model);
  example_destroy(model);
  report(example_read_state(model, "n", &wrong, sizeof(float)));
  return 0;
}
