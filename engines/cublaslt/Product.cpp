//===- Product.cpp - Groups that cuBLASLt computes ------------------------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Product.h"

#include <cstring>

using namespace hamkaas::engine;

static int64_t countElements(const HamKaasEngineTensor &tensor) {
  int64_t count = 1;
  for (int32_t i = 0; i < tensor.rank; ++i)
    count *= tensor.shape[i];
  return count;
}

static bool isOperation(const HamKaasEngineNode &node, const char *name) {
  return strcmp(node.operation, name) == 0;
}

static bool isByTanh(const HamKaasEngineNode &gelu) {
  for (int32_t i = 0; i < gelu.attributeCount; ++i)
    if (strcmp(gelu.attributes[i].name, "approximate") == 0)
      return gelu.attributes[i].text &&
             strcmp(gelu.attributes[i].text, "tanh") == 0;
  return false;
}

// A residual as large as the result, or a number a column.
static bool addOperand(const HamKaasEngineGroup &group, int32_t operand,
                       Product &product) {
  if (operand >= group.inputCount)
    return false;
  const HamKaasEngineTensor &tensor = group.values[operand];
  int64_t count = countElements(tensor);
  bool isWhole = count == product.batches * product.rows * product.columns;
  bool isRow = count == product.columns && tensor.rank > 0 &&
               tensor.shape[tensor.rank - 1] == product.columns;
  int32_t &place = isWhole ? product.addend : product.bias;
  if (place >= 0 || !(isWhole || isRow))
    return false;
  place = operand;
  return true;
}

// Sums, then an activation. Each node takes the result of the one before.
static bool addNode(const HamKaasEngineGroup &group,
                    const HamKaasEngineNode &node, Product &product) {
  int32_t value = node.result - 1;
  if (product.activation != Activation::None)
    return false;
  if (isOperation(node, "add")) {
    bool isLeft = node.operands[0] == value,
         isRight = node.operands[1] == value;
    return isLeft != isRight &&
           addOperand(group, node.operands[isLeft ? 1 : 0], product);
  }
  if (isOperation(node, "relu"))
    product.activation = Activation::Relu;
  else if (isOperation(node, "gelu") && isByTanh(node))
    product.activation = Activation::GeluTanh;
  return product.activation != Activation::None && node.operands[0] == value;
}

bool hamkaas::engine::matchProduct(const HamKaasEngineGroup &group,
                                   Product &product) {
  const HamKaasEngineNode &matmul = group.nodes[0];
  if (!isOperation(matmul, "matmul"))
    return false;
  product.left = matmul.operands[0];
  product.right = matmul.operands[1];
  const HamKaasEngineTensor &left = group.values[product.left];
  const HamKaasEngineTensor &result = group.values[matmul.result];
  product.columns = result.shape[result.rank - 1];
  product.rows = result.rank > 1 ? result.shape[result.rank - 2] : 1;
  product.batches = countElements(result) / (product.rows * product.columns);
  product.depth = left.shape[left.rank - 1];
  for (int32_t i = 1; i < group.nodeCount; ++i)
    if (!addNode(group, group.nodes[i], product))
      return false;
  // The library counts batches by 32 bits.
  return product.batches <= INT32_MAX;
}
