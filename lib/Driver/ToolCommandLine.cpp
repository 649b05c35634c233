//===- ToolCommandLine.cpp - Options of all our tools -----------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Driver/ToolCommandLine.h"
#include "HamKaas/Driver/Compiler.h"
#include "ManPage.h"
#include "ShellCompletion.h"
#include "llvm/Support/WithColor.h"
#include <cstdlib>

using namespace hamkaas;
using llvm::StringRef;
namespace cl = llvm::cl;

/// LLVM registers an option of the name we promise, which is yes or no.
static StringRef freeName(StringRef name) {
  auto &options = cl::getRegisteredOptions();
  if (auto found = options.find(name); found != options.end())
    found->second->removeArgument();
  return name;
}

ToolCommandLine::ToolCommandLine(StringRef name, StringRef overview,
                                 cl::OptionCategory &category)
    : name(name), overview(overview), category(category),
      color(freeName("color"), cl::desc("Colours in messages"),
            cl::values(clEnumValN(Choice::Auto, "auto",
                                  "on a terminal, unless NO_COLOR is set"),
                       clEnumValN(Choice::Always, "always", "always"),
                       clEnumValN(Choice::Never, "never", "never")),
            cl::init(Choice::Auto), cl::cat(category)),
      completion("print-completion", cl::ReallyHidden, cl::cat(category),
                 cl::desc("Print a script for completion"),
                 cl::value_desc("bash|zsh|fish"),
                 cl::callback([this](const std::string &shell) {
                   printCompletion(shell);
                 })),
      man("print-man", cl::ReallyHidden, cl::cat(category),
          cl::desc("Print the manual page"),
          cl::callback([this](const bool &) { printMan(); })) {
  addValues(color);
}

/// As LLVM's --help does: before the command line is complete.
[[noreturn]] static void finish(llvm::Error error, StringRef tool) {
  std::exit(reportError(std::move(error), tool));
}

void ToolCommandLine::printCompletion(StringRef shell) {
  ToolInfo tool = collectOptions(name, overview, category, values);
  if (shell == "bash")
    printBashCompletion(tool, llvm::outs());
  else if (shell == "zsh")
    printZshCompletion(tool, llvm::outs());
  else if (shell == "fish")
    printFishCompletion(tool, llvm::outs());
  else
    finish(llvm::createStringError("--print-completion: expected bash, zsh or "
                                   "fish, got '" +
                                   shell + "'"),
           name);
  finish(llvm::Error::success(), name);
}

void ToolCommandLine::printMan() {
  printManPage(collectOptions(name, overview, category, values), llvm::outs());
  finish(llvm::Error::success(), name);
}

void ToolCommandLine::setColors() const {
  if (color == Choice::Always) {
    llvm::WithColor::setAutoDetectFunction(
        [](const llvm::raw_ostream &) { return true; });
    return;
  }
  const char *noColor = std::getenv("NO_COLOR");
  if (color == Choice::Never || (noColor && *noColor))
    llvm::WithColor::setAutoDetectFunction(
        [](const llvm::raw_ostream &) { return false; });
}

void ToolCommandLine::parse(int argc, char **argv) {
  reportUnwrittenOutputAtExit(name);
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(argc, argv, overview + "\n");
  setColors();
}

ProgressCommandLine::ProgressCommandLine(ToolCommandLine &tool,
                                         cl::OptionCategory &category)
    : progress("progress",
               cl::desc("Show on standard error how far the compilation is"),
               cl::values(clEnumValN(ShowProgress::Auto, "auto",
                                     "on a terminal, after a second"),
                          clEnumValN(ShowProgress::Always, "always", "always"),
                          clEnumValN(ShowProgress::Never, "never", "never")),
               cl::init(ShowProgress::Auto), cl::cat(category)) {
  tool.addValues(progress);
}
