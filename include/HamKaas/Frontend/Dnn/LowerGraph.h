//===- LowerGraph.h - From nodes to the dialect -----------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_FRONTEND_DNN_LOWERGRAPH_H
#define HAMKAAS_FRONTEND_DNN_LOWERGRAPH_H

#include "HamKaas/Frontend/Builder/ParameterContents.h"
#include "HamKaas/Frontend/Dnn/NodeGraph.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace hamkaas::nodes {

/// The module of a graph. Its inputs and outputs are the real tensors, in the
/// order of their memory, with names of `encodeName`.
struct LoweredGraph {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::shared_ptr<const ParameterContents> parameters;
};

/// The dialects, reference semantics and gradient rules that lowering needs.
const mlir::DialectRegistry &getLoweringRegistry();

/// Lowers a graph after `prepareGraph`, and fills in the dims and strides of
/// its tensors. The error names a node.
llvm::Expected<LoweredGraph> lowerGraph(NodeGraph &graph,
                                        mlir::MLIRContext *context);

/// A real tensor as the program names it: "3:x". A result with holes has its
/// dims and strides in it, because the program stores it dense.
std::string encodeName(const TensorInfo &tensor, bool isResult);

/// The tensor of such a name; without dims and strides unless they stand in it.
llvm::Expected<TensorInfo> decodeName(llvm::StringRef name);

} // namespace hamkaas::nodes

#endif // HAMKAAS_FRONTEND_DNN_LOWERGRAPH_H
