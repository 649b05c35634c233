//===- DnnTest.h - Graphs of nodes for tests --------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_TEST_UNIT_CAPI_DNNTEST_H
#define HAMKAAS_TEST_UNIT_CAPI_DNNTEST_H

#include "hamkaas-dnn/Dnn.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include <cmath>
#include <cstring>
#include <limits>

namespace hamkaas::test {

using dnn::DataType;
using dnn::ErrorCode;
using dnn::Graph;
using dnn::TensorAttributes;
using dnn::TensorPointer;
using Shape = std::vector<int64_t>;
using Numbers = std::vector<double>;

/// The message of an error; empty for success.
inline std::string explain(const dnn::Error &error) { return error.message; }

inline int64_t countElements(const Shape &shape) {
  int64_t count = 1;
  for (int64_t size : shape)
    count *= size;
  return count;
}

/// Row-major strides, or those of a tensor whose dimension 1 lies last.
inline Shape makeStrides(const Shape &dims, bool channelsLast = false) {
  Shape strides(dims.size()), order;
  for (size_t i = 0; i < dims.size(); ++i)
    if (!channelsLast || i != 1)
      order.push_back(int64_t(i));
  if (channelsLast)
    order.push_back(1);
  int64_t next = 1;
  for (size_t i = order.size(); i-- > 0;) {
    strides[size_t(order[i])] = next;
    next *= dims[size_t(order[i])];
  }
  return strides;
}

/// Calls `visit` with each index of a tensor, in row-major order.
template <typename Visit> void forEachIndex(const Shape &dims, Visit visit) {
  Shape index(dims.size(), 0);
  for (int64_t i = 0; i < countElements(dims); ++i) {
    visit(index);
    for (size_t dim = dims.size(); dim-- > 0;) {
      if (++index[dim] < dims[dim])
        break;
      index[dim] = 0;
    }
  }
}

inline int64_t getOffset(const Shape &index, const Shape &strides) {
  int64_t offset = 0;
  for (size_t i = 0; i < index.size(); ++i)
    offset += index[i] * strides[i];
  return offset;
}

inline size_t getBytes(DataType type) {
  switch (type) {
  case DataType::DOUBLE:
  case DataType::INT64:
    return 8;
  case DataType::FLOAT:
  case DataType::INT32:
    return 4;
  case DataType::HALF:
  case DataType::BFLOAT16:
    return 2;
  default:
    return 1;
  }
}

/// Half of the distance from 1 to the next number.
inline double getUnit(DataType type) {
  switch (type) {
  case DataType::DOUBLE:
    return 0x1p-53;
  case DataType::FLOAT:
    return 0x1p-24;
  case DataType::HALF:
    return 0x1p-11;
  case DataType::BFLOAT16:
    return 0x1p-8;
  default:
    return 0;
  }
}

/// `number` rounded to the type, as bits, and back.
uint64_t encode(double number, DataType type);
double decode(uint64_t bits, DataType type);

/// A tensor with its elements, in row-major order, and its memory.
class Operand {
public:
  Operand() = default;
  /// Elements of about 1 in size that depend on `seed`.
  Operand(const Shape &dims, const Shape &strides, DataType type, int seed);
  /// The memory of a result; its bytes are 0x5a.
  explicit Operand(const TensorPointer &tensor);

  void set(const Numbers &numbers);
  Numbers get() const;
  /// True if all bytes that no element has are 0x5a.
  bool hasIntactHoles() const;
  void *data() { return memory.data(); }
  size_t bytes() const { return memory.size(); }

  TensorPointer tensor;
  /// The elements, as the type has them.
  Numbers numbers;

private:
  std::vector<uint8_t> memory;
};

/// A graph with float32 for what is not set, its operands and its results.
class TestGraph {
public:
  TestGraph();

  Operand &add(const Shape &dims, DataType type = DataType::FLOAT,
               bool channelsLast = false);
  Operand &add(const Shape &dims, const Shape &strides, DataType type);
  TensorPointer number(double value) { return graph.scalar(float(value)); }
  /// Makes a tensor of a node a result.
  TensorPointer output(const TensorPointer &tensor,
                       DataType type = DataType::FLOAT);

  /// Builds and runs; the message of the first error.
  std::string run(const char *device = "cpu");
  Operand &operand(const TensorPointer &tensor);
  Operand &result(const TensorPointer &tensor) {
    return results.at(tensor.get());
  }

  Graph graph;
  dnn::Handle handle;

private:
  std::vector<std::unique_ptr<Operand>> operands;
  std::vector<TensorPointer> outputs;
  std::map<const TensorAttributes *, Operand> results;
};

/// Expects numbers that differ from exact ones by no more than `bounds`, and by
/// their rounding to the type of the result.
void expectNear(const Operand &result, const Numbers &exact,
                const Numbers &bounds);
/// The same with `relative` of the largest exact number.
void expectClose(const Operand &result, const Numbers &exact, double relative);

/// Higham's bound of the error of a sum of `count` products of float32,
/// relative to the sum of their sizes.
inline double gamma2(int64_t count) {
  double part = 2 * double(count) * 0x1p-24;
  return part / (1 - part);
}

} // namespace hamkaas::test

#endif // HAMKAAS_TEST_UNIT_CAPI_DNNTEST_H
