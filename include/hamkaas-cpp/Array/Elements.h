//===- Elements.h - Shared memory with a layout -----------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_CPP_ARRAY_ELEMENTS_H
#define HAMKAAS_CPP_ARRAY_ELEMENTS_H

#include "hamkaas-cpp/Array/Layout.h"
#include "hamkaas-cpp/Result.h"
#include "hamkaas-cpp/Tensor.h"

#include <memory>

namespace hamkaas {
inline namespace HAMKAAS_CPP_VARIANT {
namespace detail {

/// Memory, or the reason why there is none. Lives as long as its views.
struct Block {
  Block(void *memory, uint64_t bytes, bool isOwned)
      : memory(static_cast<char *>(memory)), bytes(bytes), isOwned(isOwned) {}
  explicit Block(std::string problem) : problem(std::move(problem)) {}
  ~Block() {
    if (isOwned)
      free(memory);
  }
  Block(const Block &) = delete;
  Block &operator=(const Block &) = delete;

  /// Null if there is not enough memory.
  static std::shared_ptr<Block> allocate(uint64_t bytes) {
    uint64_t mask = HAMKAAS_REGION_ALIGNMENT - 1;
    void *memory =
        aligned_alloc(HAMKAAS_REGION_ALIGNMENT, (bytes + mask) & ~mask);
    return memory ? std::make_shared<Block>(memory, bytes, true) : nullptr;
  }

  char *memory = nullptr;
  uint64_t bytes = 0;
  bool isOwned = false;
  std::string problem;
};

/// A view, without its element type in C++. One without a block is empty.
class Elements {
public:
  explicit Elements(int32_t type) : type(type) {}

  const Dims &shape() const { return layout.shape; }
  /// In elements.
  const Dims &strides() const { return layout.strides; }
  int32_t rank() const { return layout.rank(); }
  /// The number of elements, 0 if nothing was assigned.
  int64_t size() const { return first ? layout.elements() : 0; }
  /// True if the elements are one after the other, in row-major order.
  bool isContiguous() const { return layout.isDense(); }
  /// Why there are no elements, empty without an error.
  std::string problem() const { return block ? block->problem : ""; }

protected:
  friend struct ElementsAccess;

  std::shared_ptr<Block> block;
  char *first = nullptr;
  int32_t type;
  Layout layout;
};

/// The parts of a view, for the functions of this library alone.
struct ElementsAccess {
  static const Layout &layout(const Elements &x) { return x.layout; }
  static char *first(const Elements &x) { return x.first; }
  static const std::shared_ptr<Block> &block(const Elements &x) {
    return x.block;
  }
  static int32_t type(const Elements &x) { return x.type; }
  static int64_t elementBytes(const Elements &x) {
    return static_cast<int64_t>(elementTypeInfo(x.type).size);
  }
  /// "float32 [2, 3]".
  static std::string describe(const Elements &x) {
    std::string shape = x.first ? detail::describe(x.shape()) : "without shape";
    return std::string(elementTypeInfo(x.type).name) + " " + shape;
  }

  static void set(Elements &x, std::shared_ptr<Block> block, char *first,
                  const Layout &layout) {
    x.block = std::move(block);
    x.first = first;
    x.layout = layout;
  }

  /// Makes `x` one that has an error, or throws it.
  static void fail(Elements &x, Position at, const std::string &problem) {
#ifdef HAMKAAS_EXCEPTIONS
    (void)x;
    throw Error(locate(at, problem));
#else
    set(x, std::make_shared<Block>(locate(at, problem)), nullptr, Layout());
#endif
  }

  /// Gives `x` memory of its own for `shape`, which is undefined.
  static std::string allocate(Elements &x, const Dims &shape) {
    std::string problem = checkShape(shape);
    if (!problem.empty())
      return problem;
    Layout layout = Layout::dense(shape);
    uint64_t bytes = static_cast<uint64_t>(layout.elements() * elementBytes(x));
    std::shared_ptr<Block> block = Block::allocate(bytes);
    if (!block)
      return "out of memory for " + std::to_string(bytes) + " bytes";
    char *memory = block->memory;
    set(x, std::move(block), memory, layout);
    return "";
  }

  /// The first and one past the last byte in use.
  static const char *begin(const Elements &x) {
    return x.first + x.layout.lowest() * elementBytes(x);
  }
  static const char *end(const Elements &x) {
    return x.first + (x.layout.highest() + 1) * elementBytes(x);
  }
  static bool overlap(const Elements &x, const Elements &y) {
    return begin(x) < end(y) && begin(y) < end(x);
  }

  /// `to` and `from` have one shape.
  static std::string copy(const Elements &to, const Elements &from) {
    if (!overlap(to, from)) {
      copyElements(to.first, to.layout, from.first, from.layout,
                   elementBytes(to));
      return "";
    }
    Elements whole(from.type);
    std::string problem = allocate(whole, from.shape());
    if (!problem.empty())
      return problem;
    copyElements(whole.first, whole.layout, from.first, from.layout,
                 elementBytes(to));
    copyElements(to.first, to.layout, whole.first, whole.layout,
                 elementBytes(to));
    return "";
  }
};

} // namespace detail
} // namespace HAMKAAS_CPP_VARIANT
} // namespace hamkaas

#endif // HAMKAAS_CPP_ARRAY_ELEMENTS_H
