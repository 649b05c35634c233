//===- DifferentiateTest.cpp - Gradients of whole functions -----*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GradientTest.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace hamkaas;

namespace {

class DifferentiateTest : public GradientTest {
protected:
  ReferenceTensor f64(ArrayRef<int64_t> shape, std::vector<double> elements) {
    ReferenceTensor tensor(
        RankedTensorType::get(shape, Float64Type::get(&context)));
    tensor.f64 = std::move(elements);
    return tensor;
  }

  /// The gradient of `y` by the first argument.
  std::vector<double> differentiateOnce(ModuleOp module,
                                        ArrayRef<ReferenceTensor> inputs) {
    llvm::Error error =
        replaceByGradients(module, getMain(module).getArgument(0));
    EXPECT_FALSE(bool(error)) << toString(std::move(error));
    return getNumbers(run(module, inputs)[0]);
  }

  std::string getError(ModuleOp module, ArrayRef<Value> xs, Value seed = {}) {
    size_t before = llvm::range_size(getMain(module).front());
    llvm::Error error = replaceByGradients(module, xs, seed);
    EXPECT_EQ(llvm::range_size(getMain(module).front()), before)
        << "operations are left behind";
    return toString(std::move(error));
  }
};

using Doubles = std::vector<double>;

/// A new operation needs a rule, or says why it has none.
TEST_F(DifferentiateTest, EachOperationHasARuleOrAReason) {
  int64_t rules = 0;
  for (RegisteredOperationName name : context.getRegisteredOperations()) {
    if (name.getDialectNamespace() != HamKaasDialect::getDialectNamespace())
      continue;
    auto *rule = name.getInterface<GradientOpInterface>();
    EXPECT_TRUE(rule) << name.getStringRef().str()
                      << ": attach a rule, or a reason in MissingRules.cpp";
    rules += rule != nullptr;
  }
  EXPECT_GT(rules, 70);
}

TEST_F(DifferentiateTest, SumsTheGradientsOfAllUses) {
  auto module = parse("%x: tensor<f64>",
                      "%0 = hamkaas.mul %x, %x : tensor<f64>, tensor<f64>\n"
                      "%1 = hamkaas.mul %0, %x : tensor<f64>, tensor<f64>\n"
                      "%y = hamkaas.add %1, %0 : tensor<f64>, tensor<f64>",
                      "tensor<f64>");
  // x^3 + x^2
  EXPECT_EQ(differentiateOnce(*module, f64({}, {3})), Doubles{33});
  // 6 x + 2, and 6, and 0.
  EXPECT_EQ(differentiateOnce(*module, f64({}, {3})), Doubles{20});
  EXPECT_EQ(differentiateOnce(*module, f64({}, {3})), Doubles{6});
}

TEST_F(DifferentiateTest, DifferentiatesByAnIntermediateValue) {
  auto module = parse("%x: tensor<f64>",
                      "%0 = hamkaas.exp %x : tensor<f64>\n"
                      "%y = hamkaas.mul %0, %0 : tensor<f64>, tensor<f64>",
                      "tensor<f64>");
  func::FuncOp main = getMain(*module);
  llvm::Error error =
      replaceByGradients(*module, main.front().front().getResult(0));
  ASSERT_FALSE(bool(error)) << toString(std::move(error));
  EXPECT_EQ(getNumbers(run(*module, f64({}, {0}))[0]), Doubles{2});
}

TEST_F(DifferentiateTest, AHessianTimesAVectorIsTheGradientOfAProduct) {
  auto module = parse("%x: tensor<3xf64>, %v: tensor<3xf64>",
                      "%0 = hamkaas.mul %x, %x : tensor<3xf64>, tensor<3xf64>\n"
                      "%1 = hamkaas.mul %0, %x : tensor<3xf64>, tensor<3xf64>\n"
                      "%y = hamkaas.reduce sum %1 over [0] : tensor<3xf64>",
                      "tensor<f64>");
  func::FuncOp main = getMain(*module);
  llvm::cantFail(replaceByGradients(*module, main.getArgument(0)));
  // 3 x^2; with the seed v its gradient is 6 x v.
  llvm::cantFail(
      replaceByGradients(*module, main.getArgument(0), main.getArgument(1)));
  EXPECT_EQ(getNumbers(
                run(*module, {f64({3}, {1, 2, 3}), f64({3}, {1, 10, 100})})[0]),
            (Doubles{6, 120, 1800}));
}

TEST_F(DifferentiateTest, EqualExtremesShareTheGradient) {
  auto reduced = parse("%x: tensor<4xf64>",
                       "%y = hamkaas.reduce max %x over [0] : tensor<4xf64>",
                       "tensor<f64>");
  EXPECT_EQ(differentiateOnce(*reduced, f64({4}, {5, 1, 5, 2})),
            (Doubles{0.5, 0, 0.5, 0}));
  auto pairs = parse("%x: tensor<1xf64>, %z: tensor<1xf64>",
                     "%y = hamkaas.max %x, %z : tensor<1xf64>, tensor<1xf64>",
                     "tensor<1xf64>");
  EXPECT_EQ(differentiateOnce(*pairs, {f64({1}, {2}), f64({1}, {2})}),
            Doubles{0.5});
}

TEST_F(DifferentiateTest, TheFirstOfEqualElementsOfAWindowGetsTheGradient) {
  auto module = parse("%x: tensor<1x4x1xf64>",
                      "%y = hamkaas.pool max %x window [4] strides [1] "
                      "dilations [1] pad [0] to [0] : tensor<1x4x1xf64>",
                      "tensor<1x1x1xf64>");
  EXPECT_EQ(differentiateOnce(*module, f64({1, 4, 1}, {1, 7, 7, 2})),
            (Doubles{0, 1, 0, 0}));
}

TEST_F(DifferentiateTest, AProductMayHaveZeros) {
  for (auto [x, expected] : std::vector<std::pair<Doubles, Doubles>>{
           {{2, 0, 3}, {0, 6, 0}}, {{0, 0, 3}, {0, 0, 0}}}) {
    auto module = parse("%x: tensor<3xf64>",
                        "%y = hamkaas.reduce prod %x over [0] : tensor<3xf64>",
                        "tensor<f64>");
    EXPECT_EQ(differentiateOnce(*module, f64({3}, x)), expected);
  }
}

TEST_F(DifferentiateTest, APowerOfZeroHasFiniteGradients) {
  auto module = parse("%x: tensor<3xf64>, %p: tensor<3xf64>",
                      "%0 = hamkaas.pow %x, %p : tensor<3xf64>, tensor<3xf64>\n"
                      "%y = hamkaas.reduce sum %0 over [0] : tensor<3xf64>",
                      "tensor<f64>");
  func::FuncOp main = getMain(*module);
  llvm::cantFail(replaceByGradients(
      *module, llvm::to_vector_of<Value>(main.getArguments())));
  auto gradients = run(*module, {f64({3}, {0, 0, 0}), f64({3}, {0, 1, 2})});
  EXPECT_EQ(getNumbers(gradients[0]), (Doubles{0, 1, 0}));
  EXPECT_EQ(getNumbers(gradients[1]), (Doubles{0, 0, 0}));
}

/// Recursion would exhaust the stack, and a sweep of quadratic time the
/// patience.
TEST_F(DifferentiateTest, TakesLongChains) {
  std::string body = "%v0 = hamkaas.neg %x : tensor<f64>\n";
  constexpr int length = 50000;
  for (int i = 1; i < length; ++i)
    body +=
        llvm::formatv("%v{0} = hamkaas.neg %v{1} : tensor<f64>\n", i, i - 1);
  body += llvm::formatv("%y = hamkaas.neg %v{0} : tensor<f64>", length - 1);
  auto module = parse("%x: tensor<f64>", body, "tensor<f64>");
  EXPECT_EQ(differentiateOnce(*module, f64({}, {3})), Doubles{-1});
}

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

TEST_F(DifferentiateTest, IntegersHaveNoGradient) {
  auto module = parse("%x: tensor<f32>, %i: tensor<2xi64>",
                      "%y = hamkaas.exp %x : tensor<f32>", "tensor<f32>");
  EXPECT_EQ(getError(*module, getMain(*module).getArgument(1)),
            "x 0: expected a tensor of floats, got int64 [2], which has no "
            "gradient");
}

TEST_F(DifferentiateTest, YDependsOnEachX) {
  auto module = parse("%x: tensor<f32>, %z: tensor<f32>, %c: tensor<f32>",
                      "%i = hamkaas.cast %c : tensor<f32> -> tensor<i32>\n"
                      "%f = hamkaas.cast %i : tensor<i32> -> tensor<f32>\n"
                      "%y = hamkaas.mul %x, %f : tensor<f32>, tensor<f32>",
                      "tensor<f32>");
  func::FuncOp main = getMain(*module);
  for (unsigned number : {1, 2}) {
    std::string error =
        getError(*module, {main.getArgument(0), main.getArgument(number)});
    EXPECT_NE(error.find("x 1: expected a value that y depends on by "
                         "operations on floats"),
              std::string::npos)
        << error;
  }
}

TEST_F(DifferentiateTest, AnOperationWithoutARuleSaysWhy) {
  auto module = parse("%x: tensor<2xf16>",
                      "%0 = hamkaas.bitcast %x : tensor<2xf16> -> "
                      "tensor<2xbf16>\n"
                      "%y = hamkaas.reduce sum %0 over [0] : tensor<2xbf16>",
                      "tensor<bf16>");
  std::string error = getError(*module, getMain(*module).getArgument(0));
  EXPECT_NE(error.find("'bitcast'"), std::string::npos) << error;
  EXPECT_NE(error.find("has no gradient: the bits of a float have no "
                       "derivative"),
            std::string::npos)
      << error;
}

TEST_F(DifferentiateTest, SeveralElementsNeedASeedOfTheirType) {
  auto module = parse("%x: tensor<3xf32>, %s: tensor<2xf32>",
                      "%y = hamkaas.exp %x : tensor<3xf32>", "tensor<3xf32>");
  func::FuncOp main = getMain(*module);
  EXPECT_EQ(getError(*module, main.getArgument(0)),
            "y: expected one element or a seed, got float32 [3] and no seed");
  EXPECT_EQ(getError(*module, main.getArgument(0), main.getArgument(1)),
            "seed: expected the type of y, float32 [3], got float32 [2]");
}

} // namespace
