//===- DnnPlan.h - Programs of graphs of nodes ------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_CAPI_DNNPLAN_H
#define HAMKAAS_LIB_CAPI_DNNPLAN_H

#include "DnnEngine.h"
#include "HamKaas/Frontend/Builder/ParameterContents.h"
#include "HamKaas/Frontend/Dnn/Layout.h"
#include "HamKaas/Frontend/Dnn/NodeGraph.h"
#include "hamkaas-c/Dnn.h"
#include <map>
#include <mutex>

namespace hamkaas::capi {

/// The object of a HamKaasDnnHandle.
struct DnnHandle {
  std::string device;
  int32_t threads = 0;
  bool noCache = false;
};
using SharedDnnHandle = std::shared_ptr<const DnnHandle>;

/// The answer of an engine to a graph.
struct DnnEngineAnswer {
  SharedDnnEngine engine = nullptr; ///< Null if it does not compute the graph.
  std::string problem = "";         ///< Why it does not.
};

/// A graph, checked and inferred, with its module.
struct DnnGraph {
  nodes::NodeGraph graph;
  std::string bytecode;
  std::shared_ptr<const ParameterContents> parameters;

  /// Held for what follows.
  mutable std::mutex mutex;
  /// By the host of the engine and its id.
  mutable std::map<std::pair<const void *, int64_t>, DnnEngineAnswer> answers;
};

/// Checks and lowers a graph.
llvm::Expected<std::shared_ptr<const DnnGraph>>
makeDnnGraph(nodes::NodeGraph graph);

/// The engine and its knobs that are set, as options of the compiler.
struct DnnSettings {
  /// A rule, "openblas:rows=64", and its search path; empty for our engine,
  /// whose knobs follow.
  std::string engine, enginePath;
  double winogradError = 0;
  int64_t maxWorkspace = 0;
  std::string noOptimize, precision, targetCpu;
};

/// A program with an instance, and where its tensors go.
class DnnPlan {
public:
  static llvm::Expected<std::shared_ptr<DnnPlan>>
  compile(const DnnGraph &graph, const DnnSettings &settings,
          SharedDnnHandle handle);
  static llvm::Expected<std::shared_ptr<DnnPlan>> load(const char *path,
                                                       SharedDnnHandle handle);
  DnnPlan(const DnnPlan &) = delete;
  ~DnnPlan();

  const SharedDnnHandle &handle() const { return owner; }
  std::vector<int64_t> getUids() const;
  /// The engine that computes it.
  const char *getEngine() const;
  llvm::Error write(const char *path) const;
  /// HamKaasModelDescribe.
  llvm::Expected<std::string> describe(int32_t description) const;

  /// Runs on an address for each uid. Allocates nothing unless it fails.
  llvm::Error run(const int64_t *uids, void *const *pointers, int64_t count);

private:
  explicit DnnPlan(SharedDnnHandle handle) : owner(std::move(handle)) {}

  /// A tensor of the program.
  struct Place {
    int64_t uid;
    bool isResult;
    size_t index;   ///< Among the inputs or the outputs.
    uint64_t bytes; ///< From the first to the last element of the caller's.
    bool hasHoles;  ///< Only of a result.
    std::string name;
  };
  /// A result with holes, which a run copies from dense memory.
  struct Scattered {
    nodes::Shape dims, strides; ///< In the order of memory.
    size_t elementBytes, index;
    void *to; ///< In a run: the address that the caller gave.
    std::vector<char> dense;
    std::vector<int64_t> position;
  };

  llvm::Error createInstance();
  llvm::Error addPlaces();
  llvm::Error addPlace(const HamKaasTensorInfo &tensor, bool isResult,
                       size_t index);
  llvm::Error bind(const int64_t *uids, void *const *pointers, int64_t count);
  llvm::Error checkOverlap() const;
  static void scatter(Scattered &result);

  SharedDnnHandle owner;
  HamKaasModel *model = nullptr;
  HamKaasInstance *instance = nullptr;
  /// By rising uids.
  std::vector<Place> places;
  std::vector<Scattered> scattered;

  /// Held by a run, for what follows.
  std::mutex running;
  std::vector<void *> given; ///< For each place.
  std::vector<const void *> inputs;
  std::vector<void *> outputs;
};

} // namespace hamkaas::capi

#endif // HAMKAAS_LIB_CAPI_DNNPLAN_H
