//===- OptionError.cpp - Mistakes in options --------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Options/OptionError.h"

using namespace hamkaas;
using llvm::StringRef;

char OptionError::ID;

namespace {
struct Names {
  StringRef commandLine, c, python;
};
} // namespace

static constexpr Names names[] = {
#define COMPILE_OPTION(ID, SPELLING, C_NAME, PYTHON_NAME)                      \
  {SPELLING, C_NAME, PYTHON_NAME},
#include "HamKaas/Options/CompileOptions.inc"
};

std::string hamkaas::spellOption(OptionId option, Front front) {
  const Names &known = names[int(option)];
  switch (front) {
  case Front::C:
    return ("." + known.c).str();
  case Front::Python:
    return known.python.str();
  case Front::CommandLine:
    break;
  }
  return ("--" + known.commandLine).str();
}

std::string NamedOption::spell(Front front) const {
  std::string name = spellOption(id, front);
  if (value.empty())
    return name;
  switch (front) {
  case Front::C:
    return name + " = \"" + value + "\"";
  case Front::Python:
    return name + "='" + value + "'";
  case Front::CommandLine:
    break;
  }
  return name + "=" + value;
}

std::string OptionText::spell(Front front) const {
  std::string result;
  for (const auto &part : parts)
    if (auto *text = std::get_if<std::string>(&part))
      result += *text;
    else
      result += std::get<NamedOption>(part).spell(front);
  return result;
}

std::string OptionError::spell(Front front) const {
  return option.spell(front) + ": " + text.spell(front);
}

llvm::Error hamkaas::makeOptionError(NamedOption option, OptionText text) {
  return llvm::make_error<OptionError>(std::move(option), std::move(text));
}

llvm::Error hamkaas::makeOptionError(OptionId option, OptionText text) {
  return makeOptionError(NamedOption{option}, std::move(text));
}

llvm::Error hamkaas::spellOptions(llvm::Error error, Front front) {
  return llvm::handleErrors(std::move(error), [&](const OptionError &mistake) {
    return llvm::createStringError(mistake.spell(front));
  });
}
