//===- CudaTest.cpp - Programs on a fake GPU ------------------------------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Allocations.h"
#include "CudaFixture.h"
#include "TemporaryFolder.h"

#include <cstdlib>
#include <cstring>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace hamkaas::test;

namespace {
using Cuda = CudaFixture;
using Strings = std::vector<std::string>;
} // namespace

//===----------------------------------------------------------------------===//
// Runs
//===----------------------------------------------------------------------===//

TEST_F(Cuda, ComputesAsTheProcessorDoes) {
  ASSERT_EQ(create(), "");
  FakeRun run(instance);
  for (int64_t runs = 0; runs < 3; ++runs) {
    ASSERT_EQ(takeText(run()), "");
    for (int64_t i = 0; i < FakeProgram::elements; ++i)
      ASSERT_EQ(run.y[i], 2 * i + 0.5f + runs);
    EXPECT_EQ(run.runs, runs + 1);
  }
}

TEST_F(Cuda, ARunIsOneLaunchOfOneGraph) {
  ASSERT_EQ(create(), "");
  EXPECT_EQ(cuda::counts().graphs, 0);
  // One is the runtime's.
  EXPECT_EQ(cuda::counts().modules, 2);
  // Constants, state, workspace, the records of a failure; the parameters and
  // the preparation's workspace are back.
  EXPECT_EQ(cuda::counts().allocations, 7);
  EXPECT_EQ(cuda::counts().frees, 2);
  EXPECT_EQ(cuda::counts().kernelsLaunched, 2);

  // The first run makes the graph, and staging areas in place of the records.
  cuda::resetCounts();
  FakeRun first(instance), second(instance);
  ASSERT_EQ(takeText(first()), "");
  EXPECT_EQ(cuda::counts().graphs, 1);
  EXPECT_EQ(cuda::counts().allocations, 2);
  EXPECT_EQ(cuda::counts().frees, 2);

  cuda::resetCounts();
  // Buffers of the caller may be others in each run.
  int64_t allocations = allocationCount();
  for (FakeRun *run : {&first, &second, &first})
    ASSERT_EQ((*run)(), nullptr);
  EXPECT_EQ(allocationCount(), allocations);
  cuda::Counts counts = cuda::counts();
  EXPECT_EQ(counts.graphLaunches, 3);
  EXPECT_EQ(counts.kernelsInGraphs, 15);
  EXPECT_EQ(counts.kernelsLaunched, 0);
  EXPECT_EQ(counts.allocations, 0);
  EXPECT_EQ(counts.frees, 0);
  EXPECT_EQ(counts.graphs, 0);
  EXPECT_EQ(counts.nodeUpdates, 0);
  // In and out.
  EXPECT_EQ(counts.copies, 6);
  EXPECT_EQ(counts.zeroings, 3);
  EXPECT_EQ(counts.synchronisations, 3);
  EXPECT_EQ(second.runs, 3);
}

TEST_F(Cuda, StagingAreasAreMadeWhenThereIsNeed) {
  ASSERT_EQ(create(), "");
  DeviceBuffer x(vectorBytes), y(vectorBytes), runs(8),
      misaligned(vectorBytes, 0, false, 4);
  std::vector<float> host(FakeProgram::elements, 3.0f);
  auto countAllocations = [&](void *from, void *to) {
    cuda::resetCounts();
    EXPECT_EQ(runOn(from, to, runs.address()), "");
    return cuda::counts().allocations;
  };
  EXPECT_EQ(countAllocations(x.address(), y.address()), 0);
  // On the GPU; then in pinned memory, too.
  EXPECT_EQ(countAllocations(misaligned.address(), y.address()), 1);
  EXPECT_EQ(countAllocations(host.data(), y.address()), 1);
  EXPECT_EQ(y.read<float>(10), 30.5f + 2);
  EXPECT_EQ(countAllocations(x.address(), host.data()), 0);
  EXPECT_EQ(countAllocations(x.address(), misaligned.address()), 0);
  // A failure is told by the new records.
  host[0] = -3;
  EXPECT_NE(runOn(host.data(), y.address(), runs.address()), "");
}

TEST_F(Cuda, LaunchesWhatTheTableSays) {
  device.kernels[FakeDeviceCode::Scale].sharedBytes = 100 * 1024;
  ASSERT_EQ(create(), "");
  cuda::resetCounts();
  FakeRun run(instance);
  ASSERT_EQ(takeText(run()), "");
  std::vector<cuda::Launch> launches = cuda::launches();
  ASSERT_EQ(launches.size(), 5u);
  EXPECT_EQ(launches[0].name, "scale_checks");
  EXPECT_EQ(launches[1].name, "scale");
  EXPECT_EQ(launches[1].blocks, 2);
  EXPECT_EQ(launches[1].threads, 128);
  EXPECT_EQ(launches[1].sharedBytes, 100 * 1024);
  EXPECT_EQ(launches[1].carveout, 100);
  ASSERT_EQ(launches[1].words.size(), 7u);
  EXPECT_EQ(launches[1].words[6], 0u);
  EXPECT_EQ(launches[2].name, "copy");
  EXPECT_EQ(launches[2].words[3], 1u);
  EXPECT_EQ(launches[3].name, "increment");
  EXPECT_EQ(launches[3].carveout, -1);
  EXPECT_EQ(launches[4].name, "hamkaas_copy");
}

TEST_F(Cuda, LargeCopiesAreRowsThatAPitchCanHave) {
  static constexpr size_t bytes = (size_t(3) << 30) + 5;
  static void *from, *to;
  DeviceBuffer source(bytes), target(bytes);
  from = source.address();
  to = target.address();
  // Otherwise a kernel copies.
  for (HamKaasCallInfo &call : fake.calls)
    call.check = nullptr;
  device.code.run = [](HamKaasExecution *execution, const void *const *,
                       void *const *, const void *, void *, void *) -> int32_t {
    execution->copy(execution->device, to, from, bytes);
    execution->message = "nothing is to be copied here";
    return 1;
  };
  ASSERT_EQ(create(), "");
  FakeRun run(instance);
  EXPECT_EQ(takeText(run()), "nothing is to be copied here");
  // The input is a copy more.
  EXPECT_EQ(cuda::counts().copyNodes, 3);
}

TEST_F(Cuda, KernelsWithoutBlocksAreLeftOut) {
  device.kernels[FakeDeviceCode::Increment].blocks = 0;
  ASSERT_EQ(create(), "");
  cuda::resetCounts();
  FakeRun run(instance);
  ASSERT_EQ(takeText(run()), "");
  EXPECT_EQ(cuda::counts().kernelsInGraphs, 4);
  EXPECT_EQ(run.runs, 0);
}

TEST_F(Cuda, FindsConstantsOfTheImage) {
  cuda::registerGlobal("seven", {7, 0, 0, 0, 0, 0, 0, 0});
  device.code.run = [](HamKaasExecution *execution, const void *const *,
                       void *const *outputs, const void *, void *,
                       void *) -> int32_t {
    const void *seven = execution->findConstant(execution->device, "seven");
    return !seven ||
           execution->copy(execution->device, outputs[1], seven, 8) != 0;
  };
  ASSERT_EQ(create(), "");
  FakeRun run(instance);
  EXPECT_EQ(takeText(run()), "");
  EXPECT_EQ(run.runs, 7);
}

TEST_F(Cuda, AMissingConstantIsAnError) {
  device.code.run = [](HamKaasExecution *execution, const void *const *,
                       void *const *, const void *, void *, void *) -> int32_t {
    return execution->findConstant(execution->device, "nowhere") == nullptr;
  };
  const char *expected =
      "device 'cuda:0': model 'fake': cannot find constant 'nowhere': named "
      "symbol not found (CUDA_ERROR_NOT_FOUND)";
  ASSERT_EQ(create(), "");
  FakeRun run(instance);
  EXPECT_EQ(takeText(run()), expected);
  // Also if the program goes on.
  device.code.run = [](HamKaasExecution *execution, const void *const *,
                       void *const *, const void *, void *state,
                       void *) -> int32_t {
    execution->findConstant(execution->device, "nowhere");
    return execution->launch(execution->device, FakeDeviceCode::Increment,
                             &state, 1);
  };
  EXPECT_EQ(takeText(run()), expected);
}

TEST_F(Cuda, AnUnknownKernelIsAnError) {
  device.code.run = [](HamKaasExecution *execution, const void *const *,
                       void *const *, const void *, void *, void *) -> int32_t {
    return execution->launch(execution->device, 4, nullptr, 0);
  };
  ASSERT_EQ(create(), "");
  FakeRun run(instance);
  EXPECT_EQ(takeText(run()), "model 'fake': expected the number of a kernel "
                             "below 4, got 4");
}

TEST_F(Cuda, RunsAProgramWithoutAnything) {
  fake.program.inputCount = fake.program.outputCount = 0;
  fake.program.parameterCount = fake.program.stateCount = 0;
  fake.program.constantsBytes = fake.program.stateBytes = 0;
  fake.program.workspaceBytes = fake.program.prepareWorkspaceBytes = 0;
  device.code.prepare = nullptr;
  device.code.run = [](HamKaasExecution *, const void *const *, void *const *,
                       const void *constants, void *state,
                       void *workspace) -> int32_t {
    return constants || state || workspace;
  };
  options.parameterCount = 0;
  ASSERT_EQ(create(), "");
  EXPECT_EQ(takeText(HamKaasInstanceRun(instance, nullptr, nullptr)), "");
}

TEST_F(Cuda, OtherThreadsMayRun) {
  ASSERT_EQ(create(), "");
  std::thread([&] {
    FakeRun run(instance);
    EXPECT_EQ(takeText(run()), "");
    EXPECT_EQ(cuda::contextDepth(), 0u);
  }).join();
}

TEST_F(Cuda, InstancesRunAtTheSameTime) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      for (int repetition = 0; repetition < 5; ++repetition) {
        HamKaasInstance *own = nullptr;
        EXPECT_EQ(
            takeText(HamKaasInstanceCreate(&fake.program, &options, &own)), "");
        FakeRun run(own);
        for (int64_t runs = 1; runs <= 5; ++runs) {
          EXPECT_EQ(takeText(run()), "");
          EXPECT_EQ(run.runs, runs);
        }
        HamKaasInstanceDestroy(own);
      }
    });
  for (std::thread &thread : threads)
    thread.join();
}

//===----------------------------------------------------------------------===//
// Kernels that overlap
//===----------------------------------------------------------------------===//

namespace {
struct WaitingCuda : CudaFixture {
  WaitingCuda() {
    device.code.image = "fake waits";
    device.code.imageBytes = sizeof("fake waits");
    device.code.waitsFrom = 90;
  }

  // Those of a run, whose numbers must be right.
  int64_t countEdges(cuda::Settings settings = {}) {
    cuda::configure(settings);
    EXPECT_EQ(create(), "");
    FakeRun run(instance);
    EXPECT_EQ(takeText(run()), "");
    EXPECT_EQ(run.y[10], 20.5f);
    EXPECT_EQ(run.runs, 1);
    EXPECT_EQ(cuda::counts().kernelsInGraphs, 5);
    return cuda::counts().programmaticEdges;
  }
};
} // namespace

TEST_F(WaitingCuda, KernelsOverlapTheOnesBeforeThem) {
  // The first of five comes after the copy of the inputs.
  EXPECT_EQ(countEdges(), 4);
}

TEST_F(WaitingCuda, KernelsThatOverlapCanBeUpdated) {
  EXPECT_EQ(countEdges(), 4);
  DeviceBuffer x(vectorBytes), y(vectorBytes), runs(8), other(vectorBytes),
      otherRuns(8);
  x.fill(3.0f);
  ASSERT_EQ(runOn(x.address(), y.address(), otherRuns.address()), "");
  ASSERT_EQ(runOn(x.address(), other.address(), otherRuns.address()), "");
  cuda::resetCounts();
  ASSERT_EQ(runOn(x.address(), y.address(), runs.address()), "");
  // The copy of the number of runs.
  EXPECT_EQ(cuda::counts().graphs, 0);
  EXPECT_EQ(cuda::counts().nodeUpdates, 1);
  EXPECT_EQ(y.read<float>(10), 33.5f);
}

TEST_F(WaitingCuda, NothingOverlapsOnAnOlderGpu) {
  cuda::Settings settings;
  settings.capability = 89;
  EXPECT_EQ(countEdges(settings), 0);
}

TEST_F(WaitingCuda, NothingOverlapsInAProfile) {
  options.profile = 1;
  EXPECT_EQ(countEdges(), 0);
}

TEST_F(WaitingCuda, NothingOverlapsWithoutWaits) {
  device.code.image = "fake";
  device.code.waitsFrom = 0;
  // The runtime's own kernel waits, but follows one that does not.
  EXPECT_EQ(countEdges(), 0);
}

//===----------------------------------------------------------------------===//
// Buffers in the GPU's memory
//===----------------------------------------------------------------------===//

// How often a kernel of the last run got this address.
static int64_t countUses(void *address) {
  int64_t uses = 0;
  for (const cuda::Launch &launch : cuda::launches())
    for (size_t i = 0; i + 2 < launch.words.size(); ++i)
      uses += launch.words[i] == reinterpret_cast<uint64_t>(address);
  return uses;
}

TEST_F(Cuda, DevicePointersAreUsedInPlace) {
  ASSERT_EQ(create(), "");
  DeviceBuffer x(vectorBytes), y(vectorBytes), runs(8);
  x.fill(3.0f);
  cuda::resetCounts();
  ASSERT_EQ(runOn(x.address(), y.address(), runs.address()), "");
  EXPECT_EQ(y.read<float>(10), 30.5f);
  EXPECT_EQ(runs.read<int64_t>(0), 1);
  EXPECT_EQ(countUses(x.address()), 2);
  EXPECT_EQ(countUses(y.address()), 1);
  // The run copies the result of its checks, and allocates nothing.
  EXPECT_EQ(cuda::counts().copies, 1);
  EXPECT_EQ(cuda::counts().allocations, 0);
}

TEST_F(Cuda, OtherDevicePointersUpdateTheGraph) {
  ASSERT_EQ(create(), "");
  DeviceBuffer x(vectorBytes), y(vectorBytes), runs(8), otherX(vectorBytes),
      otherRuns(8), thirdRuns(8);
  x.fill(3.0f);
  otherX.fill(4.0f);
  ASSERT_EQ(runOn(x.address(), y.address(), runs.address()), "");
  ASSERT_EQ(runOn(x.address(), y.address(), thirdRuns.address()), "");
  cuda::resetCounts();
  int64_t allocations = allocationCount();
  ASSERT_EQ(runOn(otherX.address(), y.address(), otherRuns.address()), "");
  ASSERT_EQ(runOn(otherX.address(), y.address(), otherRuns.address()), "");
  EXPECT_EQ(allocationCount(), allocations);
  // The two kernels that read x, and the copy.
  EXPECT_EQ(cuda::counts().nodeUpdates, 3);
  EXPECT_EQ(cuda::counts().graphs, 0);
  EXPECT_EQ(cuda::counts().graphLaunches, 2);
  EXPECT_EQ(y.read<float>(10), 43.5f);
  EXPECT_EQ(runs.read<int64_t>(0), 1);
  EXPECT_EQ(otherRuns.read<int64_t>(0), 4);
}

TEST_F(Cuda, TwoSetsOfDevicePointersHaveAGraphEach) {
  ASSERT_EQ(create(), "");
  DeviceBuffer x(vectorBytes), y(vectorBytes), otherY(vectorBytes), runs(8);
  x.fill(3.0f);
  auto run = [&](const DeviceBuffer &to) {
    EXPECT_EQ(runOn(x.address(), to.address(), runs.address()), "");
    return to.read<float>(10) - static_cast<float>(runs.read<int64_t>(0));
  };
  run(y);
  run(otherY);
  EXPECT_EQ(cuda::counts().graphs, 2);
  cuda::resetCounts();
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(run(y), 29.5f);
    EXPECT_EQ(run(otherY), 29.5f);
    EXPECT_EQ(run(otherY), 29.5f);
  }
  EXPECT_EQ(cuda::counts().graphs, 0);
  EXPECT_EQ(cuda::counts().nodeUpdates, 0);
  // Memory of the host changes the steps, and both graphs.
  FakeRun host(instance);
  EXPECT_EQ(takeText(host()), "");
  EXPECT_EQ(cuda::counts().graphs, 1);
  EXPECT_EQ(run(y), 29.5f);
  EXPECT_EQ(cuda::counts().graphs, 2);
}

TEST_F(Cuda, MakesTheGraphAnewWhereTheDriverRefusesAnUpdate) {
  ASSERT_EQ(create(), "");
  DeviceBuffer x(vectorBytes), other(vectorBytes), y(vectorBytes), runs(8),
      otherRuns(8);
  x.fill(3.0f);
  other.fill(4.0f);
  ASSERT_EQ(runOn(x.address(), y.address(), otherRuns.address()), "");
  ASSERT_EQ(runOn(x.address(), y.address(), runs.address()), "");
  cuda::Settings settings;
  settings.refusesUpdates = true;
  cuda::configure(settings);
  ASSERT_EQ(runOn(other.address(), y.address(), runs.address()), "");
  EXPECT_EQ(cuda::counts().graphs, 1);
  EXPECT_EQ(y.read<float>(10), 42.5f);
}

TEST_F(Cuda, BuffersOfBothKindsMayBeMixed) {
  ASSERT_EQ(create(), "");
  DeviceBuffer x(vectorBytes), y(vectorBytes), runs(8);
  x.fill(3.0f);
  FakeRun host(instance);
  for (int mask = 0; mask < 8; ++mask) {
    void *ownX = mask & 1 ? x.address() : host.x;
    void *ownY = mask & 2 ? y.address() : host.y;
    void *ownRuns = mask & 4 ? runs.address() : &host.runs;
    ASSERT_EQ(runOn(ownX, ownY, ownRuns), "");
    float expected = (mask & 1 ? 30.5f : 20.5f) + mask;
    EXPECT_EQ(mask & 2 ? y.read<float>(10) : host.y[10], expected);
    EXPECT_EQ(mask & 4 ? runs.read<int64_t>(0) : host.runs, mask + 1);
  }
}

static std::string overlap(const char *first, const void *from,
                           const char *second, const void *other) {
  char text[256];
  snprintf(text, sizeof(text),
           "device 'cuda:0': expected buffers that do not overlap, got %s from "
           "%p and %s from %p on",
           first, from, second, other);
  return text;
}

TEST_F(Cuda, BuffersThatOverlapAreAnError) {
  ASSERT_EQ(create(), "");
  constexpr size_t half = FakeProgram::elements / 2;
  DeviceBuffer both(2 * vectorBytes), runs(8), x(vectorBytes);
  auto *begin = static_cast<float *>(both.address());
  x.fill(3.0f);
  // The same, from before and from behind; and it stays an error.
  for (int run = 0; run < 2; ++run)
    EXPECT_EQ(runOn(begin, begin, runs.address()),
              overlap("input 'x'", begin, "output 'y'", begin));
  EXPECT_EQ(runOn(begin, begin + half, runs.address()),
            overlap("input 'x'", begin, "output 'y'", begin + half));
  EXPECT_EQ(runOn(begin + half, begin, runs.address()),
            overlap("output 'y'", begin, "input 'x'", begin + half));
  // An output in the other.
  EXPECT_EQ(runOn(x.address(), begin, begin + half),
            overlap("output 'y'", begin, "output 'runs'", begin + half));
  // One behind the other is right, and so is the caller's own memory.
  EXPECT_EQ(runOn(begin, begin + 2 * half, runs.address()), "");
  EXPECT_EQ(runOn(begin + 2 * half, begin, runs.address()), "");
  std::vector<float> own(FakeProgram::elements, 3.0f);
  EXPECT_EQ(runOn(own.data(), own.data(), runs.address()), "");
  EXPECT_EQ(own[10], 30.5f + 2);
}

// Where nothing is checked, no failure is to be reset or looked at.
TEST_F(Cuda, WithoutChecksARunIsItsKernels) {
  for (HamKaasCallInfo &call : fake.calls)
    call.check = nullptr;
  device.code.run = [](HamKaasExecution *execution, const void *const *,
                       void *const *outputs, const void *, void *state,
                       void *) -> int32_t {
    return execution->launch(execution->device, FakeDeviceCode::Increment,
                             &state, 1) != 0 ||
           execution->copy(execution->device, outputs[1], state, 8) != 0;
  };
  ASSERT_EQ(create(), "");
  DeviceBuffer x(vectorBytes), y(vectorBytes), runs(8);
  cuda::resetCounts();
  for (int64_t i = 1; i <= 2; ++i) {
    ASSERT_EQ(runOn(x.address(), y.address(), runs.address()), "");
    EXPECT_EQ(runs.read<int64_t>(0), i);
  }
  EXPECT_EQ(cuda::counts().zeroings, 0);
  EXPECT_EQ(cuda::counts().kernelsInGraphs, 2);
  EXPECT_EQ(cuda::counts().copies, 2);
}

TEST_F(Cuda, MisalignedDevicePointersAreCopied) {
  ASSERT_EQ(create(), "");
  DeviceBuffer x(vectorBytes, 0, false, 4), y(vectorBytes, 0, false, 8),
      runs(8, 0, false, 8);
  x.fill(3.0f);
  cuda::resetCounts();
  ASSERT_EQ(runOn(x.address(), y.address(), runs.address()), "");
  EXPECT_EQ(countUses(x.address()), 0);
  EXPECT_EQ(countUses(y.address()), 0);
  EXPECT_EQ(y.read<float>(10), 30.5f);
  EXPECT_EQ(runs.read<int64_t>(0), 1);
}

TEST_F(Cuda, ManagedMemoryIsUsedInPlace) {
  ASSERT_EQ(create(), "");
  DeviceBuffer x(vectorBytes, 1, true), y(vectorBytes, 0, true);
  x.fill(3.0f);
  int64_t runs = 0;
  cuda::resetCounts();
  ASSERT_EQ(runOn(x.address(), y.address(), &runs), "");
  EXPECT_EQ(countUses(x.address()), 2);
  EXPECT_EQ(static_cast<float *>(y.address())[10], 30.5f);
}

TEST_F(Cuda, MemoryOfAnotherDeviceIsAnError) {
  ASSERT_EQ(create(), "");
  DeviceBuffer other(vectorBytes, 1), y(vectorBytes);
  FakeRun run(instance);
  EXPECT_EQ(runOn(other.address(), run.y, &run.runs),
            "input 'x': expected memory of the caller or of device 'cuda:0', "
            "got memory of 'cuda:1'");
  EXPECT_EQ(runOn(run.x, other.address(), &run.runs),
            "output 'y': expected memory of the caller or of device 'cuda:0', "
            "got memory of 'cuda:1'");
  // Half of it was bound.
  EXPECT_EQ(runOn(run.x, y.address(), &run.runs), "");
  EXPECT_EQ(y.read<float>(10), 20.5f);
}

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

TEST_F(Cuda, AFailedCheckSaysWhatItSaysOnTheProcessor) {
  options.device = "cpu";
  ASSERT_EQ(create(), "");
  FakeRun onCpu(instance);
  onCpu.x[0] = -3;
  std::string expected = takeText(onCpu());
  EXPECT_NE(expected, "");
  destroy();
  options.device = "cuda";
  ASSERT_EQ(create(), "");
  FakeRun run(instance);
  run.x[0] = -3;
  EXPECT_EQ(takeText(run()), expected);
}

TEST_F(Cuda, AFailedCheckChangesNothing) {
  ASSERT_EQ(create(), "");
  FakeRun run(instance);
  ASSERT_EQ(takeText(run()), "");
  run.x[0] = -3;
  run.y[1] = 99;
  EXPECT_EQ(takeText(run()), "fake.hk:3:6: error: x[0] is -3 after 1 runs, "
                             "expected at least 0");
  EXPECT_EQ(run.y[1], 99);
  EXPECT_EQ(run.runs, 1);
  int64_t state = 0;
  EXPECT_EQ(takeText(HamKaasInstanceReadState(instance, "runs", &state, 8)),
            "");
  EXPECT_EQ(state, 1);
  run.x[0] = 2;
  EXPECT_EQ(takeText(run()), "");
  EXPECT_EQ(run.runs, 2);
}

// The driver would make its own copies whatever a kernel has found.
TEST_F(Cuda, AFailedCheckStopsTheCopiesBehindIt) {
  device.code.run = [](HamKaasExecution *execution, const void *const *inputs,
                       void *const *, const void *constants, void *state,
                       void *workspace) -> int32_t {
    void *input = const_cast<void *>(inputs[0]);
    void *words[] = {input, const_cast<void *>(constants), input, state,
                     workspace};
    return execution->launch(execution->device, FakeDeviceCode::ScaleChecks,
                             words, 0) ||
           execution->copy(execution->device, state, inputs[0], 8);
  };
  ASSERT_EQ(create(), "");
  FakeRun run(instance);
  run.x[0] = -3;
  EXPECT_NE(takeText(run()), "");
  int64_t state = -1;
  EXPECT_EQ(takeText(HamKaasInstanceReadState(instance, "runs", &state, 8)),
            "");
  EXPECT_EQ(state, 0);
  run.x[0] = 3;
  EXPECT_EQ(takeText(run()), "");
  EXPECT_EQ(takeText(HamKaasInstanceReadState(instance, "runs", &state, 8)),
            "");
  EXPECT_NE(state, 0);
}

// Without checks nothing stops them.
TEST_F(Cuda, TheDriverCopiesWhereNothingIsChecked) {
  fake.calls[0].check = nullptr;
  ASSERT_EQ(create(), "");
  EXPECT_EQ(cuda::counts().modules, 1);
  FakeRun run(instance);
  EXPECT_EQ(takeText(run()), "");
  EXPECT_EQ(run.runs, 1);
  EXPECT_EQ(cuda::counts().kernelsInGraphs, 4);
}

//===----------------------------------------------------------------------===//
// State and constants
//===----------------------------------------------------------------------===//

TEST_F(Cuda, StateIsReadWrittenSavedAndReset) {
  TemporaryFolder folder;
  std::string path = folder.path("state.safetensors");
  ASSERT_EQ(create(), "");
  FakeRun run(instance);
  int64_t runs = 41;
  ASSERT_EQ(takeText(HamKaasInstanceWriteState(instance, "runs", &runs, 8)),
            "");
  ASSERT_EQ(takeText(run()), "");
  EXPECT_EQ(run.runs, 42);
  ASSERT_EQ(takeText(HamKaasInstanceSaveState(instance, path.c_str())), "");
  ASSERT_EQ(takeText(HamKaasInstanceResetState(instance)), "");
  ASSERT_EQ(takeText(run()), "");
  EXPECT_EQ(run.runs, 1);
  destroy();
  ASSERT_EQ(create(), "");
  FakeRun later(instance);
  ASSERT_EQ(takeText(HamKaasInstanceLoadState(instance, path.c_str())), "");
  ASSERT_EQ(takeText(later()), "");
  EXPECT_EQ(later.runs, 43);
}

TEST_F(Cuda, StateBeginsWithItsContents) {
  // The second element of `scale`, twice.
  HamKaasInitialState initial = {4, 4, 0, 0};
  fake.program.initialStates = &initial;
  fake.program.initialStateCount = 1;
  float expected[] = {parameters.scale[1], parameters.scale[1]}, found[2];
  ASSERT_EQ(create(), "");
  for (int i = 0; i < 2; ++i) {
    ASSERT_EQ(takeText(HamKaasInstanceReadState(instance, "runs", found, 8)),
              "");
    EXPECT_EQ(memcmp(found, expected, 8), 0);
    FakeRun run(instance);
    EXPECT_EQ(takeText(run()), "");
    EXPECT_EQ(takeText(HamKaasInstanceResetState(instance)), "");
  }
}

TEST_F(Cuda, ConstantsStateAndCodeAreShared) {
  ASSERT_EQ(create(), "");
  cuda::resetCounts();
  HamKaasInstanceOptions shared = {};
  shared.structSize = sizeof(shared);
  shared.device = "cuda:0";
  shared.constantsOf = shared.stateOf = instance;
  HamKaasInstance *second = nullptr;
  ASSERT_EQ(takeText(HamKaasInstanceCreate(&fake.program, &shared, &second)),
            "");
  EXPECT_EQ(cuda::counts().kernelsLaunched, 0);
  EXPECT_EQ(cuda::counts().modules, 0);
  EXPECT_EQ(cuda::counts().allocations, 3);
  FakeRun run(instance);
  EXPECT_EQ(takeText(run()), "");
  destroy();
  FakeRun other(second);
  EXPECT_EQ(takeText(other()), "");
  EXPECT_EQ(other.runs, 2);
  EXPECT_EQ(other.y[10], 21.5f);
  HamKaasInstanceDestroy(second);
}

TEST_F(Cuda, StateIsNotSharedWithTheProcessor) {
  ASSERT_EQ(create(), "");
  options.device = "cpu";
  options.stateOf = instance;
  HamKaasInstance *second = nullptr;
  EXPECT_EQ(takeText(HamKaasInstanceCreate(&fake.program, &options, &second)),
            "stateOf: expected an instance on device 'cpu', got one on "
            "'cuda:0'");
}

TEST_F(Cuda, ParametersMayBeOnTheGpu) {
  DeviceBuffer scale(vectorBytes);
  scale.fill(2.0f);
  parameters.named[0].data = scale.address();
  ASSERT_EQ(create(), "");
  FakeRun run(instance);
  EXPECT_EQ(takeText(run()), "");
  EXPECT_EQ(run.y[10], 4.5f);
}

TEST_F(Cuda, MisalignedParametersAreCopied) {
  std::vector<char> bytes(sizeof(parameters.scale) + 1);
  memcpy(bytes.data() + 1, parameters.scale, sizeof(parameters.scale));
  parameters.named[0].data = bytes.data() + 1;
  ASSERT_EQ(create(), "");
  FakeRun run(instance);
  EXPECT_EQ(takeText(run()), "");
  EXPECT_EQ(run.y[10], 20.5f);
}

//===----------------------------------------------------------------------===//
// Profile
//===----------------------------------------------------------------------===//

static void expectProfile(HamKaasInstance *instance) {
  FakeRun run(instance);
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(takeText(run()), "");
  const HamKaasCallProfile *profile = HamKaasInstanceProfile(instance);
  ASSERT_NE(profile, nullptr);
  // The checks of the first call count with it; the second call makes two
  // launches.
  EXPECT_EQ(profile[0].runs, 3u);
  EXPECT_EQ(profile[1].runs, 6u);
  EXPECT_GT(profile[0].nanoseconds, 0u);
  run.x[0] = -1;
  EXPECT_NE(takeText(run()), "");
  EXPECT_EQ(profile[0].runs, 3u);
}

TEST_F(Cuda, ProfileCountsCalls) {
  options.profile = 1;
  ASSERT_EQ(create(), "");
  expectProfile(instance);
}

//===----------------------------------------------------------------------===//
// One kernel after the other
//===----------------------------------------------------------------------===//

namespace {
struct BlockingCuda : CudaFixture {
  BlockingCuda() { setenv("CUDA_LAUNCH_BLOCKING", "1", /*overwrite=*/1); }
  ~BlockingCuda() override { unsetenv("CUDA_LAUNCH_BLOCKING"); }
};
} // namespace

TEST_F(BlockingCuda, ComputesTheSameWithoutAGraph) {
  options.profile = 1;
  ASSERT_EQ(create(), "");
  FakeRun run(instance);
  EXPECT_EQ(takeText(run()), "");
  EXPECT_EQ(run.y[10], 20.5f);
  DeviceBuffer x(vectorBytes), y(vectorBytes);
  x.fill(3.0f);
  EXPECT_EQ(runOn(x.address(), y.address(), &run.runs), "");
  EXPECT_EQ(y.read<float>(10), 31.5f);
  EXPECT_EQ(run.runs, 2);
  EXPECT_EQ(cuda::counts().graphs, 0);
  EXPECT_EQ(cuda::counts().kernelsLaunched, 12);
}

TEST_F(BlockingCuda, ProfileCountsCalls) {
  options.profile = 1;
  ASSERT_EQ(create(), "");
  expectProfile(instance);
}

TEST_F(BlockingCuda, NamesTheKernelThatCrashes) {
  ASSERT_EQ(create(), "");
  cuda::Settings settings;
  settings.crashingKernel = "scale";
  cuda::configure(settings);
  FakeRun run(instance);
  EXPECT_EQ(
      takeText(run()),
      "device 'cuda:0': model 'fake': kernel 'scale' (mul+add) at fake.hk:3:6: "
      "an illegal memory access was encountered (CUDA_ERROR_ILLEGAL_ADDRESS); "
      "the device was lost: destroy its instances, then create a new instance "
      "or restart the process");
}

//===----------------------------------------------------------------------===//
// Processes
//===----------------------------------------------------------------------===//

// The driver does not work in a forked child.
TEST_F(Cuda, AForkedChildGetsErrors) {
  ASSERT_EQ(create(), "");
  FakeRun run(instance);
  ASSERT_EQ(takeText(run()), "");
  cuda::resetCounts();
  pid_t child = fork();
  if (child == 0) {
    alarm(20);
    std::string error = takeText(run());
    HamKaasInstance *second = nullptr;
    std::string creation =
        takeText(HamKaasInstanceCreate(&fake.program, &options, &second));
    HamKaasInstanceDestroy(instance);
    bool isRight =
        error == "device 'cuda:0': this process was forked from one that had "
                 "used the GPU, which the driver does not allow" &&
        creation == "device 'cuda:0': this process was forked from one that "
                    "had used the GPU, which the driver does not allow; start "
                    "it anew" &&
        cuda::counts().calls == 0;
    _exit(isRight ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(takeText(run()), "");
}
