//===- GraphHandle.h - What a handle of a graph stands for ------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_CAPI_GRAPHHANDLE_H
#define HAMKAAS_LIB_CAPI_GRAPHHANDLE_H

#include "Arguments.h"
#include "HamKaas/Frontend/Builder/UserGraph.h"
#include "HamKaas/Runtime/Core/HandleTable.h"
#include "hamkaas-c/Graph.h"
#include <mutex>

namespace hamkaas::capi {

/// A graph behind a handle.
class Graph {
public:
  Graph();

  /// The number of a value in the graph. `what` names it in the error.
  llvm::Expected<uint32_t> find(HamKaasValue value,
                                const llvm::Twine &what) const;
  HamKaasValue name(uint32_t value) const {
    return HamKaasValue(number) << 32 | (value + 1);
  }

  /// Held by each call.
  std::mutex mutex;
  std::unique_ptr<mlir::MLIRContext> context;
  graph::UserGraph graph;

private:
  /// The upper half of its values. Numbers come again after 2^32 graphs.
  uint32_t number;
};

/// A graph whose handle cannot end, and which no other call has.
class LockedGraph {
public:
  explicit LockedGraph(HamKaasGraph *handle);

  Graph *operator->() const { return &*graph; }
  Graph &operator*() const { return *graph; }
  explicit operator bool() const { return bool(graph); }
  /// Why there is none.
  llvm::Error explain() const;

private:
  rt::PinnedObject<Graph> graph;
  std::unique_lock<std::mutex> lock;
};

using Numbers = llvm::SmallVector<uint32_t>;

/// The numbers of the values, which are called `kind` in errors.
llvm::Expected<Numbers> readValues(const Graph &graph, llvm::StringRef kind,
                                   const HamKaasValue *values, int32_t count);

/// Checks that lists are there, and no lengths negative.
llvm::Error checkLists(const void *operands, int32_t operandCount,
                       const void *attributes, int32_t attributeCount);

/// Attributes that refer to the caller's memory.
llvm::Expected<llvm::SmallVector<graph::UserAttribute>>
readAttributes(llvm::ArrayRef<HamKaasAttribute> given,
               mlir::MLIRContext *context);

/// The type as the C interface has it.
HamKaasTensorType describeType(mlir::RankedTensorType type);

/// A caller's own position; a null file for none.
struct Position {
  const char *file = nullptr;
  int64_t line = 0;

  llvm::Error check() const;
  mlir::Location locate(mlir::MLIRContext *context) const;
  /// The error, at this position.
  HamKaasError report(llvm::Error error) const;
};

/// Calls `run` with the graph and the position, both of which are right.
HamKaasError withGraph(
    HamKaasGraph *handle, Position position,
    llvm::function_ref<llvm::Error(Graph &graph, mlir::Location location)> run);

} // namespace hamkaas::capi

#endif // HAMKAAS_LIB_CAPI_GRAPHHANDLE_H
