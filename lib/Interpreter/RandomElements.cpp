//===- RandomElements.cpp - Tensors to test devices with ------------------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Interpreter/RandomElements.h"
#include "llvm/Support/xxhash.h"
#include <random>

using namespace mlir;
using namespace hamkaas;

/// A random integer; a type with fewer bits takes its lowest.
static int64_t makeRandomInteger(uint64_t bits, Type type) {
  // The upper bits of a generator are the better ones.
  return bits >> (type.isInteger(8) ? 56 : 63);
}

ReferenceTensor hamkaas::makeRandomElements(RankedTensorType type,
                                            StringRef name) {
  std::mt19937_64 generator(llvm::xxh3_64bits(name));
  ReferenceTensor tensor(type);
  // std::uniform_real_distribution differs between libraries.
  for (float &element : tensor.f32)
    element = float(generator() >> 40) / (1 << 23) - 1;
  for (double &element : tensor.f64)
    element = double(generator() >> 11) / (uint64_t(1) << 52) - 1;
  for (int64_t &element : tensor.i64)
    element = makeRandomInteger(generator(), type.getElementType());
  roundToType(tensor);
  return tensor;
}

ReferenceTensor hamkaas::makeSpecialElements(RankedTensorType type,
                                             StringRef name) {
  std::mt19937_64 generator(llvm::xxh3_64bits(name));
  ReferenceTensor tensor(type);
  // The exponential of 128 overflows float32. A sum of squares of it would
  // overflow float16.
  float large = type.getElementType().isF16() ? 8 : 128;
  const float magnitudes[] = {0, 0, 0.5, 1, 1, 2, 4, large};
  auto makeFloat = [&] {
    uint64_t bits = generator();
    float magnitude = magnitudes[bits >> 61];
    // Zeros are positive: engines may lose the sign.
    return magnitude != 0 && (bits >> 60 & 1) ? -magnitude : magnitude;
  };
  llvm::for_each(tensor.f32, [&](float &element) { element = makeFloat(); });
  llvm::for_each(tensor.f64, [&](double &element) { element = makeFloat(); });
  static constexpr int64_t integers[] = {0, 1, -1, 2, -3, 5, 100, -100};
  for (int64_t &element : tensor.i64)
    element = integers[generator() >> 61];
  roundToType(tensor);
  return tensor;
}
