//===- kernel-benchmark.cpp - Kernels against the machine -------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Times runs of small models on one thread and, in turn with them, loops that
// do nothing but multiply-adds, or nothing but move as many bytes. The clock of
// a shared machine wanders, so only ratios within one process mean anything;
// docs/Performance.md tells how to read them.
//
//===----------------------------------------------------------------------===//

#include "Buffer.h"
#include "Contestant.h"
#include "HamKaas/Calibration/Loops.h"
#include "HamKaas/Driver/Compiler.h"
#include "HamKaas/Target/Target.h"
#include "Model.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <benchmark/benchmark.h>

using namespace hamkaas;
using namespace hamkaas::benchmarks;
namespace cl = llvm::cl;

static cl::OptionCategory category("Options of kernel-benchmark");
static cl::list<std::string> scripts(cl::Positional, cl::OneOrMore,
                                     cl::desc("SCRIPT..."), cl::cat(category));
static cl::opt<std::string>
    targetCpu("target-cpu",
              cl::desc("Instruction set level of the kernels and the loops"),
              cl::init("host"), cl::cat(category));
static cl::opt<unsigned>
    rounds("rounds", cl::desc("Times that model and limits take turns"),
           cl::init(200), cl::cat(category));

/// Some microseconds.
static constexpr long multiplyAddSteps = 10000;

static bool allCorrect = true;

static void fail(benchmark::State &state, llvm::Error error) {
  allCorrect = false;
  state.SkipWithError(llvm::toString(std::move(error)).c_str());
}

namespace {

/// The memory traffic that no run can avoid: its weights, or, if it has none,
/// its inputs and outputs.
class Traffic {
public:
  Traffic(const Model &model, const Loops &loops)
      : loops(loops), hasWeights(model.parameterBytes() > 0) {
    size = hasWeights ? model.parameterBytes()
                      : (model.inputBytes() + model.outputBytes()) / 2;
    size = (size + loopBytes - 1) / loopBytes * loopBytes;
    from = allocateBuffer(size);
    to = allocateBuffer(hasWeights ? loopBytes : size);
  }

  void move() const {
    if (hasWeights)
      loops.read(static_cast<float *>(from.get()), size);
    else
      loops.copy(static_cast<float *>(from.get()),
                 static_cast<float *>(to.get()), size);
  }
  double bytes() const { return hasWeights ? size : 2.0 * size; }
  std::string counter() const {
    return hasWeights ? "percent_of_read_bandwidth"
                      : "percent_of_copy_bandwidth";
  }

private:
  const Loops &loops;
  bool hasWeights;
  size_t size;
  Buffer from, to;
};

} // namespace

static void runModel(benchmark::State &state, const std::string &path,
                     TargetCpu cpu) {
  auto loaded = Model::load(path, cpu.name);
  if (!loaded)
    return fail(state, loaded.takeError());
  Model &model = **loaded;
  if (llvm::Error error = model.check())
    return fail(state, std::move(error));

  const Loops &loops = getLoops(cpu.level);
  double flops = loops.multiplyAdd(1) * multiplyAddSteps;
  Traffic traffic(model, loops);
  Contestant arithmetic([&] { loops.multiplyAdd(multiplyAddSteps); });
  Contestant moving([&] { traffic.move(); });
  Contestant running([&] { model.run(); });
  for (auto _ : state) {
    arithmetic.takeTurn();
    moving.takeTurn();
    state.SetIterationTime(running.takeTurn());
  }

  auto &counters = state.counters;
  double scale = model.flops() / flops;
  counters["us"] = running.best() * 1e6;
  counters["GFLOPS"] = model.flops() / running.best() * 1e-9;
  counters["GB_per_s"] = traffic.bytes() / running.best() * 1e-9;
  counters["percent_of_fma_peak"] = arithmetic.percentOfBest(running, scale);
  counters["percent_of_fma_peak_median"] =
      arithmetic.medianPercent(running, scale);
  counters[traffic.counter()] = moving.percentOfBest(running);
  counters[traffic.counter() + "_median"] = moving.medianPercent(running);
}

static int runAll() {
  auto cpu = resolveTargetCpu(targetCpu);
  if (!cpu)
    return reportError(cpu.takeError(), "kernel-benchmark");
  benchmark::AddCustomContext("target CPU", cpu->name.str());
  for (const std::string &path : scripts)
    benchmark::RegisterBenchmark(llvm::sys::path::stem(path).str().c_str(),
                                 runModel, path, *cpu)
        ->UseManualTime()
        ->Iterations(rounds)
        ->Unit(benchmark::kMicrosecond);
  benchmark::RunSpecifiedBenchmarks();
  return allCorrect ? 0 : 1;
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  benchmark::Initialize(&argc, argv); // Takes its own options away.
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(argc, argv, "Times models against the machine\n");
  return runAll();
}
