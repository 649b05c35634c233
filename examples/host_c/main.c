// Prints the digits that a compiled MNIST net reads in ../mnist/digits.npy.
#include "mnist.h"

#include <stdio.h>

int main(int argc, char **argv) {
  enum { Header = 128, Pixels = 28 * 28, Batch = 128 };
  static unsigned char file[Header + Batch * Pixels];
  static float input[Batch * Pixels], result[Batch * 10];

  FILE *stream = argc == 2 ? fopen(argv[1], "rb") : NULL;
  if (!stream || fread(file, 1, sizeof file, stream) != sizeof file)
    return fprintf(stderr, "usage: %s digits.npy\n", argv[0]), 1;
  for (int i = 0; i < Batch * Pixels; ++i)
    input[i] = file[Header + i] / 255.0f;

  mnist *model = NULL;
  const char *error = mnist_create(NULL, &model);
  if (!error)
    error = mnist_run(model, input, result);
  if (error)
    return fprintf(stderr, "%s\n", error), 1;
  for (int digit = 0; digit < Batch; ++digit) {
    const float *scores = result + digit * 10;
    int best = 0;
    for (int i = 1; i < 10; ++i)
      best = scores[i] > scores[best] ? i : best;
    printf("%d%c", best, digit % 32 == 31 ? '\n' : ' ');
  }
  mnist_destroy(model);
  return 0;
}
