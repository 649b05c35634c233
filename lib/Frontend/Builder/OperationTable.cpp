//===- OperationTable.cpp - The operations, described -----------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Frontend/Builder/OperationTable.h"
#include "HamKaas/Dialect/HamKaas/IR/HamKaas.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace hamkaas;
using namespace hamkaas::graph;

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
  case AttributeKind::ResultType:
    return "an element type";
  case AttributeKind::Word:
    return "one of " + llvm::join(attribute.words, ", ");
  }
  llvm_unreachable("all kinds of attributes are handled");
}
