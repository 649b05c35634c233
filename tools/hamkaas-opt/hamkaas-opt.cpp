//===- hamkaas-opt.cpp - Runs passes on MLIR text ------------- -*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Driver/Compiler.h"
#include "HamKaas/Driver/Registration.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  hamkaas::registerDialects(registry);
  hamkaas::registerPasses();
  hamkaas::registerVersion();
  llvm::LogicalResult result =
      mlir::MlirOptMain(argc, argv, "HamKaas optimizer driver\n", registry);
  // What failed was reported.
  return hamkaas::reportError(llvm::failed(result)
                                  ? llvm::make_error<hamkaas::ReportedError>()
                                  : llvm::Error::success(),
                              "hamkaas-opt");
}
