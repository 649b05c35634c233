//===- ToolCommandLine.h - Options of all our tools -------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_DRIVER_TOOLCOMMANDLINE_H
#define HAMKAAS_DRIVER_TOOLCOMMANDLINE_H

#include "HamKaas/Driver/OnnxOptions.h"
#include "HamKaas/Driver/ProgressLine.h"
#include "HamKaas/Driver/ToolOptions.h"
#include "HamKaas/Options/CompileSettings.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/Error.h"
#include <optional>
#include <string>
#include <vector>

namespace hamkaas {

/// The command line of a tool.
class ToolCommandLine {
public:
  /// `overview` is a sentence without its full stop, `argument` a name and what
  /// it stands for: "MODEL (a script)".
  ToolCommandLine(llvm::StringRef name, ToolVisibility tool,
                  llvm::StringRef overview, llvm::StringRef argument)
      : name(name), overview(overview), argumentText(argument), tool(tool) {}

  /// Parses the command line, checks each value by the type of its option, and
  /// sets the colours of messages. Prints what `--help` and the like ask for,
  /// and ends the process then.
  llvm::Error parse(int argc, char **argv);

  /// The only argument that is no option, if it was given.
  const std::optional<std::string> &getArgument() const { return argument; }

  bool has(ToolOption option) const { return values.count(option); }
  bool isOn(ToolOption option) const { return get(option) == "true"; }
  /// The value or its default; empty for an optional value that was left out.
  llvm::StringRef get(ToolOption option) const;
  int getNumber(ToolOption option) const;
  llvm::ArrayRef<std::string> getAll(ToolOption option) const;

  /// All options of compilations that have one value.
  CompileSettings getSettings() const;
  OnnxArguments getOnnx() const;
  ShowProgress getProgress() const;

  /// The option that was given and is one of a compilation; none if there is
  /// none.
  std::optional<ToolOption> findCompileOption() const;

private:
  llvm::Error parseArguments(llvm::ArrayRef<const char *> arguments);
  llvm::Error makeUnknownError(llvm::StringRef text) const;
  void printHelp() const;
  llvm::Error printWhatIsAsked() const;
  void setColors() const;

  std::string name, overview, argumentText;
  ToolVisibility tool;
  std::optional<std::string> argument;
  llvm::DenseMap<unsigned, std::vector<std::string>> values;
};

} // namespace hamkaas

#endif // HAMKAAS_DRIVER_TOOLCOMMANDLINE_H
