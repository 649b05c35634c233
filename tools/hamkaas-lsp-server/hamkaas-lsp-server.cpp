//===- hamkaas-lsp-server.cpp - Editor support for .mlir files  -*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Driver/Compiler.h"
#include "HamKaas/Driver/Registration.h"
#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  hamkaas::registerDialects(registry);
  hamkaas::registerVersion();
  llvm::LogicalResult result = mlir::MlirLspServerMain(argc, argv, registry);
  // Failures were reported.
  return hamkaas::reportError(llvm::failed(result)
                                  ? llvm::make_error<hamkaas::ReportedError>()
                                  : llvm::Error::success(),
                              "hamkaas-lsp-server");
}
