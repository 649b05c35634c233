//===- hamkaas-run.cpp - Compiles, runs, compares and times -----*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Driver/Registration.h"
#include "HamKaas/Engine/EngineHost.h"
#include "HamKaas/Engine/ListEngines.h"
#include "HamKaas/Report/Report.h"
#include "HamKaas/Runtime/Core/Device.h"
#include "HamKaas/Support/Signals.h"
#include "LoadedModel.h"
#include "Outputs.h"
#include "ProfileCommandLine.h"
#include "TensorOptions.h"
#include "llvm/Support/Format.h"
#include <chrono>

using namespace mlir;
using namespace hamkaas;

static llvm::Error makeError(const llvm::Twine &text) {
  return llvm::createStringError(text);
}

static uint64_t readClock() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

/// Runs once, or `repeat` times, and returns the nanoseconds of each. `profile`
/// may be null.
static llvm::Expected<SmallVector<uint64_t>>
run(Runner &runner, ArrayRef<Tensor> inputs, MutableArrayRef<Tensor> outputs,
    int repeat, Profile *profile) {
  SmallVector<uint64_t> times;
  uint64_t first = readClock();
  for (int i = 0; i < std::max(1, repeat); ++i) {
    uint64_t begin = readClock();
    if (llvm::Error error = runner.run(inputs, outputs))
      return std::move(error);
    times.push_back(readClock() - begin);
    if (profile)
      profile->addRun(begin - first, times.back(), runner.profile());
  }
  return times;
}

static void printTimes(SmallVector<uint64_t> times) {
  llvm::sort(times);
  llvm::outs() << "time of a run: "
               << llvm::format("%.4g ms median of %d, %.4g ms least\n",
                               1e-6 * times[times.size() / 2],
                               int(times.size()), 1e-6 * times.front());
}

/// Options that only some devices have a use for.
static llvm::Error checkDevice(const ToolCommandLine &line) {
  StringRef device = line.get(OPT_device);
  if (!runsReference(line) && !runsEmulation(line) &&
      !rt::isDeviceName(device.str().c_str()))
    return makeError("--device: expected cpu, cuda, cuda:N, cuda-emulation, "
                     "reference or best, got '" +
                     device + "'");
  for (ToolOption option : {OPT_emulation_order, OPT_emulation_sums})
    if (line.has(option) && !runsEmulation(line))
      return makeError(
          getFlag(option) +
          ": expected --device=cuda-emulation, got --device=" + device);
  for (ToolOption option : {OPT_profile, OPT_emit_report, OPT_check_each_pass})
    if (line.has(option) && runsReference(line))
      return makeError(getFlag(option) +
                       ": expected a device that runs a program, got "
                       "'reference'");
  if (line.has(OPT_profile) && runsEmulation(line))
    return makeError("--profile: expected a device whose times mean something, "
                     "got 'cuda-emulation'");
  return llvm::Error::success();
}

static llvm::Error checkOptions(const ToolCommandLine &line) {
  if (auto order = parseThreadOrder(line); !order)
    return order.takeError();
  if (llvm::Error error = checkDevice(line))
    return error;
  if (StringRef device = line.get(OPT_check_against);
      line.has(OPT_check_against) && device != "reference")
    return makeError("--check-against: expected reference, got '" + device +
                     "'");
  return llvm::Error::success();
}

/// Runs the model, prints times and writes the profile that were asked for.
static llvm::Error runAndTime(const ToolCommandLine &line,
                              ProfileCommandLine &profiling,
                              LoadedModel &loaded, ArrayRef<Tensor> inputs,
                              MutableArrayRef<Tensor> outputs) {
  // The ceilings are those of the processor.
  bool isOnGpu = loaded.runner->device().starts_with("cuda");
  std::optional<Ceilings> ceilings;
  if (profiling.wantsProfile() && !isOnGpu)
    if (llvm::Error error = profiling.loadCeilings().moveInto(ceilings))
      return error;
  int threads = line.getNumber(OPT_threads);
  Profile profile(loaded.running, threads ? threads : getProcessorCount(),
                  ceilings ? &*ceilings : nullptr,
                  isOnGpu ? loaded.runner->device() : "");
  int repeat = line.getNumber(OPT_repeat);
  auto times = run(*loaded.runner, inputs, outputs, repeat,
                   profiling.wantsProfile() ? &profile : nullptr);
  if (!times)
    return times.takeError();
  if (repeat > 0)
    printTimes(*times);
  if (!profiling.wantsProfile())
    return llvm::Error::success();
  return profiling.write(profile);
}

/// Names the code that runs, which with the model decides the outputs' bits.
static std::string describeCode(const LoadedModel &loaded) {
  StringRef device = loaded.runner->device();
  return device == "cpu" ? loaded.info.targetCpu : device.str();
}

/// Runs the model on the inputs, and what it is compared with.
static llvm::Error runAndCompare(const ToolCommandLine &line,
                                 ProfileCommandLine &profiling,
                                 LoadedModel &loaded,
                                 ArrayRef<Tensor> inputTensors,
                                 const llvm::StringMap<std::string> &files) {
  Runner &runner = *loaded.runner;
  auto results = makeOutputs(runner.outputs());
  if (!results)
    return results.takeError();
  if (llvm::Error error =
          runAndTime(line, profiling, loaded, inputTensors, *results))
    return error;
  if (llvm::Error error = writeOutputs(runner.outputs(), *results, files))
    return error;
  if (line.isOn(OPT_digest))
    if (llvm::Error error =
            printDigests(runner.outputs(), *results, describeCode(loaded),
                         line.getNumber(OPT_threads)))
      return error;
  if (!loaded.expected)
    return llvm::Error::success();
  auto expected = makeOutputs(runner.outputs());
  if (!expected)
    return expected.takeError();
  auto times = run(*loaded.expected, inputTensors, *expected,
                   line.getNumber(OPT_repeat), nullptr);
  if (!times)
    return times.takeError();
  return checkOutputs(runner.outputs(), *results, *expected);
}

static llvm::Error runModel(const ToolCommandLine &line) {
  ProfileCommandLine profiling(line);
  if (llvm::Error error = checkOptions(line))
    return error;
  if (llvm::Error error = profiling.check())
    return error;
  if (profiling.wantsCalibration()) {
    if (llvm::Error error = profiling.calibrate())
      return error;
    if (!line.getArgument())
      return llvm::Error::success();
  }
  if (line.isOn(OPT_list_engines)) {
    printEngines(EngineHost::get(line.get(OPT_engine_path)), llvm::outs());
    if (!line.getArgument())
      return llvm::Error::success();
  }
  if (!line.getArgument())
    return makeError("expected a model: a script, .mlir, .onnx, .gguf or .so");
  LoadedModel loaded;
  if (llvm::Error error = loadModel(line, loaded))
    return error;
  // Before the run, which may take long.
  auto files = parseAssignments("output", line.getAll(OPT_output),
                                loaded.runner->outputs());
  if (!files)
    return files.takeError();
  if (line.isOn(OPT_emit_report))
    printReport(loaded.info, llvm::outs());
  auto inputTensors = loadInputs(line, loaded.runner->inputs());
  if (!inputTensors)
    return inputTensors.takeError();
  return runAndCompare(line, profiling, loaded, *inputTensors, *files);
}

int main(int argc, char **argv) {
  ToolProcess process(argc, argv);
  nameCrashingEngines();
  ToolCommandLine line("hamkaas-run", RunTool, "Runs a model",
                       "MODEL (script, .mlir, .onnx, .gguf or .so)");
  llvm::Error error = line.parse(argc, argv);
  if (!error)
    error = runModel(line);
  return reportError(std::move(error), "hamkaas-run");
}
