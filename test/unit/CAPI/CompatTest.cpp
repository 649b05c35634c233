//===- CompatTest.cpp - The interface of the first HamKaas ------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hamkaas-c/Compat.h"
#include "Models.h"

#include <climits>
#include <thread>

using namespace hamkaas::test;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

namespace {

constexpr char noHandle[] = "got an address that is no handle";

std::string takeMessage(const char *error) {
  std::string text = error ? error : "";
  HamKaasFreeErrorMessage(error);
  return text;
}

class Compat : public ::testing::Test {
protected:
  void SetUp() override {
    HamKaasInitializeResult result = HamKaasInitialize();
    ASSERT_EQ(takeMessage(result.error), "");
    handle = result.handle;
  }
  void TearDown() override {
    HamKaasFreeModel(handle, model);
    HamKaasFinalize(handle);
  }

  /// Compiles addScript, or another; the error.
  std::string compile(std::vector<HamKaasNamedBuffer> constants,
                      const char *script = addScript,
                      HamKaasCompilationOptions options = {}) {
    HamKaasCompilationResult result = HamKaasCompileModel(
        handle, options, script, constants.data(), int(constants.size()));
    EXPECT_EQ(result.model == nullptr, result.error != nullptr);
    HamKaasFreeModel(handle, model);
    model = result.model;
    return takeMessage(result.error);
  }

  std::string evaluate(std::vector<HamKaasNamedBuffer> inputs) {
    return takeMessage(HamKaasEvaluateModel(handle, model, inputs.data(),
                                            int(inputs.size()), output));
  }

  void *handle = nullptr;
  void *model = nullptr;
  float bias[4] = {1, 2, 3, -4};
  float x[4] = {10, 20, 30, -40};
  float output[4] = {};
};

} // namespace

//===----------------------------------------------------------------------===//
// Models
//===----------------------------------------------------------------------===//

TEST_F(Compat, CompilesAndEvaluates) {
  ASSERT_EQ(compile({{"bias", bias}}), "");
  // The data was copied.
  bias[0] = 1000;
  for (int i = 0; i < 3; ++i) {
    ASSERT_EQ(evaluate({{"x", x}}), "");
    EXPECT_THAT(output, ElementsAre(11, 22, 33, 0));
  }
}

TEST_F(Compat, BuffersAreKept) {
  ASSERT_EQ(compile({}, stateScript), "");
  int64_t start = 1, end = 3;
  std::vector<HamKaasNamedBuffer> inputs = {
      {"x", x}, {"start", &start}, {"end", &end}};
  ASSERT_EQ(evaluate(inputs), "");
  EXPECT_THAT(output, ElementsAre(0, 10, 20, 0));
  start = 0, end = 2;
  ASSERT_EQ(evaluate(inputs), "");
  EXPECT_THAT(output, ElementsAre(10, 20, 20, 0));
  end = 5;
  EXPECT_THAT(evaluate(inputs), StartsWith("model:5:1: "));
}

TEST_F(Compat, WrongConstants) {
  EXPECT_EQ(compile({}), "constant 'bias' is missing");
  EXPECT_EQ(compile({{"bias", bias}, {"bias", bias}}),
            "constant 'bias' is given twice");
  EXPECT_EQ(compile({{"bias", nullptr}}), "constant 'bias' is null");
  EXPECT_EQ(compile({{nullptr, bias}}),
            "expected a name of constant, got null");
  EXPECT_EQ(compile({{"\xff", bias}}), "expected a name of constant in UTF-8, "
                                       "got the byte 0xff at offset 0");
  EXPECT_EQ(compile({{"b", bias}, {"a", bias}}),
            "the model has no constant 'b'\n"
            "the model has no constant 'a'\n"
            "constant 'bias' is missing");
}

TEST_F(Compat, WrongInputs) {
  EXPECT_EQ(evaluate({{"x", x}}), "expected a model, got null");
  ASSERT_EQ(compile({{"bias", bias}}), "");
  EXPECT_EQ(evaluate({}), "input 'x' is missing");
  EXPECT_EQ(evaluate({{"x", x}, {"x", x}}), "input 'x' is given twice");
  EXPECT_EQ(evaluate({{"x", nullptr}}), "input 'x' is null");
  EXPECT_EQ(evaluate({{"x", x}, {"y", x}}), "the model has no input 'y'");
  EXPECT_THAT(
      takeMessage(HamKaasEvaluateModel(handle, model, nullptr, -1, output)),
      StartsWith("expected a count of at least 0, got -1"));
  EXPECT_EQ(takeMessage(
                HamKaasEvaluateModel(handle, model, nullptr, INT_MAX, output)),
            "expected 2147483647 inputs, got null");
  HamKaasNamedBuffer input = {"x", x};
  EXPECT_THAT(
      takeMessage(HamKaasEvaluateModel(handle, model, &input, 1, nullptr)),
      HasSubstr("null"));
}

TEST_F(Compat, WrongScripts) {
  EXPECT_EQ(compile({}, nullptr), "expected a script, got null");
  EXPECT_EQ(compile({}, ""), "expected the text of a model, got 0 bytes");
  EXPECT_THAT(compile({}, "$1 = SumNode($2, $3);\n"),
              StartsWith("model:1:14: error: "));
  EXPECT_EQ(compile({}, "$1 = \xff"),
            "expected a script in UTF-8, got the byte 0xff at offset 5");
}

TEST_F(Compat, Devices) {
  EXPECT_EQ(compile({{"bias", bias}}, addScript, {false, true}),
            "expected use_cudnn only with use_gpu");
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(compile({{"bias", bias}}, addScript, {true, true}), "");
  EXPECT_EQ(compile({{"bias", bias}}, addScript, {true, false}), "");
  std::string warning = ::testing::internal::GetCapturedStderr();
  EXPECT_THAT(warning, StartsWith("HamKaas: warning: "));
  EXPECT_EQ(llvm::StringRef(warning).count('\n'), 1u);
  ASSERT_EQ(evaluate({{"x", x}}), "");
}

//===----------------------------------------------------------------------===//
// Handles
//===----------------------------------------------------------------------===//

TEST_F(Compat, WrongHandles) {
  ASSERT_EQ(compile({{"bias", bias}}), "");
  HamKaasNamedBuffer input = {"x", x};
  auto evaluateWith = [&](void *session, void *other) {
    return takeMessage(HamKaasEvaluateModel(session, other, &input, 1, output));
  };
  int number = 0;
  EXPECT_EQ(evaluateWith(nullptr, model),
            "expected a handle of HamKaas, got null");
  EXPECT_EQ(evaluateWith(&number, model),
            std::string("expected a handle of HamKaas, ") + noHandle);
  EXPECT_EQ(evaluateWith(model, model),
            "expected a handle of HamKaas, got a handle of another kind");
  EXPECT_EQ(evaluateWith(handle, &number),
            std::string("expected a model, ") + noHandle);
  EXPECT_EQ(evaluateWith(handle, handle),
            "expected a model, got a handle of another kind");
  OwnedModel modern = hamkaas::test::compile(addScript);
  EXPECT_EQ(evaluateWith(handle, modern.get()),
            "expected a model, got a handle of another kind");
  HamKaasCompilationResult result =
      HamKaasCompileModel(nullptr, {}, addScript, nullptr, 0);
  EXPECT_EQ(result.model, nullptr);
  EXPECT_EQ(takeMessage(result.error),
            "expected a handle of HamKaas, got null");
}

TEST_F(Compat, FreeingIsForgiving) {
  ASSERT_EQ(compile({{"bias", bias}}), "");
  int number = 0;
  HamKaasFreeModel(nullptr, nullptr);
  HamKaasFreeModel(handle, &number);
  HamKaasFreeModel(handle, handle);
  HamKaasFinalize(nullptr);
  HamKaasFinalize(&number);
  HamKaasFinalize(model);
  HamKaasFreeErrorMessage(nullptr);
  ASSERT_EQ(evaluate({{"x", x}}), "");
  HamKaasFreeModel(handle, model);
  HamKaasFreeModel(handle, model);
  EXPECT_EQ(evaluate({{"x", x}}),
            "expected a model, got a handle that was destroyed");
}

TEST_F(Compat, ModelsOutliveTheirHandle) {
  ASSERT_EQ(compile({{"bias", bias}}), "");
  HamKaasFinalize(handle);
  EXPECT_EQ(evaluate({{"x", x}}),
            "expected a handle of HamKaas, got a handle that was destroyed");
  handle = HamKaasInitialize().handle;
  ASSERT_EQ(evaluate({{"x", x}}), "");
  EXPECT_THAT(output, ElementsAre(11, 22, 33, 0));
}

TEST_F(Compat, Threads) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 20; ++t)
    threads.emplace_back([&] {
      HamKaasNamedBuffer constant = {"bias", bias}, input = {"x", x};
      HamKaasInitializeResult session = HamKaasInitialize();
      HamKaasCompilationResult result =
          HamKaasCompileModel(session.handle, {}, addScript, &constant, 1);
      EXPECT_EQ(takeMessage(result.error), "");
      float own[4] = {};
      EXPECT_EQ(takeMessage(HamKaasEvaluateModel(session.handle, result.model,
                                                 &input, 1, own)),
                "");
      EXPECT_THAT(own, ElementsAre(11, 22, 33, 0));
      HamKaasFreeModel(session.handle, result.model);
      HamKaasFinalize(session.handle);
    });
  for (std::thread &thread : threads)
    thread.join();
}

//===----------------------------------------------------------------------===//
// Inverse elements
//===----------------------------------------------------------------------===//

TEST(CompatInverse, Elements) {
  const float input[] = {1, -2, 4, 0.5};
  float output[4] = {};
  EXPECT_EQ(takeMessage(HamKaasInverseElements(input, output, 4)), "");
  EXPECT_THAT(output, ElementsAre(1, -0.5, 0.25, 2));
}

TEST(CompatInverse, Invalid) {
  const float input[] = {1, 0, -0.0F};
  float output[3] = {};
  EXPECT_EQ(takeMessage(HamKaasInverseElements(nullptr, nullptr, 0)), "");
  EXPECT_EQ(takeMessage(HamKaasInverseElements(input, output, -1)),
            "expected a count of at least 0, got -1");
  EXPECT_EQ(takeMessage(HamKaasInverseElements(nullptr, output, 3)),
            "expected 3 elements, got null");
  EXPECT_EQ(takeMessage(HamKaasInverseElements(input, nullptr, 3)),
            "expected 3 elements of the output, got null");
  EXPECT_EQ(takeMessage(HamKaasInverseElements(input, output, 3)),
            "expected no zero, got one at element 1");
  EXPECT_EQ(takeMessage(HamKaasInverseElements(input + 2, output, 1)),
            "expected no zero, got one at element 0");
}
