//===- OptionRecords.cpp - The option table as C++ --------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OptionRecords.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/Regex.h"
#include "llvm/TableGen/Error.h"

using namespace hamkaas::tblgen;
using llvm::Record;
using llvm::RecordKeeper;
using llvm::StringRef;

static OptionType getType(const Record &record) {
  return llvm::StringSwitch<OptionType>(record.getValueAsDef("Type")->getName())
      .Case("Switch", OptionType::Switch)
      .Case("Text", OptionType::Text)
      .Case("Path", OptionType::Path)
      .Case("Bytes", OptionType::Bytes)
      .Case("Number", OptionType::Number)
      .Case("Real", OptionType::Real)
      .Default(OptionType::Choice);
}

StringRef hamkaas::tblgen::getTypeName(OptionType type) {
  constexpr StringRef names[] = {"Switch", "Text", "Path",  "Bytes",
                                 "Number", "Real", "Choice"};
  return names[int(type)];
}

/// "gpu_arch" as "gpuArch".
static std::string toCamelCase(StringRef name) {
  std::string result;
  for (size_t i = 0; i < name.size(); ++i)
    result += name[i] == '_' ? llvm::toUpper(name[++i]) : name[i];
  return result;
}

Option::Option(const Record &record)
    : id(record.getValueAsString("Id")),
      spelling(record.getValueAsString("Spelling")),
      help(record.getValueAsString("Help")),
      placeholder(record.getValueAsString("Placeholder")),
      description(record.getValueAsOptionalString("Description").value_or("")),
      defaultValue(record.getValueAsString("Default")),
      valuesText(record.getValueAsString("ValuesText")),
      defaultText(record.getValueAsString("DefaultText")),
      type(getType(record)), isRepeated(record.getValueAsBit("IsRepeated")),
      isValueOptional(record.getValueAsBit("IsValueOptional")),
      isHidden(record.getValueAsBit("IsHidden")) {
  for (const Record *value : record.getValueAsListOfDefs("Values"))
    values.push_back(
        {value->getValueAsString("Name"), value->getValueAsString("Help")});
  for (const Record *tool : record.getValueAsListOfDefs("Tools"))
    tools.push_back(tool->getName());
  isCompileOption = record.isSubClassOf("CompileOption");
  if (!isCompileOption)
    return;
  if (type == OptionType::Choice)
    llvm::PrintFatalError(&record, "expected a compile option of another type "
                                   "than Choice");
  StringRef givenC = record.getValueAsString("CName");
  cName = givenC.empty() ? toCamelCase(id) : givenC.str();
  StringRef givenPython = record.getValueAsString("PythonName");
  pythonName = givenPython.empty() ? id.str() : givenPython.str();
  writeDefault = record.getValueAsString("PythonWriteDefault");
  since = record.getValueAsString("Since");
  isPythonInverse = record.getValueAsBit("IsPythonInverse");
  isOfMachine = record.getValueAsBit("IsOfMachine");
  isPythonOptional = record.getValueAsBit("IsPythonOptional");
  affectsCode = record.getValueAsBit("AffectsCode");
  isOfWrite = record.getValueAsBit("IsOfWrite");
  isOfOnnx = record.getValueAsBit("IsOfOnnx");
  isStructured = record.getValueAsBit("IsStructured");
}

bool Option::isOf(StringRef tool) const {
  return llvm::is_contained(tools, tool);
}

std::string Option::listValues(StringRef mark) const {
  std::string text;
  for (const OptionValue &value : values)
    text += (text.empty() ? "\"" : ", \"") + value.name.str() + "\"" +
            (value.name == defaultValue ? mark.str() : "");
  return text;
}

std::string Option::getPlaceholder() const {
  if (!placeholder.empty())
    return placeholder.str();
  return llvm::join(
      llvm::map_range(values,
                      [](const OptionValue &value) { return value.name; }),
      "|");
}

std::vector<const Record *>
hamkaas::tblgen::getInOrder(const RecordKeeper &records, StringRef className) {
  std::vector<const Record *> found(
      records.getAllDerivedDefinitions(className));
  llvm::sort(found, llvm::LessRecordByID());
  return found;
}

std::vector<Option> hamkaas::tblgen::getOptions(const RecordKeeper &records) {
  std::vector<Option> options;
  for (const Record *record : getInOrder(records, "CommandLineOption"))
    options.emplace_back(*record);
  return options;
}

std::vector<Option> hamkaas::tblgen::getSettings(const RecordKeeper &records) {
  std::vector<Option> options = getOptions(records);
  llvm::erase_if(options, [](const Option &option) {
    return !option.isCompileOption || option.isStructured;
  });
  return options;
}

//===----------------------------------------------------------------------===//
// Descriptions
//===----------------------------------------------------------------------===//

/// An option, with its value if there is one, as the front writes it.
static std::string nameOption(const RecordKeeper &records, StringRef id,
                              StringRef value, Front front) {
  const Record *record = records.getDef(id);
  if (!record || !record->isSubClassOf("CommandLineOption"))
    llvm::PrintFatalError("expected an option in a description, got '" + id +
                          "'");
  Option option(*record);
  bool isGiven = !value.empty();
  if (front == Front::C && option.isCompileOption)
    return option.cName + (isGiven ? " = \"" + value.str() + "\"" : "");
  if (front == Front::Python && option.isCompileOption)
    return "``" + option.pythonName +
           (isGiven ? "=\"" + value.str() + "\"" : "") + "``";
  return ("`--" + option.spelling + (isGiven ? "=" : "") + value + "`").str();
}

std::string hamkaas::tblgen::describe(const RecordKeeper &records,
                                      StringRef text, Front front) {
  static const llvm::Regex reference("\\{([a-z_]+)=?([^}]*)\\}");
  // " ([how](CMake.md))", and "[how](CMake.md)" in a sentence.
  static const llvm::Regex aside(" \\(\\[[^]]+\\]\\([^)]+\\)\\)");
  static const llvm::Regex link("\\[([^]]+)\\]\\([^)]+\\)");
  std::string result = text.str();
  llvm::SmallVector<StringRef> groups;
  auto replace = [&](const std::string &by) {
    size_t begin = groups[0].data() - result.data();
    result.replace(begin, groups[0].size(), by);
  };
  while (reference.match(result, &groups))
    replace(nameOption(records, groups[1], groups[2], front));
  while (front != Front::CommandLine && aside.match(result, &groups))
    replace("");
  while (front != Front::CommandLine && link.match(result, &groups))
    replace(groups[1].str());
  // Literals are in quotes there.
  if (front == Front::C)
    std::replace(result.begin(), result.end(), '`', '"');
  return result;
}

std::string hamkaas::tblgen::capitalize(StringRef text) {
  std::string result = text.str();
  if (!result.empty())
    result[0] = llvm::toUpper(result[0]);
  return result;
}
