//===- OperationTable.h - The operations, described -------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_FRONTEND_BUILDER_OPERATIONTABLE_H
#define HAMKAAS_FRONTEND_BUILDER_OPERATIONTABLE_H

#include "mlir/IR/Attributes.h"
#include "mlir/IR/Types.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

/// The operations of the dialect as front ends show them to users, made from
/// their declarations in ODS by `hamkaas-tblgen -gen-operation-table`.
namespace hamkaas::graph {

class GraphBuilder;
class Tensor;

enum class ValueCount { One, Optional, Variadic };

/// An operand or a result.
struct ValueInfo {
  llvm::StringLiteral name;
  /// "tensor of static shape and 1 to 2^47 - 1 elements that are f32".
  llvm::StringLiteral constraint;
  ValueCount count;
  /// The same constraint as code.
  bool (*accepts)(mlir::Type type);
};

enum class AttributeKind {
  Integer,
  Float32,
  Float64,
  /// A number of the element type of the first operand.
  Element,
  Integers,
  /// Set or not.
  Flag,
  /// One of the words of an enumeration.
  Word,
  Text,
  /// An element type, as an attribute of its own.
  ElementType,
  /// Not of the operation itself, but the shape and the element type of its
  /// result, which it does not infer. Those of the first operand if left out;
  /// at least one of the two is given.
  ResultShape,
  ResultType
};

struct AttributeInfo {
  llvm::StringLiteral name;
  AttributeKind kind;
  bool isOptional;
  /// Empty if there is none.
  llvm::StringLiteral defaultValue;
  llvm::ArrayRef<llvm::StringLiteral> words = {};
  /// The attribute for one of the words; null for any other.
  mlir::Attribute (*makeWord)(llvm::StringRef word,
                              mlir::MLIRContext *context) = nullptr;
};

/// An operation of the dialect, or a composition of several.
struct OperationInfo {
  /// Without the name of the dialect.
  llvm::StringLiteral name;
  llvm::StringLiteral summary;
  /// Markdown, indented as in ODS.
  llvm::StringLiteral description;
  /// Why users cannot create it by operands and attributes; empty if they can.
  /// The lists below are empty otherwise.
  llvm::StringLiteral closed;
  bool infersType;
  /// One variadic operand, without others, or any number of single and optional
  /// ones, of which the optional ones come last.
  llvm::ArrayRef<ValueInfo> operands;
  llvm::ArrayRef<AttributeInfo> attributes;
  /// One; of a composition any number, of which the last may be variadic.
  llvm::ArrayRef<ValueInfo> results;

  /// Builds a composition; null for an operation. An operand that is left out
  /// is null. The attributes are as UserOperation.cpp makes them, and may lack
  /// those that are optional. No results after a failure.
  using ComposeFunction = llvm::SmallVector<Tensor, 1> (*)(
      GraphBuilder &builder, llvm::ArrayRef<Tensor> operands,
      mlir::DictionaryAttr attributes);
  ComposeFunction compose = nullptr;
  /// Of a composition: inputs, calls and results with their elements.
  llvm::StringLiteral example = "";

  bool isOpen() const { return closed.empty(); }
  bool isComposition() const { return compose != nullptr; }
  bool isVariadic() const {
    return operands.size() == 1 &&
           operands.front().count == ValueCount::Variadic;
  }
  /// Null if there is none.
  const AttributeInfo *findAttribute(llvm::StringRef attribute) const;
};

/// All operations of the dialect and all compositions, by name. A composition
/// stands for the operation of its name.
llvm::ArrayRef<OperationInfo> getOperations();

/// Null if there is none.
const OperationInfo *findOperation(llvm::StringRef name);

/// "a list of integers", "one of sum, max, min".
std::string describeKind(const AttributeInfo &attribute);

} // namespace hamkaas::graph

#endif // HAMKAAS_FRONTEND_BUILDER_OPERATIONTABLE_H
