//===- CudaErrorsTest.cpp - What goes wrong on a fake GPU -----------------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Allocations.h"
#include "CudaFixture.h"
#include "HamKaas/Runtime/Core/Device.h"
#include "HamKaas/Runtime/Gpu/CudaDriver.h"
#include "TemporaryFolder.h"

#include <set>

using namespace hamkaas;
using namespace hamkaas::test;

namespace {
using CudaErrors = CudaFixture;
} // namespace

//===----------------------------------------------------------------------===//
// Drivers
//===----------------------------------------------------------------------===//

static std::string loadDriver(const char *library) {
  rt::CudaDriver driver = {};
  return textOf(rt::loadCudaDriver(library, driver));
}

TEST(CudaDriver, IsLoaded) {
  cuda::configure(cuda::Settings());
  EXPECT_EQ(loadDriver("libcuda.so.1"), "");
  // Nothing is asked of a GPU before there is need for one.
  EXPECT_EQ(cuda::counts().calls, 0);
}

TEST(CudaDriver, NoneIsAnError) {
  EXPECT_EQ(loadDriver("/nowhere/libcuda.so.1"),
            "found no NVIDIA driver: /nowhere/libcuda.so.1: cannot open shared "
            "object file: No such file or directory");
  EXPECT_EQ(loadDriver("libc.so.6"),
            "found no NVIDIA driver: libc.so.6 has no cuGetProcAddress_v2");
}

TEST(CudaDriver, AnOldOneIsAnError) {
  cuda::Settings settings;
  settings.version = 11040;
  cuda::configure(settings);
  EXPECT_EQ(loadDriver("libcuda.so.1"),
            "expected an NVIDIA driver for CUDA 12.0 or newer, got one for "
            "CUDA 11.4");
}

TEST(CudaDriver, AnOlderOneLacksWhatIsNewer) {
  for (auto [version, isNewer] : {std::pair(12020, false), {12030, true}}) {
    cuda::Settings settings;
    settings.version = version;
    cuda::configure(settings);
    rt::CudaDriver driver = {};
    ASSERT_EQ(textOf(rt::loadCudaDriver("libcuda.so.1", driver)), "");
    EXPECT_EQ(driver.cuGraphAddDependencies != nullptr, isNewer);
  }
}

//===----------------------------------------------------------------------===//
// GPUs
//===----------------------------------------------------------------------===//

TEST_F(CudaErrors, NoGpuIsAnError) {
  cuda::Settings settings;
  settings.deviceCount = 0;
  cuda::configure(settings);
  // The end of the message depends on whether the process had one before.
  EXPECT_EQ(create().find("device 'cuda:0': found no NVIDIA GPU"), 0u);
}

TEST_F(CudaErrors, ANumberThatIsTooHighIsAnError) {
  cuda::Settings settings;
  settings.deviceCount = 2;
  cuda::configure(settings);
  options.device = "cuda:2";
  EXPECT_EQ(create(), "device 'cuda:2': expected a number below 2, that of the "
                      "NVIDIA GPUs here");
  options.device = "cuda:1";
  EXPECT_EQ(create(), "");
  FakeRun run(instance);
  EXPECT_EQ(takeText(run()), "");
}

TEST_F(CudaErrors, OtherNamesAreNoDevices) {
  for (const char *name : {"cuda:", "cuda:x", "cuda:-1", "cuda0", "cuda:0 ",
                           "cuda:99999", "CUDA", "gpu"}) {
    options.device = name;
    EXPECT_EQ(create(), "unknown device '" + std::string(name) +
                            "', this runtime offers 'cpu' 'cuda' 'cuda:N' "
                            "'best'");
  }
}

TEST_F(CudaErrors, AGpuThatIsTooOldIsAnError) {
  struct {
    const char *architecture;
    int capability;
    const char *expected; // null if it fits
  } cases[] = {
      {"sm_80", 75, "8.0 or newer, got Fake GPU of 7.5"},
      {"sm_80", 80, nullptr},
      {"sm_80", 120, nullptr},
      {"sm_90a", 90, nullptr},
      {"sm_90a", 100, "9.0, got Fake GPU of 10.0"},
      {"sm_100f", 103, nullptr},
      {"sm_100f", 120, "10.0 or of its family, got Fake GPU of 12.0"},
  };
  for (const auto &[architecture, capability, expected] : cases) {
    cuda::Settings settings;
    settings.capability = capability;
    cuda::configure(settings);
    device.code.architecture = architecture;
    EXPECT_EQ(create(),
              expected ? "device 'cuda:0': the program needs a GPU of compute "
                         "capability " +
                             std::string(expected)
                       : "");
    destroy();
  }
}

TEST_F(CudaErrors, AnArchitectureThatIsNoneIsAnError) {
  for (const char *architecture :
       {"", "sm_", "compute_80", "sm_80ab", "sm_-8"}) {
    device.code.architecture = architecture;
    EXPECT_EQ(create(), "expected device code for an architecture such as "
                        "sm_80, got '" +
                            std::string(architecture) + "'");
  }
}

TEST_F(CudaErrors, TargetsOfDevices) {
  EXPECT_STREQ(hamkaas::rt::targetOfDevice("cpu", "sm_80"), "cpu");
  EXPECT_STREQ(hamkaas::rt::targetOfDevice("cuda:3", "sm_80"), "cuda");
  EXPECT_EQ(hamkaas::rt::targetOfDevice("tpu", "sm_80"), nullptr);
  EXPECT_STREQ(hamkaas::rt::targetOfDevice("best", "sm_80"), "cuda");
  EXPECT_STREQ(hamkaas::rt::targetOfDevice("best", "sm_100"), "cpu");
  cuda::Settings settings;
  settings.deviceCount = 0;
  cuda::configure(settings);
  EXPECT_STREQ(hamkaas::rt::targetOfDevice("best", "sm_80"), "cpu");
}

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

TEST_F(CudaErrors, AProgramWithoutDeviceCodeIsAnError) {
  fake.program.deviceCode = nullptr;
  EXPECT_EQ(create(), "device 'cuda:0': model 'fake' has no code for it; "
                      "compile it for the target cuda");
  options.device = "best";
  EXPECT_EQ(create(), "");
  EXPECT_EQ(cuda::counts().calls, 0);
}

TEST_F(CudaErrors, AProgramForGpusAloneIsAnErrorOnTheProcessor) {
  fake.program.run = nullptr;
  fake.program.prepare = nullptr;
  options.device = "cpu";
  EXPECT_EQ(create(), "device 'cpu': model 'fake' has no code for it; compile "
                      "it for the targets cpu,cuda");
  options.device = "cuda";
  EXPECT_EQ(create(), "");
}

TEST_F(CudaErrors, BestIsTheGpuIfThereIsOne) {
  options.device = "best";
  ASSERT_EQ(create(), "");
  FakeRun run(instance);
  EXPECT_EQ(takeText(run()), "");
  EXPECT_EQ(cuda::counts().graphLaunches, 1);
  EXPECT_STREQ(HamKaasInstanceDevice(instance), "cuda:0");
}

TEST_F(CudaErrors, BestIsTheProcessorWithoutAGpu) {
  cuda::Settings settings;
  settings.capability = 75;
  cuda::configure(settings);
  options.device = "best";
  ASSERT_EQ(create(), "");
  FakeRun run(instance);
  EXPECT_EQ(takeText(run()), "");
  EXPECT_EQ(run.y[10], 20.5f);
  EXPECT_EQ(cuda::counts().graphLaunches, 0);
  EXPECT_STREQ(HamKaasInstanceDevice(instance), "cpu");
  destroy();
  fake.program.run = nullptr;
  EXPECT_EQ(create(), "device 'cuda:0': the program needs a GPU of compute "
                      "capability 8.0 or newer, got Fake GPU of 7.5");
}

// Whoever asks for the best does not want it hidden that a GPU is full.
TEST_F(CudaErrors, BestIsNotTheProcessorBesideAGpu) {
  options.device = "best";
  device.code.image = "nonsense";
  EXPECT_EQ(create(),
            "device 'cuda:0': cannot load the device code of model 'fake' for "
            "sm_80: expected PTX: a PTX JIT compilation failed "
            "(CUDA_ERROR_INVALID_PTX)");
}

TEST_F(CudaErrors, AMissingKernelIsAnError) {
  device.kernels[2].name = "missing";
  EXPECT_EQ(create(),
            "device 'cuda:0': cannot find kernel 'missing' of model 'fake': "
            "named symbol not found (CUDA_ERROR_NOT_FOUND)");
}

TEST_F(CudaErrors, TooMuchSharedMemoryIsAnError) {
  device.kernels[2].sharedBytes = 300 * 1024;
  EXPECT_EQ(create(),
            "device 'cuda:0': cannot give kernel 'scale' of model 'fake' "
            "307200 bytes of shared memory: invalid argument "
            "(CUDA_ERROR_INVALID_VALUE)");
}

TEST_F(CudaErrors, WrongTablesAreErrors) {
  HamKaasDeviceKernel &kernel = device.kernels[1];
  const HamKaasDeviceKernel right = kernel;
  kernel.argumentCount = 511;
  EXPECT_EQ(create(), "model 'fake': device kernel 'scale_checks': expected 0 "
                      "to 510 arguments, got 511");
  kernel = right;
  for (auto [blocks, threads] : {std::pair<int64_t, int32_t>(-1, 1),
                                 {1, 0},
                                 {1, 1025},
                                 {int64_t{1} << 31, 32}}) {
    kernel.blocks = blocks;
    kernel.threads = threads;
    EXPECT_EQ(create(), "model 'fake': device kernel 'scale_checks': expected "
                        "at most 2147483647 blocks of 1 to 1024 threads, "
                        "got " +
                            std::to_string(blocks) + " of " +
                            std::to_string(threads));
  }
  kernel = right;
  device.code.image = nullptr;
  EXPECT_EQ(create(), "model 'fake': the device code has no image or no table "
                      "of kernels");
}

TEST_F(CudaErrors, HugeRegionsAreErrors) {
  for (uint64_t bytes : {UINT64_MAX, UINT64_MAX - 100, uint64_t{1} << 62}) {
    fake.program.workspaceBytes = bytes;
    std::string number = std::to_string(bytes);
    EXPECT_EQ(
        create(),
        "model 'fake': cannot allocate " + number +
            " bytes for its workspace: device 'cuda:0': cannot allocate " +
            number +
            " bytes for a region: out of memory "
            "(CUDA_ERROR_OUT_OF_MEMORY)");
  }
}

//===----------------------------------------------------------------------===//
// Every call
//===----------------------------------------------------------------------===//

namespace {

/// All that can be done with instances on a GPU. Goes on after errors.
class Scenario {
public:
  Scenario(CudaFixture &fixture, bool isProfiled) : fixture(fixture) {
    fixture.options.profile = isProfiled;
    x.fill(3.0f);
    otherX.fill(4.0f);
  }

  void run();

  /// All messages.
  std::vector<std::string> errors;
  /// Of a run behind all the others, and what it computed.
  std::string lastError;
  float lastY = 0;
  bool hasLast = false;

private:
  bool note(HamKaasError error) {
    std::string text = takeText(error);
    if (!text.empty())
      errors.push_back(text);
    return text.empty();
  }
  void useInstance(HamKaasInstance *instance);
  bool runOn(HamKaasInstance *instance, const void *from, void *to);

  CudaFixture &fixture;
  DeviceBuffer x{CudaFixture::vectorBytes}, otherX{CudaFixture::vectorBytes},
      y{CudaFixture::vectorBytes}, runs{8};
  TemporaryFolder folder;
};

} // namespace

bool Scenario::runOn(HamKaasInstance *instance, const void *from, void *to) {
  const void *inputs[] = {from};
  void *outputs[] = {to, runs.address()};
  return note(HamKaasInstanceRun(instance, inputs, outputs));
}

void Scenario::useInstance(HamKaasInstance *instance) {
  FakeRun run(instance);
  note(run());
  runOn(instance, x.address(), y.address());
  runOn(instance, otherX.address(), y.address());
  runOn(instance, x.address(), run.y);
  int64_t state = 5;
  std::string path = folder.path("state.safetensors");
  note(HamKaasInstanceReadState(instance, "runs", &state, 8));
  note(HamKaasInstanceWriteState(instance, "runs", &state, 8));
  if (note(HamKaasInstanceSaveState(instance, path.c_str())))
    note(HamKaasInstanceLoadState(instance, path.c_str()));
  note(HamKaasInstanceResetState(instance));
}

void Scenario::run() {
  HamKaasInstance *first = nullptr, *second = nullptr;
  // The last instance takes the context with it.
  if (note(HamKaasInstanceCreate(&fixture.fake.program, &fixture.options,
                                 &first)))
    HamKaasInstanceDestroy(first);
  if (note(HamKaasInstanceCreate(&fixture.fake.program, &fixture.options,
                                 &first))) {
    useInstance(first);
    HamKaasInstanceOptions shared = {};
    shared.structSize = sizeof(shared);
    shared.device = "cuda";
    shared.constantsOf = shared.stateOf = first;
    if (note(HamKaasInstanceCreate(&fixture.fake.program, &shared, &second))) {
      FakeRun other(second);
      note(other());
      HamKaasInstanceDestroy(second);
    }
    // Whatever happened: it works, or it says that it is lost.
    cuda::stopFailing();
    FakeRun last(first);
    hasLast = true;
    lastError = takeText(last());
    lastY = last.y[10];
    HamKaasInstanceDestroy(first);
  }
}

// Whose failure need not be an error: who gives something back, if only by
// entering a context for that, or can do without an update.
static const std::set<std::string> tolerated = {
    "cuMemFree",
    "cuMemFreeHost",
    "cuStreamDestroy",
    "cuEventDestroy",
    "cuModuleUnload",
    "cuGraphDestroy",
    "cuGraphExecDestroy",
    "cuCtxPushCurrent",
    "cuCtxPopCurrent",
    "cuDevicePrimaryCtxRelease",
    "cuGraphExecKernelNodeSetParams",
    "cuGraphExecMemcpyNodeSetParams"};

static bool contains(const std::string &text, const std::string &part) {
  return text.find(part) != std::string::npos;
}

static const char *const driverText = "unknown error (CUDA_ERROR_UNKNOWN)";
static const char *const lostText =
    "the device was lost: destroy its instances, then create a new instance or "
    "restart the process";

// Makes one call after the other fail until there are no more.
static void failEachCall(CudaFixture &fixture, bool isFatal, bool isProfiled) {
  std::string failed;
  int64_t call = 0;
  do {
    cuda::Settings settings;
    settings.failingCall = call++;
    settings.isFatal = isFatal;
    cuda::configure(settings);
    Scenario scenario(fixture, isProfiled);
    scenario.run();
    failed = cuda::failedFunction();
    SCOPED_TRACE("call " + std::to_string(call - 1) + ": " + failed);
    ASSERT_EQ(cuda::violations(), std::vector<std::string>());
    bool isTolerated = failed.empty() || tolerated.count(failed);
    EXPECT_TRUE(isTolerated || !scenario.errors.empty());
    for (const std::string &error : scenario.errors)
      EXPECT_TRUE(contains(error, driverText)) << error;
    if (scenario.hasLast && scenario.lastError.empty()) {
      EXPECT_GE(scenario.lastY, 20.5f);
    } else if (scenario.hasLast) {
      EXPECT_TRUE(contains(scenario.lastError, lostText)) << scenario.lastError;
    }
    if (!isTolerated && !isFatal) {
      EXPECT_EQ(cuda::held(), std::vector<std::string>());
      EXPECT_EQ(cuda::leaks(), std::vector<std::string>());
    }
    cuda::destroyContexts();
    cuda::configure(cuda::Settings());
    // Nothing is left that would disturb a new instance.
    fixture.options.profile = 0;
    ASSERT_EQ(fixture.create(), "");
    FakeRun run(fixture.instance);
    ASSERT_EQ(takeText(run()), "");
    ASSERT_EQ(run.y[10], 20.5f);
    fixture.destroy();
    cuda::destroyContexts();
  } while (!failed.empty());
  EXPECT_GT(call, 100);
}

TEST_F(CudaErrors, EachCallMayFail) {
  failEachCall(*this, /*isFatal=*/false, /*isProfiled=*/false);
}

TEST_F(CudaErrors, EachCallMayFailWithAProfile) {
  failEachCall(*this, /*isFatal=*/false, /*isProfiled=*/true);
}

TEST_F(CudaErrors, EachCallMayLoseTheGpu) {
  failEachCall(*this, /*isFatal=*/true, /*isProfiled=*/false);
}

//===----------------------------------------------------------------------===//
// Lost GPUs
//===----------------------------------------------------------------------===//

TEST_F(CudaErrors, AnErrorOfOneCallLeavesTheGpuUsable) {
  ASSERT_EQ(create(), "");
  FakeRun run(instance);
  ASSERT_EQ(takeText(run()), "");
  cuda::Settings settings;
  // Enter, ask for three addresses, launch.
  settings.failingCall = 4;
  cuda::configure(settings);
  EXPECT_EQ(takeText(run()),
            "device 'cuda:0': model 'fake': cannot launch its graph: unknown "
            "error (CUDA_ERROR_UNKNOWN)");
  EXPECT_EQ(cuda::failedFunction(), "cuGraphLaunch");
  EXPECT_EQ(takeText(run()), "");
  EXPECT_EQ(run.runs, 2);
}

TEST_F(CudaErrors, AnIllegalAccessLosesTheGpu) {
  ASSERT_EQ(create(), "");
  FakeRun run(instance);
  cuda::Settings settings;
  settings.crashingKernel = "copy";
  cuda::configure(settings);
  const std::string first =
      "device 'cuda:0': model 'fake': the run failed (with "
      "CUDA_LAUNCH_BLOCKING=1 this names the kernel): an illegal memory access "
      "was encountered (CUDA_ERROR_ILLEGAL_ADDRESS)";
  const std::string lost = first + "; " + lostText;
  EXPECT_EQ(takeText(run()), lost);
  cuda::configure(cuda::Settings());
  EXPECT_EQ(takeText(run()), lost);
  int64_t state = 0;
  EXPECT_EQ(takeText(HamKaasInstanceReadState(instance, "runs", &state, 8)),
            lost);
  EXPECT_EQ(takeText(HamKaasInstanceWriteState(instance, "runs", &state, 8)),
            lost);
  EXPECT_EQ(takeText(HamKaasInstanceResetState(instance)), lost);
  TemporaryFolder folder;
  EXPECT_EQ(takeText(HamKaasInstanceSaveState(
                instance, folder.path("state.safetensors").c_str())),
            lost);
  EXPECT_EQ(folder.fileCount(), 0u);
  // No driver is asked any more.
  EXPECT_EQ(cuda::counts().calls, 0);
  destroy();
  ASSERT_EQ(create(), "");
  FakeRun later(instance);
  EXPECT_EQ(takeText(later()), "");
}

// A lost context stays as long as anybody holds it.
TEST_F(CudaErrors, AGpuThatOthersHoldStaysLost) {
  HamKaasInstance *other = nullptr;
  ASSERT_EQ(takeText(HamKaasInstanceCreate(&fake.program, &options, &other)),
            "");
  ASSERT_EQ(create(), "");
  FakeRun run(instance);
  cuda::Settings settings;
  settings.crashingKernel = "copy";
  cuda::configure(settings);
  EXPECT_NE(takeText(run()), "");
  destroy();
  cuda::configure(cuda::Settings());
  EXPECT_EQ(create(),
            "device 'cuda:0': cannot use it: an illegal memory access was "
            "encountered (CUDA_ERROR_ILLEGAL_ADDRESS); the device was lost, "
            "and is still held by another instance or another library of this "
            "process: restart the process");
  HamKaasInstanceDestroy(other);
  EXPECT_EQ(create(), "");
}

// CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED is about the question.
TEST_F(CudaErrors, AGpuIsNotLostWhileOthersCapture) {
  ASSERT_EQ(create(), "");
  FakeRun run(instance);
  ASSERT_EQ(takeText(run()), "");
  cuda::Settings settings;
  settings.failingCall = 4;
  settings.synchronizeResult = 900;
  cuda::configure(settings);
  EXPECT_EQ(takeText(run()),
            "device 'cuda:0': model 'fake': cannot launch its graph: unknown "
            "error (CUDA_ERROR_UNKNOWN)");
  EXPECT_EQ(takeText(run()), "");
}

//===----------------------------------------------------------------------===//
// The host's memory
//===----------------------------------------------------------------------===//

// Whichever allocation fails, there is an error, no crash, and nothing lost.
TEST_F(CudaErrors, SurvivesEachFailedAllocation) {
  bool created = false;
  for (int64_t passing = 0; passing < 100 && !created; ++passing) {
    failAllocationAfter(passing);
    HamKaasError error =
        HamKaasInstanceCreate(&fake.program, &options, &instance);
    failAllocationAfter(-1);
    created = error == nullptr;
    HamKaasErrorFree(error);
    EXPECT_EQ(created, instance != nullptr);
    if (!created) {
      EXPECT_EQ(cuda::held(), std::vector<std::string>());
    }
  }
  EXPECT_TRUE(created);
}
