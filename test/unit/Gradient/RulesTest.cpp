//===- RulesTest.cpp - Each rule against finite differences -----*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RulesTest.h"
#include "llvm/ADT/StringExtras.h"
#include <cmath>
#include <numeric>

using namespace mlir;
using namespace hamkaas;

static std::string getArguments(const RuleCase &given) {
  std::string text;
  for (auto [i, type] : llvm::enumerate(given.arguments))
    text +=
        (i ? ", %" : "%") + std::string(1, 'a' + i) + ": tensor<" + type + ">";
  return text;
}

/// The type of the result, which the operation infers.
static std::string getResultType(MLIRContext &context, const RuleCase &given) {
  std::string text = "func.func @main(" + getArguments(given) + ") {\n" +
                     given.operation + "\nreturn\n}";
  auto module = parseSourceString<ModuleOp>(text, &context);
  EXPECT_TRUE(module) << text;
  std::string type;
  llvm::raw_string_ostream stream(type);
  auto main = *module->getOps<func::FuncOp>().begin();
  main.front().getTerminator()->getPrevNode()->getResult(0).getType().print(
      stream);
  return type;
}

OwningOpRef<ModuleOp> RulesTest::parseCase(bool hasSeed) {
  const RuleCase &given = GetParam();
  std::string type = getResultType(context, given);
  std::string seed = hasSeed ? ", %seed: " + type : "";
  return parse(getArguments(given) + seed, given.operation, type);
}

ReferenceTensor RulesTest::makeInput(RankedTensorType type,
                                     unsigned number) const {
  const RuleCase &given = GetParam();
  ReferenceTensor tensor(type);
  int64_t count = type.getNumElements();
  auto spread = [&](int64_t i) {
    // Golden ratio: far apart for all counts, so that no two are nearly equal
    // and none is at a bend of a function.
    double part = std::fmod(0.137 * (number + 1) + 0.6180339887 * (i + 1), 1);
    return given.least + (given.greatest - given.least) * part;
  };
  for (int64_t i = 0; i < count; ++i) {
    if (type.getElementType().isF64())
      tensor.f64[i] = spread(i);
    else if (type.getElementType().isF32())
      tensor.f32[i] = spread(i);
    else if (type.getElementType().isInteger(1))
      tensor.i64[i] = i % 3 == 0;
    else
      tensor.i64[i] = (given.firstIndex + i) % given.indexLimit;
  }
  return tensor;
}

RulesTest::Tensors RulesTest::makeInputs(ModuleOp module) const {
  Tensors inputs;
  for (BlockArgument argument : getMain(module).getArguments())
    inputs.push_back(makeInput(cast<RankedTensorType>(argument.getType()),
                               argument.getArgNumber()));
  return inputs;
}

static bool isOfFloats(Value value) {
  return isa<FloatType>(
      cast<RankedTensorType>(value.getType()).getElementType());
}

SmallVector<Value> RulesTest::getXs(ModuleOp module) {
  return llvm::filter_to_vector(
      llvm::map_range(getMain(module).getArguments().drop_back(),
                      [](BlockArgument x) -> Value { return x; }),
      isOfFloats);
}

double RulesTest::evaluate(ModuleOp module, const Tensors &inputs) {
  Tensors given(inputs.begin(), inputs.end() - 1);
  std::vector<double> y = getNumbers(run(module, given)[0]);
  std::vector<double> seed = getNumbers(inputs.back());
  return std::inner_product(y.begin(), y.end(), seed.begin(), 0.0);
}

double RulesTest::differ(ModuleOp module, const Tensors &inputs,
                         unsigned number, const ReferenceTensor &direction) {
  bool isDouble = inputs[number].type.getElementType().isF64();
  double step = isDouble ? 1e-5 : 1e-2;
  std::vector<double> steps = getNumbers(direction);
  auto at = [&](double scale) {
    Tensors moved = inputs;
    moved[number].withElements([&](auto &elements) {
      for (size_t i = 0; i < elements.size(); ++i)
        elements[i] += scale * steps[i];
    });
    return evaluate(module, moved);
  };
  return (at(step) - at(-step)) / (2 * step);
}

TEST_P(RulesTest, AgreesWithFiniteDifferences) {
  auto plain = parseCase(/*hasSeed=*/false), rule = parseCase(true);
  SmallVector<Value> xs = getXs(*rule);
  Tensors inputs = makeInputs(*rule);
  SmallVector<unsigned> numbers = llvm::map_to_vector(
      xs, [](Value x) { return cast<BlockArgument>(x).getArgNumber(); });
  llvm::Error error =
      replaceByGradients(*rule, xs, getMain(*rule).getArguments().back());
  ASSERT_FALSE(bool(error)) << toString(std::move(error));
  Tensors gradients = run(*rule, inputs);
  for (auto [number, gradient] : llvm::zip_equal(numbers, gradients)) {
    bool isDouble = gradient.type.getElementType().isF64();
    std::vector<double> got = getNumbers(gradient);
    for (auto [i, value] : llvm::enumerate(got)) {
      ReferenceTensor direction(gradient.type);
      direction.withElements([&](auto &elements) { elements[i] = 1; });
      double expected = differ(*plain, inputs, number, direction);
      double tolerance = (isDouble ? 1e-6 : 5e-3) * (1 + std::abs(expected));
      EXPECT_NEAR(value, expected, tolerance)
          << GetParam().operation << "\nargument " << number << ", element "
          << i;
    }
  }
}

//===----------------------------------------------------------------------===//
// Second order
//===----------------------------------------------------------------------===//

/// The gradients of the result of `module` by all arguments of floats, times a
/// direction, beside differences of `plain`, which lacks the last argument.
void RulesTest::checkDerivatives(ModuleOp module, ModuleOp plain,
                                 const Tensors &inputs) {
  Value y = getMain(module).front().getTerminator()->getOperand(0);
  llvm::DenseSet<Value> differentiable = findDifferentiable(y);
  for (auto [i, x] : llvm::enumerate(getXs(module))) {
    unsigned number = cast<BlockArgument>(x).getArgNumber();
    ReferenceTensor direction =
        makeInput(cast<RankedTensorType>(x.getType()), number + 7);
    double expected = differ(plain, inputs, number, direction), got = 0;
    if (differentiable.contains(x)) {
      OwningOpRef<ModuleOp> copy = module.clone();
      llvm::Error error = replaceByGradients(
          *copy, getXs(*copy)[i], getMain(*copy).getArguments().back());
      ASSERT_FALSE(bool(error)) << toString(std::move(error));
      std::vector<double> row = getNumbers(run(*copy, inputs)[0]);
      std::vector<double> along = getNumbers(direction);
      got = std::inner_product(row.begin(), row.end(), along.begin(), 0.0);
    }
    EXPECT_NEAR(got, expected, 1e-6 * (1 + std::abs(expected)))
        << GetParam().operation << "\nby argument " << number;
  }
}

void RulesTest::checkSecondOrder(unsigned x) {
  auto plain = parseCase(/*hasSeed=*/true);
  llvm::Error error = replaceByGradients(*plain, getXs(*plain)[x],
                                         getMain(*plain).getArguments().back());
  ASSERT_FALSE(bool(error)) << toString(std::move(error));
  OwningOpRef<ModuleOp> module = plain->clone();
  func::FuncOp main = getMain(*module);
  ASSERT_TRUE(succeeded(main.insertArgument(main.getNumArguments(),
                                            main.getResultTypes().front(), {},
                                            main.getLoc())));
  SCOPED_TRACE("the gradient by float argument " + std::to_string(x));
  checkDerivatives(*module, *plain, makeInputs(*module));
}

/// In float32 differences of gradients are too coarse to say anything; these
/// operations have no other type.
TEST_P(RulesTest, SecondOrderAgreesWithFiniteDifferences) {
  auto module = parseCase(/*hasSeed=*/false);
  for (BlockArgument x : getMain(*module).getArguments())
    if (cast<RankedTensorType>(x.getType()).getElementType().isF32())
      GTEST_SKIP() << "computed in float32";
  unsigned count = getXs(*parseCase(/*hasSeed=*/true)).size();
  for (unsigned x = 0; x < count; ++x)
    checkSecondOrder(x);
}

namespace {

/// The same operation of one operand for several functions.
std::vector<RuleCase> makeUnary(std::vector<std::string> names, double least,
                                double greatest) {
  std::vector<RuleCase> cases;
  for (const std::string &name : names)
    cases.push_back({"%y = hamkaas." + name + " %a : tensor<2x3xf64>",
                     {"2x3xf64"},
                     least,
                     greatest});
  return cases;
}

std::vector<RuleCase> makeBinary(std::vector<std::string> names, double least,
                                 double greatest) {
  std::vector<RuleCase> cases;
  for (const std::string &name : names)
    for (std::string shape : {"2x3xf64", "1x3xf64", "2x1xf64"})
      cases.push_back({"%y = hamkaas." + name + " %a, %b : tensor<2x3xf64>, " +
                           "tensor<" + shape + ">",
                       {"2x3xf64", shape},
                       least,
                       greatest});
  return cases;
}

INSTANTIATE_TEST_SUITE_P(
    Functions, RulesTest,
    ::testing::ValuesIn(makeUnary(
        {"abs",   "neg",   "sign", "floor",   "ceil", "round", "exp",  "sin",
         "cos",   "tan",   "asin", "acos",    "atan", "sinh",  "cosh", "tanh",
         "asinh", "atanh", "erf",  "sigmoid", "relu", "silu"},
        -0.9, 0.9)));
INSTANTIATE_TEST_SUITE_P(FunctionsAboveOne, RulesTest,
                         ::testing::ValuesIn(makeUnary({"sqrt", "log", "acosh"},
                                                       1.2, 3)));
INSTANTIATE_TEST_SUITE_P(Arithmetic, RulesTest,
                         ::testing::ValuesIn(makeBinary(
                             {"add", "sub", "mul", "max", "min"}, -1, 1)));
INSTANTIATE_TEST_SUITE_P(
    ArithmeticAboveZero, RulesTest,
    ::testing::ValuesIn(makeBinary({"div", "pow", "rem", "mod"}, 0.4, 2)));

INSTANTIATE_TEST_SUITE_P(
    Choices, RulesTest,
    ::testing::Values(
        RuleCase{"%y = hamkaas.gelu %a : tensor<2x3xf32>", {"2x3xf32"}},
        RuleCase{"%y = hamkaas.gelu %a approximate tanh : tensor<2x3xf32>",
                 {"2x3xf32"}},
        RuleCase{
            "%y = hamkaas.hard_swish %a : tensor<3x5xf32>", {"3x5xf32"}, -5, 5},
        RuleCase{"%y = hamkaas.complex_mul %a, %b : tensor<4x3x2xf32>, "
                 "tensor<1x3x2xf32>",
                 {"4x3x2xf32", "1x3x2xf32"}},
        RuleCase{"%y = hamkaas.select %a, %b, %c : tensor<2x3xi1>, "
                 "tensor<2x3xf64>, tensor<2x3xf64>",
                 {"2x3xi1", "2x3xf64", "2x3xf64"}},
        RuleCase{"%y = hamkaas.cast %a : tensor<4xf32> -> tensor<4xf64>",
                 {"4xf32"}}));

INSTANTIATE_TEST_SUITE_P(
    Movement, RulesTest,
    ::testing::Values(
        RuleCase{"%y = hamkaas.reshape %a : tensor<2x3xf64> -> tensor<6xf64>",
                 {"2x3xf64"}},
        RuleCase{"%y = hamkaas.permute %a[2, 0, 1] : tensor<2x3x4xf64>",
                 {"2x3x4xf64"}},
        RuleCase{"%y = hamkaas.broadcast %a : tensor<1x3x1xf64> -> "
                 "tensor<2x3x4xf64>",
                 {"1x3x1xf64"}},
        RuleCase{"%y = hamkaas.slice %a[1, 3] : tensor<4x2xf64>", {"4x2xf64"}},
        RuleCase{"%y = hamkaas.strided_slice %a offsets [0, 3] sizes [2, 2] "
                 "strides [2, -1] : tensor<4x5xf64>",
                 {"4x5xf64"}},
        RuleCase{"%y = hamkaas.strided_slice %a offsets [7] sizes [3] strides "
                 "[-3] : tensor<9xf64>",
                 {"9xf64"}},
        RuleCase{"%y = hamkaas.pad %a low [0, 1] high [2, 0] interior [1, 0] "
                 "value 5.0 : f64 : tensor<2x3xf64>",
                 {"2x3xf64"}},
        RuleCase{"%y = hamkaas.concat %a, %b, %a dim 1 : tensor<2x3xf64>, "
                 "tensor<2x1xf64>, tensor<2x3xf64>",
                 {"2x3xf64", "2x1xf64"}}));

INSTANTIATE_TEST_SUITE_P(
    Indexing, RulesTest,
    ::testing::Values(
        // Each index is there several times, and one counts from the end.
        RuleCase{"%y = hamkaas.gather %a, %b dim 1 : tensor<2x4x3xf64>, "
                 "tensor<5x2xi64>",
                 {"2x4x3xf64", "5x2xi64"}},
        RuleCase{"%y = hamkaas.gather %a, %b dim 0 : tensor<4x3xf64>, "
                 "tensor<i64>",
                 {"4x3xf64", "i64"},
                 -1,
                 1,
                 2},
        RuleCase{"%y = hamkaas.gather %a, %b dim 2 : tensor<2x2x4xf64>, "
                 "tensor<3xi32>",
                 {"2x2x4xf64", "3xi32"},
                 -1,
                 1,
                 -2,
                 4},
        // The last of updates of the same row stays.
        RuleCase{"%y = hamkaas.scatter none %a, %b, %c : tensor<4x3xf64>, "
                 "tensor<5xi64>, tensor<5x3xf64>",
                 {"4x3xf64", "5xi64", "5x3xf64"}},
        RuleCase{"%y = hamkaas.scatter add %a, %b, %c : tensor<4xf64>, "
                 "tensor<5xi64>, tensor<5xf64>",
                 {"4xf64", "5xi64", "5xf64"}},
        // Of a row that no update reaches, several reach, or one does.
        RuleCase{"%y = hamkaas.scatter mul %a, %b, %c : tensor<4x3xf64>, "
                 "tensor<5xi64>, tensor<5x3xf64>",
                 {"4x3xf64", "5xi64", "5x3xf64"}},
        RuleCase{"%y = hamkaas.scatter max %a, %b, %c : tensor<4x3xf64>, "
                 "tensor<5xi64>, tensor<5x3xf64>",
                 {"4x3xf64", "5xi64", "5x3xf64"}},
        RuleCase{"%y = hamkaas.scatter min %a, %b, %c : tensor<4x3xf64>, "
                 "tensor<5xi64>, tensor<5x3xf64>",
                 {"4x3xf64", "5xi64", "5x3xf64"}},
        RuleCase{"%begin = hamkaas.constant dense<1> : tensor<1xi64>\n"
                 "%end = hamkaas.constant dense<3> : tensor<1xi64>\n"
                 "%y = hamkaas.replace_slice %a, %b, %begin, %end : "
                 "tensor<4x2xf64>, tensor<2x2xf64>",
                 {"4x2xf64", "2x2xf64"}},
        RuleCase{"%y = hamkaas.cumsum %a dim 1 : tensor<2x5xf64>", {"2x5xf64"}},
        RuleCase{"%y = hamkaas.cumsum %a dim 0 {exclusive, reverse} : "
                 "tensor<3x2xf64>",
                 {"3x2xf64"}}));

INSTANTIATE_TEST_SUITE_P(
    Products, RulesTest,
    ::testing::Values(
        RuleCase{"%y = hamkaas.matmul %a, %b : tensor<3xf64>, tensor<3x4xf64>",
                 {"3xf64", "3x4xf64"}},
        RuleCase{
            "%y = hamkaas.matmul %a, %b : tensor<2x3xf64>, tensor<3x4xf64>",
            {"2x3xf64", "3x4xf64"}},
        RuleCase{"%y = hamkaas.matmul %a, %b : tensor<2x2x3xf64>, "
                 "tensor<2x3x4xf64>",
                 {"2x2x3xf64", "2x3x4xf64"}},
        RuleCase{"%y = hamkaas.attention %a, %b, %c scale 0.5 : "
                 "tensor<2x3x4xf32>, tensor<2x5x4xf32>, tensor<2x5x2xf32>",
                 {"2x3x4xf32", "2x5x4xf32", "2x5x2xf32"}},
        RuleCase{
            "%y = hamkaas.attention %a, %b, %c mask %d bias %e scale 0.5 "
            "masked_score -1.0e9 : tensor<2x3x4xf32>, tensor<2x5x4xf32>, "
            "tensor<2x5x2xf32> mask tensor<1x3x5xi1> bias "
            "tensor<2x1x5xf32>",
            {"2x3x4xf32", "2x5x4xf32", "2x5x2xf32", "1x3x5xi1", "2x1x5xf32"}},
        // The first query sees no key, and there are no scores then.
        RuleCase{"%m = hamkaas.constant dense<[[[true, true], [false, true], "
                 "[false, false]]]> : "
                 "tensor<1x3x2xi1>\n"
                 "%s = hamkaas.attention %a, %b, %c mask %m scale 0.5 : "
                 "tensor<2x3x4xf32>, tensor<2x2x4xf32>, tensor<2x2x2xf32> mask "
                 "tensor<1x3x2xi1>\n"
                 "%y = hamkaas.strided_slice %s offsets [0, 1, 0] sizes "
                 "[2, 2, 2] strides [1, 1, 1] : tensor<2x3x2xf32>",
                 {"2x3x4xf32", "2x2x4xf32", "2x2x2xf32"}}));

INSTANTIATE_TEST_SUITE_P(
    Reductions, RulesTest,
    ::testing::Values(
        RuleCase{"%y = hamkaas.reduce sum %a over [0, 2] : tensor<2x3x4xf64>",
                 {"2x3x4xf64"}},
        RuleCase{"%y = hamkaas.reduce prod %a over [1] : tensor<2x3x2xf64>",
                 {"2x3x2xf64"}},
        RuleCase{"%y = hamkaas.reduce max %a over [1] : tensor<2x5xf64>",
                 {"2x5xf64"}},
        RuleCase{"%y = hamkaas.reduce min %a over [0, 1] : tensor<2x5xf64>",
                 {"2x5xf64"}}));

INSTANTIATE_TEST_SUITE_P(
    Rows, RulesTest,
    ::testing::Values(
        RuleCase{"%y = hamkaas.rms_norm %a, %b : tensor<2x4xf32>, "
                 "tensor<4xf32>",
                 {"2x4xf32", "4xf32"},
                 0.5,
                 2},
        RuleCase{"%y = hamkaas.rms_norm %a, %b epsilon 0.5 : tensor<4xf32>, "
                 "tensor<4xf32>",
                 {"4xf32", "4xf32"}},
        RuleCase{"%y = hamkaas.layer_norm %a epsilon 0.01 : tensor<2x5xf64>",
                 {"2x5xf64"}},
        RuleCase{"%y = hamkaas.log_sum_exp %a : tensor<2x3x4xf64>",
                 {"2x3x4xf64"}},
        RuleCase{"%y = hamkaas.sliced_softmax %a static_prefix 4 : "
                 "tensor<3x4xf32>",
                 {"3x4xf32"}},
        RuleCase{"%y = hamkaas.sliced_softmax %a static_prefix 2 : "
                 "tensor<3x4xf32>",
                 {"3x4xf32"}},
        RuleCase{"%y = hamkaas.sliced_softmax %a prefix(%b) : tensor<3x4xf32>",
                 {"3x4xf32", "1xi64"},
                 -1,
                 1,
                 3,
                 4}));

INSTANTIATE_TEST_SUITE_P(
    Windows, RulesTest,
    ::testing::Values(
        RuleCase{"%y = hamkaas.conv %a, %b strides [1] dilations [1] pad [0] "
                 "to [0] groups 1 : tensor<2x5x2xf64>, tensor<3x2x3xf64>",
                 {"2x5x2xf64", "3x2x3xf64"}},
        RuleCase{"%y = hamkaas.conv %a, %b strides [2, 1] dilations [1, 2] pad "
                 "[1, 0] to [0, 2] groups 2 : tensor<2x5x6x4xf64>, "
                 "tensor<3x2x2x6xf64>",
                 {"2x5x6x4xf64", "3x2x2x6xf64"}},
        // More padding than the window is long, and a row that none reaches.
        RuleCase{"%y = hamkaas.conv %a, %b strides [3, 2] dilations [1, 1] pad "
                 "[3, 0] to [0, 0] groups 1 : tensor<1x6x4x1xf64>, "
                 "tensor<2x1x1x2xf64>",
                 {"1x6x4x1xf64", "2x1x1x2xf64"}},
        RuleCase{"%y = hamkaas.conv %a, %b strides [1, 1] dilations [1, 1] pad "
                 "[1, 1] to [1, 1] groups 3 : tensor<1x4x3x3xf64>, "
                 "tensor<3x3x1x3xf64>",
                 {"1x4x3x3xf64", "3x3x1x3xf64"}},
        // Strides without dilations are computed by phases.
        RuleCase{"%y = hamkaas.conv %a, %b strides [2, 2] dilations [1, 1] pad "
                 "[1, 1] to [1, 0] groups 1 : tensor<2x5x6x2xf64>, "
                 "tensor<3x3x2x3xf64>",
                 {"2x5x6x2xf64", "3x3x2x3xf64"}},
        RuleCase{"%y = hamkaas.conv %a, %b strides [3, 2] dilations [1, 1] pad "
                 "[0, 1] to [2, 0] groups 2 : tensor<1x7x5x4xf64>, "
                 "tensor<4x3x2x2xf64>",
                 {"1x7x5x4xf64", "4x3x2x2xf64"}},
        // One window, which lies in the padding.
        RuleCase{"%y = hamkaas.conv %a, %b strides [5] dilations [1] pad [5] "
                 "to [0] groups 1 : tensor<1x1x2xf64>, tensor<2x2x3xf64>",
                 {"1x1x2xf64", "2x2x3xf64"}},
        // Windows of one element.
        RuleCase{"%y = hamkaas.conv %a, %b strides [2, 1] dilations [1, 1] pad "
                 "[0, 1] to [1, 0] groups 1 : tensor<2x4x3x2xf64>, "
                 "tensor<1x1x2x3xf64>",
                 {"2x4x3x2xf64", "1x1x2x3xf64"}},
        // One channel a group, in and out.
        RuleCase{"%y = hamkaas.conv %a, %b strides [2, 1] dilations [1, 2] pad "
                 "[1, 0] to [0, 2] groups 2 : tensor<2x5x6x2xf64>, "
                 "tensor<3x2x1x2xf64>",
                 {"2x5x6x2xf64", "3x2x1x2xf64"}},
        RuleCase{"%y = hamkaas.conv %a, %b strides [1, 2, 1] dilations [1, 1, "
                 "1] pad [0, 1, 0] to [1, 0, 0] groups 1 : "
                 "tensor<1x3x4x2x2xf64>, tensor<2x2x1x2x1xf64>",
                 {"1x3x4x2x2xf64", "2x2x1x2x1xf64"}},
        RuleCase{"%y = hamkaas.pool sum %a window [3, 2] strides [2, 1] "
                 "dilations [1, 2] pad [1, 0] to [1, 1] : tensor<2x5x6x3xf64>",
                 {"2x5x6x3xf64"}},
        RuleCase{"%y = hamkaas.pool max %a window [3, 2] strides [2, 1] "
                 "dilations [1, 2] pad [1, 0] to [1, 1] : tensor<2x5x6x3xf64>",
                 {"2x5x6x3xf64"}},
        RuleCase{"%y = hamkaas.pool max %a window [2] strides [3] dilations "
                 "[1] pad [0] to [0] : tensor<1x7x2xf64>",
                 {"1x7x2xf64"}}));

} // namespace
