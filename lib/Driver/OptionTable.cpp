//===- OptionTable.cpp - The options of a tool as data ----------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OptionTable.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Option/Option.h"

using namespace hamkaas;
using namespace llvm::opt;
using llvm::StringRef;

#define OPTTABLE_STR_TABLE_CODE
#include "HamKaas/Options/ToolOptionParser.inc"
#undef OPTTABLE_STR_TABLE_CODE

#define OPTTABLE_PREFIXES_TABLE_CODE
#include "HamKaas/Options/ToolOptionParser.inc"
#undef OPTTABLE_PREFIXES_TABLE_CODE

static constexpr OptTable::Info parserTable[] = {
#define OPTION(...) LLVM_CONSTRUCT_OPT_INFO(__VA_ARGS__),
#include "HamKaas/Options/ToolOptionParser.inc"
#undef OPTION
};

namespace {
class ToolOptTable : public GenericOptTable {
public:
  ToolOptTable()
      : GenericOptTable(OptionStrTable, OptionPrefixesTable, parserTable) {
    setDashDashParsing(true);
  }
};
} // namespace

const OptTable &hamkaas::getOptTable() {
  static const ToolOptTable table;
  return table;
}

//===----------------------------------------------------------------------===//
// Arguments that the parser does not know
//===----------------------------------------------------------------------===//

/// Returns whether the user writes it as it stands; "NAME" and "F.npy" stand
/// for something.
static bool isLiteral(StringRef value) {
  return !value.empty() && llvm::none_of(value, llvm::isUpper);
}

/// The values in a placeholder such as "cpu|cuda|cuda:N"; one alone stands for
/// something.
static std::vector<OptionInfo::Value> splitPlaceholder(StringRef placeholder) {
  std::vector<OptionInfo::Value> values;
  if (placeholder.contains('|'))
    for (StringRef value : llvm::split(placeholder, '|'))
      if (isLiteral(value))
        values.push_back({value.str(), ""});
  return values;
}

static OptionInfo makeInfo(ToolOption id, ToolOption alias,
                           OptionInfo::Type type, StringRef placeholder,
                           StringRef defaultValue, bool isValueOptional,
                           bool isRepeated, bool isHidden,
                           std::vector<OptionInfo::Value> values) {
  OptionInfo info;
  info.id = id;
  info.alias = alias;
  info.type = type;
  info.name = getOptTable().getOptionName(id).rtrim('=').str();
  info.description = getOptTable().getOptionHelpText(id);
  info.valueKind = type == OptionInfo::Switch ? OptionInfo::None
                   : isValueOptional          ? OptionInfo::Optional
                                              : OptionInfo::Required;
  bool isDescribed = !values.empty() && !values.front().description.empty();
  info.valueName = isDescribed ? "choice" : placeholder.str();
  info.defaultValue = defaultValue.str();
  info.values =
      values.empty() ? splitPlaceholder(placeholder) : std::move(values);
  info.isRepeated = isRepeated;
  info.isHidden = isHidden;
  return info;
}

llvm::ArrayRef<OptionInfo> hamkaas::getOptionTable() {
  static const std::vector<OptionInfo> table = {
#define TOOL_OPTION(ID, ALIAS, TYPE, PLACEHOLDER, DEFAULT, IS_VALUE_OPTIONAL,  \
                    IS_REPEATED, IS_HIDDEN, ...)                               \
  makeInfo(OPT_##ID, OPT_##ALIAS, OptionInfo::TYPE, PLACEHOLDER, DEFAULT,      \
           IS_VALUE_OPTIONAL, IS_REPEATED, IS_HIDDEN, {__VA_ARGS__}),
#include "HamKaas/Options/ToolOptions.inc"
  };
  return table;
}

const OptionInfo *hamkaas::findOption(unsigned id) {
  auto found = llvm::find_if(getOptionTable(), [&](const OptionInfo &option) {
    return id == option.id || (id != OPT_INVALID && id == option.alias);
  });
  return found == getOptionTable().end() ? nullptr : &*found;
}

std::vector<OptionInfo> hamkaas::getOptionsOf(ToolVisibility tool) {
  std::vector<OptionInfo> options;
  for (const OptionInfo &option : getOptionTable())
    if (!option.isHidden &&
        getOptTable().getOption(option.id).hasVisibilityFlag(tool))
      options.push_back(option);
  llvm::sort(options, [](const OptionInfo &a, const OptionInfo &b) {
    return a.name < b.name;
  });
  return options;
}

std::string hamkaas::getFlag(ToolOption option) {
  return findOption(option)->flag();
}
