//===- OperationTable.cpp - The operations, described -----------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Frontend/Builder/OperationTable.h"
#include "HamKaas/Dialect/HamKaas/IR/HamKaas.h"
#include "HamKaas/Frontend/Builder/ComposedOperations.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace hamkaas;
using namespace hamkaas::graph;

//===----------------------------------------------------------------------===//
// Compositions
//===----------------------------------------------------------------------===//

static void convert(mlir::Attribute given, int64_t &field) {
  field = llvm::cast<mlir::IntegerAttr>(given).getInt();
}
static void convert(mlir::Attribute given, double &field) {
  field = llvm::cast<mlir::FloatAttr>(given).getValueAsDouble();
}
static void convert(mlir::Attribute given, mlir::TypedAttr &field) {
  field = llvm::cast<mlir::TypedAttr>(given);
}
static void convert(mlir::Attribute given, llvm::ArrayRef<int64_t> &field) {
  field = llvm::cast<mlir::DenseI64ArrayAttr>(given).asArrayRef();
}
static void convert(mlir::Attribute, bool &field) { field = true; }
static void convert(mlir::Attribute given, llvm::StringRef &field) {
  field = llvm::cast<mlir::StringAttr>(given).getValue();
}
static void convert(mlir::Attribute given, mlir::Type &field) {
  field = llvm::cast<mlir::TypeAttr>(given).getValue();
}
template <typename T>
  requires std::is_enum_v<T>
static void convert(mlir::Attribute given, T &word) {
  word = T(llvm::cast<mlir::IntegerAttr>(given).getInt());
}
template <typename T>
static void convert(mlir::Attribute given, std::optional<T> &field) {
  convert(given, field.emplace());
}

/// Sets a field of a composition if the attribute is given.
template <typename T>
static void take(mlir::DictionaryAttr attributes, llvm::StringRef name,
                 T &field) {
  if (mlir::Attribute given = attributes.get(name))
    convert(given, field);
}

static Tensors listResults(Tensor result) {
  return result ? Tensors{result} : Tensors();
}
static Tensors listResults(Tensors results) { return results; }

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

#include "HamKaas/Frontend/Builder/OperationTable.inc"

llvm::ArrayRef<OperationInfo> graph::getOperations() { return operations; }

const OperationInfo *graph::findOperation(llvm::StringRef name) {
  // The table is in the order of the names.
  const OperationInfo *found = llvm::lower_bound(
      operations, name, [](const OperationInfo &info, llvm::StringRef name) {
        return info.name < name;
      });
  return found != std::end(operations) && found->name == name ? found : nullptr;
}

const AttributeInfo *
OperationInfo::findAttribute(llvm::StringRef attribute) const {
  const AttributeInfo *found =
      llvm::find_if(attributes, [&](const AttributeInfo &info) {
        return info.name == attribute;
      });
  return found == attributes.end() ? nullptr : found;
}

std::string graph::describeKind(const AttributeInfo &attribute) {
  switch (attribute.kind) {
  case AttributeKind::Integer:
    return "an integer";
  case AttributeKind::Float32:
  case AttributeKind::Float64:
  case AttributeKind::Element:
    return "a number";
  case AttributeKind::Integers:
  case AttributeKind::ResultShape:
    return "a list of integers";
  case AttributeKind::Flag:
    return "0 or 1";
  case AttributeKind::ElementType:
  case AttributeKind::ResultType:
    return "an element type";
  case AttributeKind::Text:
    return "a text";
  case AttributeKind::Word:
    return "one of " + llvm::join(attribute.words, ", ");
  }
  llvm_unreachable("all kinds of attributes are handled");
}
