//===- hamkaas-opt.cpp - Runs passes on MLIR text ------------- -*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Driver/Compiler.h"
#include "HamKaas/Driver/Registration.h"
#include "HamKaas/Options/CompatibilityNames.h"
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

namespace {
/// Arguments with the current names of passes; files keep theirs.
class CurrentArguments {
public:
  CurrentArguments(int argc, char **argv) {
    for (StringRef argument : ArrayRef(argv, argc))
      texts.push_back(argument.starts_with("-")
                          ? hamkaas::updatePassNames(argument)
                          : argument.str());
    for (std::string &text : texts)
      pointers.push_back(text.data());
    pointers.push_back(nullptr);
  }

  char **get() { return pointers.data(); }

private:
  std::vector<std::string> texts;
  std::vector<char *> pointers;
};
} // namespace

int main(int argc, char **argv) {
  // NOTE: before MlirOptMain, whose InitLLVM then leaves the signals alone.
  hamkaas::ToolProcess process(argc, argv);
  hamkaas::reportUnwrittenOutputAtExit("hamkaas-opt");
  DialectRegistry registry;
  hamkaas::registerDialects(registry);
  hamkaas::registerPasses();
  hamkaas::registerVersion();
  CurrentArguments current(argc, argv);
  auto [input, output] = registerAndParseCLIOptions(
      argc, current.get(), "HamKaas optimizer driver\n", registry);
  LogicalResult result =
      checkEachPass ? runChecked(input, output, registry)
                    : MlirOptMain(argc, current.get(), input, output, registry);
  // Failures were reported.
  return hamkaas::reportError(failed(result)
                                  ? llvm::make_error<hamkaas::ReportedError>()
                                  : llvm::Error::success(),
                              "hamkaas-opt");
}
