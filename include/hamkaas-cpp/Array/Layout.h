//===- Layout.h - Where the elements of a view are --------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_CPP_ARRAY_LAYOUT_H
#define HAMKAAS_CPP_ARRAY_LAYOUT_H

#include "hamkaas-cpp/Array/Dims.h"

#include <cstdlib>
#include <cstring>

namespace hamkaas {
inline namespace HAMKAAS_CPP_VARIANT {
namespace detail {

/// Shape and strides, in elements. As numpy's, strides may be negative, and are
/// 0 along dimensions that repeat.
struct Layout {
  Dims shape, strides;

  static Layout dense(const Dims &shape) {
    Layout layout{shape, shape};
    int64_t stride = 1;
    for (int32_t i = shape.size(); i-- > 0; stride *= shape[i])
      layout.strides[i] = stride;
    return layout;
  }

  int32_t rank() const { return shape.size(); }

  int64_t elements() const {
    int64_t count = 1;
    for (int64_t size : shape)
      count *= size;
    return count;
  }

  bool isDense() const {
    int64_t stride = 1;
    for (int32_t i = rank(); i-- > 0; stride *= shape[i])
      if (shape[i] != 1 && strides[i] != stride)
        return false;
    return true;
  }

  /// The lowest and the highest position, from that of the first element.
  int64_t lowest() const { return reach(/*sign=*/-1); }
  int64_t highest() const { return reach(/*sign=*/1); }

private:
  int64_t reach(int sign) const {
    int64_t sum = 0;
    for (int32_t i = 0; i < rank(); ++i)
      if (strides[i] * sign > 0)
        sum += (shape[i] - 1) * strides[i];
    return sum;
  }
};

//===----------------------------------------------------------------------===//
// Views of a layout: they return a problem, or change `layout` and the position
// of the first element
//===----------------------------------------------------------------------===//

inline std::string sliceDimension(const Range &range, int64_t size,
                                  int64_t &begin, int64_t &count) {
  auto fromEnd = [&](int64_t at) { return at < 0 ? at + size : at; };
  auto clamp = [](int64_t at, int64_t low, int64_t high) {
    return at < low ? low : at > high ? high : at;
  };
  if (range.isPosition) {
    begin = fromEnd(range.begin);
    count = 1;
    if (begin >= 0 && begin < size)
      return "";
    return "expected a position from " + std::to_string(-size) + " to " +
           std::to_string(size - 1) + ", got " + std::to_string(range.begin);
  }
  if (range.step == 0)
    return "expected a step other than 0";
  bool isUp = range.step > 0;
  int64_t low = isUp ? 0 : -1, high = isUp ? size : size - 1;
  begin = range.begin == Range::open ? (isUp ? low : high)
                                     : clamp(fromEnd(range.begin), low, high);
  int64_t end = range.end == Range::open ? (isUp ? high : low)
                                         : clamp(fromEnd(range.end), low, high);
  int64_t distance = isUp ? end - begin : begin - end;
  if (distance <= 0)
    return "expected at least one element, got none of a dimension of size " +
           std::to_string(size);
  // NOTE: unsigned, because the least step has no opposite.
  uint64_t step = isUp ? uint64_t(range.step) : -uint64_t(range.step);
  count = static_cast<int64_t>((uint64_t(distance) - 1) / step) + 1;
  return "";
}

inline std::string slice(Layout &layout, int64_t &offset,
                         std::initializer_list<Range> ranges) {
  if (static_cast<int32_t>(ranges.size()) > layout.rank())
    return "expected at most " + std::to_string(layout.rank()) +
           " ranges, got " + std::to_string(ranges.size());
  Layout result;
  for (int32_t i = 0; i < layout.rank(); ++i) {
    Range range =
        i < static_cast<int32_t>(ranges.size()) ? ranges.begin()[i] : Range();
    int64_t begin = 0, count = 0;
    std::string problem = sliceDimension(range, layout.shape[i], begin, count);
    if (!problem.empty())
      return "dimension " + std::to_string(i) + ": " + problem;
    offset += begin * layout.strides[i];
    if (range.isPosition)
      continue;
    result.shape.push(count);
    result.strides.push(count == 1 ? 0 : layout.strides[i] * range.step);
  }
  layout = result;
  return "";
}

inline std::string permute(Layout &layout, const Dims &order) {
  Layout result;
  unsigned seen = 0;
  for (int64_t dim : order) {
    if (dim < 0 || dim >= layout.rank() || seen >> dim & 1)
      break;
    seen |= 1u << dim;
    result.shape.push(layout.shape[static_cast<int32_t>(dim)]);
    result.strides.push(layout.strides[static_cast<int32_t>(dim)]);
  }
  if (order.size() != layout.rank() || result.rank() != layout.rank())
    return "expected a permutation of " + std::to_string(layout.rank()) +
           " dimensions, got " + describe(order);
  layout = result;
  return "";
}

inline std::string broadcast(Layout &layout, const Dims &shape) {
  std::string problem = checkShape(shape);
  if (!problem.empty())
    return problem;
  Layout result{shape, shape};
  int32_t added = shape.size() - layout.rank();
  for (int32_t i = 0; i < shape.size(); ++i) {
    bool isRepeated = i < added || layout.shape[i - added] == 1;
    if (added < 0 || (!isRepeated && layout.shape[i - added] != shape[i]))
      return "expected a shape that " + describe(layout.shape) +
             " broadcasts to, got " + describe(shape);
    result.strides[i] = isRepeated ? 0 : layout.strides[i - added];
  }
  if (added < 0)
    return "expected a shape that " + describe(layout.shape) +
           " broadcasts to, got " + describe(shape);
  layout = result;
  return "";
}

/// Replaces the one entry that is -1 by what is left.
inline std::string inferShape(Dims &shape, int64_t elements) {
  int64_t known = 1;
  int32_t open = -1;
  for (int32_t i = 0; i < shape.size() && i < maxRank; ++i)
    if (shape[i] == -1 && open < 0)
      open = i;
    else if (shape[i] > 0 && shape[i] <= elements)
      known *= shape[i];
  if (open >= 0 && known > 0 && elements % known == 0)
    shape[open] = elements / known;
  std::string problem = checkShape(shape);
  if (!problem.empty())
    return problem;
  if (Layout::dense(shape).elements() != elements)
    return "expected a shape of " + std::to_string(elements) +
           " elements, got " + describe(shape);
  return "";
}

/// Groups of dimensions of both shapes that have as many elements keep their
/// place; within a group, the elements must have one stride.
inline std::string reshape(Layout &layout, Dims shape) {
  std::string problem = inferShape(shape, layout.elements());
  if (!problem.empty())
    return problem;
  Layout old, result{shape, shape};
  for (int32_t i = 0; i < layout.rank(); ++i)
    if (layout.shape[i] != 1) {
      old.shape.push(layout.shape[i]);
      old.strides.push(layout.strides[i]);
    }
  int32_t from = 0, to = 0;
  while (to < shape.size()) {
    int32_t fromEnd = from, toEnd = to + 1;
    int64_t have = 1, want = shape[to];
    while (have != want)
      if (have < want)
        have *= old.shape[fromEnd++];
      else
        want *= shape[toEnd++];
    for (int32_t i = from; i + 1 < fromEnd; ++i)
      if (old.strides[i] != old.shape[i + 1] * old.strides[i + 1])
        return "expected strides that allow a view of shape " +
               describe(shape) + ", got shape " + describe(layout.shape) +
               " with strides " + describe(layout.strides) +
               "; hamkaas::reshape computes it";
    int64_t stride = fromEnd > from ? old.strides[fromEnd - 1] : 0;
    for (int32_t i = toEnd; i-- > to; stride *= shape[i])
      result.strides[i] = stride;
    from = fromEnd;
    to = toEnd;
  }
  layout = result;
  return "";
}

/// Copies elements of `bytes` bytes between two layouts of one shape.
inline void copyElements(char *to, const Layout &toLayout, const char *from,
                         const Layout &fromLayout, int64_t bytes,
                         int32_t dim = 0) {
  if (dim == toLayout.rank()) {
    memcpy(to, from, static_cast<size_t>(bytes));
    return;
  }
  int64_t size = toLayout.shape[dim];
  int64_t toStep = toLayout.strides[dim] * bytes;
  int64_t fromStep = fromLayout.strides[dim] * bytes;
  bool isLast = dim + 1 == toLayout.rank();
  if (isLast && toStep == bytes && fromStep == bytes) {
    memcpy(to, from, static_cast<size_t>(size * bytes));
    return;
  }
  for (int64_t i = 0; i < size; ++i)
    copyElements(to + i * toStep, toLayout, from + i * fromStep, fromLayout,
                 bytes, dim + 1);
}

} // namespace detail
} // namespace HAMKAAS_CPP_VARIANT
} // namespace hamkaas

#endif // HAMKAAS_CPP_ARRAY_LAYOUT_H
