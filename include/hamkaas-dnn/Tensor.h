//===- Tensor.h - Tensors of a graph ----------------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_DNN_TENSOR_H
#define HAMKAAS_DNN_TENSOR_H

#include "hamkaas-dnn/Types.h"
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace hamkaas::dnn {

/// A tensor of a graph. Unset members are given values by Graph::validate.
class TensorAttributes {
public:
  TensorAttributes() = default;
  /// A constant of one element, which is part of the program.
  explicit TensorAttributes(double value) { set_value(value); }
  explicit TensorAttributes(float value) { set_value(value); }
  explicit TensorAttributes(int32_t value) { set_value(value); }

  TensorAttributes &set_uid(int64_t uid) {
    this->uid = uid;
    return *this;
  }
  TensorAttributes &clear_uid() {
    uid.reset();
    return *this;
  }
  TensorAttributes &set_name(std::string name) {
    this->name = std::move(name);
    return *this;
  }
  TensorAttributes &set_dim(std::vector<int64_t> dim) {
    dims = std::move(dim);
    return *this;
  }
  /// In elements, each at least 1; row-major if there are none.
  TensorAttributes &set_stride(std::vector<int64_t> stride) {
    strides = std::move(stride);
    return *this;
  }
  TensorAttributes &set_data_type(DataType type) {
    this->type = type;
    return *this;
  }
  TensorAttributes &set_is_virtual(bool isVirtual) {
    this->isVirtual = isVirtual;
    return *this;
  }
  TensorAttributes &set_output(bool isOutput) {
    return set_is_virtual(!isOutput);
  }
  /// Makes it a constant of the type of the argument.
  TensorAttributes &set_value(double value) {
    return setConstant(value, DataType::DOUBLE);
  }
  TensorAttributes &set_value(float value) {
    return setConstant(value, DataType::FLOAT);
  }
  TensorAttributes &set_value(int32_t value) {
    return setConstant(value, DataType::INT32);
  }
  TensorAttributes &set_value(uint8_t value) {
    return setConstant(value, DataType::UINT8);
  }
  /// A constant of another type, such as HALF.
  TensorAttributes &set_value(double value, DataType type) {
    return setConstant(value, type);
  }

  bool has_uid() const { return uid.has_value(); }
  /// -1 if there is none.
  int64_t get_uid() const { return uid.value_or(-1); }
  const std::string &get_name() const { return name; }
  const std::vector<int64_t> &get_dim() const { return dims; }
  const std::vector<int64_t> &get_stride() const { return strides; }
  DataType get_data_type() const { return type; }
  bool get_is_virtual() const { return isVirtual; }
  bool get_is_pass_by_value() const { return value.has_value(); }
  std::optional<double> get_value() const { return value; }
  /// The number of elements, of dims that are set.
  int64_t get_volume() const {
    int64_t volume = 1;
    for (int64_t dim : dims)
      volume *= dim;
    return volume;
  }

private:
  TensorAttributes &setConstant(double constant, DataType constantType) {
    value = constant;
    type = constantType;
    dims = strides = {1};
    return *this;
  }

  std::optional<int64_t> uid;
  std::string name;
  std::vector<int64_t> dims, strides;
  DataType type = DataType::NOT_SET;
  bool isVirtual = false;
  std::optional<double> value;
};
using Tensor_attributes = TensorAttributes;
using TensorPointer = std::shared_ptr<TensorAttributes>;

} // namespace hamkaas::dnn

#endif // HAMKAAS_DNN_TENSOR_H
