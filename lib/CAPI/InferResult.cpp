//===- InferResult.cpp - The type of the result of a script -----*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Arguments.h"
#include "HamKaas/Dialect/HamKaas/IR/ProgramSymbols.h"
#include "HamKaas/Program/CollectProgramInfo.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include <mutex>

using namespace mlir;
using namespace hamkaas;
using namespace hamkaas::capi;

namespace {

/// A context to use again: creating one takes longer than a small script. Types
/// and attributes stay in it, so it serves a limited number of times.
class ContextCache {
public:
  /// The context, if no other call has it; otherwise a new one. To be given
  /// back with the lock that came with it.
  std::shared_ptr<MLIRContext> take(std::unique_lock<std::mutex> &lock) {
    // NOTE: never waits, because after a fork the holder may not exist.
    lock = std::unique_lock(mutex, std::try_to_lock);
    if (!lock)
      return createContext(MLIRContext::Threading::DISABLED);
    if (!context || ++uses > maxUses) {
      context = createContext(MLIRContext::Threading::DISABLED);
      uses = 1;
    }
    return context;
  }

private:
  static constexpr int maxUses = 10000;

  std::mutex mutex;
  std::shared_ptr<MLIRContext> context;
  int uses = 0;
};

} // namespace

/// NOTE: never destroyed, because other threads may run when the process ends.
static ContextCache &getCache() {
  static ContextCache *cache = new ContextCache;
  return *cache;
}

static llvm::Error describeResult(ModuleOp graph, HamKaasTensorType &type) {
  auto main = graph.lookupSymbol<func::FuncOp>(mainName);
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
  auto graph = ParsedGraph::parse(source, getCache().take(lock));
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
