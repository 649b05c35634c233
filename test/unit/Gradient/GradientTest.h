//===- GradientTest.h - Functions to differentiate --------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_TEST_UNIT_GRADIENT_GRADIENTTEST_H
#define HAMKAAS_TEST_UNIT_GRADIENT_GRADIENTTEST_H

#include "HamKaas/Gradient/Differentiate.h"
#include "HamKaas/Gradient/GradientOpInterface.h"
#include "HamKaas/Interpreter/Interpreter.h"
#include "HamKaas/Interpreter/ReferenceSemantics.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MLProgram/IR/MLProgram.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

namespace hamkaas {

/// A module with a function `@main` of one result, `y`.
class GradientTest : public ::testing::Test {
protected:
  GradientTest() {
    mlir::DialectRegistry registry;
    registry
        .insert<HamKaasDialect, mlir::arith::ArithDialect,
                mlir::func::FuncDialect, mlir::ml_program::MLProgramDialect>();
    registerReferenceSemantics(registry);
    registerGradientRules(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
  }

  /// The function of `body`, which ends with the definition of `%y`.
  mlir::OwningOpRef<mlir::ModuleOp>
  parse(llvm::StringRef arguments, llvm::StringRef body, llvm::StringRef type) {
    std::string text = ("func.func @main(" + arguments + ") -> " + type +
                        " {\n" + body + "\nreturn %y : " + type + "\n}")
                           .str();
    auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    EXPECT_TRUE(module) << text;
    return module;
  }

  static mlir::func::FuncOp getMain(mlir::ModuleOp module) {
    return *module.getOps<mlir::func::FuncOp>().begin();
  }

  /// Makes the gradients of the result the results.
  static llvm::Error replaceByGradients(mlir::ModuleOp module,
                                        llvm::ArrayRef<mlir::Value> xs,
                                        mlir::Value seed = {}) {
    mlir::func::FuncOp main = getMain(module);
    mlir::Operation *end = main.front().getTerminator();
    mlir::OpBuilder builder(end);
    auto gradients =
        differentiate({end->getOperand(0), seed, xs}, builder, module.getLoc());
    if (!gradients)
      return gradients.takeError();
    end->setOperands(*gradients);
    main.setFunctionType(builder.getFunctionType(
        main.front().getArgumentTypes(), end->getOperandTypes()));
    EXPECT_TRUE(succeeded(mlir::verify(module)));
    return llvm::Error::success();
  }

  static std::vector<ReferenceTensor>
  run(mlir::ModuleOp module, llvm::ArrayRef<ReferenceTensor> inputs) {
    llvm::SmallVector<ReferenceTensor> outputs;
    auto interpreter = Interpreter::create(module, {});
    EXPECT_TRUE(succeeded(interpreter) &&
                succeeded(interpreter->run(inputs, outputs)));
    return {outputs.begin(), outputs.end()};
  }

  static std::vector<double> getNumbers(const ReferenceTensor &tensor) {
    return tensor.withElements([](const auto &elements) {
      return std::vector<double>(elements.begin(), elements.end());
    });
  }

  mlir::MLIRContext context;
};

} // namespace hamkaas

#endif // HAMKAAS_TEST_UNIT_GRADIENT_GRADIENTTEST_H
