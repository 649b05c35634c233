//===- DiagnosticTextTest.cpp - Diagnostics as errors ---------------------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Support/DiagnosticText.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Location.h"
#include "mlir/IR/MLIRContext.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace hamkaas;

TEST(DiagnosticTextTest, HoldsErrorsWithTheirNotes) {
  MLIRContext context;
  std::string others;
  ScopedDiagnosticHandler outer(&context, [&](Diagnostic &diagnostic) {
    others += diagnostic.str() + ";";
  });
  DiagnosticText text(&context);
  auto location = [&](unsigned line) {
    return FileLineColLoc::get(&context, "x.hk", line, 1);
  };
  emitWarning(location(1)) << "unused";
  InFlightDiagnostic first = emitError(location(2)) << "wrong";
  first.attachNote(location(3)) << "defined here";
  first.report();
  emitError(UnknownLoc::get(&context)) << "nowhere";
  EXPECT_EQ(llvm::toString(text.take()), "x.hk:2:1: error: wrong\n"
                                         "x.hk:3:1: note: defined here\n"
                                         "nowhere");
  EXPECT_EQ(others, "unused;");
}
