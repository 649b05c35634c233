//===- Window.h - Strided views as slices of dense tensors ------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program takes dense tensors. So a strided view is a dense tensor around it,
// its window, and a slice, a permutation and a broadcast of that, which become
// part of the program.
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_CPP_ARRAY_WINDOW_H
#define HAMKAAS_CPP_ARRAY_WINDOW_H

#include "hamkaas-cpp/Array/Elements.h"

namespace hamkaas {
inline namespace HAMKAAS_CPP_VARIANT {
namespace detail {

/// Dimensions from the longest stride to the shortest.
struct Window {
  int32_t rank = 0;
  int64_t sizes[maxRank];   // of the window
  int64_t offsets[maxRank]; // of the first element that the slice takes
  int64_t steps[maxRank];   // of the slice, perhaps negative
  int64_t counts[maxRank];  // elements that the slice takes
  int32_t dims[maxRank];    // of the view
  const char *first = nullptr;
};

class WindowFinder {
public:
  WindowFinder(const Elements &view, Window &window)
      : view(view), window(window), layout(ElementsAccess::layout(view)) {}

  /// Returns false if there is no such window, for example because of elements
  /// that overlap in memory.
  bool find() {
    sortDimensions();
    if (window.rank == 0) {
      window.first = ElementsAccess::first(view);
      return true;
    }
    return chooseRows(window.rank - 1, /*row=*/1);
  }

private:
  int64_t stride(int32_t i) const {
    int64_t stride = layout.strides[window.dims[i]];
    return stride < 0 ? -stride : stride;
  }

  void sortDimensions() {
    for (int32_t dim = 0; dim < layout.rank(); ++dim) {
      if (layout.shape[dim] == 1 || layout.strides[dim] == 0)
        continue;
      int32_t at = window.rank++;
      window.dims[at] = dim;
      for (; at > 0 && stride(at) > stride(at - 1); --at)
        std::swap(window.dims[at], window.dims[at - 1]);
    }
  }

  /// Chooses the sizes of dimension `i` and those before it, where `row`
  /// elements of the window are one step along it.
  bool chooseRows(int32_t i, int64_t row) {
    if (stride(i) % row != 0)
      return false;
    int64_t step = stride(i) / row;
    window.counts[i] = layout.shape[window.dims[i]];
    window.steps[i] = step;
    int64_t extent = (window.counts[i] - 1) * step + 1;
    if (i == 0) {
      window.sizes[0] = extent;
      return place();
    }
    int64_t room = stride(i - 1) / row;
    if (stride(i - 1) % row != 0)
      return false;
    // Rows of the full stride first. Shorter ones reach less far beyond the
    // last element. More parts than these are found by nobody who slices.
    constexpr int64_t mostParts = 64;
    for (int64_t parts = 1; parts <= mostParts && room / parts >= extent;
         ++parts) {
      window.sizes[i] = room / parts;
      if (room % parts == 0 && chooseRows(i - 1, row * window.sizes[i]))
        return true;
    }
    return false;
  }

  /// Moves the window back if it would reach beyond the end of the memory.
  bool place() {
    const Block &block = *ElementsAccess::block(view);
    int64_t bytes = ElementsAccess::elementBytes(view);
    int64_t total = 1;
    for (int32_t i = 0; i < window.rank; ++i)
      total *= window.sizes[i];
    const char *begin = ElementsAccess::begin(view);
    int64_t before = (begin - block.memory) / bytes;
    int64_t after =
        (block.memory + static_cast<int64_t>(block.bytes) - begin) / bytes;
    int64_t back = total > after ? total - after : 0;
    if (back > before)
      return false;
    int64_t left = back;
    for (int32_t i = window.rank; i-- > 0; left /= window.sizes[i]) {
      int64_t offset = left % window.sizes[i];
      int64_t reach = (window.counts[i] - 1) * window.steps[i];
      if (offset + reach >= window.sizes[i])
        return false;
      bool isReversed = layout.strides[window.dims[i]] < 0;
      window.offsets[i] = isReversed ? offset + reach : offset;
    }
    if (left != 0)
      return false;
    for (int32_t i = 0; i < window.rank; ++i)
      if (layout.strides[window.dims[i]] < 0)
        window.steps[i] = -window.steps[i];
    window.first = begin - back * bytes;
    return true;
  }

  const Elements &view;
  Window &window;
  const Layout &layout;
};

} // namespace detail
} // namespace HAMKAAS_CPP_VARIANT
} // namespace hamkaas

#endif // HAMKAAS_CPP_ARRAY_WINDOW_H
