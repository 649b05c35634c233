// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Prints what a compiled MNIST net reads in the first digits of a file like
// ../mnist/digits.npy on standard input.
#include "mnist.h"

#include <stdio.h>

enum { Header = 128, Batch = 128, Pixels = 28 * 28 };
static unsigned char file[Header + Batch * Pixels];
static float input[Batch * Pixels], result[Batch * 10];

int main(void) {
  if (fread(file, 1, sizeof file, stdin) != sizeof file)
    return fputs("expected 128 digits on standard input\n", stderr), 1;
  for (int i = 0; i < Batch * Pixels; ++i)
    input[i] = file[Header + i] / 255.0f;

  mnist *model = NULL;
  const char *error = mnist_create(NULL, &model);
  if (!error)
    error = mnist_run(model, input, result);
  mnist_destroy(model);
  if (error) {
    fprintf(stderr, "%s\n", error);
    mnist_free_error(error);
    return 1;
  }
  for (int digit = 0, best = 0; digit < Batch; ++digit, best = 0) {
    for (int i = 1; i < 10; ++i)
      best = result[digit * 10 + i] > result[digit * 10 + best] ? i : best;
    printf("%d%c", best, digit % 32 == 31 ? '\n' : ' ');
  }
  return 0;
}
