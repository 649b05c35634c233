//===- NodeBuilder.cpp - Builds the operations of one node ------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NodeBuilder.h"
#include "HamKaas/Frontend/Dnn/Layout.h"
#include "HamKaas/Gradient/Differentiate.h"
#include "HamKaas/Program/ElementTypes.h"

using namespace mlir;
using namespace hamkaas;
using namespace hamkaas::nodes;

static Type makeType(GraphBuilder &b, int32_t elementType) {
  return getElementType(elementType).make(b.context());
}

/// 16 bits are too few for sums.
static Type widen(Type type) {
  return type.isF16() || type.isBF16() ? Float32Type::get(type.getContext())
                                       : type;
}

static Type chooseComputeType(GraphBuilder &b, const NodeInfo &node,
                              const GraphTensors &tensors,
                              std::optional<int32_t> graphType) {
  auto own = node.attributes.find(HamKaasDnnAttrComputeType);
  if (own != node.attributes.end())
    return widen(makeType(b, int32_t(own->second.integers.front())));
  if (graphType)
    return widen(makeType(b, *graphType));
  Type chosen;
  for (const AttributeRow &row : getRows(node.kind)) {
    auto found = node.attributes.find(row.attribute->number);
    if (!isInput(row.use) || found == node.attributes.end())
      continue;
    Type type = widen(
        tensors.values.lookup(found->second.integers.front()).elementType());
    if (!chosen || type.isF64() || (isa<FloatType>(type) && !chosen.isF64()))
      chosen = type;
  }
  return chosen;
}

NodeBuilder::NodeBuilder(GraphBuilder &b, const NodeInfo &node,
                         GraphTensors &tensors,
                         std::optional<int32_t> graphComputeType)
    : b(b), node(node), tensors(tensors),
      type(chooseComputeType(b, node, tensors, graphComputeType)) {}

//===----------------------------------------------------------------------===//
// Settings and operands
//===----------------------------------------------------------------------===//

ArrayRef<int64_t> NodeBuilder::list(int32_t attribute) const {
  auto found = node.attributes.find(attribute);
  if (found == node.attributes.end())
    return {};
  return found->second.integers;
}

int64_t NodeBuilder::integer(int32_t attribute, int64_t standard) const {
  ArrayRef<int64_t> numbers = list(attribute);
  return numbers.empty() ? standard : numbers.front();
}

double NodeBuilder::real(int32_t attribute, double standard) const {
  auto found = node.attributes.find(attribute);
  return found == node.attributes.end() ? standard
                                        : found->second.reals.front();
}

const TensorInfo *NodeBuilder::find(int32_t attribute) const {
  ArrayRef<int64_t> uids = list(attribute);
  return uids.empty() ? nullptr : tensors.infos.lookup(uids.front());
}

const TensorInfo &NodeBuilder::info(int32_t attribute) const {
  return *find(attribute);
}

Tensor NodeBuilder::given(int32_t attribute) const {
  ArrayRef<int64_t> uids = list(attribute);
  return uids.empty() ? Tensor() : tensors.values.lookup(uids.front());
}

Tensor NodeBuilder::input(int32_t attribute) const {
  return b.cast(given(attribute), computeType());
}

std::optional<double> NodeBuilder::number(int32_t attribute) const {
  const TensorInfo *tensor = find(attribute);
  return tensor ? tensor->value : std::nullopt;
}

Tensor NodeBuilder::scalarInput(int32_t attribute, int64_t rank) {
  Tensor x = input(attribute);
  if (!x)
    return {};
  if (x.count() != 1)
    return fail("expected '" + findAttribute(attribute)->text +
                "' to have one element, got the dims " +
                graph::formatList(x.shape()));
  return b.reshape(x, Shape(rank, 1));
}

std::pair<Tensor, Tensor> NodeBuilder::factors(int32_t lhs, int32_t rhs,
                                               int32_t result) {
  Tensor left = given(lhs), right = given(rhs);
  if (!left || !right)
    return {};
  Type common = left.elementType();
  bool isNarrow = (common.isF16() || common.isBF16()) &&
                  computeType().isF32() && right.elementType() == common &&
                  makeType(b, *info(result).type) == common;
  if (isNarrow)
    return {left, right};
  return {input(lhs), input(rhs)};
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

ArrayRef<int64_t> NodeBuilder::requiredDims(int32_t attribute) {
  const TensorInfo &tensor = info(attribute);
  if (tensor.dims.empty())
    fail("expected the dims of '" + findAttribute(attribute)->text +
         "' to be given: " + tensor.describe() + " has none");
  return tensor.dims;
}

/// The strides of the first operand of that rank.
ArrayRef<int64_t> NodeBuilder::chooseOrder(int64_t rank) const {
  // Queries may lie among keys and values; results of attention are row-major.
  if (node.kind == HamKaasDnnAttention ||
      node.kind == HamKaasDnnAttentionBackward)
    return {};
  for (const AttributeRow &row : getRows(node.kind)) {
    if (!isInput(row.use))
      continue;
    const TensorInfo *tensor = find(row.attribute->number);
    if (tensor && int64_t(tensor->dims.size()) == rank && !tensor->value)
      return tensor->strides;
  }
  return {};
}

void NodeBuilder::assign(TensorInfo &tensor, Tensor x) {
  if (tensor.dims.empty())
    tensor.dims.assign(x.shape().begin(), x.shape().end());
  // A number is a tensor with one dimension here.
  if (tensor.dims.empty()) {
    tensor.dims = {1};
    x = b.reshape(x, {1});
  }
  if (llvm::Error error = checkLayout(tensor.dims, tensor.strides)) {
    fail(tensor.describe() + ": " + toString(std::move(error)));
    return;
  }
  if (tensor.strides.empty())
    tensor.strides = makeStrides(tensor.dims, chooseOrder(tensor.dims.size()));
  tensors.values[tensor.uid] = b.cast(x, makeType(b, *tensor.type));
}

void NodeBuilder::give(int32_t attribute, Tensor x) {
  ArrayRef<int64_t> uids = list(attribute);
  if (uids.empty() || !x || b.hasFailed())
    return;
  TensorInfo &tensor = *tensors.infos.lookup(uids.front());
  if (!tensor.dims.empty() && ArrayRef<int64_t>(tensor.dims) != x.shape()) {
    fail("expected " + tensor.describe() + " to have the dims " +
         graph::formatList(x.shape()) + ", got " +
         graph::formatList(tensor.dims));
    return;
  }
  assign(tensor, x);
}

void NodeBuilder::giveReshaped(int32_t attribute, Tensor x) {
  ArrayRef<int64_t> uids = list(attribute);
  if (uids.empty() || !x || b.hasFailed())
    return;
  TensorInfo &tensor = *tensors.infos.lookup(uids.front());
  if (!tensor.dims.empty() && graph::countElements(tensor.dims) == x.count())
    x = b.reshape(x, tensor.dims);
  give(attribute, x);
}

Tensor nodes::differentiateBy(NodeBuilder &node, Tensor y, Tensor seed,
                              Tensor x) {
  if (!y || !seed || !x || node.b.hasFailed())
    return {};
  Value of[] = {node.b.materialize(x)};
  OpBuilder place = node.b.getPlace();
  GradientRequest request{node.b.materialize(y), node.b.materialize(seed), of};
  auto gradients = differentiate(request, place, of[0].getLoc());
  if (!gradients)
    return node.fail(toString(gradients.takeError()));
  return Tensor(gradients->front());
}
