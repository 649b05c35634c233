//===- OperationRecords.cpp - Operations as users have them -----*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OperationRecords.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/TableGen/Record.h"

using namespace hamkaas::tblgen;
using llvm::Record;
using llvm::RecordKeeper;
using llvm::StringRef;

static StringRef getKind(const mlir::tblgen::Attribute &attribute) {
  return llvm::StringSwitch<StringRef>(attribute.getAttrDefName())
      .Case("I64Attr", "Integer")
      .Case("F32Attr", "Float32")
      .Case("F64Attr", "Float64")
      .Case("TypedAttrInterface", "Element")
      .Case("DenseI64ArrayAttr", "Integers")
      .Case("UnitAttr", "Flag")
      .Case("StrAttr", "Text")
      .Case("HamKaas_ElementTypeAttr", "ElementType")
      .Default("");
}

AttributeRecord::AttributeRecord(const mlir::tblgen::NamedAttribute &attribute)
    : name(attribute.name), isOptional(attribute.attr.isOptional() ||
                                       attribute.attr.hasDefaultValue()),
      hasDefault(attribute.attr.hasDefaultValue()) {
  mlir::tblgen::Attribute base = attribute.attr.getBaseAttr();
  const Record &record = base.getDef();
  if (record.isSubClassOf("EnumAttr")) {
    words = record.getValueAsDef("enum");
    isOfDialect = true;
  } else if (record.isSubClassOf("EnumInfo")) {
    words = &record;
  }
  kind = words ? "Word" : getKind(base);
  if (!hasDefault)
    return;
  defaultCode = defaultText = attribute.attr.getDefaultValue();
  if (defaultCode == "-std::numeric_limits<float>::infinity()")
    defaultText = "-inf";
  // An enumerator: users write the word.
  if (words)
    for (const mlir::tblgen::EnumCase &word :
         mlir::tblgen::EnumInfo(*words).getAllCases())
      if (defaultCode.ends_with(("::" + word.getSymbol()).str()))
        defaultText = word.getStr();
}

std::string AttributeRecord::wordType() const {
  mlir::tblgen::EnumInfo info(*words);
  return (info.getCppNamespace() + "::" + info.getEnumClassName()).str();
}

bool hamkaas::tblgen::isComposition(const Record &record) {
  return record.isSubClassOf("HamKaas_Composition");
}

std::vector<const Record *>
hamkaas::tblgen::getOperationRecords(const RecordKeeper &records) {
  llvm::StringSet<> composed;
  for (const Record *record :
       records.getAllDerivedDefinitions("HamKaas_Composition"))
    composed.insert(record->getValueAsString("opName"));
  std::vector<const Record *> operations;
  for (const Record *record : records.getAllDerivedDefinitions("HamKaas_Op"))
    if (isComposition(*record) ||
        !composed.contains(record->getValueAsString("opName")))
      operations.push_back(record);
  llvm::sort(operations, [](const Record *a, const Record *b) {
    return a->getValueAsString("opName") < b->getValueAsString("opName");
  });
  return operations;
}

std::string hamkaas::tblgen::getStructName(const Record &record) {
  return llvm::convertToCamelFromSnakeCase(record.getValueAsString("opName"),
                                           /*capitalizeFirst=*/true);
}
