//===- CudaMatmulTest.cpp - Products of matrices by a fake cuBLASLt -------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Allocations.h"
#include "CudaFixture.h"
#include "FakeCublasLt.h"
#include "HamKaas/Runtime/Gpu/CublasLt.h"

#include <cmath>
#include <cstdlib>
#if __has_feature(address_sanitizer)
#include <sanitizer/lsan_interface.h>
#endif

using namespace hamkaas;
using namespace hamkaas::test;

//===----------------------------------------------------------------------===//
// The library
//===----------------------------------------------------------------------===//

static std::string load(const char *path) {
  rt::CublasLt library = {};
  return textOf(rt::loadCublasLt(path, library));
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
  rt::CublasLt library = {};
  const char *places[] = {"/nowhere/libcublasLt.so.13", "libcublasLt.so.13",
                          nullptr};
  EXPECT_EQ(textOf(rt::loadFirstCublasLt(places, library)), "");
  places[1] = "libc.so.6";
  EXPECT_EQ(textOf(rt::loadFirstCublasLt(places, library)),
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
  rt::CublasLt library = {};
  ASSERT_EQ(textOf(rt::loadCublasLt(HAMKAAS_CUBLASLT_LIBRARY, library)), "");
  EXPECT_GE(library.cublasLtGetVersion(), 120000u);
#if __has_feature(address_sanitizer)
  // cublasLtCreate leaks what it has allocated before it fails.
  __lsan::ScopedDisabler leaks;
#endif
  // It finds the fake driver, which lacks what it needs.
  rt::cublas::cublasLtHandle_t handle = nullptr;
  EXPECT_STREQ(library.cublasLtGetStatusName(library.cublasLtCreate(&handle)),
               "CUBLAS_STATUS_NOT_INITIALIZED");
}

//===----------------------------------------------------------------------===//
// A program
//===----------------------------------------------------------------------===//

namespace {

/// y = activation(left * right + bias + addend), each of them an input.
struct CudaMatmul : ::testing::Test {
  static constexpr int64_t batches = 2, rows = 3, columns = 5, depth = 4;
  enum Input { Left, Right, Bias, Addend };

  CudaMatmul() {
    cuda::configure(cuda::Settings());
    cublas::configure(cublas::Settings());
    setInput(Left, "left", batches * rows * depth);
    setInput(Right, "right", batches * depth * columns);
    setInput(Bias, "bias", columns);
    setInput(Addend, "addend", batches * rows * columns);
    shapes[4][0] = batches * rows * columns;
    y.resize(static_cast<size_t>(shapes[4][0]));
    output = {"y", HamKaasFloat32, 1, shapes[4], y.size() * 4, 0, nullptr};
    matmul = {batches, rows, columns, depth, Left,
              Right,   -1,   -1,      4,     HamKaasNoActivation,
              16,      0};
    call.kernel = "k0";
    call.ops = "matmul";
    call.location = "model.hk:7:3";

    code.structSize = sizeof(code);
    code.architecture = "sm_80";
    code.image = "fake";
    code.imageBytes = sizeof("fake");
    code.matmuls = &matmul;
    code.matmulCount = 1;
    code.matmulWorkspaceBytes = 4 << 20;
    code.run = [](HamKaasExecution *execution, const void *const *inputs,
                  void *const *outputs, const void *, void *, void *) {
      void *arguments[5];
      for (int i = 0; i < 4; ++i)
        arguments[i] = const_cast<void *>(inputs[i]);
      arguments[4] = outputs[0];
      return execution->multiply(execution->device, 0, arguments, 0);
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
    program.deviceCode = &code;
    options.structSize = sizeof(options);
    options.device = "cuda";
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

  std::string create() {
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
      sum += at(Left, (batch * rows + row) * depth + i) *
             at(Right, (batch * depth + i) * columns + column);
    if (matmul.bias >= 0)
      sum += at(Bias, column);
    if (matmul.addend >= 0)
      sum += at(Addend, (batch * rows + row) * columns + column);
    if (matmul.activation == HamKaasRelu)
      return sum > 0 ? sum : 0;
    if (matmul.activation == HamKaasGeluTanh)
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

  int64_t shapes[5][1];
  std::vector<float> values[4], y;
  HamKaasTensorInfo inputs[4], output;
  HamKaasMatmul matmul;
  HamKaasCallInfo call = {};
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
  for (int32_t bias : {-1, int32_t(Bias)})
    for (int32_t addend : {-1, int32_t(Addend)})
      for (int32_t activation :
           {HamKaasNoActivation, HamKaasRelu, HamKaasGeluTanh}) {
        matmul.bias = bias;
        matmul.addend = addend;
        matmul.activation = activation;
        ASSERT_EQ(create(), "");
        ASSERT_EQ(run(), "");
        expectResult();
        destroy();
      }
}

TEST_F(CudaMatmul, AsksForWhatTheProgramSays) {
  matmul.bias = Bias;
  matmul.activation = HamKaasRelu;
  matmul.alignment = 8;
  ASSERT_EQ(create(), "");
  std::vector<cublas::Product> products = cublas::products();
  ASSERT_EQ(products.size(), 1u);
  // The transposed product.
  EXPECT_EQ(products[0].rows, uint64_t(columns));
  EXPECT_EQ(products[0].columns, uint64_t(rows));
  EXPECT_EQ(products[0].depth, uint64_t(depth));
  EXPECT_EQ(products[0].batches, batches);
  EXPECT_EQ(products[0].epilogue, rt::cublas::CUBLASLT_EPILOGUE_RELU_BIAS);
  EXPECT_EQ(products[0].alignment, 8u);
  EXPECT_EQ(products[0].workspaceBytes, 4u << 20);
}

TEST_F(CudaMatmul, RoundsFactorsAsTheProgramSays) {
  using namespace rt::cublas;
  for (auto [precision, computeType] :
       {std::pair("exact", CUBLAS_COMPUTE_32F),
        {"tf32", CUBLAS_COMPUTE_32F_FAST_TF32},
        {"bf16", CUBLAS_COMPUTE_32F_FAST_16BF}}) {
    code.precision = precision;
    ASSERT_EQ(create(), "");
    EXPECT_EQ(cublas::products().back().computeType, computeType);
    destroy();
  }
}

TEST_F(CudaMatmul, ExactFactorsAreNotOverridden) {
  setenv("NVIDIA_TF32_OVERRIDE", "1", 1);
  EXPECT_EQ(create(),
            "model 'product': expected no NVIDIA_TF32_OVERRIDE=1, with which "
            "cuBLASLt rounds factors that the model has exact: unset it, or "
            "compile the model with the precision tf32");
  code.precision = "tf32";
  EXPECT_EQ(create(), "");
  destroy();
  setenv("NVIDIA_TF32_OVERRIDE", "0", 1);
  code.precision = "exact";
  EXPECT_EQ(create(), "");
  unsetenv("NVIDIA_TF32_OVERRIDE");
}

TEST_F(CudaMatmul, ARunIsOneLaunchOfOneGraph) {
  matmul.bias = Bias;
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
  matmul.bias = Bias;
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
  matmul.bias = Bias;
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
            "device 'cuda:0': cuBLASLt has no algorithm for the product 2 x "
            "[3, 4] * [4, 5]: the requested functionality is not supported "
            "(CUBLAS_STATUS_NOT_SUPPORTED)");
}

TEST_F(CudaMatmul, WrongTablesAreErrors) {
  code.matmuls = nullptr;
  EXPECT_EQ(create(), "model 'product': the device code has no table of "
                      "products of matrices");
  code.matmuls = &matmul;
  std::string unknown = "model 'product': the device code has a product of "
                        "matrices that this runtime does not know";
  HamKaasMatmul right = matmul;
  matmul.activation = 3;
  EXPECT_EQ(create(), unknown);
  matmul = right;
  matmul.rows = 0;
  EXPECT_EQ(create(), unknown);
  matmul = right;
  matmul.result = -1;
  EXPECT_EQ(create(), unknown);
  matmul = right;
  code.matmulCount = 0;
  EXPECT_EQ(create(), "");
  EXPECT_EQ(run(), "model 'product': expected the number of a product below 0, "
                   "got 0");
}

// The instance says what failed, gives back what it has, and a new one works.
TEST_F(CudaMatmul, EachCallMayFail) {
  matmul.bias = Bias;
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
    if (cublas::failedFunction() == "cublasLtMatmul") {
      EXPECT_NE(problem.find("model 'product': kernel 'k0' (matmul) at "
                             "model.hk:7:3: cuBLASLt cannot compute the "
                             "product 2 x [3, 4] * [4, 5]"),
                std::string::npos)
          << problem;
    }
    destroy();
    EXPECT_EQ(cublas::held(), 0) << cublas::failedFunction();
    EXPECT_EQ(cuda::held(), std::vector<std::string>());
  }
}

TEST_F(CudaMatmul, EachCallOfTheDriverMayFail) {
  matmul.bias = Bias;
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
  matmul.bias = Bias;
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
