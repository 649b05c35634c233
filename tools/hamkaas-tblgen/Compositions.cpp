//===- Compositions.cpp - Declarations and documents ------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emitters.h"
#include "OperationRecords.h"
#include "mlir/Support/IndentedOstream.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/TableGen/Error.h"

using namespace hamkaas::tblgen;
using llvm::raw_ostream;
using llvm::Record;
using llvm::RecordKeeper;
using llvm::StringRef;
using mlir::tblgen::NamedAttribute;
using mlir::tblgen::NamedTypeConstraint;
using mlir::tblgen::Operator;

static std::vector<const Record *>
getCompositions(const RecordKeeper &records) {
  std::vector<const Record *> compositions = getOperationRecords(records);
  llvm::erase_if(compositions,
                 [](const Record *record) { return !isComposition(*record); });
  return compositions;
}

//===----------------------------------------------------------------------===//
// Declarations
//===----------------------------------------------------------------------===//

static std::string getFieldType(const AttributeRecord &attribute) {
  if (attribute.words)
    return attribute.wordType();
  return llvm::StringSwitch<std::string>(attribute.kind)
      .Case("Integer", "int64_t")
      .Cases({"Float32", "Float64"}, "double")
      .Case("Element", "mlir::TypedAttr")
      .Case("Integers", "llvm::ArrayRef<int64_t>")
      .Case("Flag", "bool")
      .Case("Text", "llvm::StringRef")
      .Case("ElementType", "mlir::Type")
      .Default("void");
}

static void emitField(const AttributeRecord &attribute, raw_ostream &os) {
  std::string type = getFieldType(attribute);
  // These have a value for what is left out.
  bool hasNull =
      llvm::is_contained({"Element", "Flag", "ElementType"}, attribute.kind);
  bool mayBeEmpty = attribute.isOptional && !attribute.hasDefault && !hasNull;
  os << "  " << (mayBeEmpty ? "std::optional<" + type + ">" : type) << " "
     << attribute.name;
  if (attribute.hasDefault)
    os << " = " << attribute.defaultCode;
  else
    os << " = {}";
  os << ";\n";
}

static void emitComposition(const Record &record, raw_ostream &os) {
  Operator op(record);
  std::string name = getStructName(record);
  os << "struct " << name << " {\n";
  for (const NamedTypeConstraint &operand : op.getOperands())
    os << "  " << (operand.isVariadic() ? "llvm::ArrayRef<Tensor>" : "Tensor")
       << " " << operand.name << ";\n";
  for (const NamedAttribute &attribute : op.getAttributes())
    emitField(AttributeRecord(attribute), os);
  bool isSingle = op.getNumResults() == 1 && !op.getResult(0).isVariadic();
  os << "};\n"
     << (isSingle ? "Tensor" : "Tensors") << " compose(GraphBuilder &b, const "
     << name << " &given);\n\n";
}

void hamkaas::tblgen::emitCompositions(const RecordKeeper &records,
                                       raw_ostream &os) {
  for (const Record *record : getCompositions(records))
    emitComposition(*record, os);
}

//===----------------------------------------------------------------------===//
// Documents
//===----------------------------------------------------------------------===//

static void emitText(StringRef text, raw_ostream &os) {
  mlir::raw_indented_ostream(os).printReindented(text);
}

/// "axes, keepdims=0".
static std::string listAttributes(const Operator &op) {
  std::string text;
  for (const NamedAttribute &named : op.getAttributes()) {
    AttributeRecord attribute(named);
    text += ", " + attribute.name.str();
    if (attribute.hasDefault)
      text += "=" + attribute.defaultText.str();
    else if (attribute.isOptional)
      text += "?";
  }
  return text;
}

/// "softmax(x, axes?)".
static void emitSignature(const Operator &op, StringRef name, raw_ostream &os) {
  std::string text;
  for (const NamedTypeConstraint &operand : op.getOperands())
    text += ", " + operand.name.str() +
            (operand.isOptional()   ? "?"
             : operand.isVariadic() ? "..."
                                    : "");
  text += listAttributes(op);
  os << "`" << name << "(" << StringRef(text).ltrim(", ") << ")`";
}

static void
emitValues(StringRef head,
           llvm::iterator_range<Operator::const_value_iterator> values,
           raw_ostream &os) {
  os << "| " << head << " | |\n|---|---|\n";
  for (const NamedTypeConstraint &value : values)
    os << "| `" << value.name << "` | "
       << (value.isOptional()   ? "optional: "
           : value.isVariadic() ? "any number of: "
                                : "")
       << "tensor of "
       << value.constraint.getSummary().split("that are ").second << " |\n";
  os << "\n";
}

static void emitDocument(const Record &record, raw_ostream &os) {
  Operator op(record);
  StringRef name = record.getValueAsString("opName");
  os << "### `" << name << "`\n\n_" << llvm::toUpper(op.getSummary().front())
     << op.getSummary().drop_front() << "_\n\n";
  emitSignature(op, name, os);
  os << "\n\n";
  emitText(op.getDescription(), os);
  os << "\nExample:\n\n```text\n";
  emitText(record.getValueAsString("example"), os);
  os << "```\n\n";
  if (op.getNumOperands() > 0)
    emitValues("operand", op.getOperands(), os);
  emitValues("result", op.getResults(), os);
}

void hamkaas::tblgen::emitCompositionsDocument(const RecordKeeper &records,
                                               raw_ostream &os) {
  os << "<!-- Autogenerated by hamkaas-tblgen; don't manually edit -->\n\n";
  for (const Record *record : getCompositions(records))
    emitDocument(*record, os);
}
