//===- InferResult.cpp - The type of the result of a script -----*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Arguments.h"
#include "ContextCache.h"
#include "HamKaas/Dialect/HamKaas/IR/ProgramSignature.h"
#include "HamKaas/Program/CollectProgramInfo.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace hamkaas;
using namespace hamkaas::capi;

static llvm::Error describeResult(ModuleOp graph, HamKaasTensorType &type) {
  auto main = findEntryFunction(graph);
  if (!main || main.getNumResults() != 1)
    return llvm::createStringError("expected a model with one result");
  TensorInfo info = getTensorInfo("result", main.getResultTypes().front());
  type.elementType = info.elementType;
  type.rank = int32_t(info.shape.size());
  llvm::copy(info.shape, type.shape);
  return llvm::Error::success();
}

static llvm::Error infer(const char *script, uint64_t bytes,
                         HamKaasTensorType &type) {
  ModelSource source;
  if (llvm::Error error = readSource(script, bytes).moveInto(source.text))
    return error;
  source.file = "script";
  if (getModelKind(source.text) != ModelKind::Script)
    return llvm::createStringError("expected a script, got another text");
  std::unique_lock<std::mutex> lock;
  auto graph = ParsedGraph::parse(source, ContextCache::get().take(lock));
  if (!graph)
    return graph.takeError();
  return describeResult((*graph)->module(), type);
}

HamKaasError HamKaasInferResult(const char *source, uint64_t bytes,
                                HamKaasTensorType *type) {
  if (!type)
    return noPlace("the type");
  *type = {};
  return fromError(infer(source, bytes, *type));
}
