//===- NodeGraph.h - A graph of nodes and tensors ---------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_FRONTEND_DNN_NODEGRAPH_H
#define HAMKAAS_FRONTEND_DNN_NODEGRAPH_H

#include "HamKaas/Frontend/Dnn/AttributeTable.h"
#include "llvm/Support/Error.h"
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace hamkaas::nodes {

/// The elements of an attribute, in the list of their type: enumerations and
/// booleans are integers, tensors of a node are their uids.
struct AttributeValue {
  std::vector<int64_t> integers = {};
  std::vector<double> reals = {};
  std::string text = "";

  bool operator==(const AttributeValue &other) const {
    return integers == other.integers && reals == other.reals &&
           text == other.text;
  }
};

/// By the number of the attribute.
using AttributeMap = std::map<int32_t, AttributeValue>;

struct TensorInfo {
  int64_t uid = 0;
  std::string name = "";
  std::optional<int32_t> type = std::nullopt; ///< A HamKaasElementType.
  /// In elements. Empty until they are given or inferred.
  std::vector<int64_t> dims = {}, strides = {};
  bool isVirtual = false;
  /// Of a constant with one element.
  std::optional<double> value = std::nullopt;

  /// Returns whether a run gets an address for it.
  bool isReal() const { return !isVirtual && !value; }
  /// "tensor 3 'x'", for messages.
  std::string describe() const;

  bool operator==(const TensorInfo &other) const;
};

struct NodeInfo {
  int32_t kind = 0;
  AttributeMap attributes = {};

  bool has(int32_t attribute) const {
    return attributes.find(attribute) != attributes.end();
  }
  llvm::StringRef name() const;
  /// "conv_fprop 'first'", for messages.
  std::string describe() const;
};

/// Nodes and their tensors. After prepareGraph, each tensor is computed before
/// its first use.
struct NodeGraph {
  std::string name = "";
  std::optional<int32_t> computeType = std::nullopt,
                         intermediateType = std::nullopt, ioType = std::nullopt;
  std::vector<TensorInfo> tensors = {};
  std::vector<NodeInfo> nodes = {};
};

/// Checks numbers and names of tensors, fills in their types, sorts the nodes.
llvm::Error prepareGraph(NodeGraph &graph);

/// The graph as JSON, and back. Reading checks the text but not the graph.
std::string printGraph(const NodeGraph &graph);
llvm::Expected<NodeGraph> readGraph(llvm::StringRef text);

} // namespace hamkaas::nodes

#endif // HAMKAAS_FRONTEND_DNN_NODEGRAPH_H
