//===- verify-example.c - Asks the example whether it is whole ----*- C -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "example.h"

#include <stdio.h>

int main(void) {
  const char *error = example_verify();
  puts(error ? error : "whole");
  example_free_error(error);
  return 0;
}
