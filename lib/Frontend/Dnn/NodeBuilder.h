//===- NodeBuilder.h - Builds the operations of one node --------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_FRONTEND_DNN_NODEBUILDER_H
#define HAMKAAS_LIB_FRONTEND_DNN_NODEBUILDER_H

#include "HamKaas/Frontend/Builder/Compositions.h"
#include "HamKaas/Frontend/Dnn/NodeGraph.h"
#include "llvm/ADT/DenseMap.h"

namespace hamkaas::nodes {

using graph::GraphBuilder;
using graph::Shape;
using graph::Tensor;
using graph::Tensors;
using llvm::ArrayRef;
using llvm::Twine;

/// The tensors of a graph that is being lowered, by uid.
struct GraphTensors {
  llvm::DenseMap<int64_t, TensorInfo *> infos;
  llvm::DenseMap<int64_t, Tensor> values;
};

/// The operands, settings and results of the node that is being lowered. After
/// a failure tensors are null, as in GraphBuilder.
class NodeBuilder {
public:
  NodeBuilder(GraphBuilder &b, const NodeInfo &node, GraphTensors &tensors,
              std::optional<int32_t> graphComputeType);

  GraphBuilder &b;

  bool has(int32_t attribute) const { return node.has(attribute); }
  ArrayRef<int64_t> list(int32_t attribute) const;
  int64_t integer(int32_t attribute, int64_t standard = 0) const;
  double real(int32_t attribute, double standard = 0) const;

  /// Operands computed in this type: that of the node or of the graph, or else
  /// the widest of the operands, where 16 bits count as 32.
  mlir::Type computeType() const { return type; }
  /// The operand as it is; null if it is left out.
  Tensor given(int32_t attribute) const;
  /// The operand in the type of computations.
  Tensor input(int32_t attribute) const;
  /// The number that an operand is at compile time, if it is one.
  std::optional<double> number(int32_t attribute) const;
  /// The only element of an operand, as what broadcasts to rank `rank`.
  Tensor scalarInput(int32_t attribute, int64_t rank);
  /// Operands as the product of them may take them: as they are if all, and the
  /// result, have one type of 16 bits, of which products are summed as float32.
  std::pair<Tensor, Tensor> factors(int32_t lhs, int32_t rhs, int32_t result);

  /// The facts about a tensor; it must be there.
  const TensorInfo &info(int32_t attribute) const;
  /// The dims that the user must give of a result; fails without them.
  ArrayRef<int64_t> requiredDims(int32_t attribute);

  /// Gives a result, in the type of its tensor. Nothing if it is left out.
  void give(int32_t attribute, Tensor x);
  /// The same where the user's dims may be others of as many elements.
  void giveReshaped(int32_t attribute, Tensor x);

  Tensor fail(const Twine &reason) { return b.fail(reason); }
  /// Fails because no engine has it.
  Tensor unsupported(const Twine &feature) {
    isUnsupported |= !b.hasFailed();
    return b.fail(feature + " is not supported");
  }
  bool hasUnsupported() const { return isUnsupported; }

private:
  const TensorInfo *find(int32_t attribute) const;
  void assign(TensorInfo &tensor, Tensor x);
  ArrayRef<int64_t> chooseOrder(int64_t rank) const;

  const NodeInfo &node;
  GraphTensors &tensors;
  mlir::Type type;
  bool isUnsupported = false;
};

//===----------------------------------------------------------------------===//
// The kinds of nodes
//===----------------------------------------------------------------------===//

void lowerConvForward(NodeBuilder &node);
void lowerConvDataGradient(NodeBuilder &node);
void lowerConvWeightGradient(NodeBuilder &node);
void lowerBatchNorm(NodeBuilder &node);
void lowerBatchNormInference(NodeBuilder &node);
void lowerBatchNormBackward(NodeBuilder &node);
void lowerLayerNorm(NodeBuilder &node);
void lowerLayerNormBackward(NodeBuilder &node);
void lowerRmsNorm(NodeBuilder &node);
void lowerRmsNormBackward(NodeBuilder &node);
void lowerPointwise(NodeBuilder &node);
void lowerReduction(NodeBuilder &node);
void lowerMatmul(NodeBuilder &node);
void lowerAttention(NodeBuilder &node);
void lowerAttentionBackward(NodeBuilder &node);
void lowerResample(NodeBuilder &node);
void lowerResampleBackward(NodeBuilder &node);

/// The gradient of `y` by `x` for the gradient `seed` of `y`; both are values
/// of the graph.
Tensor differentiateBy(NodeBuilder &node, Tensor y, Tensor seed, Tensor x);

} // namespace hamkaas::nodes

#endif // HAMKAAS_LIB_FRONTEND_DNN_NODEBUILDER_H
