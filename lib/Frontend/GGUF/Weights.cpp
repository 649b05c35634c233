//===- Weights.cpp - The tensors of a GGUF file as parameters ---*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Weights.h"
#include "HamKaas/Dialect/HamKaas/IR/QuantizationOps.h"

using namespace mlir;
using namespace hamkaas;
using namespace hamkaas::gguf;
using namespace hamkaas::graph;

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

static std::optional<BlockFormat> getBlockFormat(const rt::GgufTensor &tensor) {
  return symbolizeBlockFormat(StringRef(tensor.type->name).lower());
}

/// The type of the parameter of a tensor, null if there is none.
static RankedTensorType getStoredType(const rt::GgufTensor &tensor,
                                      MLIRContext *context) {
  Builder builder(context);
  SmallVector<int64_t> shape(tensor.shape, tensor.shape + tensor.rank);
  StringRef name = tensor.type->name;
  if (name == "F32")
    return RankedTensorType::get(shape, builder.getF32Type());
  if (name == "F16")
    return RankedTensorType::get(shape, builder.getF16Type());
  if (name == "BF16")
    return RankedTensorType::get(shape, builder.getBF16Type());
  if (!getBlockFormat(tensor))
    return {};
  shape.back() = int64_t(tensor.rowBytes());
  return RankedTensorType::get(shape, builder.getIntegerType(8, false));
}

/// Numbers that were stored as `tensor` has them, as float32.
static Tensor toFloat(GraphBuilder &b, Tensor stored,
                      const rt::GgufTensor &tensor) {
  if (std::optional<BlockFormat> format = getBlockFormat(tensor))
    return b.create<DequantizeBlocksOp>(
        stored, {.format = BlockFormatAttr::get(b.context(), *format)});
  return b.cast(stored, Float32Type::get(b.context()));
}

//===----------------------------------------------------------------------===//
// The parameters
//===----------------------------------------------------------------------===//

void Weights::addParameter(const rt::GgufTensor &tensor) {
  RankedTensorType type = getStoredType(tensor, location->getContext());
  if (!type) {
    diagnostics.modelError("tensor " + quote(tensor.name) + " of type " +
                           tensor.type->name + " is not supported");
    return;
  }
  ArrayRef<char> bytes(static_cast<const char *>(tensor.data), tensor.bytes);
  auto value = graph.addParameter(tensor.name, type, bytes, *location);
  if (!value)
    return diagnostics.modelError(llvm::toString(value.takeError()));
  weights[tensor.name] = {&tensor, *value};
}

void Weights::add(const Twine &name, ArrayRef<int64_t> shape, bool isOptional) {
  const rt::GgufTensor *tensor = file.findTensor(name.str().c_str());
  if (!tensor) {
    if (!isOptional)
      diagnostics.modelError("expected a tensor " + quote(name.str()) +
                             ", got none");
    return;
  }
  ArrayRef<int64_t> found(tensor->shape, tensor->rank);
  if (found != shape)
    return diagnostics.modelError("expected tensor " + quote(name.str()) +
                                  " of shape " + formatShape(shape) + ", got " +
                                  formatShape(found));
  addParameter(*tensor);
}

void Weights::addLayer(const Config &config, const Twine &layer) {
  struct Linear {
    StringRef name;
    int64_t results, operands;
  };
  const Linear linears[] = {
      {"attn_q", config.queryDim(), config.dim},
      {"attn_k", config.keyDim(), config.dim},
      {"attn_v", config.keyDim(), config.dim},
      {"attn_output", config.dim, config.queryDim()},
      {"ffn_gate", config.hidden, config.dim},
      {"ffn_up", config.hidden, config.dim},
      {"ffn_down", config.dim, config.hidden},
  };
  for (const auto &[name, results, operands] : linears) {
    add(layer + name + ".weight", {results, operands});
    add(layer + name + ".bias", results, /*isOptional=*/true);
  }
  add(layer + "attn_norm.weight", config.dim);
  add(layer + "ffn_norm.weight", config.dim);
}

void Weights::reportUnknown() {
  for (size_t i = 0; i < file.tensorCount(); ++i)
    if (StringRef name = file.tensor(i).name;
        !weights.contains(name) && !diagnostics.hasErrors())
      diagnostics.modelError("the tensor " + quote(name) +
                             " is not supported, expected those of " +
                             "embedding, layers and classifier");
}

void Weights::addAll(const Config &config, Location location) {
  this->location = location;
  constexpr int64_t layerTensors = 9;
  if (config.layers > int64_t(file.tensorCount()) / layerTensors)
    return diagnostics.modelError("expected " + Twine(layerTensors) +
                                  " tensors or more of each of " +
                                  Twine(config.layers) + " layers, got " +
                                  Twine(file.tensorCount()) + " tensors");
  add("token_embd.weight", {config.vocab, config.dim});
  add("output_norm.weight", config.dim);
  add("output.weight", {config.vocab, config.dim}, /*isOptional=*/true);
  add("rope_freqs.weight", int64_t(config.frequencies.size()),
      /*isOptional=*/true);
  for (int64_t i = 0; i < config.layers; ++i)
    addLayer(config, "blk." + std::to_string(i) + ".");
  reportUnknown();
}

//===----------------------------------------------------------------------===//
// Their numbers
//===----------------------------------------------------------------------===//

const Weights::Weight &Weights::find(const Twine &name) const {
  auto found = weights.find(name.str());
  assert(found != weights.end() && "all weights are added");
  return found->second;
}

Tensor Weights::get(GraphBuilder &b, const Twine &name) const {
  const Weight &weight = find(name);
  return toFloat(b, getStored(weight), *weight.tensor);
}

Tensor Weights::getRows(GraphBuilder &b, const Twine &name,
                        Tensor indices) const {
  const Weight &weight = find(name);
  Tensor stored = getStored(weight);
  Shape tuples(indices.shape());
  tuples.push_back(1);
  Tensor checked =
      b.flattenIndices(b.reshape(indices, tuples), {stored.dim(0)}, /*dim=*/0,
                       /*areNonnegative=*/true);
  return toFloat(b, b.gather(stored, checked, /*dim=*/0, /*areChecked=*/true),
                 *weight.tensor);
}

Tensor Weights::getPaired(GraphBuilder &b, const Twine &name,
                          int64_t headSize) const {
  const Weight &weight = find(name);
  Tensor stored = getStored(weight);
  Shape shape(stored.shape());
  // A row of a vector is a number.
  int64_t rowSize = stored.count() / shape[0];
  stored = b.reshape(stored, {shape[0] / headSize, 2, headSize / 2, rowSize});
  stored = b.reshape(b.permute(stored, {0, 2, 1, 3}), shape);
  return toFloat(b, stored, *weight.tensor);
}
