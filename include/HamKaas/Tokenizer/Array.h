//===- Array.h - An array that grows ----------------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_TOKENIZER_ARRAY_H
#define HAMKAAS_TOKENIZER_ARRAY_H

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <type_traits>
#include <utility>

namespace hamkaas::tok {

/// Elements in memory of malloc, because std::vector needs the C++ standard
/// library at link time. Functions that allocate return false when there is no
/// memory, and then change nothing.
template <typename T> class Array {
  static_assert(std::is_trivially_copyable_v<T>);

public:
  Array() = default;
  Array(const Array &) = delete;
  Array &operator=(const Array &) = delete;
  ~Array() { free(items); }

  size_t size() const { return count; }
  bool empty() const { return count == 0; }
  T *data() { return items; }
  const T *data() const { return items; }
  T *begin() { return items; }
  T *end() { return items + count; }
  const T *begin() const { return items; }
  const T *end() const { return items + count; }
  T &operator[](size_t i) { return items[i]; }
  const T &operator[](size_t i) const { return items[i]; }
  T &back() { return items[count - 1]; }

  /// Keeps the memory.
  void clear() { count = 0; }
  void pop() { --count; }
  /// `smaller` is at most the size.
  void shrink(size_t smaller) { count = smaller; }
  void removeFirst(size_t removed) {
    count -= removed;
    memmove(items, items + removed, count * sizeof(T));
  }

  [[nodiscard]] bool reserve(size_t wanted) {
    if (wanted <= capacity)
      return true;
    if (wanted > PTRDIFF_MAX / sizeof(T) / 2)
      return false;
    size_t larger = wanted < 2 * capacity ? 2 * capacity : wanted;
    T *grown = static_cast<T *>(realloc(items, larger * sizeof(T)));
    if (!grown)
      return false;
    items = grown;
    capacity = larger;
    return true;
  }

  [[nodiscard]] bool push(const T &item) {
    T copy = item;
    if (!reserve(count + 1))
      return false;
    items[count++] = copy;
    return true;
  }

  /// `more` is not of this array.
  [[nodiscard]] bool append(const T *more, size_t moreCount) {
    if (!reserve(count + moreCount))
      return false;
    if (moreCount)
      memcpy(items + count, more, moreCount * sizeof(T));
    count += moreCount;
    return true;
  }

  /// All elements are `value`.
  [[nodiscard]] bool assign(size_t wanted, const T &value) {
    T copy = value;
    if (!reserve(wanted))
      return false;
    count = wanted;
    for (size_t i = 0; i < count; ++i)
      items[i] = copy;
    return true;
  }

private:
  T *items = nullptr;
  size_t count = 0;
  size_t capacity = 0;
};

/// Bytes that somebody else owns, not null-terminated.
struct Text {
  const char *data = "";
  size_t size = 0;

  constexpr Text() = default;
  constexpr Text(const char *data, size_t size) : data(data), size(size) {}
  constexpr Text(const char *text) : data(text), size(__builtin_strlen(text)) {}

  const char *begin() const { return data; }
  const char *end() const { return data + size; }
  bool empty() const { return size == 0; }

  bool operator==(const Text &other) const {
    return size == other.size && (size == 0 || !memcmp(data, other.data, size));
  }

  /// Position of the first `part` at or after `from`; SIZE_MAX if there is
  /// none.
  size_t find(Text part, size_t from = 0) const {
    if (from > size)
      return SIZE_MAX;
    const void *found = memmem(data + from, size - from, part.data, part.size);
    return found ? static_cast<const char *>(found) - data : SIZE_MAX;
  }
  bool contains(Text part) const { return find(part) != SIZE_MAX; }

  Text slice(size_t from, size_t to) const { return {data + from, to - from}; }
};

} // namespace hamkaas::tok

#endif // HAMKAAS_TOKENIZER_ARRAY_H
