//===- OptionTable.cpp - The options of a tool as data ----------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OptionTable.h"
#include "HamKaas/Program/Descriptor.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace hamkaas;
using llvm::StringRef;
namespace cl = llvm::cl;

/// Whether the user writes it as it stands; "NAME" and "F.npy" stand for
/// something.
static bool isLiteral(StringRef value) {
  return !value.empty() && llvm::none_of(value, llvm::isUpper);
}

static std::vector<OptionInfo::Value> collectValues(const cl::Option &option,
                                                    const OptionValues &known) {
  std::vector<OptionInfo::Value> values;
  if (cl::generic_parser_base *parser = known.lookup(&option)) {
    for (unsigned i = 0; i < parser->getNumOptions(); ++i)
      if (StringRef name = parser->getOption(i); !name.empty())
        values.push_back({name.str(), parser->getDescription(i).str()});
    return values;
  }
  if (!option.ValueStr.contains('|'))
    return values;
  for (StringRef value : llvm::split(option.ValueStr, '|'))
    if (isLiteral(value))
      values.push_back({value.str(), ""});
  return values;
}

static OptionInfo::ValueKind getValueKind(const cl::Option &option) {
  switch (option.getValueExpectedFlag()) {
  case cl::ValueOptional:
    // A switch may have a value, which nobody writes.
    return option.ValueStr.empty() ? OptionInfo::None : OptionInfo::Optional;
  case cl::ValueRequired:
    return OptionInfo::Required;
  case cl::ValueDisallowed:
    break;
  }
  return OptionInfo::None;
}

static OptionInfo describe(StringRef name, const cl::Option &option,
                           const OptionValues &known) {
  OptionInfo info;
  info.name = name.str();
  // An option without a name is one for each of its values.
  if (cl::generic_parser_base *parser = known.lookup(&option);
      parser && !option.hasArgStr()) {
    unsigned i = parser->findOption(name);
    info.description = parser->getDescription(i).str();
    return info;
  }
  info.description = option.HelpStr.rtrim(':').str();
  info.values = collectValues(option, known);
  info.valueKind = getValueKind(option);
  if (info.valueKind == OptionInfo::None && !info.values.empty())
    info.valueKind = OptionInfo::Optional;
  info.valueName = option.ValueStr.empty() ? "value" : option.ValueStr.str();
  StringRef value = option.ValueStr;
  info.isFile = value == "file" || value == "F" || value.starts_with("F.");
  info.isRepeated = option.getNumOccurrencesFlag() == cl::ZeroOrMore ||
                    option.getNumOccurrencesFlag() == cl::OneOrMore;
  return info;
}

ToolInfo hamkaas::collectOptions(StringRef name, StringRef overview,
                                 cl::OptionCategory &category,
                                 const OptionValues &values) {
  ToolInfo tool;
  tool.name = name.str();
  tool.overview = overview.str();
  tool.version = compilerVersion().str();
  for (const cl::Option *option : cl::SubCommand::getTopLevel().PositionalOpts)
    tool.argument = describe("", *option, values);
  for (auto &entry : cl::getRegisteredOptions()) {
    const cl::Option &option = *entry.second;
    StringRef name = entry.first;
    bool isOurs = llvm::is_contained(option.Categories, &category) &&
                  option.getOptionHiddenFlag() == cl::NotHidden;
    if (isOurs || name == "help" || name == "version")
      tool.options.push_back(describe(name, option, values));
  }
  llvm::sort(tool.options, [](const OptionInfo &a, const OptionInfo &b) {
    return a.name < b.name;
  });
  return tool;
}
