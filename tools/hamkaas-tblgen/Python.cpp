//===- Python.cpp - The option table in Python ------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emitters.h"
#include "OptionRecords.h"
#include "llvm/ADT/StringExtras.h"

using namespace hamkaas::tblgen;
using llvm::raw_ostream;
using llvm::RecordKeeper;
using llvm::StringRef;

static std::string getPythonType(const Option &option) {
  switch (option.type) {
  case OptionType::Switch:
    return "bool";
  case OptionType::Bytes:
    return "Union[int, str]";
  case OptionType::Number:
    return "int";
  case OptionType::Real:
    return "float";
  case OptionType::Path:
    return "Optional[PathLike]";
  default:
    return option.defaultValue.empty() || option.isPythonOptional
               ? "Optional[str]"
               : "str";
  }
}

static std::string getPythonDefault(const Option &option) {
  if (StringRef(getPythonType(option)).starts_with("Optional"))
    return "None";
  if (option.isText())
    return ("\"" + option.defaultValue + "\"").str();
  if (option.type == OptionType::Switch)
    return option.isPythonInverse ? "True" : "False";
  return option.defaultValue.empty() ? "0" : option.defaultValue.str();
}

/// Prints `text` as string literals of up to 80 columns.
static void emitLiterals(StringRef text, raw_ostream &os) {
  constexpr size_t width = 80;
  const std::string indent(8, ' ');
  std::string line;
  auto endLine = [&](StringRef end) {
    os << indent << '"';
    os.write_escaped(line) << '"' << end;
    line.clear();
  };
  for (StringRef word : llvm::split(text, ' ')) {
    // A quotation mark is two characters in a literal.
    size_t size = line.size() + word.size() + StringRef(line).count('"') +
                  word.count('"');
    if (!line.empty() && indent.size() + size + 4 > width)
      endLine("\n");
    line += word.str() + " ";
  }
  line.pop_back();
  endLine(",\n");
}

/// Of a field: with the range of numbers.
static std::string getFieldType(const Option &option) {
  if (option.type == OptionType::Bytes || option.type == OptionType::Number)
    return getTypeName(option.type).str();
  return getPythonType(option);
}

/// The value of a field as C takes it. Zero stands for the default there, so
/// zero itself is the next number.
static std::string getNativeValue(const Option &option) {
  std::string value = "self." + option.pythonName;
  if (option.isPythonInverse)
    return "not " + value;
  if (option.type == OptionType::Path)
    return "encode_path(" + value + ")";
  if (option.type == OptionType::Real)
    return value + " or 5e-324";
  if (option.type == OptionType::Bytes)
    return "count_bytes(\"" + option.pythonName + "\", " + value + ")";
  return value;
}

void hamkaas::tblgen::emitPythonNative(const RecordKeeper &records,
                                       raw_ostream &os) {
  for (const Option &option : getSettings(records))
    os << "            \"" << option.cName << "\": " << getNativeValue(option)
       << ",\n";
}

/// Options of the model are used where none are given.
void hamkaas::tblgen::emitPythonWriteParameters(const RecordKeeper &records,
                                                raw_ostream &os) {
  for (const Option &option : getSettings(records))
    if (option.isOfWrite && option.writeDefault.empty())
      os << "        " << option.pythonName << ": Optional[str] = None,\n";
    else if (option.isOfWrite)
      os << "        " << option.pythonName << ": str = \""
         << option.writeDefault << "\",\n";
}

void hamkaas::tblgen::emitPythonWriteNative(const RecordKeeper &records,
                                            raw_ostream &os) {
  for (const Option &option : getSettings(records))
    if (option.isOfWrite)
      os << "            \"" << option.cName << "\": " << option.pythonName
         << ",\n";
}

void hamkaas::tblgen::emitPythonFields(const RecordKeeper &records,
                                       raw_ostream &os) {
  for (const Option &option : getSettings(records)) {
    os << "    " << option.pythonName << ": " << getFieldType(option) << " = "
       << getPythonDefault(option) << '\n';
  }
}

/// The effect of an option, its values and the meaning of zero.
static std::string describeForPython(const RecordKeeper &records,
                                     const Option &option) {
  std::string text = describe(records, option.description, Front::Python);
  if (option.isPythonInverse)
    text = "false: " + text;
  text = capitalize(text) + ".";
  std::string values = option.listValues();
  if (!values.empty())
    text += " Values: " + values + ".";
  if (option.type == OptionType::Bytes)
    text += " A number, or a text such as \"4KB\" or \"1GB\"; 0 is " +
            option.defaultText.str() + ".";
  return text;
}

void hamkaas::tblgen::emitPythonTexts(const RecordKeeper &records,
                                      raw_ostream &os) {
  for (const Option &option : getSettings(records)) {
    os << "    \"" << option.pythonName << "\":\n";
    emitLiterals(describeForPython(records, option), os);
  }
}

/// One a line: edits of the table change few lines.
static void emitParameters(const RecordKeeper &records, bool ofGraph,
                           raw_ostream &os) {
  for (const Option &option : getSettings(records))
    if (!ofGraph || !option.isOfOnnx)
      os << "        " << option.pythonName << ": " << getPythonType(option)
         << " = " << getPythonDefault(option) << ",\n";
}

static void emitArguments(const RecordKeeper &records, bool ofGraph,
                          raw_ostream &os) {
  for (const Option &option : getSettings(records))
    if (!ofGraph || !option.isOfOnnx)
      os << "        " << option.pythonName << '=' << option.pythonName
         << ",\n";
}

void hamkaas::tblgen::emitPythonParameters(const RecordKeeper &records,
                                           raw_ostream &os) {
  emitParameters(records, /*ofGraph=*/false, os);
}
void hamkaas::tblgen::emitPythonGraphParameters(const RecordKeeper &records,
                                                raw_ostream &os) {
  emitParameters(records, /*ofGraph=*/true, os);
}
void hamkaas::tblgen::emitPythonArguments(const RecordKeeper &records,
                                          raw_ostream &os) {
  emitArguments(records, /*ofGraph=*/false, os);
}
void hamkaas::tblgen::emitPythonGraphArguments(const RecordKeeper &records,
                                               raw_ostream &os) {
  emitArguments(records, /*ofGraph=*/true, os);
}
