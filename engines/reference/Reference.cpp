//===- Reference.cpp - The interpreter as an engine -----------------------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Computes every group as the reference interpreter does. Unlike the other
// engine libraries it is made of parts of the compiler, and holds MLIR.
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Engine/GroupGraph.h"
#include "HamKaas/Interpreter/Interpreter.h"
#include "HamKaas/Program/ElementTypes.h"
#include "hamkaas-c/Engine.h"
#include "mlir/IR/MLIRContext.h"
#include <mutex>

using namespace mlir;
using namespace hamkaas;

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

/// Why the last call of this thread failed.
static thread_local std::string problem;

static const char *lastError() { return problem.c_str(); }

static int32_t fail(std::string why) {
  problem = std::move(why);
  return HamKaasEngineFailed;
}

//===----------------------------------------------------------------------===//
// Graphs
//===----------------------------------------------------------------------===//

/// Runs share it with each other, so it has the locks of a context with
/// threads, although it starts none. It lives as long as the process, which may
/// end while other threads run.
static MLIRContext &getContext() {
  static MLIRContext *context = [] {
    DialectRegistry registry;
    registerGroupDialects(registry);
    auto *created = new MLIRContext(registry);
    created->loadAllAvailableDialects();
    created->getDiagEngine().registerHandler([](Diagnostic &diagnostic) {
      problem = diagnostic.str();
      return success();
    });
    return created;
  }();
  return *context;
}

static llvm::Expected<OwningOpRef<ModuleOp>>
buildGraph(const HamKaasEngineGroup &group) {
  // It captures the diagnostics of the context.
  static std::mutex mutex;
  std::lock_guard<std::mutex> lock(mutex);
  return buildGroupGraph(group, &getContext());
}

static int32_t applies(const HamKaasEngineGroup *group, double *seconds) {
  *seconds = 0; // unknown
  auto graph = buildGraph(*group);
  if (graph)
    return HamKaasEngineOk;
  llvm::consumeError(graph.takeError());
  return HamKaasEngineNotApplicable;
}

//===----------------------------------------------------------------------===//
// Plans
//===----------------------------------------------------------------------===//

static int32_t plan(const HamKaasEngineGroup *group,
                    const HamKaasEngineSetting *, HamKaasEnginePlan *plan) {
  auto graph = buildGraph(*group);
  if (!graph) {
    llvm::consumeError(graph.takeError());
    return HamKaasEngineNotApplicable;
  }
  plan->data = graph->release().getOperation();
  return HamKaasEngineOk;
}

static ModuleOp getGraph(const HamKaasEnginePlan &plan) {
  return cast<ModuleOp>(static_cast<Operation *>(plan.data));
}

static void destroy(HamKaasEnginePlan *plan) {
  OwningOpRef<ModuleOp> graph(getGraph(*plan));
}

//===----------------------------------------------------------------------===//
// Runs
//===----------------------------------------------------------------------===//

static int32_t run(const HamKaasEnginePlan *plan, const HamKaasEngineRun *run) {
  ModuleOp graph = getGraph(*plan);
  problem = "cannot interpret the group";
  // Runs at the same time have one each.
  FailureOr<Interpreter> interpreter =
      Interpreter::create(graph, /*parameters=*/{});
  if (failed(interpreter))
    return HamKaasEngineFailed;
  auto main = *graph.getOps<func::FuncOp>().begin();
  SmallVector<ReferenceTensor> inputs, outputs;
  for (auto [i, input] : llvm::enumerate(main.getArgumentTypes())) {
    auto type = cast<RankedTensorType>(input);
    if (!ReferenceTensor::canAllocate(type))
      return fail("no memory for input " + std::to_string(i));
    getElementType(type).decode(run->inputs[i], inputs.emplace_back(type));
  }
  if (failed(interpreter->run(inputs, outputs)))
    return HamKaasEngineFailed;
  getElementType(outputs.front().type).encode(outputs.front(), run->result);
  return HamKaasEngineOk;
}

//===----------------------------------------------------------------------===//
// The tables
//===----------------------------------------------------------------------===//

static HamKaasEngine makeEngine() {
  HamKaasEngine engine = {};
  engine.structSize = sizeof(engine);
  engine.id = "reference";
  engine.hash = 0x9a7b103262a7ba7a; // FNV-1a of the id
  engine.description = "every group, by the reference interpreter";
  engine.notes = HamKaasEngineBitExact | HamKaasEngineAllocates;
  engine.devices = HamKaasEngineCpu;
  engine.elementTypes = (2u << HamKaasBool) - 1;
  engine.applies = applies;
  engine.plan = plan;
  engine.run = run;
  engine.destroy = destroy;
  return engine;
}

extern "C" __attribute__((visibility("default"))) const HamKaasEngineLibrary *
hamkaasEngineGet(uint32_t hostVersion) {
  static const HamKaasEngine engine = makeEngine();
  static const HamKaasEngine *const engines[] = {&engine};
  static const HamKaasEngineLibrary library = {
      sizeof(HamKaasEngineLibrary),
      HAMKAAS_ENGINE_VERSION,
      /*engineCount=*/1,
      "HamKaas",
      HAMKAAS_VERSION,
      engines,
      lastError,
      /*setLog=*/nullptr,
  };
  return hostVersion == HAMKAAS_ENGINE_VERSION ? &library : nullptr;
}
