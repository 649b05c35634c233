//===- Tensor.h - A value of a graph that is being built --------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_FRONTEND_BUILDER_TENSOR_H
#define HAMKAAS_FRONTEND_BUILDER_TENSOR_H

#include "HamKaas/Dialect/HamKaas/IR/ReferenceTensor.h"
#include "mlir/IR/Value.h"
#include <memory>
#include <optional>

namespace hamkaas::graph {

/// A value of the graph, or a constant, which enters the graph only where it is
/// needed. Unlike a value of the graph, a constant may have no elements: shapes
/// of scalars do. A null tensor stands for an operand that is left out, and for
/// the result of what has failed.
///
/// Two kinds of tensors carry a note that no operation takes. Elements of a
/// type that no graph has are stored as another type, with an encoding that
/// only the front end knows. A sequence is a list of tensors, itself a tensor
/// without elements.
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

  /// The front end's number for what the elements encode; 0 if they are
  /// numbers of their own type.
  int64_t encoding() const { return encodingNumber; }
  Tensor withEncoding(int64_t number) const {
    Tensor tensor = *this;
    tensor.encodingNumber = number;
    return tensor;
  }
  bool isSequence() const;
  llvm::ArrayRef<Tensor> items() const;
  /// True for a tensor that operations take.
  bool isPlain() const { return encodingNumber == 0 && !isSequence(); }

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
  /// Of a constant with bytes; empty for other tensors.
  llvm::ArrayRef<char> bytes() const;
  /// The elements of a constant, decoded at the first call.
  const ReferenceTensor &elements() const;

  /// The same constant, which training changes: operations of it are not
  /// evaluated, and it becomes a parameter whatever its size.
  Tensor asTrainable() const;
  bool isTrainable() const;
  /// A parameter of its own with the same contents.
  Tensor withName(llvm::StringRef name) const;
  /// Of a constant with bytes, the name of its parameter.
  llvm::StringRef name() const;

  /// The value in the graph, null if a constant has none yet.
  mlir::Value value() const;

private:
  friend class GraphBuilder;
  struct Data;

  std::shared_ptr<Data> data;
  int64_t encodingNumber = 0;
};

struct Tensor::Data {
  mlir::RankedTensorType type;
  mlir::Value value;
  /// Of a constant: its elements, its bytes, or both.
  std::unique_ptr<ReferenceTensor> elements;
  llvm::ArrayRef<char> bytes;
  bool hasBytes = false;
  bool isTrainable = false;
  /// Of a constant with bytes, for the name of its parameter.
  std::string name;
  /// Of a sequence.
  std::optional<std::vector<Tensor>> items;
};

using Tensors = llvm::SmallVector<Tensor, 1>;
using Shape = llvm::SmallVector<int64_t>;

} // namespace hamkaas::graph

#endif // HAMKAAS_FRONTEND_BUILDER_TENSOR_H
