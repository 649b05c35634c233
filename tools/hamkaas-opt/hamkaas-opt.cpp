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
#include "HamKaas/Support/OutputFile.h"
#include "HamKaas/Support/ReportError.h"
#include "HamKaas/Support/Signals.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/Support/CommandLine.h"

using namespace mlir;

static llvm::cl::opt<bool> checkEachPass(
    "check-each-pass",
    llvm::cl::desc("Interpret @main before and after each pass on a graph, on "
                   "random inputs, and name the first one that changes what it "
                   "computes"));

/// Like MlirOptMain, which ends without a name where the output is full and
/// leaves half a file then, and with an instrumentation in each pass manager.
static llvm::Error run(StringRef input, StringRef output,
                       DialectRegistry &registry) {
  MlirOptMainConfig config = MlirOptMainConfig::createFromCLOptions();
  auto result = std::make_shared<hamkaas::PassCheckResult>();
  MlirOptMainConfig plain = config;
  if (checkEachPass)
    config.setPassPipelineSetupFn([&, plain](PassManager &manager) {
      manager.addInstrumentation(hamkaas::createPassCheck(result));
      return plain.setupPassPipeline(manager);
    });
  std::string problem;
  auto from = openInputFile(input, &problem);
  if (!from)
    return llvm::createStringError(problem);
  std::string text;
  llvm::raw_string_ostream to(text);
  bool isWrong = failed(MlirOptMain(to, std::move(from), registry, config)) ||
                 result->isError();
  // Of a split input, parts may be right. A file has all of them or none.
  if (!isWrong || output == "-")
    if (llvm::Error error = hamkaas::writeOutputFile(output, text))
      return error;
  return isWrong ? llvm::make_error<hamkaas::ReportedError>()
                 : llvm::Error::success();
}

/// True if the options ask for lists in place of a run.
static bool printsLists() {
  MlirOptMainConfig config = MlirOptMainConfig::createFromCLOptions();
  return config.shouldShowDialects() || config.shouldListPasses();
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

using Options = llvm::DenseMap<StringRef, llvm::cl::Option *>;

static llvm::Error makeUnknownError(StringRef argument, const Options &known) {
  constexpr unsigned mostChanges = 3; // fewer than a short name has letters
  StringRef name = argument.ltrim('-').split('=').first, nearest;
  unsigned least = mostChanges + 1;
  for (StringRef other : llvm::make_first_range(known)) {
    unsigned changes = name.edit_distance(other, /*AllowReplacements=*/true,
                                          /*MaxEditDistance=*/mostChanges);
    if (std::pair(changes, other) < std::pair(least, nearest))
      std::tie(least, nearest) = {changes, other};
  }
  return llvm::createStringError("unknown option '" + argument + "'" +
                                 (nearest.size() <= mostChanges
                                      ? ""
                                      : ", did you mean '--" + nearest + "'?"));
}

/// The parser of options takes unknown ones that begin with `h`, such as wrong
/// names of passes, for `-h`. A plugin may still bring one.
static llvm::Error checkArguments(llvm::ArrayRef<char *> arguments) {
  const Options &known = llvm::cl::getRegisteredOptions();
  for (StringRef argument : arguments) {
    if (argument == "--" || argument.contains("-plugin"))
      break;
    StringRef name = argument.ltrim('-').split('=').first;
    if (argument.starts_with("-") && name.starts_with("h") && name != "h" &&
        !known.contains(name))
      return makeUnknownError(argument, known);
  }
  return llvm::Error::success();
}

int main(int argc, char **argv) {
  // NOTE: before MlirOptMain, whose InitLLVM then leaves the signals alone.
  hamkaas::ToolProcess process(argc, argv);
  hamkaas::reportUnwrittenOutputAtExit("hamkaas-opt");
  DialectRegistry registry;
  hamkaas::registerDialects(registry);
  hamkaas::registerPasses();
  hamkaas::registerVersion();
  CurrentArguments current(argc, argv);
  std::string help = registerCLIOptions("HamKaas optimizer driver\n", registry);
  if (llvm::Error error = checkArguments(ArrayRef(current.get() + 1, argc - 1)))
    return hamkaas::reportError(std::move(error), "hamkaas-opt");
  auto [input, output] = parseCLIOptions(argc, current.get(), help);
  if (!printsLists())
    return hamkaas::reportError(run(input, output, registry), "hamkaas-opt");
  return asMainReturnCode(
      MlirOptMain(argc, current.get(), input, output, registry));
}
