//===- scaler.c - A library with a model --------------------------*- C -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "scale.h"

/* Sets y to the scaled x; 0 on success. */
int scale_once(const float *x, float *y) {
  scale *model = NULL;
  const char *error = scale_create(NULL, &model);
  int failed = error || (error = scale_run(model, x, y));
  scale_free_error(error);
  scale_destroy(model);
  return failed;
}
