//===- OpContext.h - A node as its operator sees it -------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_FRONTEND_ONNX_OPCONTEXT_H
#define HAMKAAS_LIB_FRONTEND_ONNX_OPCONTEXT_H

#include "Attributes.h"
#include "GraphNames.h"
#include "KnownConstants.h"
#include "Tensors.h"

namespace hamkaas::onnx {

/// One node, with all that its operator is to look at. What an operator has not
/// looked at, an input or an attribute, must not be ignored and is an error.
class OpContext {
public:
  using Updates = std::vector<std::pair<std::string, Tensor>>;

  OpContext(const NodeProto &node, GraphBuilder &builder,
            KnownConstants &constants, TensorReader &tensors,
            Attributes &attributes, llvm::ArrayRef<Tensor> inputs,
            int64_t version, OnnxTraining training, Updates &updates)
      : node(node), attributes(attributes), version(version),
        training(training), updates(updates), builder(builder),
        constants(constants), tensors(tensors), inputs(inputs),
        isRead(inputs.size()) {}

  const NodeProto &node;
  Attributes &attributes;
  /// The opset in which the operator last changed, as of the model's.
  const int64_t version;
  const OnnxTraining training;
  /// New values of parameters, by their names.
  Updates &updates;

  unsigned inputCount() const { return inputs.size(); }
  bool has(unsigned i) const { return i < inputs.size() && inputs[i]; }
  /// An input that must be there.
  Tensor input(unsigned i);
  /// Null if the input is left out.
  Tensor optionalInput(unsigned i);
  /// All inputs, none of which may be left out.
  llvm::ArrayRef<Tensor> allInputs();

  /// The bytes of an input that is a constant of the file and has several
  /// elements in each; null for another.
  Tensor packedInput(unsigned i);

  /// The elements of an input that must be a constant; none after a failure.
  std::optional<Shape> constantInts(unsigned i);
  std::optional<llvm::SmallVector<double>> constantFloats(unsigned i);
  bool expectConstant(unsigned i);

  /// The tensor of an attribute.
  Tensor readTensor(const TensorProto &tensor);

  /// The type of elements of that number in a file. Fails if no graph has it.
  mlir::Type getElementType(int64_t dataType);

  /// Fails unless a tensor may have this shape, perhaps without elements.
  bool checkShape(llvm::ArrayRef<int64_t> shape);

  /// Returns whether the model has a place for output `i`.
  bool wants(size_t i) const {
    return i < node.outputs.size() && !node.outputs[i].empty();
  }

  /// `axis` counted from 0; fails unless it is within [-rank, rank).
  int64_t normalizeAxis(int64_t axis, int64_t rank);
  /// The same for several, which must differ.
  Shape normalizeAxes(llvm::ArrayRef<int64_t> axes, int64_t rank);

  /// Fails if `x` has no elements.
  bool expectElements(const Tensor &x);
  /// Fails unless `x` has elements, and a rank within these limits.
  bool expectRank(const Tensor &x, int64_t least,
                  std::optional<int64_t> most = std::nullopt);

  /// Fails if there is an input or an attribute that nobody looked at.
  void expectAllRead();

private:
  GraphBuilder &builder;
  KnownConstants &constants;
  TensorReader &tensors;
  llvm::ArrayRef<Tensor> inputs;
  llvm::SmallVector<bool> isRead;
};

/// Builds the graph of a node and returns its outputs, the last of which may be
/// missing.
using OpImporter = Tensors (*)(OpContext &op, GraphBuilder &b);

/// The arguments that an operator takes.
enum class Takes {
  Tensors, ///< Elements as the graph has them.
  Bits,    ///< Any elements: they are moved only, and the results have those of
           ///< the first input.
  Formats, ///< Any elements; the operator looks at their format.
  All      ///< Sequences, too.
};

/// How an operator is imported.
struct OpDefinition {
  llvm::StringRef name;
  OpImporter import;
  /// The newest version, a number of an opset, whose meaning it has.
  int newest;
  /// Empty for ONNX's own.
  llvm::StringRef domain = "";
  Takes takes = Takes::Tensors;
};

// One a family of operators.
llvm::ArrayRef<OpDefinition> getActivationOps();
llvm::ArrayRef<OpDefinition> getAttentionOps();
llvm::ArrayRef<OpDefinition> getBlockWeightOps();
llvm::ArrayRef<OpDefinition> getContractionOps();
llvm::ArrayRef<OpDefinition> getConvolutionOps();
llvm::ArrayRef<OpDefinition> getDeformConvOps();
llvm::ArrayRef<OpDefinition> getElementwiseOps();
llvm::ArrayRef<OpDefinition> getGeometryOps();
llvm::ArrayRef<OpDefinition> getIndexingOps();
llvm::ArrayRef<OpDefinition> getLinearAttentionOps();
llvm::ArrayRef<OpDefinition> getLossOps();
llvm::ArrayRef<OpDefinition> getMovementOps();
llvm::ArrayRef<OpDefinition> getNormalizationOps();
llvm::ArrayRef<OpDefinition> getPoolingOps();
llvm::ArrayRef<OpDefinition> getQuantizationOps();
llvm::ArrayRef<OpDefinition> getQuantizedOperators();
llvm::ArrayRef<OpDefinition> getRandomOps();
llvm::ArrayRef<OpDefinition> getRecurrentOps();
llvm::ArrayRef<OpDefinition> getReductionOps();
llvm::ArrayRef<OpDefinition> getResizeOps();
llvm::ArrayRef<OpDefinition> getSamplingOps();
llvm::ArrayRef<OpDefinition> getSelectionOps();
llvm::ArrayRef<OpDefinition> getSequenceOps();
llvm::ArrayRef<OpDefinition> getShapeOps();
llvm::ArrayRef<OpDefinition> getSignalOps();
llvm::ArrayRef<OpDefinition> getTfIdfOps();

} // namespace hamkaas::onnx

#endif // HAMKAAS_LIB_FRONTEND_ONNX_OPCONTEXT_H
