//===- Tensors.c - Contents of tensors ------------------------------------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tensors.h"

#include <math.h>
#include <string.h>

static uint64_t countElements(const HamKaasTensorInfo *tensor) {
  uint64_t count = 1;
  for (int32_t i = 0; i < tensor->rank; ++i)
    count *= (uint64_t)tensor->shape[i];
  return count;
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

static double decodeHalf(uint16_t bits) {
  int exponent = bits >> 10 & 31, fraction = bits & 1023;
  double sign = bits >> 15 ? -1 : 1;
  if (exponent == 31)
    return fraction ? NAN : sign * INFINITY;
  if (exponent == 0)
    return sign * ldexp(fraction, -24);
  return sign * ldexp(1024 + fraction, exponent - 25);
}

static float decodeBFloat(uint16_t bits) {
  uint32_t word = (uint32_t)bits << 16;
  float value;
  memcpy(&value, &word, sizeof(value));
  return value;
}

int isFloat(const HamKaasTensorInfo *tensor) {
  int32_t type = tensor->elementType;
  return type == HamKaasFloat32 || type == HamKaasFloat64 ||
         type == HamKaasFloat16 || type == HamKaasBFloat16;
}

/// Element `i` of a tensor of floats.
static double readFloat(int32_t type, const char *data, uint64_t i) {
  uint16_t half;
  float single;
  double wide;
  switch (type) {
  case HamKaasFloat32:
    memcpy(&single, data + 4 * i, 4);
    return single;
  case HamKaasFloat64:
    memcpy(&wide, data + 8 * i, 8);
    return wide;
  default:
    memcpy(&half, data + 2 * i, 2);
    return type == HamKaasFloat16 ? decodeHalf(half) : decodeBFloat(half);
  }
}

//===----------------------------------------------------------------------===//
// Random contents
//===----------------------------------------------------------------------===//

/// A number from -1 to 1.
static double drawNumber(uint64_t *state) {
  *state ^= *state >> 12;
  *state ^= *state << 25;
  *state ^= *state >> 27;
  return (double)(*state * 0x2545f4914f6cdd1d >> 11) / (1ull << 52) - 1;
}

/// A matrix of so many rows multiplies as many values.
static double getScale(const HamKaasTensorInfo *tensor) {
  int64_t largest = 1;
  for (int32_t i = 0; i < tensor->rank; ++i)
    if (tensor->shape[i] > largest)
      largest = tensor->shape[i];
  return sqrt(3.0 * (double)largest / (double)countElements(tensor));
}

void fillTensor(const HamKaasTensorInfo *tensor, void *data, uint64_t seed,
                int isParameter) {
  uint64_t count = countElements(tensor);
  uint64_t state = (seed + 1) * 0x9e3779b97f4a7c15;
  double scale = 1, offset = 0;
  memset(data, 0, tensor->bytes);
  if (isParameter && tensor->rank >= 2)
    scale = getScale(tensor);
  else if (isParameter)
    scale = 0.25, offset = 1;
  for (uint64_t i = 0; i < count; ++i) {
    float single = (float)(offset + scale * drawNumber(&state));
    double wide = single;
    if (tensor->elementType == HamKaasFloat32)
      memcpy((char *)data + 4 * i, &single, 4);
    else if (tensor->elementType == HamKaasFloat64)
      memcpy((char *)data + 8 * i, &wide, 8);
  }
}

//===----------------------------------------------------------------------===//
// Comparison
//===----------------------------------------------------------------------===//

Difference compareTensors(const HamKaasTensorInfo *tensor, const void *got,
                          const void *expected) {
  Difference difference = {0, 0, 0};
  uint64_t count = countElements(tensor);
  for (uint64_t i = 0; i < count; ++i) {
    if (!isFloat(tensor)) {
      uint64_t size = tensor->bytes / count;
      difference.unequal +=
          memcmp((const char *)got + size * i,
                 (const char *)expected + size * i, size) != 0;
      continue;
    }
    double a = readFloat(tensor->elementType, got, i);
    double b = readFloat(tensor->elementType, expected, i);
    if (isfinite(a) && isfinite(b)) {
      difference.largest = fmax(difference.largest, fabs(a - b));
      difference.magnitude = fmax(difference.magnitude, fabs(b));
    } else if (!(isnan(a) && isnan(b)) && a != b) {
      ++difference.unequal;
    }
  }
  return difference;
}

int isWithin(Difference difference, double tolerance) {
  return difference.unequal == 0 &&
         difference.largest <= tolerance * difference.magnitude;
}
