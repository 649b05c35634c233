//===- NodeGraph.cpp - A graph of nodes and tensors -------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Frontend/Dnn/NodeGraph.h"
#include "HamKaas/Dialect/HamKaas/IR/GraphRules.h"
#include "HamKaas/Frontend/Builder/Diagnostics.h"
#include "HamKaas/Frontend/Dnn/Layout.h"
#include "HamKaas/Frontend/Dnn/StatusError.h"
#include "llvm/ADT/DenseSet.h"
#include <cmath>
#include <map>

using namespace hamkaas;
using namespace hamkaas::nodes;
using llvm::createStringError;
using llvm::Error;
using llvm::Twine;

char StatusError::ID = 0;

std::string TensorInfo::describe() const {
  std::string text = "tensor " + std::to_string(uid);
  return name.empty() ? text : text + " " + graph::quote(name);
}

/// NaN equals itself here.
static bool isSame(std::optional<double> a, std::optional<double> b) {
  return a == b || (a && b && std::isnan(*a) && std::isnan(*b));
}

bool TensorInfo::operator==(const TensorInfo &other) const {
  return uid == other.uid && name == other.name && type == other.type &&
         dims == other.dims && strides == other.strides &&
         isVirtual == other.isVirtual && isSame(value, other.value);
}

llvm::StringRef NodeInfo::name() const {
  auto found = attributes.find(HamKaasDnnAttrName);
  return found == attributes.end() ? llvm::StringRef() : found->second.text;
}

std::string NodeInfo::describe() const {
  return findKind(kind)->text.str() + " " + graph::quote(name());
}

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

static Error checkTensor(const TensorInfo &tensor) {
  auto fail = [&](const Twine &reason) {
    return createStringError(tensor.describe() + ": " + reason);
  };
  // llvm::DenseMap reserves the last two.
  if (tensor.uid >= INT64_MAX - 1)
    return fail("expected a uid below 2^63 - 2");
  if (!tensor.name.empty() && !isValidName(tensor.name))
    return fail("expected a name in UTF-8 without control characters");
  if (Error error = checkLayout(tensor.dims, tensor.strides))
    return fail(toString(std::move(error)));
  if (tensor.value &&
      llvm::any_of(tensor.dims, [](int64_t dim) { return dim != 1; }))
    return fail("expected a value to have one element, got the dims " +
                graph::formatList(tensor.dims));
  if (tensor.value && tensor.isVirtual)
    return fail("expected a value not to be virtual");
  return Error::success();
}

namespace {

/// Finds who computes each tensor, and sorts the nodes by that.
class NodeSorter {
public:
  explicit NodeSorter(NodeGraph &graph) : graph(graph) {}

  Error run();

private:
  Error findProducers();
  Error checkUse(const NodeInfo &node, int64_t uid) const;

  /// Calls `visit` with the tensors of a node that are operands, or results.
  static void forEach(const NodeInfo &node, bool ofOutputs,
                      llvm::function_ref<void(int64_t)> visit);

  NodeGraph &graph;
  // NOTE: not llvm::DenseMap, which has no place for two of the numbers that a
  // node may name.
  std::map<int64_t, const TensorInfo *> tensors;
  std::map<int64_t, size_t> producers;
};

} // namespace

void NodeSorter::forEach(const NodeInfo &node, bool ofOutputs,
                         llvm::function_ref<void(int64_t)> visit) {
  for (const AttributeRow &row : getRows(node.kind)) {
    if (!(ofOutputs ? isOutput(row.use) : isInput(row.use)))
      continue;
    auto found = node.attributes.find(row.attribute->number);
    if (found != node.attributes.end())
      for (int64_t uid : found->second.integers)
        visit(uid);
  }
}

Error NodeSorter::findProducers() {
  Error error = Error::success();
  auto fail = [&](const Twine &reason) {
    if (!error)
      error = createStringError(reason);
  };
  for (auto [i, node] : llvm::enumerate(graph.nodes))
    forEach(node, /*ofOutputs=*/true, [&, i = i](int64_t uid) {
      auto tensor = tensors.find(uid);
      if (tensor == tensors.end())
        return fail(graph.nodes[i].describe() + ": there is no tensor " +
                    Twine(uid));
      if (tensor->second->value)
        return fail(graph.nodes[i].describe() +
                    ": expected a result that is no value, got " +
                    tensor->second->describe());
      auto [producer, isFirst] = producers.try_emplace(uid, i);
      if (!isFirst)
        fail(tensor->second->describe() + " is a result of " +
             graph.nodes[producer->second].describe() + " and of " +
             graph.nodes[i].describe());
    });
  return error;
}

Error NodeSorter::checkUse(const NodeInfo &node, int64_t uid) const {
  auto tensor = tensors.find(uid);
  if (tensor == tensors.end())
    return createStringError(node.describe() + ": there is no tensor " +
                             Twine(uid));
  if (tensor->second->isVirtual && producers.count(uid) == 0)
    return createStringError(node.describe() + ": no node computes " +
                             tensor->second->describe() + ", which is virtual");
  return Error::success();
}

Error NodeSorter::run() {
  for (const TensorInfo &tensor : graph.tensors)
    if (!tensors.try_emplace(tensor.uid, &tensor).second)
      return createStringError("expected tensors with uids of their own, two "
                               "have " +
                               Twine(tensor.uid));
  if (Error error = findProducers())
    return error;
  // The users of each node, and how many operands each still waits for.
  std::vector<std::vector<size_t>> users(graph.nodes.size());
  std::vector<size_t> missing(graph.nodes.size());
  for (auto [i, node] : llvm::enumerate(graph.nodes)) {
    Error error = Error::success();
    forEach(node, /*ofOutputs=*/false, [&, i = i](int64_t uid) {
      if (error)
        return;
      error = checkUse(graph.nodes[i], uid);
      auto producer = producers.find(uid);
      if (producer == producers.end())
        return;
      users[producer->second].push_back(i);
      ++missing[i];
    });
    if (error)
      return error;
  }
  // The first node that is ready comes next, so that sorted ones stay.
  std::vector<size_t> ready;
  for (size_t i = graph.nodes.size(); i-- > 0;)
    if (missing[i] == 0)
      ready.push_back(i);
  std::vector<NodeInfo> sorted;
  while (!ready.empty()) {
    size_t next = ready.back();
    ready.pop_back();
    sorted.push_back(graph.nodes[next]);
    for (size_t user : users[next])
      if (--missing[user] == 0)
        ready.insert(llvm::lower_bound(ready, user, std::greater<>()), user);
  }
  for (auto [node, count] : llvm::zip_equal(graph.nodes, missing))
    if (count != 0)
      return createStringError(node.describe() +
                               " is in a cycle of nodes, or depends on one");
  graph.nodes = std::move(sorted);
  return Error::success();
}

Error nodes::prepareGraph(NodeGraph &graph) {
  if (graph.nodes.empty())
    return createStringError("expected a graph with nodes, got none");
  for (TensorInfo &tensor : graph.tensors) {
    if (Error error = checkTensor(tensor))
      return error;
    if (!tensor.type)
      tensor.type = tensor.isVirtual ? graph.intermediateType : graph.ioType;
    if (!tensor.type)
      return createStringError(
          tensor.describe() +
          ": expected a data type, or one of the graph for " +
          (tensor.isVirtual ? "virtual tensors" : "real tensors") +
          ", got neither");
    if (tensor.value && tensor.dims.empty())
      tensor.dims = tensor.strides = {1};
  }
  return NodeSorter(graph).run();
}
