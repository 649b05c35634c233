//===- Documents.cpp - The option table in documents ------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emitters.h"
#include "OptionRecords.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace hamkaas::tblgen;
using llvm::raw_ostream;
using llvm::RecordKeeper;
using llvm::StringRef;

static std::string getFlag(const Option &option) {
  return ("`" + StringRef(option.spelling.size() == 1 ? "-" : "--") +
          option.spelling + "`")
      .str();
}

static std::string getValues(const Option &option) {
  if (!option.valuesText.empty())
    return option.valuesText.str();
  if (option.type == OptionType::Switch)
    return "";
  std::string text;
  std::string placeholder = option.getPlaceholder();
  for (StringRef value : llvm::split(placeholder, '|'))
    text += (text.empty() ? "`" : ", `") + value.str() + "`";
  return text;
}

static std::string getDefault(const Option &option) {
  if (!option.defaultText.empty())
    return option.defaultText.str();
  if (option.type == OptionType::Switch)
    return "off";
  if (option.type == OptionType::Number)
    return option.defaultValue.str();
  return option.defaultValue.empty() ? "none"
                                     : ("`" + option.defaultValue + "`").str();
}

static void emitHead(raw_ostream &os) {
  os << "| option | values | default | |\n|---|---|---|---|\n";
}

static void emitRow(const RecordKeeper &records, const Option &option,
                    raw_ostream &os) {
  std::string values = getValues(option);
  os << "| " << getFlag(option) << " |" << (values.empty() ? "" : " ") << values
     << " | " << getDefault(option) << " | "
     << describe(records, option.description, Front::CommandLine) << " |\n";
}

void hamkaas::tblgen::emitCompileTable(const RecordKeeper &records,
                                       raw_ostream &os) {
  emitHead(os);
  for (const Option &option : getOptions(records))
    if (option.isOf("CompileTool") && !option.description.empty())
      emitRow(records, option, os);
}

void hamkaas::tblgen::emitRunTable(const RecordKeeper &records,
                                   raw_ostream &os) {
  emitHead(os);
  std::string same, compiling;
  for (const Option &option : getOptions(records)) {
    if (!option.isOf("RunTool") || option.description.empty())
      continue;
    if (!option.isOf("CompileTool")) {
      emitRow(records, option, os);
      continue;
    }
    std::string &list = option.isCompileOption ? compiling : same;
    list += (list.empty() ? "" : ", ") + getFlag(option);
  }
  os << "| " << same << " | | | as above |\n";
  os << "| " << compiling << " | | | as above; not for a `model.so` |\n";
}

void hamkaas::tblgen::emitFrontsTable(const RecordKeeper &records,
                                      raw_ostream &os) {
  os << "| command line | C, C++ | Python | since |\n|---|---|---|---|\n";
  for (const Option &option : getOptions(records))
    if (option.isCompileOption)
      os << "| " << getFlag(option) << " | `" << option.cName << "` | `"
         << option.pythonName << "` | " << option.since << " |\n";
}
