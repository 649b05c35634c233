//===- ContextCache.cpp - A context for short calls -------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ContextCache.h"
#include "Model.h"

using namespace mlir;
using namespace hamkaas::capi;

ContextCache &ContextCache::get() {
  static ContextCache *cache = new ContextCache;
  return *cache;
}

std::shared_ptr<MLIRContext>
ContextCache::take(std::unique_lock<std::mutex> &lock) {
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
