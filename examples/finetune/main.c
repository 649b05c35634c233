// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Fine-tunes a network that reads upright digits on digits that are upside
// down. train.h and train.so are what hamkaas-compile makes of digits.onnx.
//
//   finetune DIGITS.npy LABELS.npy [SNAPSHOT.safetensors]
//
// If the snapshot is there, training goes on from it; it is written at the end.
#include "train.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { Header = 128, Digits = 1000, Pixels = 28 * 28, Batch = 50 };
enum { KeptOut = Digits / 5, Trained = Digits - KeptOut, Epochs = 40 };

static unsigned char images[Header + Digits * Pixels], labels[Header + Digits];
static float batch[Batch * Pixels];
static int64_t batchLabels[Batch];

static void stopOn(const char *error) {
  if (!error)
    return;
  fprintf(stderr, "%s\n", error);
  train_free_error(error);
  exit(1);
}

static void readFile(const char *path, unsigned char *to, size_t size) {
  FILE *file = fopen(path, "rb");
  if (!file || fread(to, 1, size, file) != size) {
    fprintf(stderr, "%s: expected %zu bytes\n", path, size);
    exit(1);
  }
  fclose(file);
}

// Each fifth digit is kept out of training.
static int trainedDigit(int i) { return i / 4 * 5 + i % 4 + 1; }
static int keptOutDigit(int i) { return i * 5; }

// Puts a digit into the batch, upside down.
static void putDigit(int place, int digit) {
  const unsigned char *image = images + Header + digit * Pixels;
  for (int i = 0; i < Pixels; ++i)
    batch[place * Pixels + i] = image[Pixels - 1 - i] / 255.0f;
  batchLabels[place] = labels[Header + digit];
}

// The share of digits kept out that are read right.
static double measure(train *model) {
  int64_t right = 0;
  for (int first = 0; first < KeptOut; first += Batch) {
    float loss;
    int64_t correct;
    for (int i = 0; i < Batch; ++i)
      putDigit(i, keptOutDigit(first + i));
    stopOn(train_evaluate(model, batch, batchLabels, &loss, &correct));
    right += correct;
  }
  return (double)right / KeptOut;
}

// Another order in each epoch (Fisher and Yates, xorshift).
static void shuffle(int *order) {
  static uint64_t random = 88172645463325252u;
  for (int i = Trained - 1; i > 0; --i) {
    random ^= random << 13, random ^= random >> 7, random ^= random << 17;
    int other = (int)(random % (uint64_t)(i + 1)), digit = order[i];
    order[i] = order[other], order[other] = digit;
  }
}

// Returns the mean loss.
static double trainEpoch(train *model, int *order) {
  double sum = 0;
  shuffle(order);
  for (int first = 0; first < Trained; first += Batch) {
    float loss;
    for (int i = 0; i < Batch; ++i)
      putDigit(i, trainedDigit(order[first + i]));
    stopOn(train_train_step(model, batch, batchLabels, &loss));
    sum += loss;
  }
  return sum * Batch / Trained;
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

int main(int argc, char **argv) {
  if (argc < 3 || argc > 4)
    return fputs("usage: finetune DIGITS.npy LABELS.npy [SNAPSHOT]\n", stderr),
           1;
  readFile(argv[1], images, sizeof images);
  readFile(argv[2], labels, sizeof labels);
  const char *snapshot = argc > 3 ? argv[3] : NULL;
  train *model = NULL;
  stopOn(train_create(NULL, &model));
  if (snapshot && access(snapshot, F_OK) == 0)
    stopOn(train_load_state(model, snapshot));

  int order[Trained];
  for (int i = 0; i < Trained; ++i)
    order[i] = i;
  double accuracy = measure(model), seconds = 0;
  printf("before: %.1f %% of %d digits kept out are read right\n",
         100 * accuracy, KeptOut);
  for (int epoch = 1; epoch <= Epochs; ++epoch) {
    double begin = now(), loss = trainEpoch(model, order);
    seconds += now() - begin;
    accuracy = measure(model);
    if (isatty(STDERR_FILENO))
      fprintf(stderr,
              "\repoch %d/%d  loss %.4f  accuracy %.1f %%  %.0f digits/s  ",
              epoch, Epochs, loss, 100 * accuracy, epoch * Trained / seconds);
  }
  if (isatty(STDERR_FILENO))
    fputc('\n', stderr);
  printf("after:  %.1f %%, %d epochs in %.2f s, %.0f digits/s\n",
         100 * accuracy, Epochs, seconds, Epochs * Trained / seconds);
  if (snapshot)
    stopOn(train_save_state(model, snapshot));
  train_destroy(model);
  return 0;
}
