//===- LowerGraph.cpp - From nodes to the dialect ---------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Frontend/Dnn/LowerGraph.h"
#include "HamKaas/Dialect/HamKaas/IR/HamKaas.h"
#include "HamKaas/Frontend/Dnn/Layout.h"
#include "HamKaas/Frontend/Dnn/StatusError.h"
#include "HamKaas/Gradient/GradientOpInterface.h"
#include "HamKaas/Interpreter/ReferenceSemantics.h"
#include "HamKaas/Program/ElementTypes.h"
#include "NodeBuilder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MLProgram/IR/MLProgram.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace hamkaas;
using namespace hamkaas::nodes;
using llvm::createStringError;
using llvm::Error;
using llvm::Expected;

const DialectRegistry &nodes::getLoweringRegistry() {
  static const DialectRegistry registry = [] {
    DialectRegistry made;
    made.insert<HamKaasDialect, arith::ArithDialect, func::FuncDialect,
                ml_program::MLProgramDialect>();
    registerReferenceSemantics(made);
    registerGradientRules(made);
    return made;
  }();
  return registry;
}

//===----------------------------------------------------------------------===//
// Names of a program's tensors
//===----------------------------------------------------------------------===//

static std::string printNumbers(ArrayRef<int64_t> numbers) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  llvm::interleave(numbers, stream, ",");
  return text;
}

std::string nodes::encodeName(const TensorInfo &tensor, bool isResult) {
  std::string text = std::to_string(tensor.uid);
  if (isResult && !Layout(tensor.dims, tensor.strides).isDense())
    text += "(" + printNumbers(tensor.dims) + ";" +
            printNumbers(tensor.strides) + ")";
  return text + ":" + tensor.name;
}

static bool readNumbers(StringRef text, std::vector<int64_t> &numbers) {
  SmallVector<StringRef> parts;
  text.split(parts, ',');
  for (StringRef part : parts)
    if (part.getAsInteger(10, numbers.emplace_back()))
      return false;
  return true;
}

Expected<TensorInfo> nodes::decodeName(StringRef name) {
  auto [head, rest] = name.split(':');
  auto [number, layout] = head.split('(');
  TensorInfo tensor;
  tensor.name = rest.str();
  bool isRight = name.contains(':') && !number.getAsInteger(10, tensor.uid);
  if (isRight && !layout.empty()) {
    auto [dims, strides] = layout.split(';');
    isRight = strides.consume_back(")") && readNumbers(dims, tensor.dims) &&
              readNumbers(strides, tensor.strides) &&
              tensor.dims.size() == tensor.strides.size();
    if (isRight)
      if (Error error = checkLayout(tensor.dims, tensor.strides))
        return std::move(error);
  }
  if (isRight)
    return tensor;
  return createStringError("expected the program of a plan, whose tensors are "
                           "named by their uids, got a tensor " +
                           graph::quote(name));
}

//===----------------------------------------------------------------------===//
// Graphs
//===----------------------------------------------------------------------===//

namespace {

class GraphLowering {
public:
  GraphLowering(NodeGraph &graph, MLIRContext *context)
      : graph(graph), location(UnknownLoc::get(context)), diagnostics(location),
        parameters(std::make_shared<ParameterContents>()),
        b(location, *parameters, diagnostics) {}

  Expected<LoweredGraph> run();

private:
  Error addTensors();
  Error addOperand(TensorInfo &tensor);
  Error lowerNode(const NodeInfo &node);
  Error checkResult(const TensorInfo &tensor);

  NodeGraph &graph;
  Location location;
  graph::Diagnostics diagnostics;
  std::shared_ptr<ParameterContents> parameters;
  GraphBuilder b;
  GraphTensors tensors;
  /// The uids of the tensors that nodes compute.
  llvm::DenseSet<int64_t> computed;
};

} // namespace

/// Adds a tensor that no node computes.
Error GraphLowering::addOperand(TensorInfo &tensor) {
  Type element = getElementType(*tensor.type).make(b.context());
  if (tensor.value) {
    tensors.values[tensor.uid] =
        b.constantOf(element, {*tensor.value}, tensor.dims);
    return Error::success();
  }
  if (tensor.dims.empty())
    return createStringError(tensor.describe() +
                             ": expected dims, because no node computes it");
  if (tensor.strides.empty())
    tensor.strides = makeStrides(tensor.dims, {});
  Layout layout(tensor.dims, tensor.strides);
  Shape shape = layout.isDense() ? layout.storedShape() : Shape{layout.span()};
  Tensor stored = b.addInput(encodeName(tensor, /*isResult=*/false),
                             RankedTensorType::get(shape, element));
  tensors.values[tensor.uid] = layout.read(b, stored);
  // A span may be too large.
  if (b.hasFailed())
    return createStringError(tensor.describe() + ": " + b.takeFailure());
  return Error::success();
}

Error GraphLowering::addTensors() {
  for (TensorInfo &tensor : graph.tensors)
    tensors.infos[tensor.uid] = &tensor;
  for (const NodeInfo &node : graph.nodes)
    for (const AttributeRow &row : getRows(node.kind))
      if (isOutput(row.use) && node.has(row.attribute->number))
        computed.insert(
            node.attributes.at(row.attribute->number).integers.front());
  for (TensorInfo &tensor : graph.tensors)
    if (!computed.contains(tensor.uid))
      if (Error error = addOperand(tensor))
        return error;
  return Error::success();
}

static void lower(int32_t kind, NodeBuilder &node) {
  switch (kind) {
  case HamKaasDnnConvForward:
    return lowerConvForward(node);
  case HamKaasDnnConvDataGradient:
    return lowerConvDataGradient(node);
  case HamKaasDnnConvWeightGradient:
    return lowerConvWeightGradient(node);
  case HamKaasDnnBatchNorm:
    return lowerBatchNorm(node);
  case HamKaasDnnBatchNormInference:
    return lowerBatchNormInference(node);
  case HamKaasDnnBatchNormBackward:
    return lowerBatchNormBackward(node);
  case HamKaasDnnLayerNorm:
    return lowerLayerNorm(node);
  case HamKaasDnnLayerNormBackward:
    return lowerLayerNormBackward(node);
  case HamKaasDnnRmsNorm:
    return lowerRmsNorm(node);
  case HamKaasDnnRmsNormBackward:
    return lowerRmsNormBackward(node);
  case HamKaasDnnPointwise:
    return lowerPointwise(node);
  case HamKaasDnnReduction:
    return lowerReduction(node);
  case HamKaasDnnMatmul:
    return lowerMatmul(node);
  case HamKaasDnnAttention:
    return lowerAttention(node);
  case HamKaasDnnAttentionBackward:
    return lowerAttentionBackward(node);
  case HamKaasDnnResample:
    return lowerResample(node);
  case HamKaasDnnResampleBackward:
    return lowerResampleBackward(node);
  }
  llvm_unreachable("kinds without rows have no nodes");
}

Error GraphLowering::lowerNode(const NodeInfo &node) {
  b.setLocation(NameLoc::get(StringAttr::get(
      b.context(),
      node.name().empty() ? findKind(node.kind)->text : node.name())));
  NodeBuilder builder(b, node, tensors, graph.computeType);
  lower(node.kind, builder);
  if (!b.hasFailed())
    return Error::success();
  return makeError(builder.hasUnsupported() ? HamKaasDnnNotSupported
                                            : HamKaasDnnBadParam,
                   node.describe() + ": " + b.takeFailure());
}

Error GraphLowering::checkResult(const TensorInfo &tensor) {
  if (!Layout(tensor.dims, tensor.strides).isInjective())
    return createStringError(tensor.describe() +
                             ": expected a result whose elements have memory "
                             "of their own, got the dims " +
                             graph::formatList(tensor.dims) +
                             " and the strides " +
                             graph::formatList(tensor.strides));
  return Error::success();
}

Expected<LoweredGraph> GraphLowering::run() {
  if (Error error = addTensors())
    return std::move(error);
  for (const NodeInfo &node : graph.nodes)
    if (Error error = lowerNode(node))
      return std::move(error);
  std::vector<std::pair<std::string, Tensor>> results;
  for (const TensorInfo &tensor : graph.tensors) {
    if (!computed.contains(tensor.uid) || !tensor.isReal())
      continue;
    if (Error error = checkResult(tensor))
      return std::move(error);
    results.emplace_back(encodeName(tensor, /*isResult=*/true),
                         Layout(tensor.dims, tensor.strides)
                             .store(b, tensors.values[tensor.uid]));
  }
  if (results.empty())
    return createStringError(
        "expected a graph with a result that is not virtual");
  LoweredGraph lowered;
  lowered.module = b.finish(results);
  lowered.parameters = parameters;
  return lowered;
}

Expected<LoweredGraph> nodes::lowerGraph(NodeGraph &graph,
                                         MLIRContext *context) {
  context->loadAllAvailableDialects();
  return GraphLowering(graph, context).run();
}
