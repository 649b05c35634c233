//===- Operations.cpp - The table of operations -----------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emitters.h"
#include "mlir/TableGen/EnumInfo.h"
#include "mlir/TableGen/Format.h"
#include "mlir/TableGen/Operator.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/TableGen/Error.h"

using namespace hamkaas::tblgen;
using llvm::raw_ostream;
using llvm::Record;
using llvm::RecordKeeper;
using llvm::StringRef;
using mlir::tblgen::Operator;

// Emits initializers of the structures of OperationTable.h.

namespace {

/// One operation: arrays for its parts, then the entry that refers to them.
class OperationEmitter {
public:
  OperationEmitter(const Record &record, raw_ostream &os)
      : record(record), op(record), name(record.getValueAsString("opName")),
        closed(record.getValueAsString("closed")), os(os) {}

  void emitParts();
  void emitEntry();

private:
  struct Kind {
    StringRef name = "";
    /// Of a word: its enumeration.
    const Record *words = nullptr;
  };

  bool infersType() const {
    return op.getTrait("::mlir::InferTypeOpInterface::Trait");
  }
  bool isOpen() const { return closed.empty(); }
  void emitValues(StringRef part,
                  llvm::iterator_range<Operator::const_value_iterator> values);
  void emitValue(const mlir::tblgen::NamedTypeConstraint &value);
  void emitAttributes();
  void emitAttribute(const mlir::tblgen::NamedAttribute &attribute);
  void emitWords(StringRef attribute, const Record &words);
  void emitResultAttributes();
  Kind getKind(const mlir::tblgen::NamedAttribute &attribute) const;
  std::string part(StringRef what) const { return (name + "_" + what).str(); }

  const Record &record;
  Operator op;
  StringRef name, closed;
  raw_ostream &os;
};

} // namespace

static std::string quote(StringRef text) {
  return ("R\"text(" + text + ")text\"").str();
}

//===----------------------------------------------------------------------===//
// Operands and results
//===----------------------------------------------------------------------===//

void OperationEmitter::emitValue(
    const mlir::tblgen::NamedTypeConstraint &value) {
  StringRef count = value.isOptional()   ? "Optional"
                    : value.isVariadic() ? "Variadic"
                                         : "One";
  mlir::tblgen::FmtContext context;
  context.withSelf("type");
  os << "  {\"" << value.name << "\", " << quote(value.constraint.getSummary())
     << ", ValueCount::" << count
     << ",\n   [](mlir::Type type) -> bool { return "
     << mlir::tblgen::tgfmt(value.constraint.getConditionTemplate(), &context)
     << "; }},\n";
}

void OperationEmitter::emitValues(
    StringRef what,
    llvm::iterator_range<Operator::const_value_iterator> values) {
  if (values.empty())
    return;
  os << "static constexpr ValueInfo " << part(what) << "[] = {\n";
  for (const mlir::tblgen::NamedTypeConstraint &value : values)
    emitValue(value);
  os << "};\n";
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

OperationEmitter::Kind
OperationEmitter::getKind(const mlir::tblgen::NamedAttribute &attribute) const {
  mlir::tblgen::Attribute base = attribute.attr.getBaseAttr();
  if (base.getDef().isSubClassOf("EnumAttr"))
    return {"Word", base.getDef().getValueAsDef("enum")};
  StringRef kind = llvm::StringSwitch<StringRef>(base.getAttrDefName())
                       .Case("I64Attr", "Integer")
                       .Case("F32Attr", "Float32")
                       .Case("F64Attr", "Float64")
                       .Case("TypedAttrInterface", "Element")
                       .Case("DenseI64ArrayAttr", "Integers")
                       .Case("UnitAttr", "Flag")
                       .Default("");
  return {kind};
}

/// The words, and what makes an attribute of one.
void OperationEmitter::emitWords(StringRef attribute, const Record &words) {
  mlir::tblgen::EnumInfo info(words);
  std::string type =
      (info.getCppNamespace() + "::" + info.getEnumClassName()).str();
  os << "static constexpr llvm::StringLiteral " << part(attribute)
     << "_words[] = {";
  for (const mlir::tblgen::EnumCase &word : info.getAllCases())
    os << '"' << word.getStr() << "\", ";
  os << "};\n"
     << "static mlir::Attribute " << part(attribute)
     << "_make(llvm::StringRef word, mlir::MLIRContext *context) {\n"
     << "  std::optional<" << type << "> value = hamkaas::symbolizeEnum<"
     << type << ">(word);\n"
     << "  return value ? " << type
     << "Attr::get(context, *value) : mlir::Attribute();\n}\n";
}

/// The default of ODS, an expression of C++, as users read it.
static StringRef describeDefault(const mlir::tblgen::Attribute &attribute) {
  if (!attribute.hasDefaultValue())
    return "";
  StringRef value = attribute.getDefaultValue();
  return value == "-std::numeric_limits<float>::infinity()" ? "-inf" : value;
}

void OperationEmitter::emitAttribute(
    const mlir::tblgen::NamedAttribute &attribute) {
  Kind kind = getKind(attribute);
  bool isOptional =
      attribute.attr.isOptional() || attribute.attr.hasDefaultValue();
  os << "  {\"" << attribute.name << "\", AttributeKind::" << kind.name << ", "
     << (isOptional ? "true" : "false") << ", "
     << quote(describeDefault(attribute.attr));
  if (kind.words)
    os << ", " << part(attribute.name) << "_words, " << part(attribute.name)
       << "_make";
  os << "},\n";
}

/// For the type of the result, where the operation does not infer it: what is
/// left out is that of the first operand.
void OperationEmitter::emitResultAttributes() {
  StringRef isOptional = op.getNumOperands() ? "true" : "false";
  os << "  {\"shape\", AttributeKind::ResultShape, " << isOptional
     << ", \"\"},\n"
     << "  {\"type\", AttributeKind::ResultType, " << isOptional
     << ", \"\"},\n";
}

void OperationEmitter::emitAttributes() {
  for (const mlir::tblgen::NamedAttribute &attribute : op.getAttributes()) {
    Kind kind = getKind(attribute);
    if (kind.name.empty())
      llvm::PrintFatalError(record.getLoc(),
                            "expected attributes that front ends can give, or "
                            "a reason in 'closed', got '" +
                                attribute.name + "'");
    if (kind.words)
      emitWords(attribute.name, *kind.words);
  }
  if (infersType() && op.getNumAttributes() == 0)
    return;
  os << "static constexpr AttributeInfo " << part("attributes") << "[] = {\n";
  for (const mlir::tblgen::NamedAttribute &attribute : op.getAttributes())
    emitAttribute(attribute);
  if (!infersType())
    emitResultAttributes();
  os << "};\n";
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

void OperationEmitter::emitParts() {
  // Nobody asks for the parts of an operation that nobody can create.
  if (!isOpen())
    return;
  if (op.getNumRegions() > 0 || op.getNumResults() != 1)
    llvm::PrintFatalError(record.getLoc(),
                          "expected an operation without regions that has one "
                          "result, or a reason in 'closed'");
  emitValues("operands", op.getOperands());
  emitValues("results", op.getResults());
  emitAttributes();
}

void OperationEmitter::emitEntry() {
  auto list = [&](StringRef what, bool isEmpty) {
    return !isOpen() || isEmpty ? std::string("{}") : part(what);
  };
  os << "  {\"" << name << "\",\n   " << quote(op.getSummary()) << ",\n   "
     << quote(op.getDescription()) << ",\n   " << quote(closed) << ", "
     << (infersType() ? "true" : "false") << ",\n   "
     << list("operands", op.getNumOperands() == 0) << ", "
     << list("attributes", infersType() && op.getNumAttributes() == 0) << ", "
     << list("results", op.getNumResults() == 0) << "},\n";
}

void hamkaas::tblgen::emitOperationTable(const RecordKeeper &records,
                                         raw_ostream &os) {
  std::vector<const Record *> operations =
      records.getAllDerivedDefinitions("HamKaas_Op");
  llvm::sort(operations, [](const Record *a, const Record *b) {
    return a->getValueAsString("opName") < b->getValueAsString("opName");
  });
  for (const Record *record : operations)
    OperationEmitter(*record, os).emitParts();
  os << "static constexpr OperationInfo operations[] = {\n";
  for (const Record *record : operations)
    OperationEmitter(*record, os).emitEntry();
  os << "};\n";
}
