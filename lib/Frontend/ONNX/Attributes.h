//===- Attributes.h - The attributes of a node ------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_FRONTEND_ONNX_ATTRIBUTES_H
#define HAMKAAS_LIB_FRONTEND_ONNX_ATTRIBUTES_H

#include "HamKaas/Frontend/Builder/Diagnostics.h"
#include "Proto.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include <optional>

namespace hamkaas::onnx {

/// Attributes that a function's nodes may refer to: those of the call, by name,
/// with their defaults.
using AttributeScope = llvm::StringMap<const AttributeProto *>;

/// The attributes of one node. Reading one says that it is known; what is left
/// over at the end must not be ignored. A wrong type is a failure of the node.
class Attributes {
public:
  /// All must outlive this object; `scope` is null outside of functions. Fails
  /// if an attribute is given twice.
  Attributes(const NodeProto &node, const AttributeScope *scope,
             graph::Diagnostics &diagnostics);

  bool has(llvm::StringRef name) { return find(name); }
  std::optional<int64_t> getInt(llvm::StringRef name);
  std::optional<double> getFloat(llvm::StringRef name);
  std::optional<llvm::StringRef> getString(llvm::StringRef name);
  std::optional<llvm::SmallVector<int64_t>> getInts(llvm::StringRef name);
  std::optional<llvm::SmallVector<double>> getFloats(llvm::StringRef name);
  std::optional<llvm::SmallVector<std::string>>
  getStrings(llvm::StringRef name);
  const TensorProto *getTensor(llvm::StringRef name);
  const GraphProto *getGraph(llvm::StringRef name);

  /// All attributes, with those of the call in place of what refers to them.
  const AttributeScope &all() const { return attributes; }

  /// Fails if there is an attribute that nobody looked at.
  void expectAllRead();

private:
  const AttributeProto *find(llvm::StringRef name);
  const AttributeProto *find(llvm::StringRef name, AttributeProto::Type type);

  AttributeScope attributes;
  graph::Diagnostics &diagnostics;
  llvm::StringMap<bool> known;
};

} // namespace hamkaas::onnx

#endif // HAMKAAS_LIB_FRONTEND_ONNX_ATTRIBUTES_H
