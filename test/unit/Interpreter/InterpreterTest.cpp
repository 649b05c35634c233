//===- InterpreterTest.cpp - Runs models, looks at the numbers --*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Interpreter/Interpreter.h"
#include "HamKaas/Dialect/HamKaas/IR/HamKaas.h"
#include "HamKaas/Interpreter/ReferenceSemantics.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MLProgram/IR/MLProgram.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"
#include <cmath>
#include <limits>

using namespace mlir;
using namespace hamkaas;

namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float nan = std::numeric_limits<float>::quiet_NaN();

class InterpreterTest : public ::testing::Test {
protected:
  InterpreterTest()
      : handler(&context, [this](Diagnostic &diagnostic) {
          if (!errors.empty())
            errors += "\n";
          errors += diagnostic.str();
          return success();
        }) {
    DialectRegistry registry;
    registry.insert<HamKaasDialect, arith::ArithDialect, func::FuncDialect,
                    ml_program::MLProgramDialect>();
    registerReferenceSemantics(registry);
    context.appendDialectRegistry(registry);
  }

  ReferenceTensor f32(ArrayRef<int64_t> shape, std::vector<float> elements) {
    ReferenceTensor tensor(
        RankedTensorType::get(shape, Float32Type::get(&context)));
    EXPECT_EQ(tensor.f32.size(), elements.size());
    tensor.f32 = std::move(elements);
    return tensor;
  }

  ReferenceTensor position(int64_t value) {
    ReferenceTensor tensor(
        RankedTensorType::get({1}, IntegerType::get(&context, 64)));
    tensor.i64[0] = value;
    return tensor;
  }

  /// Parses `text` and makes it the model of `run`.
  LogicalResult load(StringRef text,
                     llvm::StringMap<ReferenceTensor> parameters = {}) {
    module = parseSourceString<ModuleOp>(text, &context);
    if (!module)
      return failure();
    auto created = Interpreter::create(*module, std::move(parameters));
    if (failed(created))
      return failure();
    interpreter = std::make_unique<Interpreter>(std::move(*created));
    return success();
  }

  /// The elements of the first result, empty after an error.
  std::vector<float> run(ArrayRef<ReferenceTensor> inputs) {
    if (failed(interpreter->run(inputs, outputs)))
      return {};
    return outputs.front().f32;
  }

  MLIRContext context;
  std::string errors;
  ScopedDiagnosticHandler handler;
  OwningOpRef<ModuleOp> module;
  std::unique_ptr<Interpreter> interpreter;
  SmallVector<ReferenceTensor> outputs;
};

using Floats = std::vector<float>;

TEST_F(InterpreterTest, BroadcastsRowsAndColumns) {
  ASSERT_TRUE(succeeded(load(R"mlir(
    func.func @main(%x: tensor<2x3xf32>, %row: tensor<1x3xf32>,
                    %column: tensor<2x1xf32>) -> tensor<2x3xf32> {
      %0 = hamkaas.add %x, %row : tensor<2x3xf32>, tensor<1x3xf32>
      %1 = hamkaas.mul %0, %column : tensor<2x3xf32>, tensor<2x1xf32>
      return %1 : tensor<2x3xf32>
    })mlir")));
  EXPECT_EQ(run({f32({2, 3}, {1, 2, 3, 4, 5, 6}), f32({1, 3}, {10, 20, 30}),
                 f32({2, 1}, {1, 2})}),
            (Floats{11, 22, 33, 28, 50, 72}));
}

TEST_F(InterpreterTest, MultipliesVectorsMatricesAndBatches) {
  ASSERT_TRUE(succeeded(load(R"mlir(
    func.func @main(%v: tensor<2xf32>, %m: tensor<2x2xf32>,
                    %b: tensor<2x2x2xf32>)
        -> (tensor<2xf32>, tensor<2x2xf32>, tensor<2x2x2xf32>) {
      %0 = hamkaas.matmul %v, %m : tensor<2xf32>, tensor<2x2xf32>
      %1 = hamkaas.matmul %m, %m : tensor<2x2xf32>, tensor<2x2xf32>
      %2 = hamkaas.matmul %b, %b : tensor<2x2x2xf32>, tensor<2x2x2xf32>
      return %0, %1, %2 : tensor<2xf32>, tensor<2x2xf32>, tensor<2x2x2xf32>
    })mlir")));
  EXPECT_EQ(run({f32({2}, {1, 10}), f32({2, 2}, {1, 2, 3, 4}),
                 f32({2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8})}),
            (Floats{31, 42}));
  EXPECT_EQ(outputs[1].f32, (Floats{7, 10, 15, 22}));
  EXPECT_EQ(outputs[2].f32, (Floats{7, 10, 15, 22, 67, 78, 91, 106}));
}

TEST_F(InterpreterTest, SumsInDouble) {
  ASSERT_TRUE(succeeded(load(R"mlir(
    func.func @main(%x: tensor<3xf32>, %w: tensor<3x1xf32>) -> tensor<1xf32> {
      %0 = hamkaas.matmul %x, %w : tensor<3xf32>, tensor<3x1xf32>
      return %0 : tensor<1xf32>
    })mlir")));
  EXPECT_EQ(run({f32({3}, {1e8f, 1, -1e8f}), f32({3, 1}, {1, 1, 1})}),
            (Floats{1}));
}

TEST_F(InterpreterTest, KeepsNaNAndTakesLimits) {
  ASSERT_TRUE(succeeded(load(R"mlir(
    func.func @main(%x: tensor<5xf32>) -> (tensor<5xf32>, tensor<5xf32>) {
      %0 = hamkaas.relu %x : tensor<5xf32>
      %1 = hamkaas.silu %x : tensor<5xf32>
      return %0, %1 : tensor<5xf32>, tensor<5xf32>
    })mlir")));
  Floats relu = run({f32({5}, {-1, nan, infinity, -infinity, -0.0f})});
  ASSERT_EQ(relu.size(), 5u);
  EXPECT_EQ(relu[0], 0);
  EXPECT_TRUE(std::isnan(relu[1]));
  EXPECT_EQ(relu[2], infinity);
  EXPECT_EQ(relu[3], 0);
  EXPECT_EQ(relu[4], 0);
  EXPECT_FALSE(std::signbit(relu[0]));
  EXPECT_TRUE(std::signbit(relu[4]));
  const Floats &silu = outputs[1].f32;
  EXPECT_FLOAT_EQ(silu[0], -0.26894143f);
  EXPECT_TRUE(std::isnan(silu[1]));
  EXPECT_EQ(silu[2], infinity);
  EXPECT_TRUE(std::isnan(silu[3]));
}

TEST_F(InterpreterTest, MultipliesComplexNumbers) {
  ASSERT_TRUE(succeeded(load(R"mlir(
    func.func @main(%x: tensor<2x2xf32>, %r: tensor<1x2xf32>)
        -> tensor<2x2xf32> {
      %0 = hamkaas.complex_mul %x, %r : tensor<2x2xf32>, tensor<1x2xf32>
      return %0 : tensor<2x2xf32>
    })mlir")));
  EXPECT_EQ(run({f32({2, 2}, {1, 2, 0, 1}), f32({1, 2}, {3, 4})}),
            (Floats{-5, 10, -4, 3}));
}

TEST_F(InterpreterTest, MovesElements) {
  ASSERT_TRUE(succeeded(load(R"mlir(
    func.func @main(%x: tensor<6xf32>) -> (tensor<3x1xf32>, tensor<1x3xf32>) {
      %0 = hamkaas.reshape %x : tensor<6xf32> -> tensor<3x2xf32>
      %1 = hamkaas.permute %0[1, 0] : tensor<3x2xf32>
      %2 = hamkaas.slice %1[1, 2] : tensor<2x3xf32>
      %3 = hamkaas.permute %2[1, 0] : tensor<1x3xf32>
      return %3, %2 : tensor<3x1xf32>, tensor<1x3xf32>
    })mlir")));
  EXPECT_EQ(run({f32({6}, {0, 1, 2, 3, 4, 5})}), (Floats{1, 3, 5}));
  EXPECT_EQ(outputs[1].f32, (Floats{1, 3, 5}));
}

TEST_F(InterpreterTest, NormalizesEachRow) {
  ASSERT_TRUE(succeeded(load(R"mlir(
    func.func @main(%x: tensor<2x2xf32>, %w: tensor<2xf32>)
        -> tensor<2x2xf32> {
      %0 = hamkaas.rms_norm %x, %w : tensor<2x2xf32>, tensor<2xf32>
      return %0 : tensor<2x2xf32>
    })mlir")));
  Floats y = run({f32({2, 2}, {3, 4, 0, 0}), f32({2}, {1, 2})});
  ASSERT_EQ(y.size(), 4u);
  double root = std::sqrt(12.5 + 1e-5);
  EXPECT_FLOAT_EQ(y[0], 3 / root);
  EXPECT_FLOAT_EQ(y[1], 8 / root);
  EXPECT_EQ(y[2], 0);
  EXPECT_EQ(y[3], 0);
}

static const char *const softmaxText = R"mlir(
    func.func @main(%x: tensor<1x4xf32>, %p: tensor<1xi64>)
        -> (tensor<1x4xf32>, tensor<1x4xf32>) {
      %0 = hamkaas.sliced_softmax %x prefix(%p) : tensor<1x4xf32>
      %1 = hamkaas.sliced_softmax %x static_prefix 0 : tensor<1x4xf32>
      return %0, %1 : tensor<1x4xf32>, tensor<1x4xf32>
    })mlir";

TEST_F(InterpreterTest, TakesSoftmaxOfThePrefix) {
  ASSERT_TRUE(succeeded(load(softmaxText)));
  Floats x = {1000, 1000, 7, 8};
  EXPECT_EQ(run({f32({1, 4}, x), position(2)}), (Floats{0.5, 0.5, 7, 8}));
  EXPECT_EQ(outputs[1].f32, x);
}

TEST_F(InterpreterTest, ChecksThePrefix) {
  ASSERT_TRUE(succeeded(load(softmaxText)));
  EXPECT_EQ(run({f32({1, 4}, {1, 2, 3, 4}), position(5)}), Floats());
  EXPECT_EQ(errors, "expected a prefix from 0 to 4, got 5");
  errors.clear();
  EXPECT_EQ(run({f32({1, 4}, {1, 2, 3, 4}), position(-1)}), Floats());
  EXPECT_EQ(errors, "expected a prefix from 0 to 4, got -1");
}

static const char *const stateText = R"mlir(
    ml_program.global private mutable @cache(dense<0.0> : tensor<4xf32>)
        : tensor<4xf32>
    func.func @main(%x: tensor<1xf32>, %b: tensor<1xi64>, %e: tensor<1xi64>)
        -> (tensor<4xf32>, tensor<4xf32>) {
      %0 = ml_program.global_load @cache : tensor<4xf32>
      %1 = hamkaas.replace_slice %0, %x, %b, %e
          : tensor<4xf32>, tensor<1xf32>
      ml_program.global_store @cache = %1 : tensor<4xf32>
      return %1, %0 : tensor<4xf32>, tensor<4xf32>
    })mlir";

TEST_F(InterpreterTest, KeepsStateBetweenRuns) {
  ASSERT_TRUE(succeeded(load(stateText)));
  EXPECT_EQ(run({f32({1}, {7}), position(1), position(2)}),
            (Floats{0, 7, 0, 0}));
  EXPECT_EQ(outputs[1].f32, (Floats{0, 0, 0, 0}));
  EXPECT_EQ(run({f32({1}, {8}), position(3), position(4)}),
            (Floats{0, 7, 0, 8}));
  EXPECT_EQ(outputs[1].f32, (Floats{0, 7, 0, 0}));
}

TEST_F(InterpreterTest, ChecksTheBoundsAndKeepsTheState) {
  ASSERT_TRUE(succeeded(load(stateText)));
  ReferenceTensor x = f32({1}, {7});
  int64_t lowest = std::numeric_limits<int64_t>::min();
  int64_t highest = std::numeric_limits<int64_t>::max();
  for (auto [begin, end] : {std::pair<int64_t, int64_t>{3, 5},
                            {-1, 0},
                            {1, 1},
                            {2, 1},
                            {0, 2},
                            {4, 5},
                            {1, lowest},
                            {lowest, highest},
                            {highest, lowest}}) {
    errors.clear();
    EXPECT_EQ(run({x, position(begin), position(end)}), Floats());
    EXPECT_EQ(errors, "expected 0 <= begin, end <= 4 and end - begin = 1, got "
                      "begin " +
                          std::to_string(begin) + " and end " +
                          std::to_string(end));
  }
  EXPECT_EQ(run({x, position(0), position(1)}), (Floats{7, 0, 0, 0}));
}

TEST_F(InterpreterTest, KeepsACopyOfAnInputAsState) {
  ASSERT_TRUE(succeeded(load(R"mlir(
    ml_program.global private mutable @last(dense<0.0> : tensor<1xf32>)
        : tensor<1xf32>
    func.func @main(%x: tensor<1xf32>) -> tensor<1xf32> {
      %0 = ml_program.global_load @last : tensor<1xf32>
      ml_program.global_store @last = %x : tensor<1xf32>
      return %0 : tensor<1xf32>
    })mlir")));
  ReferenceTensor x = f32({1}, {1});
  EXPECT_EQ(run(x), (Floats{0}));
  x.f32[0] = 100;
  EXPECT_EQ(run(x), (Floats{1}));
}

TEST_F(InterpreterTest, ChecksTheValuesOfConstants) {
  EXPECT_TRUE(failed(load(R"mlir(
    ml_program.global private @w(dense<2> : tensor<4xi32>) : tensor<4xf32>
    func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
      return %x : tensor<4xf32>
    })mlir")));
  EXPECT_EQ(errors, "expected a value of type 'tensor<4xf32>', got one of type "
                    "'tensor<4xi32>'");
  errors.clear();
  ASSERT_TRUE(succeeded(load(R"mlir(
    func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
      %0 = arith.constant dense_resource<blob> : tensor<4xf32>
      return %0 : tensor<4xf32>
    })mlir")));
  EXPECT_EQ(run({f32({4}, {1, 2, 3, 4})}), Floats());
  EXPECT_EQ(errors, "expected a value of dense elements, got "
                    "builtin.dense_resource_elements");
}

TEST_F(InterpreterTest, TakesParametersByTheUsersName) {
  llvm::StringMap<ReferenceTensor> parameters;
  parameters["main"] = f32({1}, {10});
  ASSERT_TRUE(succeeded(load(R"mlir(
    ml_program.global private @main_0(#ml_program.extern)
        : tensor<1xf32> {hamkaas.name = "main"}
    func.func @main() -> tensor<1xf32> {
      %0 = ml_program.global_load_const @main_0 : tensor<1xf32>
      return %0 : tensor<1xf32>
    })mlir",
                             parameters)))
      << errors;
  EXPECT_EQ(run({}), (Floats{10}));
}

static const char *const parameterText = R"mlir(
    ml_program.global private @w(#ml_program.extern<tensor<2xf32>>)
        : tensor<2xf32>
    func.func @main(%x: tensor<2xf32> {hamkaas.name = "x"})
        -> (tensor<2xf32>, tensor<2xf32>) {
      %0 = ml_program.global_load_const @w : tensor<2xf32>
      %c = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
      %1 = hamkaas.mul %x, %0 : tensor<2xf32>, tensor<2xf32>
      %2 = hamkaas.add %1, %c : tensor<2xf32>, tensor<2xf32>
      return %2, %x : tensor<2xf32>, tensor<2xf32>
    })mlir";

TEST_F(InterpreterTest, ReadsParametersAndConstants) {
  llvm::StringMap<ReferenceTensor> parameters;
  parameters["w"] = f32({2}, {10, 100});
  ASSERT_TRUE(succeeded(load(parameterText, parameters)));
  EXPECT_EQ(run({f32({2}, {3, 4})}), (Floats{31, 402}));
  EXPECT_EQ(outputs[1].f32, (Floats{3, 4}));
}

TEST_F(InterpreterTest, RejectsMissingWrongAndUnknownParameters) {
  EXPECT_TRUE(failed(load(parameterText)));
  EXPECT_EQ(errors, "expected a value for parameter 'w' of type "
                    "'tensor<2xf32>'");
  errors.clear();
  llvm::StringMap<ReferenceTensor> parameters;
  parameters["w"] = f32({3}, {1, 2, 3});
  EXPECT_TRUE(failed(load(parameterText, parameters)));
  EXPECT_EQ(errors, "expected parameter 'w' of type 'tensor<2xf32>', got "
                    "'tensor<3xf32>'");
  errors.clear();
  parameters["w"] = f32({2}, {1, 2});
  parameters["v"] = f32({2}, {1, 2});
  EXPECT_TRUE(failed(load(parameterText, parameters)));
  EXPECT_EQ(errors, "the model has no parameter 'v'");
}

TEST_F(InterpreterTest, RejectsMissingAndWrongInputs) {
  llvm::StringMap<ReferenceTensor> parameters;
  parameters["w"] = f32({2}, {10, 100});
  ASSERT_TRUE(succeeded(load(parameterText, parameters)));
  EXPECT_EQ(run({}), Floats());
  EXPECT_EQ(errors, "expected 1 inputs, got 0");
  errors.clear();
  EXPECT_EQ(run({f32({1}, {1})}), Floats());
  EXPECT_EQ(errors, "expected input 'x' of type 'tensor<2xf32>', got "
                    "'tensor<1xf32>'");
}

TEST_F(InterpreterTest, RejectsWhatIsNotGraph) {
  EXPECT_TRUE(failed(load("module {}")));
  EXPECT_EQ(errors, "expected a function @main with a body");
  errors.clear();
  ASSERT_TRUE(succeeded(load(R"mlir(
    func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
      %0 = arith.addf %x, %x : tensor<2xf32>
      return %0 : tensor<2xf32>
    })mlir")));
  EXPECT_EQ(run({f32({2}, {1, 2})}), Floats());
  EXPECT_EQ(errors, "expected an operation of the form GRAPH, got arith.addf");
}

} // namespace
