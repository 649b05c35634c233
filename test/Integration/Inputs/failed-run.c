// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs failed-run.hk with a second position that is out of range, then again.

#include "failed-run.h"

#include <stdio.h>

static void run(failed_run *model, float value, int64_t begin, int64_t begin2) {
  const int64_t end = begin + 1;
  float result[2] = {-1, -1};
  const char *error =
      failed_run_run(model, &value, &begin, &end, &begin2, result);
  printf("%s: %g %g\n", error ? error : "ok", result[0], result[1]);
  failed_run_free_error(error);
}

int main(void) {
  failed_run *model;
  if (failed_run_create(0, &model))
    return 1;
  run(model, 7, 0, 3);
  run(model, 5, 1, 1);
  failed_run_destroy(model);
  return 0;
}
