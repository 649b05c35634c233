//===- Dims.h - Shapes and ranges -------------------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_CPP_ARRAY_DIMS_H
#define HAMKAAS_CPP_ARRAY_DIMS_H

#include "hamkaas-cpp/Value.h"

#include <cstdint>
#include <initializer_list>
#include <string>

namespace hamkaas {
inline namespace HAMKAAS_CPP_VARIANT {

/// The largest rank of an array.
inline constexpr int32_t maxRank = 8;

/// A shape, or a list of dimensions. Entries beyond the largest rank count, but
/// are not stored; whoever takes the list reports an error.
class Dims {
public:
  Dims() = default;
  Dims(std::initializer_list<int64_t> given)
      : Dims(given.begin(), given.size()) {}
  Dims(const int64_t *first, size_t size) : count(static_cast<int32_t>(size)) {
    for (int32_t i = 0; i < stored(); ++i)
      entries[i] = first[i];
  }

  int32_t size() const { return count; }
  int64_t operator[](int32_t i) const { return entries[i]; }
  int64_t &operator[](int32_t i) { return entries[i]; }
  const int64_t *data() const { return entries; }
  const int64_t *begin() const { return entries; }
  const int64_t *end() const { return entries + stored(); }
  void push(int64_t entry) {
    if (count++ < maxRank)
      entries[count - 1] = entry;
  }

  bool operator==(const Dims &other) const {
    if (count != other.count)
      return false;
    for (int32_t i = 0; i < stored(); ++i)
      if (entries[i] != other.entries[i])
        return false;
    return true;
  }
  bool operator!=(const Dims &other) const { return !(*this == other); }

private:
  int32_t stored() const { return count < maxRank ? count : maxRank; }

  int32_t count = 0;
  int64_t entries[maxRank] = {};
};

/// The elements `begin`, `begin + step`, ... before `end` of a dimension, as a
/// slice in Python: negative positions count from the end, and a bound that is
/// left out is the end of the dimension. One number takes one element and
/// removes the dimension.
struct Range {
  static constexpr int64_t open = INT64_MIN;

  Range() = default;
  Range(int64_t position) : begin(position), isPosition(true) {}
  Range(int position) : Range(static_cast<int64_t>(position)) {}
  Range(int64_t begin, int64_t end, int64_t step = 1)
      : begin(begin), end(end), step(step) {}

  /// The whole of a dimension.
  static Range all() { return {}; }

  int64_t begin = open, end = open, step = 1;
  bool isPosition = false;
};

namespace detail {

inline std::string describe(const Dims &dims) {
  std::string text = "[";
  for (const int64_t &entry : dims)
    text += (&entry == dims.begin() ? "" : ", ") + std::to_string(entry);
  return text + (dims.size() > maxRank ? ", ...]" : "]");
}

/// Of an operator, which cannot know its caller.
inline constexpr Position nowhere = {nullptr, 0};

/// "net.cpp:12: error: PROBLEM".
inline std::string locate(Position at, const std::string &problem) {
  if (!at.file)
    return problem;
  return std::string(at.file) + ":" + std::to_string(at.line) +
         ": error: " + problem;
}

/// Empty if arrays can have this shape.
inline std::string checkShape(const Dims &shape) {
  if (shape.size() > maxRank)
    return "expected at most 8 dimensions, got " + std::to_string(shape.size());
  int64_t room = (int64_t(1) << 47) - 1;
  for (int64_t size : shape) {
    if (size < 1)
      return "expected dimensions of at least 1, got " + describe(shape);
    if (size > room)
      return "expected fewer than 2^47 elements, got " + describe(shape);
    room /= size;
  }
  return "";
}

} // namespace detail

} // namespace HAMKAAS_CPP_VARIANT
} // namespace hamkaas

#endif // HAMKAAS_CPP_ARRAY_DIMS_H
