//===- Tensor.h - A value while a model is imported -------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_FRONTEND_ONNX_TENSOR_H
#define HAMKAAS_LIB_FRONTEND_ONNX_TENSOR_H

#include "HamKaas/Dialect/HamKaas/IR/ReferenceTensor.h"
#include "Proto.h"
#include "mlir/IR/Value.h"
#include <memory>

namespace hamkaas::onnx {

/// A value of the model: one of the graph that is built, or a constant, which
/// enters the graph only where it is needed. Unlike a value of the graph, a
/// constant may have no elements: shapes of scalars do. A null tensor stands
/// for an input that is left out, and for the result of what has failed.
///
/// Two kinds of values of a model are tensors with a note of what they stand
/// for, which few operators take: elements of a type that no graph has, such as
/// FLOAT8E4M3FN, are bytes (`Formats.h`); and a sequence is a list of tensors,
/// itself one without elements.
class Tensor {
public:
  Tensor() = default;
  explicit Tensor(mlir::Value value);
  /// A constant that was computed.
  explicit Tensor(ReferenceTensor elements);
  /// A constant whose elements are `bytes` as a program stores them, which
  /// outlive the graph.
  Tensor(mlir::RankedTensorType type, llvm::StringRef name,
         llvm::ArrayRef<char> bytes);

  static Tensor makeSequence(mlir::MLIRContext *context,
                             std::vector<Tensor> items);

  explicit operator bool() const { return data != nullptr; }

  /// What the elements stand for; Undefined for what they are.
  DataType format() const { return formatType; }
  Tensor withFormat(DataType format) const {
    Tensor tensor = *this;
    tensor.formatType = format;
    return tensor;
  }
  bool isSequence() const;
  llvm::ArrayRef<Tensor> items() const;
  /// Whether this is a tensor of elements as the graph has them.
  bool isPlain() const {
    return formatType == DataType::Undefined && !isSequence();
  }

  // Of a null tensor: a scalar without a type.
  mlir::RankedTensorType type() const;
  mlir::Type elementType() const;
  llvm::ArrayRef<int64_t> shape() const;
  int64_t rank() const { return shape().size(); }
  int64_t dim(int64_t i) const { return shape()[i]; }
  int64_t count() const;
  bool isEmpty() const { return count() == 0; }
  bool isFloat() const;
  bool isBool() const;
  bool isInteger() const { return *this && !isFloat() && !isBool(); }

  bool isConstant() const;
  /// The elements of a constant, which are read when they are asked for first.
  const ReferenceTensor &elements() const;

  /// The value in the graph, null if a constant has none yet.
  mlir::Value value() const;

private:
  friend class GraphBuilder;
  struct Data;

  std::shared_ptr<Data> data;
  DataType formatType = DataType::Undefined;
};

struct Tensor::Data {
  mlir::RankedTensorType type;
  mlir::Value value;
  /// Of a constant: its elements, its bytes, or both.
  std::unique_ptr<ReferenceTensor> elements;
  llvm::ArrayRef<char> bytes;
  bool hasBytes = false;
  /// Of an initializer, for the name of its parameter.
  std::string name;
  /// Of a sequence.
  std::optional<std::vector<Tensor>> items;
};

using Tensors = llvm::SmallVector<Tensor, 1>;

} // namespace hamkaas::onnx

#endif // HAMKAAS_LIB_FRONTEND_ONNX_TENSOR_H
