//===- CudaMatmulTest.cpp - Products of matrices by a fake cuBLASLt -------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Allocations.h"
#include "CublasLt.h"
#include "CudaFixture.h"
#include "EngineError.h"
#include "FakeCublasLt.h"

#include <cmath>
#include <cstdlib>
#include <cstring>
#if __has_feature(address_sanitizer)
#include <sanitizer/lsan_interface.h>
#endif

using namespace hamkaas;
using namespace hamkaas::test;

//===----------------------------------------------------------------------===//
// The library
//===----------------------------------------------------------------------===//

static std::string textOf(int32_t status) {
  return status == HamKaasEngineOk ? "" : engine::lastError();
}

static std::string load(const char *path) {
  engine::CublasLt library = {};
  return textOf(engine::loadCublasLt(path, library));
}

TEST(CublasLt, IsLoaded) {
  cublas::configure(cublas::Settings());
  EXPECT_EQ(load("libcublasLt.so.13"), "");
  EXPECT_EQ(cublas::callCount(), 0);
}

TEST(CublasLt, NoneIsAnError) {
  EXPECT_EQ(load("/nowhere/libcublasLt.so.13"),
            "/nowhere/libcublasLt.so.13: cannot open shared object file: No "
            "such file or directory");
  EXPECT_EQ(load("libc.so.6"), "libc.so.6 has no cublasLtGetVersion");
}

TEST(CublasLt, IsTheFirstThatIsThere) {
  engine::CublasLt library = {};
  const char *places[] = {"/nowhere/libcublasLt.so.13", "libcublasLt.so.13",
                          nullptr};
  EXPECT_EQ(textOf(engine::loadFirstCublasLt(places, library)), "");
  places[1] = "libc.so.6";
  EXPECT_EQ(textOf(engine::loadFirstCublasLt(places, library)),
            "found no cuBLASLt of NVIDIA: /nowhere/libcublasLt.so.13: cannot "
            "open shared object file: No such file or directory; libc.so.6 has "
            "no cublasLtGetVersion; set HAMKAAS_CUBLASLT to the path of "
            "libcublasLt.so.12 or .13, or compile the model without "
            "the engine cublaslt");
}

// That of NVIDIA, which can be opened on a machine without a GPU.
TEST(CublasLt, NvidiasHasTheFunctions) {
  if (!*HAMKAAS_CUBLASLT_LIBRARY)
    GTEST_SKIP() << "there is no libcublasLt.so of a CUDA toolkit";
  engine::CublasLt library = {};
  ASSERT_EQ(load(HAMKAAS_CUBLASLT_LIBRARY), "");
  ASSERT_EQ(engine::loadCublasLt(HAMKAAS_CUBLASLT_LIBRARY, library),
            HamKaasEngineOk);
  EXPECT_GE(library.cublasLtGetVersion(), 120000u);
#if __has_feature(address_sanitizer)
  // cublasLtCreate leaks what it has allocated before it fails.
  __lsan::ScopedDisabler leaks;
#endif
  // It finds the fake driver, which lacks what it needs.
  engine::cublas::cublasLtHandle_t handle = nullptr;
  EXPECT_STREQ(library.cublasLtGetStatusName(library.cublasLtCreate(&handle)),
               "CUBLAS_STATUS_NOT_INITIALIZED");
}

//===----------------------------------------------------------------------===//
// A program
//===----------------------------------------------------------------------===//

namespace {

/// y = activation(left * right + bias + addend), each of them an input, as a
/// call of the engine.
struct CudaMatmul : ::testing::Test {
  static constexpr int64_t batches = 2, rows = 3, columns = 5, depth = 4;
  enum Input { Left, Right, Bias, Addend };

  CudaMatmul() {
    cuda::configure(cuda::Settings());
    cublas::configure(cublas::Settings());
    // One more than the product takes.
    setInput(Left, "left", batches * rows * depth + 1);
    setInput(Right, "right", batches * depth * columns);
    setInput(Bias, "bias", columns);
    setInput(Addend, "addend", batches * rows * columns);
    shapes[4][0] = batches * rows * columns;
    y.resize(static_cast<size_t>(shapes[4][0]));
    output = {"y", HamKaasFloat32, 1, shapes[4], y.size() * 4, 0, nullptr};
    call.kernel = "k0";
    call.ops = "matmul";
    call.location = "model.hk:7:3";
    engineCall.engine = "cublaslt";
    engineCall.version = "12 or 13";
    engineCall.library = HAMKAAS_CUBLASLT_ENGINE;
    engineCall.knobs = "workspace=4";
    engineCall.workspaceBytes = 4 << 20;

    code.structSize = sizeof(code);
    code.architecture = "sm_80";
    code.image = "fake";
    code.imageBytes = sizeof("fake");
    code.run = [](HamKaasExecution *execution, const void *const *inputs,
                  void *const *outputs, const void *, void *, void *workspace) {
      void *arguments[6];
      int count = 0;
      for (Input input : current->listInputs()) {
        auto *address = static_cast<const float *>(inputs[input]);
        arguments[count++] = const_cast<float *>(
            input == Left ? address + current->shift : address);
      }
      arguments[count++] = workspace;
      arguments[count++] = outputs[0];
      return execution->callEngine(execution, current->number, arguments, 0);
    };
    program.structSize = sizeof(program);
    program.version = HAMKAAS_PROGRAM_VERSION;
    program.isaLevel = HamKaasIsaX86_64_V1;
    program.name = "product";
    program.inputs = inputs;
    program.inputCount = 4;
    program.outputs = &output;
    program.outputCount = 1;
    program.calls = &call;
    program.callCount = 1;
    program.workspaceBytes = 4 << 20;
    program.deviceCode = &code;
    program.engineCalls = &engineCall;
    program.engineCallCount = 1;
    options.structSize = sizeof(options);
    options.device = "cuda";
    current = this;
  }
  ~CudaMatmul() override {
    HamKaasInstanceDestroy(instance);
    EXPECT_EQ(cuda::violations(), std::vector<std::string>());
    EXPECT_EQ(cuda::leaks(), std::vector<std::string>());
    EXPECT_EQ(cuda::held(), std::vector<std::string>());
    EXPECT_EQ(cublas::held(), 0);
  }

  void setInput(Input input, const char *name, int64_t elements) {
    shapes[input][0] = elements;
    for (int64_t i = 0; i < elements; ++i)
      values[input].push_back(static_cast<float>((i * 7 + input * 3) % 11 - 5) /
                              4);
    inputs[input] = {name,
                     HamKaasFloat32,
                     1,
                     shapes[input],
                     static_cast<uint64_t>(elements) * 4,
                     0,
                     nullptr};
  }

  /// Those of the call.
  std::vector<Input> listInputs() const {
    std::vector<Input> list = {Left, Right};
    if (hasBias)
      list.push_back(Bias);
    if (hasAddend)
      list.push_back(Addend);
    return list;
  }

  /// As EngineGroup.h describes it.
  std::string describeGroup() const {
    const std::string result = " : float32 2 3 5\n";
    std::string text = "hamkaas-group 1\ndevice " + device + "\nprecision " +
                       precision +
                       "\ninput float32 2 3 4\n"
                       "input float32 2 4 5\n";
    int next = 2, value = 2 + hasBias + hasAddend;
    if (hasBias)
      text += "input float32 5\n";
    if (hasAddend)
      text += "input float32 2 3 5\n";
    text += "node matmul 0 1" + result;
    for (int i = 0; i < hasBias + hasAddend; ++i)
      text += "node add " + std::to_string(next++) + " " +
              std::to_string(value++) + result;
    if (activation == "relu")
      text += "node relu " + std::to_string(value) + result;
    if (activation == "gelu")
      text += "node gelu " + std::to_string(value) + result +
              "attribute approximate text tanh\n";
    return text;
  }

  void setGroup() {
    group = describeGroup();
    engineCall.group = group.c_str();
  }
  std::string create() {
    setGroup();
    return takeText(HamKaasInstanceCreate(&program, &options, &instance));
  }
  void destroy() {
    HamKaasInstanceDestroy(instance);
    instance = nullptr;
  }
  std::string run() {
    const void *from[] = {values[0].data(), values[1].data(), values[2].data(),
                          values[3].data()};
    void *to[] = {y.data()};
    return takeText(HamKaasInstanceRun(instance, from, to));
  }

  /// An element of the result, by rows.
  float expected(int64_t batch, int64_t row, int64_t column) const {
    float sum = 0;
    for (int64_t i = 0; i < depth; ++i)
      sum += at(Left, shift + (batch * rows + row) * depth + i) *
             at(Right, (batch * depth + i) * columns + column);
    if (hasBias)
      sum += at(Bias, column);
    if (hasAddend)
      sum += at(Addend, (batch * rows + row) * columns + column);
    if (activation == "relu")
      return sum > 0 ? sum : 0;
    if (activation == "gelu")
      return 0.5f * sum *
             (1 + std::tanh(0.79788456f * (sum + 0.044715f * sum * sum * sum)));
    return sum;
  }
  float at(Input input, int64_t index) const {
    return values[input][static_cast<size_t>(index)];
  }
  void expectResult() const {
    size_t place = 0;
    for (int64_t batch = 0; batch < batches; ++batch)
      for (int64_t row = 0; row < rows; ++row)
        for (int64_t column = 0; column < columns; ++column)
          ASSERT_NEAR(y[place++], expected(batch, row, column), 1e-5f);
  }

  static std::string expectNeeds(const std::string &reason) {
    return "device 'cuda:0': model 'product' needs engine 'cublaslt': " +
           reason;
  }
  static std::string expectStart(const std::string &reason) {
    return expectNeeds(std::string("engine 'cublaslt' of ") +
                       HAMKAAS_CUBLASLT_ENGINE + ": start failed: " + reason);
  }

  /// Two runs whose biases are in two places of the GPU's memory.
  void runWithOtherBiases() {
    DeviceBuffer ones(columns * 4), twos(columns * 4), threes(columns * 4);
    ones.fill(1.0f);
    twos.fill(2.0f);
    threes.fill(3.0f);
    for (DeviceBuffer *bias : {&ones, &twos, &ones, &twos, &threes}) {
      values[Bias].assign(columns, bias->read<float>(0));
      const void *from[] = {values[0].data(), values[1].data(), bias->address(),
                            values[3].data()};
      void *to[] = {y.data()};
      ASSERT_EQ(takeText(HamKaasInstanceRun(instance, from, to)), "");
      expectResult();
    }
  }

  /// That of the running test.
  static inline CudaMatmul *current = nullptr;

  bool hasBias = false, hasAddend = false;
  std::string activation, precision = "exact", device = "cuda", group;
  /// Elements by which the left factor starts later.
  int64_t shift = 0;
  int32_t number = 0; // of the engine call
  int64_t shapes[5][1];
  std::vector<float> values[4], y;
  HamKaasTensorInfo inputs[4], output;
  HamKaasCallInfo call = {};
  HamKaasEngineCall engineCall = {};
  HamKaasDeviceCode code = {};
  HamKaasProgram program = {};
  HamKaasInstanceOptions options = {};
  HamKaasInstance *instance = nullptr;
};

} // namespace

//===----------------------------------------------------------------------===//
// Runs
//===----------------------------------------------------------------------===//

TEST_F(CudaMatmul, ComputesRowsByColumns) {
  for (bool withBias : {false, true})
    for (bool withAddend : {false, true})
      for (const char *function : {"", "relu", "gelu"}) {
        hasBias = withBias;
        hasAddend = withAddend;
        activation = function;
        ASSERT_EQ(create(), "");
        ASSERT_EQ(run(), "");
        expectResult();
        destroy();
      }
}

TEST_F(CudaMatmul, AsksForWhatTheProgramSays) {
  hasBias = true;
  activation = "relu";
  ASSERT_EQ(create(), "");
  // For tensors at multiples of 16, and for others.
  std::vector<cublas::Product> products = cublas::products();
  ASSERT_EQ(products.size(), 2u);
  // The transposed product.
  EXPECT_EQ(products[0].rows, uint64_t(columns));
  EXPECT_EQ(products[0].columns, uint64_t(rows));
  EXPECT_EQ(products[0].depth, uint64_t(depth));
  EXPECT_EQ(products[0].batches, batches);
  EXPECT_EQ(products[0].epilogue, engine::cublas::CUBLASLT_EPILOGUE_RELU_BIAS);
  EXPECT_EQ(products[0].alignment, 16u);
  EXPECT_EQ(products[0].workspaceBytes, 4u << 20);
  EXPECT_EQ(products[1].alignment, 4u);
}

TEST_F(CudaMatmul, TensorsAreAlignedAsFloats) {
  shift = 1;
  ASSERT_EQ(create(), "");
  ASSERT_EQ(run(), "");
  expectResult();
}

TEST_F(CudaMatmul, RoundsFactorsAsTheModelOrTheKnobSays) {
  using namespace engine::cublas;
  for (auto [model, knob, computeType] :
       {std::tuple("exact", "model", CUBLAS_COMPUTE_32F),
        {"tf32", "model", CUBLAS_COMPUTE_32F_FAST_TF32},
        {"bf16", "model", CUBLAS_COMPUTE_32F_FAST_16BF},
        {"exact", "tf32", CUBLAS_COMPUTE_32F_FAST_TF32},
        {"3xtf32", "exact", CUBLAS_COMPUTE_32F}}) {
    precision = model;
    std::string knobs = std::string("workspace=4,precision=") + knob;
    engineCall.knobs = knobs.c_str();
    ASSERT_EQ(create(), "");
    EXPECT_EQ(cublas::products().back().computeType, computeType);
    destroy();
  }
  // It has no such mode.
  precision = "3xtf32";
  engineCall.knobs = "workspace=4";
  EXPECT_EQ(create(), expectNeeds(std::string(HAMKAAS_CUBLASLT_ENGINE) +
                                  ": does not compute the group any more, "
                                  "which its version 12 or 13 did; compile the "
                                  "model again"));
}

TEST_F(CudaMatmul, ExactFactorsAreNotOverridden) {
  setenv("NVIDIA_TF32_OVERRIDE", "1", 1);
  EXPECT_EQ(create(),
            expectStart("expected no NVIDIA_TF32_OVERRIDE=1, with which "
                        "cuBLASLt rounds factors that the model has exact: "
                        "unset it, or compile the model with the precision "
                        "tf32"));
  precision = "tf32";
  EXPECT_EQ(create(), "");
  destroy();
  setenv("NVIDIA_TF32_OVERRIDE", "0", 1);
  precision = "exact";
  EXPECT_EQ(create(), "");
  unsetenv("NVIDIA_TF32_OVERRIDE");
}

// The plans of a GPU share what the library makes for it.
TEST_F(CudaMatmul, InstancesShareAHandle) {
  ASSERT_EQ(create(), "");
  int64_t first = cublas::held();
  HamKaasInstance *second = nullptr;
  ASSERT_EQ(takeText(HamKaasInstanceCreate(&program, &options, &second)), "");
  EXPECT_EQ(cublas::held(), 2 * first - 1);
  destroy();
  EXPECT_EQ(cublas::held(), first);
  HamKaasInstanceDestroy(second);
}

TEST_F(CudaMatmul, ARunIsOneLaunchOfOneGraph) {
  hasBias = true;
  ASSERT_EQ(create(), "");
  ASSERT_EQ(run(), "");
  EXPECT_EQ(cuda::counts().graphs, 1);
  cuda::resetCounts();
  int64_t allocations = allocationCount(), calls = cublas::callCount();
  for (int i = 0; i < 3; ++i) {
    values[Left][0] += 1;
    ASSERT_EQ(run(), "");
    expectResult();
  }
  EXPECT_EQ(cuda::counts().graphLaunches, 3);
  EXPECT_EQ(cuda::counts().libraryCalls, 3);
  EXPECT_EQ(cuda::counts().allocations, 0);
  EXPECT_EQ(cuda::counts().graphs, 0);
  EXPECT_EQ(allocationCount(), allocations);
  // Neither an algorithm is chosen nor the library called again.
  EXPECT_EQ(cublas::callCount(), calls);
}

TEST_F(CudaMatmul, OtherAddressesChangeTheGraph) {
  hasBias = true;
  ASSERT_EQ(create(), "");
  runWithOtherBiases();
  // One for each of the first two biases.
  EXPECT_EQ(cuda::counts().graphs, 2);
  EXPECT_EQ(cuda::counts().nodeUpdates, 1);
}

TEST_F(CudaMatmul, RefusedUpdatesMakeAnotherGraph) {
  cuda::Settings settings;
  settings.refusesUpdates = true;
  cuda::configure(settings);
  hasBias = true;
  ASSERT_EQ(create(), "");
  runWithOtherBiases();
  EXPECT_EQ(cuda::counts().graphs, 3);
}

TEST_F(CudaMatmul, IsMeasured) {
  options.profile = 1;
  ASSERT_EQ(create(), "");
  ASSERT_EQ(run(), "");
  ASSERT_EQ(run(), "");
  EXPECT_EQ(HamKaasInstanceProfile(instance)[0].runs, 2u);
}

TEST_F(CudaMatmul, RunsOneByOne) {
  setenv("CUDA_LAUNCH_BLOCKING", "1", 1);
  std::string problem = create();
  unsetenv("CUDA_LAUNCH_BLOCKING");
  ASSERT_EQ(problem, "");
  ASSERT_EQ(run(), "");
  expectResult();
  EXPECT_EQ(cuda::counts().graphs, 0);
}

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

TEST_F(CudaMatmul, NoAlgorithmIsAnError) {
  cublas::Settings settings;
  settings.hasNoAlgorithms = true;
  cublas::configure(settings);
  EXPECT_EQ(create(),
            expectStart("cuBLASLt has no algorithm for the product 2 x [3, 4] "
                        "* [4, 5]: the requested functionality is not "
                        "supported (CUBLAS_STATUS_NOT_SUPPORTED)"));
}

TEST_F(CudaMatmul, WrongTablesAreErrors) {
  program.engineCalls = nullptr;
  EXPECT_EQ(create(), "model 'product': engine call 0 lacks its engine, "
                      "library or group");
  program.engineCalls = &engineCall;
  precision = "fast";
  EXPECT_EQ(create(), expectNeeds("line 3 of the group: expected the precision "
                                  "exact, tf32, 3xtf32 or bf16"));
  precision = "exact";
  std::string expected = "model 'product': expected the number of an engine "
                         "call for this device, got ";
  for (int32_t wrong : {-1, 1}) {
    number = wrong;
    ASSERT_EQ(create(), "");
    EXPECT_EQ(run(), expected + std::to_string(wrong));
    destroy();
  }
  // The processor's.
  number = 0;
  device = "cpu";
  ASSERT_EQ(create(), "");
  EXPECT_EQ(run(), expected + "0");
}

// The next run has another try.
TEST_F(CudaMatmul, AFailedRunLeavesTheGpuUsable) {
  ASSERT_EQ(create(), "");
  cublas::Settings settings;
  settings.failingCall = 0;
  cublas::configure(settings);
  EXPECT_EQ(run(),
            std::string("device 'cuda:0': model 'product': kernel 'k0' "
                        "(matmul) at model.hk:7:3: engine 'cublaslt' of ") +
                HAMKAAS_CUBLASLT_ENGINE +
                ": run failed: cuBLASLt cannot compute the product 2 x "
                "[3, 4] * [4, 5]: the function failed to launch on the "
                "GPU (CUBLAS_STATUS_EXECUTION_FAILED)");
  EXPECT_EQ(run(), "");
  expectResult();
}

// The instance says what failed, gives back what it has, and a new one works.
TEST_F(CudaMatmul, EachCallMayFail) {
  hasBias = true;
  bool wasCalled = true;
  for (int64_t failing = 0; wasCalled; ++failing) {
    cuda::configure(cuda::Settings());
    cublas::Settings settings;
    settings.failingCall = failing;
    cublas::configure(settings);
    std::string problem = create();
    wasCalled = !cublas::failedFunction().empty();
    EXPECT_EQ(problem.empty(), !wasCalled) << cublas::failedFunction();
    if (wasCalled) {
      EXPECT_EQ(problem.find("device 'cuda:0': "), 0u) << problem;
      EXPECT_NE(problem.find("the function failed to launch on the GPU "
                             "(CUBLAS_STATUS_EXECUTION_FAILED)"),
                std::string::npos)
          << problem;
    }
    destroy();
    EXPECT_EQ(cublas::held(), 0) << cublas::failedFunction();
    EXPECT_EQ(cuda::held(), std::vector<std::string>());
  }
}

TEST_F(CudaMatmul, EachCallOfTheDriverMayFail) {
  hasBias = true;
  for (int64_t failing = 0;; ++failing) {
    cuda::Settings settings;
    settings.failingCall = failing;
    cuda::configure(settings);
    std::string problem = create();
    if (problem.empty())
      problem = run();
    std::string failed = cuda::failedFunction();
    cuda::stopFailing();
    destroy();
    EXPECT_EQ(cublas::held(), 0) << failed;
    EXPECT_EQ(cuda::violations(), std::vector<std::string>()) << failed;
    cuda::destroyContexts();
    if (failed == "cuStreamBeginCapture" || failed == "cuStreamEndCapture" ||
        failed == "cuGraphAddChildGraphNode") {
      EXPECT_EQ(problem, "device 'cuda:0': model 'product': kernel 'k0' "
                         "(matmul) at model.hk:7:3: unknown error "
                         "(CUDA_ERROR_UNKNOWN)");
    }
    if (failed.empty()) {
      EXPECT_EQ(problem, "");
      break;
    }
  }
}

TEST_F(CudaMatmul, SurvivesEachFailedAllocation) {
  hasBias = true;
  setGroup();
  bool created = false;
  for (int64_t passing = 0; passing < 100 && !created; ++passing) {
    failAllocationAfter(passing);
    HamKaasError error = HamKaasInstanceCreate(&program, &options, &instance);
    failAllocationAfter(-1);
    created = error == nullptr;
    HamKaasErrorFree(error);
    EXPECT_EQ(created, instance != nullptr);
    if (!created) {
      EXPECT_EQ(cuda::held(), std::vector<std::string>());
      EXPECT_EQ(cublas::held(), 0);
    }
  }
  EXPECT_TRUE(created);
}
