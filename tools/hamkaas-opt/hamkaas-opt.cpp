//===- hamkaas-opt.cpp - Runs passes on MLIR text ------------- -*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Driver/Compiler.h"
#include "HamKaas/Driver/Registration.h"
#include "HamKaas/Run/CheckPasses.h"
#include "HamKaas/Support/Signals.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/ToolOutputFile.h"

using namespace mlir;

static llvm::cl::opt<bool> checkEachPass(
    "check-each-pass",
    llvm::cl::desc("Interpret @main before and after each pass on a graph, on "
                   "random inputs, and name the first one that changes what it "
                   "computes"));

/// Like MlirOptMain, with an instrumentation in each pass manager.
static LogicalResult runChecked(StringRef input, StringRef output,
                                DialectRegistry &registry) {
  MlirOptMainConfig config = MlirOptMainConfig::createFromCLOptions();
  auto result = std::make_shared<hamkaas::PassCheckResult>();
  MlirOptMainConfig plain = config;
  config.setPassPipelineSetupFn([&, plain](PassManager &manager) {
    manager.addInstrumentation(hamkaas::createPassCheck(result));
    return plain.setupPassPipeline(manager);
  });
  std::string problem;
  auto from = openInputFile(input, &problem);
  auto to = from ? openOutputFile(output, &problem) : nullptr;
  if (!to) {
    llvm::errs() << problem << '\n';
    return failure();
  }
  if (failed(MlirOptMain(to->os(), std::move(from), registry, config)) ||
      result->isError())
    return failure();
  to->keep();
  return success();
}

int main(int argc, char **argv) {
  // NOTE: before MlirOptMain, whose InitLLVM then leaves the signals alone.
  hamkaas::ToolProcess process(argc, argv);
  hamkaas::reportUnwrittenOutputAtExit("hamkaas-opt");
  DialectRegistry registry;
  hamkaas::registerDialects(registry);
  hamkaas::registerPasses();
  hamkaas::registerVersion();
  auto [input, output] = registerAndParseCLIOptions(
      argc, argv, "HamKaas optimizer driver\n", registry);
  LogicalResult result = checkEachPass
                             ? runChecked(input, output, registry)
                             : MlirOptMain(argc, argv, input, output, registry);
  // Failures were reported.
  return hamkaas::reportError(failed(result)
                                  ? llvm::make_error<hamkaas::ReportedError>()
                                  : llvm::Error::success(),
                              "hamkaas-opt");
}
