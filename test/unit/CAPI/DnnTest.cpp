//===- DnnTest.cpp - Graphs of nodes for tests ------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DnnTest.h"
#include <algorithm>
#include <random>

using namespace hamkaas;
using namespace hamkaas::test;

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

template <typename To, typename From> static To castBits(From from) {
  To to = 0;
  std::memcpy(&to, &from, std::min(sizeof(to), sizeof(from)));
  return to;
}

/// Rounds to `digits` binary digits, to nearest even, with exponents from
/// `least` on.
static double roundTo(double number, int digits, int least) {
  if (number == 0 || !std::isfinite(number))
    return number;
  int exponent = 0;
  std::frexp(number, &exponent);
  exponent = std::max(exponent - digits, least);
  return std::ldexp(std::nearbyint(std::ldexp(number, -exponent)), exponent);
}

uint64_t test::encode(double number, DataType type) {
  switch (type) {
  case DataType::DOUBLE:
    return castBits<uint64_t>(number);
  case DataType::FLOAT:
    return castBits<uint64_t>(float(number));
  case DataType::BFLOAT16:
    return castBits<uint32_t>(float(roundTo(number, 8, -133))) >> 16;
  case DataType::HALF: {
    double rounded = roundTo(number, 11, -24);
    uint64_t sign = std::signbit(rounded) ? 0x8000 : 0;
    double size = std::fabs(rounded);
    if (size >= 65520)
      return sign | 0x7c00;
    if (size < 0x1p-14)
      return sign | uint64_t(size * 0x1p24);
    int exponent = 0;
    double fraction = std::frexp(size, &exponent);
    return sign | uint64_t(exponent + 14) << 10 |
           (uint64_t(fraction * 2048) & 0x3ff);
  }
  default:
    return uint64_t(int64_t(number));
  }
}

double test::decode(uint64_t bits, DataType type) {
  switch (type) {
  case DataType::DOUBLE:
    return castBits<double>(bits);
  case DataType::FLOAT:
    return castBits<float>(uint32_t(bits));
  case DataType::BFLOAT16:
    return castBits<float>(uint32_t(bits << 16));
  case DataType::HALF: {
    double sign = bits & 0x8000 ? -1 : 1;
    int exponent = int(bits >> 10 & 0x1f);
    double fraction = double(bits & 0x3ff);
    if (exponent == 0x1f)
      return fraction != 0 ? std::nan("")
                           : sign * std::numeric_limits<double>::infinity();
    return sign * (exponent == 0 ? std::ldexp(fraction, -24)
                                 : std::ldexp(1024 + fraction, exponent - 25));
  }
  case DataType::INT32:
    return int32_t(bits);
  case DataType::INT64:
    return double(int64_t(bits));
  case DataType::INT8:
    return int8_t(bits);
  default:
    return double(bits);
  }
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

static size_t getSpan(const TensorAttributes &tensor) {
  int64_t span = 1;
  for (size_t i = 0; i < tensor.get_dim().size(); ++i)
    span += (tensor.get_dim()[i] - 1) * tensor.get_stride()[i];
  return size_t(span) * getBytes(tensor.get_data_type());
}

Operand::Operand(const Shape &dims, const Shape &strides, DataType type,
                 int seed) {
  tensor = Graph::tensor(
      TensorAttributes().set_dim(dims).set_stride(strides).set_data_type(type));
  memory.assign(getSpan(*tensor), 0x5a);
  std::mt19937 random(static_cast<unsigned>(seed));
  Numbers made;
  for (int64_t i = 0; i < countElements(dims); ++i)
    made.push_back(double(random() % 4001) / 1000 - 2);
  set(made);
}

Operand::Operand(const TensorPointer &tensor) : tensor(tensor) {
  memory.assign(getSpan(*tensor), 0x5a);
}

void Operand::set(const Numbers &given) {
  size_t bytes = getBytes(tensor->get_data_type()), i = 0;
  forEachIndex(tensor->get_dim(), [&](const Shape &index) {
    uint64_t bits = encode(given[i++], tensor->get_data_type());
    size_t offset = size_t(getOffset(index, tensor->get_stride()));
    std::memcpy(memory.data() + offset * bytes, &bits, bytes);
  });
  numbers = get();
}

Numbers Operand::get() const {
  size_t bytes = getBytes(tensor->get_data_type());
  Numbers read;
  forEachIndex(tensor->get_dim(), [&](const Shape &index) {
    uint64_t bits = 0;
    size_t offset = size_t(getOffset(index, tensor->get_stride()));
    std::memcpy(&bits, memory.data() + offset * bytes, bytes);
    read.push_back(decode(bits, tensor->get_data_type()));
  });
  return read;
}

bool Operand::hasIntactHoles() const {
  size_t bytes = getBytes(tensor->get_data_type());
  std::vector<uint8_t> rest = memory;
  forEachIndex(tensor->get_dim(), [&](const Shape &index) {
    size_t offset = size_t(getOffset(index, tensor->get_stride()));
    std::fill_n(rest.begin() + int64_t(offset * bytes), bytes, 0x5a);
  });
  return rest == std::vector<uint8_t>(memory.size(), 0x5a);
}

//===----------------------------------------------------------------------===//
// Graphs
//===----------------------------------------------------------------------===//

TestGraph::TestGraph() {
  graph.set_name("test")
      .set_io_data_type(DataType::FLOAT)
      .set_intermediate_data_type(DataType::FLOAT)
      .set_compute_data_type(DataType::FLOAT);
}

Operand &TestGraph::add(const Shape &dims, DataType type, bool channelsLast) {
  return add(dims, makeStrides(dims, channelsLast && dims.size() > 2), type);
}

Operand &TestGraph::add(const Shape &dims, const Shape &strides,
                        DataType type) {
  operands.push_back(
      std::make_unique<Operand>(dims, strides, type, int(operands.size()) + 1));
  return *operands.back();
}

TensorPointer TestGraph::output(const TensorPointer &tensor, DataType type) {
  tensor->set_output(true).set_data_type(type);
  outputs.push_back(tensor);
  return tensor;
}

Operand &TestGraph::operand(const TensorPointer &tensor) {
  return **std::find_if(operands.begin(), operands.end(),
                        [&](const std::unique_ptr<Operand> &operand) {
                          return operand->tensor == tensor;
                        });
}

std::string TestGraph::run(const char *device) {
  if (dnn::Error error = handle.create(device); error.isBad())
    return error.message;
  if (dnn::Error error = graph.build(handle); error.isBad())
    return error.message;
  std::unordered_map<TensorPointer, void *> pointers;
  for (const std::unique_ptr<Operand> &operand : operands)
    if (graph.query_tensor(operand->tensor->get_uid()) == operand->tensor)
      pointers[operand->tensor] = operand->data();
  for (const TensorPointer &tensor : outputs)
    pointers[tensor] = results.insert_or_assign(tensor.get(), Operand(tensor))
                           .first->second.data();
  return explain(graph.execute(handle, pointers));
}

//===----------------------------------------------------------------------===//
// Comparisons
//===----------------------------------------------------------------------===//

void test::expectNear(const Operand &result, const Numbers &exact,
                      const Numbers &bounds) {
  Numbers got = result.get();
  ASSERT_EQ(got.size(), exact.size());
  double unit = getUnit(result.tensor->get_data_type());
  double tiny = result.tensor->get_data_type() == DataType::HALF ? 0x1p-25 : 0;
  for (size_t i = 0; i < got.size(); ++i) {
    double bound = bounds[i] + unit * std::fabs(exact[i]) + tiny;
    bool isEqual = got[i] == exact[i] || std::fabs(got[i] - exact[i]) <= bound;
    ASSERT_TRUE(isEqual) << "element " << i << ": expected " << exact[i]
                         << " within " << bound << ", got " << got[i];
  }
}

void test::expectClose(const Operand &result, const Numbers &exact,
                       double relative) {
  double largest = 0;
  for (double number : exact)
    if (std::isfinite(number))
      largest = std::max(largest, std::fabs(number));
  expectNear(result, exact, Numbers(exact.size(), relative * largest));
}
