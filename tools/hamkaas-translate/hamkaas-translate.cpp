//===- hamkaas-translate.cpp - Scripts to and from MLIR ---------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Driver/Registration.h"
#include "HamKaas/Frontend/Script/Script.h"
#include "mlir/Tools/mlir-translate/MlirTranslateMain.h"
#include "mlir/Tools/mlir-translate/Translation.h"
#include "llvm/Support/CommandLine.h"

static llvm::cl::opt<bool> unchecked(
    "unchecked",
    llvm::cl::desc("Import: leave out the checks of positions at run time"));

static mlir::OwningOpRef<mlir::Operation *>
importScript(llvm::SourceMgr &sources, mlir::MLIRContext *context) {
  return hamkaas::importScript(sources, context, {unchecked})
      .release()
      .getOperation();
}

static llvm::LogicalResult exportScript(mlir::Operation *op,
                                        llvm::raw_ostream &stream) {
  return hamkaas::exportScript(llvm::cast<mlir::ModuleOp>(op), stream);
}

int main(int argc, char **argv) {
  mlir::TranslateToMLIRRegistration importing(
      "import-script", "read a script as GRAPH", importScript,
      hamkaas::registerDialects);
  mlir::TranslateFromMLIRRegistration exporting(
      "export-script", "write GRAPH as a script", exportScript,
      hamkaas::registerDialects);
  return mlir::failed(
      mlir::mlirTranslateMain(argc, argv, "HamKaas translation driver\n"));
}
