//===- ToolCommandLine.cpp - Options of all our tools -----------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Driver/ToolCommandLine.h"
#include "HamKaas/Driver/Registration.h"
#include "HamKaas/Program/CodeCache.h"
#include "HamKaas/Program/Descriptor.h"
#include "HamKaas/Support/ReportError.h"
#include "ManPage.h"
#include "OptionTable.h"
#include "ShellCompletion.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Option/Arg.h"
#include "llvm/Option/ArgList.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/StringSaver.h"
#include "llvm/Support/WithColor.h"
#include <cstdlib>

using namespace hamkaas;
using llvm::StringRef;
using llvm::Twine;

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

static llvm::Error makeError(const OptionInfo &option, const Twine &text) {
  return llvm::createStringError(option.flag() + ": " + text);
}

/// "auto, always or never"
static std::string listValues(const OptionInfo &option) {
  std::string list;
  for (auto [i, value] : llvm::enumerate(option.values))
    list += (i == 0                          ? ""
             : i + 1 == option.values.size() ? " or "
                                             : ", ") +
            value.name;
  return list;
}

static bool isChoice(const OptionInfo &option, StringRef value) {
  return llvm::any_of(option.values, [&](const OptionInfo::Value &choice) {
    return choice.name == value;
  });
}

/// Checks a value by the type of its option.
static llvm::Error checkValue(const OptionInfo &option, StringRef value) {
  std::string got = (", got '" + value + "'").str();
  switch (option.type) {
  case OptionInfo::Switch:
    if (value != "true" && value != "false")
      return makeError(option, "expected true or false" + got);
    break;
  case OptionInfo::Choice:
    if (!isChoice(option, value))
      return makeError(option, "expected " + listValues(option) + got);
    break;
  case OptionInfo::Number:
    if (int number; value.getAsInteger(10, number))
      return makeError(option, "expected a number of 0 or more" + got);
    else if (number < 0)
      return makeError(option, "expected 0 or more, got " + value);
    break;
  case OptionInfo::Bytes:
    if (parseByteCount(value).value_or(0) == 0)
      return makeError(option, "expected a number of bytes such as 4096, 64KB "
                               "or 2MB" +
                                   got);
    break;
  case OptionInfo::Real:
    if (double number; value.getAsDouble(number))
      return makeError(option, "expected a number" + got);
    break;
  case OptionInfo::Text:
  case OptionInfo::Path:
    break;
  }
  return llvm::Error::success();
}

StringRef ToolCommandLine::get(ToolOption option) const {
  auto found = values.find(option);
  return found == values.end() ? StringRef(findOption(option)->defaultValue)
                               : StringRef(found->second.back());
}

int ToolCommandLine::getNumber(ToolOption option) const {
  int number = 0;
  get(option).getAsInteger(10, number);
  return number;
}

llvm::ArrayRef<std::string> ToolCommandLine::getAll(ToolOption option) const {
  auto found = values.find(option);
  return found == values.end() ? llvm::ArrayRef<std::string>()
                               : llvm::ArrayRef(found->second);
}

// checkValue has seen what these read.

static void read(llvm::ArrayRef<std::string> given, bool &value) {
  value = given.back() == "true";
}
/// Joins the values of a repeated option to a list.
static void read(llvm::ArrayRef<std::string> given, std::string &value) {
  value = llvm::join(given, ",");
}
static void read(llvm::ArrayRef<std::string> given, uint64_t &value) {
  value = *parseByteCount(given.back());
}
static void read(llvm::ArrayRef<std::string> given, unsigned &value) {
  StringRef(given.back()).getAsInteger(10, value);
}
static void read(llvm::ArrayRef<std::string> given, double &value) {
  StringRef(given.back()).getAsDouble(value);
}

CompileSettings ToolCommandLine::getSettings() const {
  CompileSettings settings;
#define COMPILE_SETTING(ID, TYPE, FIELD, ...)                                  \
  if (has(OPT_##ID))                                                           \
    read(getAll(OPT_##ID), settings.FIELD);
#include "HamKaas/Options/CompileOptions.inc"
  return settings;
}

std::optional<ToolOption> ToolCommandLine::findCompileOption() const {
#define COMPILE_SETTING(ID, ...)                                               \
  if (has(OPT_##ID))                                                           \
    return OPT_##ID;
#include "HamKaas/Options/CompileOptions.inc"
  return std::nullopt;
}

OnnxArguments ToolCommandLine::getOnnx() const {
  return {getAll(OPT_dim).vec(), getAll(OPT_const_input).vec(),
          get(OPT_external_data_root).str()};
}

ShowProgress ToolCommandLine::getProgress() const {
  return llvm::StringSwitch<ShowProgress>(get(OPT_progress))
      .Case("always", ShowProgress::Always)
      .Case("never", ShowProgress::Never)
      .Default(ShowProgress::Auto);
}

//===----------------------------------------------------------------------===//
// Parsing
//===----------------------------------------------------------------------===//

llvm::Error ToolCommandLine::makeUnknownError(StringRef text) const {
  std::string nearest;
  constexpr unsigned mostChanges = 2;
  unsigned changes = getOptTable().findNearest(
      text, nearest, llvm::opt::Visibility(tool), /*MinimumLength=*/3);
  return llvm::createStringError(
      "unknown option '" + text + "'" +
      (changes <= mostChanges ? ", did you mean '" + nearest + "'?" : ""));
}

/// The value of an argument as it is kept; nothing if it is no value, such as
/// that of "--reports".
static std::optional<StringRef> getValue(const OptionInfo &option,
                                         const llvm::opt::Arg &argument) {
  if (argument.getNumValues() == 0)
    return "true";
  StringRef value = argument.getValue();
  if (option.type == OptionInfo::Switch)
    return value == "1" ? "true" : value == "0" ? "false" : value;
  if (option.valueKind == OptionInfo::Optional && !value.empty() &&
      !value.consume_front("="))
    return std::nullopt;
  return value;
}

llvm::Error
ToolCommandLine::parseArguments(llvm::ArrayRef<const char *> arguments) {
  unsigned missingIndex = 0, missingCount = 0;
  llvm::opt::InputArgList list = getOptTable().ParseArgs(
      arguments, missingIndex, missingCount, llvm::opt::Visibility(tool));
  for (const llvm::opt::Arg *given : list) {
    if (given->getOption().matches(OPT_INPUT)) {
      if (argument)
        return llvm::createStringError(
            "expected one " +
            StringRef(argumentText).split(' ').first.rtrim(',') + ", got '" +
            *argument + "' and '" + given->getValue() + "'");
      argument = given->getValue();
      continue;
    }
    const OptionInfo *option = findOption(given->getOption().getID());
    std::optional<StringRef> value;
    if (option)
      value = getValue(*option, *given);
    if (!value)
      return makeUnknownError(given->getAsString(list));
    // An optional value that is left out is of no type.
    bool isLeftOut =
        option->valueKind == OptionInfo::Optional && value->empty();
    if (!isLeftOut)
      if (llvm::Error error = checkValue(*option, *value))
        return error;
    std::vector<std::string> &all = values[option->id];
    if (!all.empty() && !option->isRepeated)
      return makeError(*option, "given twice");
    all.push_back(value->str());
  }
  if (missingCount > 0)
    return llvm::createStringError(StringRef(arguments[missingIndex]) +
                                   ": expected a value");
  return llvm::Error::success();
}

/// Options of a training, also if they name their default.
static llvm::Error checkTraining(const ToolCommandLine &line) {
  if (line.isOn(OPT_train))
    return llvm::Error::success();
  for (ToolOption option :
       {OPT_loss, OPT_optimizer, OPT_freeze, OPT_train_output})
    if (line.has(option))
      return makeError(*findOption(option),
                       "expected " + findOption(OPT_train)->flag() + ", too");
  return llvm::Error::success();
}

llvm::Error ToolCommandLine::parse(int argc, char **argv) {
  llvm::BumpPtrAllocator allocator;
  llvm::SmallVector<const char *> arguments(argv + 1, argv + argc);
  llvm::cl::ExpansionContext expansion(allocator,
                                       llvm::cl::TokenizeGNUCommandLine);
  if (llvm::Error error = expansion.expandResponseFiles(arguments))
    return error;
  llvm::Error error = parseArguments(arguments);
  setColors();
  // Who asks for help may have more wrong.
  if (has(OPT_help) || has(OPT_h)) {
    llvm::consumeError(std::move(error));
    printHelp();
    std::exit(reportError(llvm::Error::success(), name));
  }
  if (error)
    return error;
  if (llvm::Error asked = printWhatIsAsked())
    return asked;
  if (has(OPT_mllvm)) {
    llvm::SmallVector<const char *> options = {name.c_str()};
    for (const std::string &option : getAll(OPT_mllvm))
      options.push_back(option.c_str());
    llvm::cl::ParseCommandLineOptions(options.size(), options.data());
  }
  return checkTraining(*this);
}

//===----------------------------------------------------------------------===//
// Descriptions of the options
//===----------------------------------------------------------------------===//

void ToolCommandLine::printHelp() const {
  std::string usage = (name + " [options] " + StringRef(argumentText)).str();
  getOptTable().printHelp(llvm::outs(), usage.c_str(), overview.c_str(),
                          /*ShowHidden=*/false, /*ShowAllAliases=*/false,
                          llvm::opt::Visibility(tool));
}

llvm::Error ToolCommandLine::printWhatIsAsked() const {
  ToolInfo info = {name, overview, compilerVersion().str(), argumentText,
                   getOptionsOf(tool)};
  if (has(OPT_version)) {
    printVersion(llvm::outs());
  } else if (has(OPT_print_man)) {
    printManPage(info, llvm::outs());
  } else if (has(OPT_print_completion)) {
    StringRef shell = get(OPT_print_completion);
    if (shell == "bash")
      printBashCompletion(info, llvm::outs());
    else if (shell == "zsh")
      printZshCompletion(info, llvm::outs());
    else if (shell == "fish")
      printFishCompletion(info, llvm::outs());
    else
      return llvm::createStringError(
          "--print-completion: expected bash, zsh or fish, got '" + shell +
          "'");
  } else {
    return llvm::Error::success();
  }
  std::exit(reportError(llvm::Error::success(), name));
}

void ToolCommandLine::setColors() const {
  StringRef color = get(OPT_color);
  if (color == "always") {
    llvm::WithColor::setAutoDetectFunction(
        [](const llvm::raw_ostream &) { return true; });
    return;
  }
  const char *noColor = std::getenv("NO_COLOR");
  if (color == "never" || (noColor && *noColor))
    llvm::WithColor::setAutoDetectFunction(
        [](const llvm::raw_ostream &) { return false; });
}
