//===- OptionMacros.cpp - The option table for the compiler -----*- C++ -*-===//
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

/// A string literal.
static std::string quote(StringRef text) {
  std::string result;
  llvm::raw_string_ostream os(result);
  os << '"';
  os.write_escaped(text) << '"';
  return result;
}

static std::string getDefaultLiteral(const Option &option) {
  if (option.isText())
    return quote(option.defaultValue);
  if (option.type == OptionType::Switch)
    return "false";
  return option.defaultValue.empty() ? "0" : option.defaultValue.str();
}

/// Prints `lines` as the uses of a macro that is there if its user defined it.
static void emitUses(StringRef macro, llvm::ArrayRef<std::string> lines,
                     raw_ostream &os) {
  os << "#ifdef " << macro << '\n';
  for (const std::string &line : lines)
    os << macro << '(' << line << ")\n";
  os << "#undef " << macro << "\n#endif\n\n";
}

void hamkaas::tblgen::emitCompileOptions(const RecordKeeper &records,
                                         raw_ostream &os) {
  std::vector<std::string> all, settings, write;
  for (const Option &option : getOptions(records)) {
    if (!option.isCompileOption)
      continue;
    all.push_back(llvm::join(
        llvm::ArrayRef<std::string>{option.id.str(), quote(option.spelling),
                                    quote(option.cName),
                                    quote(option.pythonName)},
        ", "));
    if (option.isStructured)
      continue;
    std::string typed =
        (option.id + ", " + getTypeName(option.type) + ", " + option.cName)
            .str();
    settings.push_back(typed + ", " + getDefaultLiteral(option) +
                       (option.affectsCode ? ", true" : ", false") +
                       (option.isOfMachine ? ", true" : ", false"));
    if (option.isOfWrite)
      write.push_back(typed);
  }
  os << "// COMPILE_OPTION(id, spelling, C name, Python name)\n";
  emitUses("COMPILE_OPTION", all, os);
  os << "// COMPILE_SETTING(id, type, field, default, does code depend on "
        "it)\n";
  emitUses("COMPILE_SETTING", settings, os);
  os << "// WRITE_SETTING(id, type, field)\n";
  emitUses("WRITE_SETTING", write, os);
}

void hamkaas::tblgen::emitToolOptions(const RecordKeeper &records,
                                      raw_ostream &os) {
  std::vector<std::string> lines;
  for (const Option &option : getOptions(records)) {
    std::string alias =
        option.isValueOptional ? "INVALID" : option.id.str() + "_alias";
    std::string line = option.id.str() + ", " + alias + ", " +
                       getTypeName(option.type).str() + ", " +
                       quote(option.getPlaceholder()) + ", " +
                       quote(option.defaultValue) +
                       (option.isValueOptional ? ", true" : ", false") +
                       (option.isRepeated ? ", true" : ", false") +
                       (option.isHidden ? ", true" : ", false");
    for (const OptionValue &value : option.values)
      line += ", {" + quote(value.name) + ", " + quote(value.help) + "}";
    lines.push_back(line);
  }
  os << "// TOOL_OPTION(id, alias, type, placeholder, default, is the value "
        "optional, "
        "is it repeated, is it hidden, values...)\n";
  emitUses("TOOL_OPTION", lines, os);
}
