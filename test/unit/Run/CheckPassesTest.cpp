//===- CheckPassesTest.cpp - Passes that change the meaning ---------------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Run/CheckPasses.h"
#include "HamKaas/Dialect/HamKaas/IR/ArithmeticOps.h"
#include "HamKaas/Dialect/HamKaas/IR/ConstantOps.h"
#include "HamKaas/Dialect/HamKaas/IR/ElementwiseOps.h"
#include "HamKaas/Driver/Registration.h"
#include "HamKaas/Support/DiagnosticText.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MLProgram/IR/MLProgram.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace hamkaas;
using ::testing::AllOf;
using ::testing::HasSubstr;

namespace {

/// A pass of a test: does to a module what `change` does.
struct ChangePass : PassWrapper<ChangePass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ChangePass)

  explicit ChangePass(std::function<void(ModuleOp)> change)
      : change(std::move(change)) {}

  StringRef getArgument() const override { return "test-change"; }
  void runOnOperation() override { change(getOperation()); }

  std::function<void(ModuleOp)> change;
};

/// Reads a state, a parameter and an input.
constexpr StringLiteral text = R"(
ml_program.global private mutable @count(dense<0.0> : tensor<4xf32>) : tensor<4xf32>
ml_program.global private @w(#ml_program.extern : tensor<4x4xf32>) : tensor<4x4xf32>
func.func @main(%x: tensor<3x4xf32> {hamkaas.name = "x"})
    -> (tensor<3x4xf32> {hamkaas.name = "first"},
        tensor<3x4xf32> {hamkaas.name = "second"}) {
  %w = ml_program.global_load_const @w : tensor<4x4xf32>
  %old = ml_program.global_load @count : tensor<4xf32>
  %new = hamkaas.add %old, %old : tensor<4xf32>, tensor<4xf32>
  ml_program.global_store @count = %new : tensor<4xf32>
  %i = hamkaas.constant dense<[2, 1, 0]> : tensor<3xi64>
  %rows = hamkaas.gather %x, %i dim 0 : tensor<3x4xf32>, tensor<3xi64>
  %0 = hamkaas.matmul %rows, %w : tensor<3x4xf32>, tensor<4x4xf32>
  %1 = hamkaas.relu %0 : tensor<3x4xf32>
  %2 = hamkaas.mul %1, %1 : tensor<3x4xf32>, tensor<3x4xf32>
  return %0, %2 : tensor<3x4xf32>, tensor<3x4xf32>
}
)";

class CheckPassesTest : public ::testing::Test {
protected:
  void SetUp() override {
    DialectRegistry registry;
    registerDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
    graph = parseSourceString<ModuleOp>(text, &context, "net.mlir");
    ASSERT_TRUE(graph);
  }

  /// Runs passes, `change` among them, and returns what is reported.
  std::string run(std::function<void(ModuleOp)> change) {
    DiagnosticText diagnostics(&context);
    PassManager manager(&context);
    manager.addInstrumentation(createPassCheck(result, known));
    manager.addPass(createCSEPass());
    manager.addPass(std::make_unique<ChangePass>(std::move(change)));
    manager.addPass(createCanonicalizerPass());
    EXPECT_TRUE(succeeded(manager.run(*graph)));
    return llvm::toString(diagnostics.take());
  }

  template <typename Op> static Op first(ModuleOp module) {
    Op found;
    module.walk([&](Op op) {
      found = op;
      return WalkResult::interrupt();
    });
    return found;
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> graph;
  std::shared_ptr<PassCheckResult> result = std::make_shared<PassCheckResult>();
  KnownTensors known;
};

void dropRelu(ModuleOp module) {
  module.walk([](ReluOp relu) {
    relu.replaceAllUsesWith(relu.getOperand());
    relu.erase();
  });
}

/// No row has that number.
void setBadIndex(ModuleOp module) {
  module.walk([](ConstantOp constant) {
    auto type = cast<ShapedType>(constant.getType());
    constant.setValueAttr(
        DenseElementsAttr::get(type, ArrayRef<int64_t>{2, 1, 9}));
  });
}

} // namespace

TEST_F(CheckPassesTest, NamesThePassTheOutputAndTheNode) {
  EXPECT_THAT(run(dropRelu),
              AllOf(HasSubstr("pass 'test-change' changes what the graph "
                              "computes: output 'second': largest difference "),
                    HasSubstr(", allowed 1e-05 times that; it shows first in "
                              "hamkaas.mul at net.mlir:15:8")));
  EXPECT_EQ(result->wrongPass, "test-change");
  EXPECT_TRUE(result->isError());
}

TEST_F(CheckPassesTest, SeesStates) {
  std::string problem = run([](ModuleOp module) {
    first<ml_program::GlobalStoreOp>(module).erase();
  });
  EXPECT_THAT(problem, HasSubstr("state 'count': largest difference"));
}

TEST_F(CheckPassesTest, SeesResultsInAnotherOrder) {
  std::string problem = run([](ModuleOp module) {
    auto end = first<func::ReturnOp>(module);
    end->setOperands({end.getOperand(1), end.getOperand(0)});
  });
  EXPECT_THAT(problem, HasSubstr("output 'first': largest difference"));
}

TEST_F(CheckPassesTest, SeesThatARunFails) {
  EXPECT_THAT(
      run(setBadIndex),
      AllOf(HasSubstr("pass 'test-change' changes what the graph "
                      "computes: it fails with net.mlir:12:11: error: "),
            HasSubstr("9")));
}

TEST_F(CheckPassesTest, AcceptsEqualMeaning) {
  // The same product, of sums in another order.
  EXPECT_EQ(run([](ModuleOp module) {
              auto mul = first<MulOp>(module);
              mul->setOperands({mul->getOperand(1), mul->getOperand(0)});
              first<ReluOp>(module)->setDiscardableAttr(
                  "note", UnitAttr::get(module.getContext()));
            }),
            "");
  EXPECT_FALSE(result->isError());
  EXPECT_GE(result->checkedPasses, 1);
}

TEST_F(CheckPassesTest, CountsOnlyPassesThatChangeSomething) {
  // Constants move to the front, once.
  EXPECT_EQ(run([](ModuleOp) {}), "");
  EXPECT_EQ(result->checkedPasses, 1);
  EXPECT_EQ(run([](ModuleOp) {}), "");
  EXPECT_EQ(result->checkedPasses, 1);
}

// The model's own parameter: all zero, so nothing can be wrong behind it.
TEST_F(CheckPassesTest, TakesTheParametersThatThereAre) {
  static constexpr char zeros[64] = {};
  auto own = std::make_shared<ParameterContents>();
  own->add("w", zeros);
  known.parameters = own;
  EXPECT_EQ(run(dropRelu), "");
  EXPECT_GE(result->checkedPasses, 1);
}

TEST_F(CheckPassesTest, TakesTheInputsThatThereAre) {
  static constexpr char zeros[48] = {};
  auto own = std::make_shared<ParameterContents>();
  own->add("x", zeros);
  known.inputs = own;
  EXPECT_EQ(run(dropRelu), "");
  EXPECT_GE(result->checkedPasses, 1);
}

TEST_F(CheckPassesTest, SaysThatAGraphCannotBeInterpreted) {
  setBadIndex(*graph);
  EXPECT_THAT(run([](ModuleOp) {}),
              HasSubstr("the passes cannot be checked: the graph fails on "
                        "random inputs, but perhaps not on those that "
                        "hamkaas-run is given: "));
  EXPECT_TRUE(result->isImpossible);
}
