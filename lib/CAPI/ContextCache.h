//===- ContextCache.h - A context for short calls ---------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_CAPI_CONTEXTCACHE_H
#define HAMKAAS_LIB_CAPI_CONTEXTCACHE_H

#include "mlir/IR/MLIRContext.h"
#include <memory>
#include <mutex>

namespace hamkaas::capi {

/// A context for calls that infer types: creating one takes longer than such a
/// call. Types and attributes stay in it, so it serves a limited number of
/// times.
class ContextCache {
public:
  /// NOTE: never destroyed, because other threads may run when the process
  /// ends.
  static ContextCache &get();

  /// The context, if no other call has it; otherwise a new one. To be given
  /// back with the lock that came with it.
  std::shared_ptr<mlir::MLIRContext> take(std::unique_lock<std::mutex> &lock);

private:
  static constexpr int maxUses = 10000;

  std::mutex mutex;
  std::shared_ptr<mlir::MLIRContext> context;
  int uses = 0;
};

} // namespace hamkaas::capi

#endif // HAMKAAS_LIB_CAPI_CONTEXTCACHE_H
