//===- Interfaces.cpp - The option table in C and C++ -----------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comments.h"
#include "Emitters.h"
#include "OptionRecords.h"
#include "llvm/ADT/StringExtras.h"

using namespace hamkaas::tblgen;
using llvm::raw_ostream;
using llvm::Record;
using llvm::RecordKeeper;
using llvm::StringRef;

//===----------------------------------------------------------------------===//
// Comments
//===----------------------------------------------------------------------===//

/// The meaning of a member that is zero, unless the text says it.
static std::string describeZero(const Option &option) {
  if (option.type == OptionType::Switch || option.type == OptionType::Number)
    return "";
  if (option.isText()) {
    std::string values = option.listValues(" (the default when null)");
    if (option.defaultValue.empty())
      return (values.empty() ? "Null" : values + "; null") + " for none.";
    return values.empty() ? ("\"" + option.defaultValue + "\" when null.").str()
                          : values + ".";
  }
  StringRef none =
      option.defaultText.empty() ? option.defaultValue : option.defaultText;
  return ("0 for " + none + ".").str();
}

static void emitDescription(const RecordKeeper &records, const Option &option,
                            raw_ostream &os) {
  std::string text = describe(records, option.description, Front::C);
  text =
      option.type == OptionType::Switch ? "Not 0: " + text : capitalize(text);
  std::string zero = describeZero(option);
  emitComment(text + "." + (zero.empty() ? "" : " " + zero), os, "  ");
}

//===----------------------------------------------------------------------===//
// C
//===----------------------------------------------------------------------===//

static StringRef getCType(OptionType type) {
  switch (type) {
  case OptionType::Text:
  case OptionType::Path:
    return "const char *";
  case OptionType::Bytes:
    return "uint64_t ";
  case OptionType::Real:
    return "double ";
  default:
    return "int32_t ";
  }
}

static void emitCField(const Record &record, raw_ostream &os) {
  if (StringRef text = record.getValueAsString("Text"); !text.empty())
    emitComment(text, os, "  ");
  os << "  " << record.getValueAsString("Declaration") << ';';
  if (StringRef comment = record.getValueAsString("Comment"); !comment.empty())
    os << " /* " << comment << " */";
  os << '\n';
}

void hamkaas::tblgen::emitCCompileOptions(const RecordKeeper &records,
                                          raw_ostream &os) {
  StringRef since = "1.0";
  for (const Record *record : getInOrder(records, "CompileField")) {
    if (record->getValueAsString("Since") != since) {
      since = record->getValueAsString("Since");
      os << "\n  /* Since version " << since << ". */\n\n";
    }
    if (record->isSubClassOf("CField")) {
      emitCField(*record, os);
    } else if (Option option(*record); !option.isStructured) {
      emitDescription(records, option, os);
      os << "  " << getCType(option.type) << option.cName << ";\n";
    }
  }
}

void hamkaas::tblgen::emitCWriteOptions(const RecordKeeper &records,
                                        raw_ostream &os) {
  for (const Option &option : getSettings(records))
    if (option.isOfWrite)
      os << "  " << getCType(option.type) << option.cName << ";\n";
}

//===----------------------------------------------------------------------===//
// C++
//===----------------------------------------------------------------------===//

/// As in C, zero and the empty text stand for the default.
static std::string getCxxField(const Option &option) {
  switch (option.type) {
  case OptionType::Switch:
    return "bool " + option.cName + " = false";
  case OptionType::Bytes:
    return "uint64_t " + option.cName + " = 0";
  case OptionType::Number:
    return "int " + option.cName + " = 0";
  case OptionType::Real:
    return "double " + option.cName + " = 0";
  default:
    return "std::string " + option.cName + " = {}";
  }
}

void hamkaas::tblgen::emitCxxCompileOptions(const RecordKeeper &records,
                                            raw_ostream &os) {
  std::vector<const Record *> fields = getInOrder(records, "CompileOption");
  for (const Record *record : getInOrder(records, "CxxField"))
    fields.push_back(record);
  llvm::sort(fields, llvm::LessRecordByID());
  for (const Record *record : fields) {
    if (record->isSubClassOf("CxxField"))
      os << "  " << record->getValueAsString("CxxDeclaration") << ";\n";
    else if (Option option(*record); !option.isStructured)
      os << "  " << getCxxField(option) << ";\n";
  }
}

void hamkaas::tblgen::emitCxxWriteOptions(const RecordKeeper &records,
                                          raw_ostream &os) {
  for (const Option &option : getSettings(records))
    if (option.isOfWrite)
      os << "  " << getCxxField(option) << ";\n";
}

static void emitCxxAssignment(const Option &option, raw_ostream &os) {
  std::string given = "given." + option.cName;
  if (option.isText())
    given = "detail::orNull(" + given + ")";
  os << "    options." << option.cName << " = " << given << ";\n";
}

void hamkaas::tblgen::emitCxxCompileRequest(const RecordKeeper &records,
                                            raw_ostream &os) {
  for (const Option &option : getSettings(records))
    emitCxxAssignment(option, os);
}

void hamkaas::tblgen::emitCxxWriteRequest(const RecordKeeper &records,
                                          raw_ostream &os) {
  for (const Option &option : getSettings(records))
    if (option.isOfWrite)
      emitCxxAssignment(option, os);
}
