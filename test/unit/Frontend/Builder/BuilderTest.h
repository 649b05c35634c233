//===- BuilderTest.h - A builder to test ------------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_TEST_UNIT_FRONTEND_BUILDER_BUILDERTEST_H
#define HAMKAAS_TEST_UNIT_FRONTEND_BUILDER_BUILDERTEST_H

#include "HamKaas/Frontend/Builder/GraphBuilder.h"
#include "HamKaas/Interpreter/ReferenceSemantics.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MLProgram/IR/MLProgram.h"
#include "gtest/gtest.h"

namespace hamkaas::graph {

/// Builds a graph whose operations are evaluated where their operands are
/// constants.
class BuilderTest : public ::testing::Test {
protected:
  BuilderTest()
      : context(makeRegistry()),
        location(mlir::FileLineColLoc::get(&context, "test.hk", 3, 5)),
        diagnostics(location), b(location, parameters, diagnostics) {}

  Tensor floats(llvm::ArrayRef<double> values, llvm::ArrayRef<int64_t> shape) {
    return b.constantOf(mlir::Float32Type::get(&context), values, shape);
  }

  Tensor input(llvm::ArrayRef<int64_t> shape) {
    return b.addInput("x", mlir::RankedTensorType::get(
                               shape, mlir::Float32Type::get(&context)));
  }

  /// The errors as they are emitted.
  std::string report() {
    diagnostics.reportFailure();
    std::string text;
    mlir::ScopedDiagnosticHandler handler(
        &context, [&](mlir::Diagnostic &diagnostic) {
          llvm::raw_string_ostream(text)
              << diagnostic.getLocation() << ": " << diagnostic << "\n";
          return mlir::success();
        });
    diagnostics.emitErrors(Certainty::Open);
    return text;
  }

  static void expectNear(const Tensor &x, llvm::ArrayRef<int64_t> shape,
                         llvm::ArrayRef<double> expected) {
    ASSERT_TRUE(x && x.isConstant());
    EXPECT_EQ(x.shape(), shape);
    ASSERT_EQ(x.elements().f32.size(), expected.size());
    for (auto [got, wanted] : llvm::zip(x.elements().f32, expected))
      EXPECT_NEAR(got, wanted, 1e-6);
  }

  static mlir::DialectRegistry makeRegistry() {
    mlir::DialectRegistry registry;
    registry
        .insert<HamKaasDialect, mlir::arith::ArithDialect,
                mlir::func::FuncDialect, mlir::ml_program::MLProgramDialect>();
    registerReferenceSemantics(registry);
    return registry;
  }

  struct LoadedContext : mlir::MLIRContext {
    explicit LoadedContext(const mlir::DialectRegistry &registry)
        : mlir::MLIRContext(registry) {
      loadAllAvailableDialects();
    }
  };

  LoadedContext context;
  mlir::Location location;
  ParameterContents parameters;
  Diagnostics diagnostics;
  GraphBuilder b;
};

} // namespace hamkaas::graph

#endif // HAMKAAS_TEST_UNIT_FRONTEND_BUILDER_BUILDERTEST_H
