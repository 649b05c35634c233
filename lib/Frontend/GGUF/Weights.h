//===- Weights.h - The tensors of a GGUF file as parameters -----*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_FRONTEND_GGUF_WEIGHTS_H
#define HAMKAAS_LIB_FRONTEND_GGUF_WEIGHTS_H

#include "Config.h"
#include "HamKaas/Frontend/Builder/GraphBuilder.h"
#include "HamKaas/Frontend/Builder/UserGraph.h"

namespace hamkaas::gguf {

/// The weights of a model: parameters with the names of the tensors, those in
/// blocks as rows of bytes.
class Weights {
public:
  Weights(const rt::GgufFile &file, graph::UserGraph &graph,
          graph::Diagnostics &diagnostics)
      : file(file), graph(graph), diagnostics(diagnostics) {}

  /// Adds all tensors of the file to the graph, which must be those that a
  /// model of this kind has. What is missing, of another shape, or unknown is
  /// an error of the model.
  void addAll(const Config &config, mlir::Location location);

  bool has(const llvm::Twine &name) const {
    return weights.contains(name.str());
  }
  /// All of a tensor as float32.
  graph::Tensor get(graph::GraphBuilder &b, const llvm::Twine &name) const;
  /// The rows of a matrix that `indices` name, as float32. No more than they
  /// is unpacked.
  graph::Tensor getRows(graph::GraphBuilder &b, const llvm::Twine &name,
                        graph::Tensor indices) const;
  /// All of a tensor as float32, with the rows of each head in the order that
  /// makes neighbours of the pairs which are half a head apart.
  graph::Tensor getPaired(graph::GraphBuilder &b, const llvm::Twine &name,
                          int64_t headSize) const;

private:
  struct Weight {
    const rt::GgufTensor *tensor;
    uint32_t value; // in the graph
  };

  void add(const llvm::Twine &name, llvm::ArrayRef<int64_t> shape,
           bool isOptional = false);
  void addLayer(const Config &config, const llvm::Twine &layer);
  void addParameter(const rt::GgufTensor &tensor);
  void reportUnknown();
  const Weight &find(const llvm::Twine &name) const;
  graph::Tensor getStored(const Weight &weight) const {
    return graph::Tensor(graph.value(weight.value));
  }

  const rt::GgufFile &file;
  graph::UserGraph &graph;
  graph::Diagnostics &diagnostics;
  std::optional<mlir::Location> location;
  llvm::StringMap<Weight> weights;
};

} // namespace hamkaas::gguf

#endif // HAMKAAS_LIB_FRONTEND_GGUF_WEIGHTS_H
