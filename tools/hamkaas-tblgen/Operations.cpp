//===- Operations.cpp - The table of operations -----------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emitters.h"
#include "OperationRecords.h"
#include "mlir/TableGen/Format.h"
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
  bool infersType() const {
    return isComposition(record) ||
           op.getTrait("::mlir::InferTypeOpInterface::Trait");
  }
  bool isOpen() const { return closed.empty(); }
  void emitValues(StringRef part,
                  llvm::iterator_range<Operator::const_value_iterator> values);
  void emitValue(const mlir::tblgen::NamedTypeConstraint &value);
  void emitAttributes();
  void emitAttribute(const AttributeRecord &attribute);
  void emitWords(const AttributeRecord &attribute);
  void emitResultAttributes();
  void emitComposition();
  void emitField(const AttributeRecord &attribute);
  std::string part(StringRef what) const { return (name + "_" + what).str(); }

  const Record &record;
  Operator op;
  StringRef name, closed;
  raw_ostream &os;
};

} // namespace

/// A raw string literal.
static std::string quoteRaw(StringRef text) {
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
  os << "  {\"" << value.name << "\", "
     << quoteRaw(value.constraint.getSummary()) << ", ValueCount::" << count
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

/// The words, and what makes an attribute of one.
void OperationEmitter::emitWords(const AttributeRecord &attribute) {
  std::string type = attribute.wordType();
  os << "static constexpr llvm::StringLiteral " << part(attribute.name)
     << "_words[] = {";
  for (const mlir::tblgen::EnumCase &word :
       mlir::tblgen::EnumInfo(*attribute.words).getAllCases())
    os << '"' << word.getStr() << "\", ";
  os << "};\n"
     << "static mlir::Attribute " << part(attribute.name)
     << "_make(llvm::StringRef word, mlir::MLIRContext *context) {\n"
     << "  std::optional<" << type
     << "> value = hamkaas::" << (attribute.isOfDialect ? "" : "graph::")
     << "symbolizeEnum<" << type << ">(word);\n  return value ? ";
  if (attribute.isOfDialect)
    os << type << "Attr::get(context, *value)";
  else
    os << "mlir::Builder(context).getI64IntegerAttr(int64_t(*value))";
  os << " : mlir::Attribute();\n}\n";
}

void OperationEmitter::emitAttribute(const AttributeRecord &attribute) {
  os << "  {\"" << attribute.name << "\", AttributeKind::" << attribute.kind
     << ", " << (attribute.isOptional ? "true" : "false") << ", "
     << quoteRaw(attribute.defaultText);
  if (attribute.words)
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
  std::vector<AttributeRecord> attributes;
  for (const mlir::tblgen::NamedAttribute &named : op.getAttributes()) {
    const AttributeRecord &attribute = attributes.emplace_back(named);
    if (attribute.kind.empty())
      llvm::PrintFatalError(record.getLoc(),
                            "expected attributes that front ends can give, or "
                            "a reason in 'closed', got '" +
                                attribute.name + "'");
    if (attribute.words)
      emitWords(attribute);
  }
  if (infersType() && attributes.empty())
    return;
  os << "static constexpr AttributeInfo " << part("attributes") << "[] = {\n";
  for (const AttributeRecord &attribute : attributes)
    emitAttribute(attribute);
  if (!infersType())
    emitResultAttributes();
  os << "};\n";
}

//===----------------------------------------------------------------------===//
// Compositions
//===----------------------------------------------------------------------===//

/// Sets the field of an attribute that is given.
void OperationEmitter::emitField(const AttributeRecord &attribute) {
  os << "  ";
  if (attribute.words && attribute.isOfDialect)
    os << "if (auto word = attributes.getAs<" << attribute.wordType()
       << "Attr>(\"" << attribute.name << "\"))\n    given." << attribute.name
       << " = word.getValue();\n";
  else
    os << "take(attributes, \"" << attribute.name << "\", given."
       << attribute.name << ");\n";
}

/// The function that builds it from lists of operands and attributes.
void OperationEmitter::emitComposition() {
  os << "static Tensors " << part("compose")
     << "(GraphBuilder &b, llvm::ArrayRef<Tensor> operands,\n"
     << "    mlir::DictionaryAttr attributes) {\n"
     << "  compositions::" << getStructName(record) << " given;\n";
  for (const auto &[i, operand] : llvm::enumerate(op.getOperands())) {
    os << "  given." << operand.name << " = operands";
    if (!operand.isVariadic())
      os << "[" << i << "]";
    os << ";\n";
  }
  for (const mlir::tblgen::NamedAttribute &attribute : op.getAttributes())
    emitField(AttributeRecord(attribute));
  os << "  return listResults(compose(b, given));\n}\n";
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

void OperationEmitter::emitParts() {
  // Nobody asks for the parts of an operation that nobody can create.
  if (!isOpen())
    return;
  bool hasResults = isComposition(record) || op.getNumResults() == 1;
  if (op.getNumRegions() > 0 || !hasResults)
    llvm::PrintFatalError(record.getLoc(),
                          "expected an operation without regions that has one "
                          "result, or a reason in 'closed'");
  emitValues("operands", op.getOperands());
  emitValues("results", op.getResults());
  emitAttributes();
  if (isComposition(record))
    emitComposition();
}

void OperationEmitter::emitEntry() {
  auto list = [&](StringRef what, bool isEmpty) {
    return !isOpen() || isEmpty ? std::string("{}") : part(what);
  };
  os << "  {\"" << name << "\",\n   " << quoteRaw(op.getSummary()) << ",\n   "
     << quoteRaw(op.getDescription()) << ",\n   " << quoteRaw(closed) << ", "
     << (infersType() ? "true" : "false") << ",\n   "
     << list("operands", op.getNumOperands() == 0) << ", "
     << list("attributes", infersType() && op.getNumAttributes() == 0) << ", "
     << list("results", op.getNumResults() == 0);
  if (isComposition(record))
    os << ",\n   " << part("compose") << ", "
       << quoteRaw(record.getValueAsString("example"));
  os << "},\n";
}

void hamkaas::tblgen::emitOperationTable(const RecordKeeper &records,
                                         raw_ostream &os) {
  std::vector<const Record *> operations = getOperationRecords(records);
  for (const Record *record : operations)
    OperationEmitter(*record, os).emitParts();
  os << "static constexpr OperationInfo operations[] = {\n";
  for (const Record *record : operations)
    OperationEmitter(*record, os).emitEntry();
  os << "};\n";
}
