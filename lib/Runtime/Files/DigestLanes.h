//===- DigestLanes.h - BLAKE3 of equal inputs side by side ------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each lane of a vector works on an input of its own. The functions are
// templates of the number of lanes and inlined into one for each instruction
// set level, whose instructions they then have.
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_RUNTIME_FILES_DIGESTLANES_H
#define HAMKAAS_LIB_RUNTIME_FILES_DIGESTLANES_H

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

namespace hamkaas::rt::blake3 {

constexpr size_t blockBytes = 64;
constexpr uint32_t initialValue[8] = {0x6A09E667, 0xBB67AE85, 0x3C6EF372,
                                      0xA54FF53A, 0x510E527F, 0x9B05688C,
                                      0x1F83D9AB, 0x5BE0CD19};

constexpr uint32_t chunkStart = 1, chunkEnd = 2, parent = 4, root = 8;

/// The permutation of the words of a block in each of the seven rounds.
constexpr uint8_t schedule[7][16] = {
    {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
    {2, 6, 3, 10, 7, 0, 4, 13, 1, 11, 12, 5, 9, 14, 15, 8},
    {3, 4, 10, 12, 13, 2, 7, 14, 6, 5, 9, 0, 11, 15, 8, 1},
    {10, 7, 12, 9, 14, 3, 13, 15, 4, 0, 11, 2, 5, 8, 1, 6},
    {12, 13, 9, 11, 15, 10, 14, 8, 7, 2, 5, 3, 0, 1, 6, 4},
    {9, 14, 11, 5, 8, 12, 15, 1, 13, 3, 0, 10, 2, 6, 4, 7},
    {11, 15, 5, 0, 1, 9, 8, 6, 14, 10, 2, 12, 3, 4, 7, 13}};

/// Inputs of the same length, `stride` bytes apart.
struct Inputs {
  const uint8_t *data;
  size_t stride;
  size_t count;
  size_t blocks;      // of each input
  uint32_t lastBytes; // in the last block, behind which there are zeros
  bool areChunks;     // else parents
  uint64_t firstChunk;
  bool isRoot;
};

typedef uint32_t Vector4 __attribute__((vector_size(16)));
typedef uint32_t Vector8 __attribute__((vector_size(32)));
typedef uint32_t Vector16 __attribute__((vector_size(64)));

/// Chaining value of a chunk or a parent.
using ChainingValue = uint32_t[8];

#define HAMKAAS_INLINE [[gnu::always_inline]] static inline

// NOTE: vectors are passed by reference: passing by value depends on the
// instruction sets of caller and callee.
template <typename Vector> struct Lanes {
  static constexpr int lanes = sizeof(Vector) / sizeof(uint32_t);

  template <int count> HAMKAAS_INLINE void rotate(Vector &value) {
    value = (value >> count) | (value << (32 - count));
  }

  HAMKAAS_INLINE void mix(Vector &a, Vector &b, Vector &c, Vector &d,
                          const Vector &x, const Vector &y) {
    a += b + x;
    d ^= a;
    rotate<16>(d);
    c += d;
    b ^= c;
    rotate<12>(b);
    a += b + y;
    d ^= a;
    rotate<8>(d);
    c += d;
    b ^= c;
    rotate<7>(b);
  }

  HAMKAAS_INLINE void mixRounds(Vector (&v)[16], const Vector (&m)[16]) {
    for (const uint8_t (&s)[16] : schedule) {
      mix(v[0], v[4], v[8], v[12], m[s[0]], m[s[1]]);
      mix(v[1], v[5], v[9], v[13], m[s[2]], m[s[3]]);
      mix(v[2], v[6], v[10], v[14], m[s[4]], m[s[5]]);
      mix(v[3], v[7], v[11], v[15], m[s[6]], m[s[7]]);
      mix(v[0], v[5], v[10], v[15], m[s[8]], m[s[9]]);
      mix(v[1], v[6], v[11], v[12], m[s[10]], m[s[11]]);
      mix(v[2], v[7], v[8], v[13], m[s[12]], m[s[13]]);
      mix(v[3], v[4], v[9], v[14], m[s[14]], m[s[15]]);
    }
  }

  /// a[0] b[0] a[1] b[1] ..., from element `from` on.
  template <int from, int... i>
  HAMKAAS_INLINE void interleave(const Vector &a, const Vector &b,
                                 Vector &result,
                                 std::integer_sequence<int, i...>) {
    result = __builtin_shufflevector(a, b, (from + i / 2 + i % 2 * lanes)...);
  }

  /// Row i, element j becomes row j, element i: interleaving the two halves of
  /// the rows moves one bit of the row's number into that of the element.
  HAMKAAS_INLINE void transpose(Vector *rows) {
    constexpr std::make_integer_sequence<int, lanes> all;
    for (int step = 1; step < lanes; step *= 2) {
      Vector next[lanes];
      for (int i = 0; i < lanes / 2; ++i) {
        const Vector &a = rows[i], &b = rows[i + lanes / 2];
        interleave<0>(a, b, next[2 * i], all);
        interleave<lanes / 2>(a, b, next[2 * i + 1], all);
      }
      for (int i = 0; i < lanes; ++i)
        rows[i] = next[i];
    }
  }

  /// Word i of block `block` of the inputs from `first` on. Lanes behind the
  /// last input repeat it.
  HAMKAAS_INLINE void loadBlock(const Inputs &inputs, size_t first,
                                size_t block, Vector (&words)[16]) {
    for (int word = 0; word < 16; word += lanes) {
      for (int lane = 0; lane < lanes; ++lane) {
        size_t input = first + static_cast<size_t>(lane);
        if (input >= inputs.count)
          input = inputs.count - 1;
        const uint8_t *from =
            inputs.data + input * inputs.stride + block * blockBytes;
        // Hardware tracks fewer streams than there are lanes: this gives 7.4
        // instead of 5.1 GB/s with AVX-512.
        if (word == 0)
          __builtin_prefetch(from + 8 * blockBytes);
        memcpy(&words[word + lane], from + 4 * word, sizeof(Vector));
      }
      transpose(words + word);
    }
  }

  HAMKAAS_INLINE uint32_t flagsOf(const Inputs &inputs, size_t block) {
    bool isLast = block + 1 == inputs.blocks;
    uint32_t flags = inputs.isRoot && isLast ? root : 0;
    if (!inputs.areChunks)
      return flags | parent;
    return flags | (block == 0 ? chunkStart : 0) | (isLast ? chunkEnd : 0);
  }

  HAMKAAS_INLINE void compressBlock(const Inputs &inputs, size_t first,
                                    size_t block, Vector (&value)[8]) {
    Vector words[16];
    loadBlock(inputs, first, block, words);
    Vector v[16] = {};
    for (int i = 0; i < 8; ++i)
      v[i] = value[i];
    for (int i = 0; i < 4; ++i)
      v[8 + i] += initialValue[i];
    for (int lane = 0; inputs.areChunks && lane < lanes; ++lane) {
      uint64_t chunk = inputs.firstChunk + first + static_cast<uint64_t>(lane);
      v[12][lane] = static_cast<uint32_t>(chunk);
      v[13][lane] = static_cast<uint32_t>(chunk >> 32);
    }
    v[14] += block + 1 == inputs.blocks ? inputs.lastBytes
                                        : static_cast<uint32_t>(blockBytes);
    v[15] += flagsOf(inputs, block);
    mixRounds(v, words);
    for (int i = 0; i < 8; ++i)
      value[i] = v[i] ^ v[8 + i];
  }

  /// `values` may be the inputs.
  HAMKAAS_INLINE void hash(const Inputs &inputs, ChainingValue *values) {
    for (size_t first = 0; first < inputs.count; first += lanes) {
      Vector value[8] = {};
      for (int i = 0; i < 8; ++i)
        value[i] += initialValue[i];
      for (size_t block = 0; block < inputs.blocks; ++block)
        compressBlock(inputs, first, block, value);
      size_t left = inputs.count - first;
      for (size_t lane = 0; lane < size_t{lanes} && lane < left; ++lane)
        for (int i = 0; i < 8; ++i)
          values[first + lane][i] = value[i][lane];
    }
  }
};

#undef HAMKAAS_INLINE

} // namespace hamkaas::rt::blake3

#endif // HAMKAAS_LIB_RUNTIME_FILES_DIGESTLANES_H
