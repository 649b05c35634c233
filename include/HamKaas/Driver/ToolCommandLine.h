//===- ToolCommandLine.h - Options of all our tools -------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_DRIVER_TOOLCOMMANDLINE_H
#define HAMKAAS_DRIVER_TOOLCOMMANDLINE_H

#include "HamKaas/Driver/ProgressLine.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/CommandLine.h"

namespace hamkaas {

/// What the tools for users have in common: `--color`, and the hidden options
/// `--print-completion` and `--print-man`, which print what is made of the
/// options and end the program.
class ToolCommandLine {
public:
  /// A global variable of the tool, before its other options. `overview` is a
  /// sentence without its point.
  ToolCommandLine(llvm::StringRef name, llvm::StringRef overview,
                  llvm::cl::OptionCategory &category);

  /// Tells the values of an option whose type has a list of them.
  template <typename Option> void addValues(Option &option) {
    values[&option] = &option.getParser();
  }

  /// Parses the command line, and sets the colours of messages.
  void parse(int argc, char **argv);

private:
  enum class Choice { Auto, Always, Never };

  void printCompletion(llvm::StringRef shell);
  void printMan();
  void setColors() const;

  std::string name, overview;
  llvm::cl::OptionCategory &category;
  llvm::DenseMap<const llvm::cl::Option *, llvm::cl::generic_parser_base *>
      values;
  llvm::cl::opt<Choice> color;
  llvm::cl::opt<std::string> completion;
  llvm::cl::opt<bool> man;
};

/// `--progress` of the tools that compile.
class ProgressCommandLine {
public:
  ProgressCommandLine(ToolCommandLine &tool,
                      llvm::cl::OptionCategory &category);

  ShowProgress get() const { return progress; }

private:
  llvm::cl::opt<ShowProgress> progress;
};

/// The name of the value of an option for a processor.
inline constexpr char targetCpuNames[] =
    "host|x86-64|x86-64-v2|x86-64-v3|x86-64-v4";

} // namespace hamkaas

#endif // HAMKAAS_DRIVER_TOOLCOMMANDLINE_H
