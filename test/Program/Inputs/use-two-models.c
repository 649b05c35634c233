//===- use-two-models.c - Two models in one program ---------------*- C -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "first.h"
#include "second.h"

#include <stdio.h>

int main(void) {
  first *a = NULL;
  second *b = NULL;
  const char *error = first_create(NULL, &a);
  if (error) {
    puts(error);
    first_free_error(error);
  }
  error = second_create(NULL, &b);
  if (error) {
    puts(error);
    second_free_error(error);
  }
  first_destroy(a);
  second_destroy(b);
  return 0;
}
