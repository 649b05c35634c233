//===- CxxOperations.cpp - The operations as C++ functions ------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comments.h"
#include "Emitters.h"
#include "OperationRecords.h"
#include "OptionRecords.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace hamkaas::tblgen;
using llvm::raw_ostream;
using llvm::Record;
using llvm::RecordKeeper;
using llvm::SmallVector;
using llvm::StringRef;
using mlir::tblgen::NamedAttribute;
using mlir::tblgen::NamedTypeConstraint;
using mlir::tblgen::Operator;

namespace {

/// An attribute of a C++ function.
struct CxxAttribute {
  StringRef name, type;
  /// The function of detail::Attribute that makes it.
  StringRef maker;
  bool isOptional;
  std::string text;
};

/// An operation as a C++ function.
class CxxOperation {
public:
  explicit CxxOperation(const Record &record);
  CxxOperation(const CxxOperation &) = delete;

  void emit(raw_ostream &os) const;
  /// An entry of the table by which tests call all functions.
  void emitCall(raw_ostream &os) const;

private:
  void addAttribute(StringRef name, StringRef kind, bool isOptional,
                    const llvm::Twine &text);
  bool hasOptions() const {
    return !optionalOperands.empty() ||
           llvm::any_of(attributes, [](const CxxAttribute &attribute) {
             return attribute.isOptional;
           });
  }
  std::string optionsName() const {
    return llvm::convertToCamelFromSnakeCase(name, /*capitalizeFirst=*/true) +
           "Options";
  }
  std::string resultType() const;
  std::string resultCall() const;
  void emitOptions(raw_ostream &os) const;
  void emitSignature(raw_ostream &os) const;
  void emitBody(raw_ostream &os) const;

  Operator op;
  StringRef name;
  std::string function;
  std::vector<const NamedTypeConstraint *> operands, optionalOperands;
  std::vector<CxxAttribute> attributes;
};

} // namespace

/// A name that is no word of C++.
static std::string getIdentifier(StringRef name) {
  bool isWord = llvm::StringSwitch<bool>(name)
                    .Cases({"and", "or", "not", "xor", "bool", "float"}, true)
                    .Cases({"int", "default", "union", "std"}, true)
                    .Default(false);
  return (name + (isWord ? "_" : "")).str();
}

CxxOperation::CxxOperation(const Record &record)
    : op(record), name(record.getValueAsString("opName")),
      function(getIdentifier(name)) {
  for (const NamedTypeConstraint &operand : op.getOperands())
    (operand.isOptional() ? optionalOperands : operands).push_back(&operand);
  for (const NamedAttribute &named : op.getAttributes()) {
    AttributeRecord attribute(named);
    std::string text =
        attribute.hasDefault
            ? (", " + attribute.defaultText + " if left out").str()
            : std::string();
    if (attribute.words) {
      text += ": ";
      llvm::raw_string_ostream os(text);
      llvm::interleaveComma(
          mlir::tblgen::EnumInfo(*attribute.words).getAllCases(), os,
          [&](const mlir::tblgen::EnumCase &word) {
            os << '"' << word.getStr() << '"';
          });
    }
    addAttribute(attribute.name, attribute.kind, attribute.isOptional, text);
  }
  if (isComposition(record) ||
      op.getTrait("::mlir::InferTypeOpInterface::Trait"))
    return;
  bool isOptional = op.getNumOperands() > 0;
  StringRef text = isOptional ? ", that of the first operand if left out" : "";
  addAttribute("shape", "Integers", isOptional, text);
  addAttribute("type", "ElementType", isOptional, text);
}

void CxxOperation::addAttribute(StringRef name, StringRef kind, bool isOptional,
                                const llvm::Twine &text) {
  using Types = std::pair<StringRef, StringRef>;
  auto [type, maker] =
      llvm::StringSwitch<Types>(kind)
          .Case("Integer", {"int64_t ", "makeInteger"})
          .Case("Flag", {"bool ", "makeInteger"})
          .Cases({"Float32", "Float64"}, {"double ", "makeReal"})
          .Case("Element", {"Number ", "makeNumber"})
          .Case("Integers", {"const std::vector<int64_t> &", "makeIntegers"})
          .Cases({"Word", "Text"}, {"const std::string &", "makeWord"})
          .Default({"HamKaasElementType ", "makeType"});
  attributes.push_back({name, type, maker, isOptional, text.str()});
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

/// The description of ODS without the indentation that all lines share, and
/// without the example, which is MLIR.
static std::string getDescription(const Operator &op) {
  StringRef text = op.getDescription().split("Example:\n").first.rtrim();
  size_t indent = StringRef::npos;
  for (StringRef line : llvm::split(text, '\n'))
    if (!line.trim().empty())
      indent = std::min(indent, line.size() - line.ltrim().size());
  std::string result;
  for (StringRef line : llvm::split(text, '\n'))
    result += line.drop_front(std::min(indent, line.size())).str() + "\n";
  return StringRef(result).trim('\n').str();
}

std::string CxxOperation::resultType() const {
  for (const NamedTypeConstraint &result : op.getResults())
    if (result.isVariadic())
      return "std::vector<Value>";
  return op.getNumResults() == 1
             ? "Value"
             : "std::array<Value, " + std::to_string(op.getNumResults()) + ">";
}

std::string CxxOperation::resultCall() const {
  for (const NamedTypeConstraint &result : op.getResults())
    if (result.isVariadic())
      return "anyResults()";
  return op.getNumResults() == 1
             ? "result()"
             : "results<" + std::to_string(op.getNumResults()) + ">()";
}

void CxxOperation::emitOptions(raw_ostream &os) const {
  std::string type = optionsName();
  os << "/// The parts of `" << function << "` that may be left out.\n"
     << "class " << type << " : public detail::Options {\npublic:\n  " << type
     << "() : Options(" << optionalOperands.size() << ") {}\n\n";
  for (const auto &[i, operand] : llvm::enumerate(optionalOperands)) {
    emitComment(("An operand: " + operand->constraint.getSummary() + ".").str(),
                os, "  ");
    os << "  " << type << " &" << operand->name
       << "(const Value &value) {\n    set(" << i
       << ", value);\n    return *this;\n  }\n";
  }
  for (const CxxAttribute &attribute : attributes) {
    if (!attribute.isOptional)
      continue;
    emitComment("An attribute" + attribute.text + ".", os, "  ");
    os << "  " << type << " &" << getIdentifier(attribute.name) << "("
       << attribute.type
       << "value) {\n    set(detail::Attribute::" << attribute.maker << "(\""
       << attribute.name << "\", value));\n    return *this;\n  }\n";
  }
  os << "};\n\n";
}

void CxxOperation::emitSignature(raw_ostream &os) const {
  std::vector<std::string> parameters;
  if (operands.empty())
    parameters.push_back("GraphRef graph");
  for (const NamedTypeConstraint *operand : operands)
    parameters.push_back(
        (StringRef(operand->isVariadic() ? "const std::vector<Value> &"
                                         : "const Value &") +
         getIdentifier(operand->name))
            .str());
  for (const CxxAttribute &attribute : attributes)
    if (!attribute.isOptional)
      parameters.push_back(
          (attribute.type + getIdentifier(attribute.name)).str());
  if (hasOptions())
    parameters.push_back("const " + optionsName() + " &options = {}");
  parameters.push_back("Position at = Position::here()");
  std::string head = "inline " + resultType() + " " + function + "(";
  std::string line = head + llvm::join(parameters, ", ") + ") {";
  os << (line.size() <= 80
             ? line
             : head + "\n    " + llvm::join(parameters, ",\n    ") + ") {")
     << '\n';
}

void CxxOperation::emitBody(raw_ostream &os) const {
  os << "  detail::Call call(\"" << name << "\", at);\n";
  if (operands.empty())
    os << "  call.in(graph.data());\n";
  for (const NamedTypeConstraint *operand : operands)
    os << "  call.operand(" << getIdentifier(operand->name) << ");\n";
  for (const CxxAttribute &attribute : attributes)
    if (!attribute.isOptional)
      os << "  call.attribute(detail::Attribute::" << attribute.maker << "(\""
         << attribute.name << "\", " << getIdentifier(attribute.name)
         << "));\n";
  if (hasOptions())
    os << "  call.options(options);\n";
  os << "  return call." << resultCall() << ";\n";
}

void CxxOperation::emit(raw_ostream &os) const {
  if (hasOptions())
    emitOptions(os);
  emitComment(capitalize(op.getSummary()) + ".\n\n" + getDescription(op), os);
  for (const CxxAttribute &attribute : attributes)
    if (!attribute.isOptional && !attribute.text.empty())
      emitComment(("`" + attribute.name + "`" + attribute.text + ".").str(),
                  os);
  emitSignature(os);
  emitBody(os);
  os << "}\n\n";
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

void CxxOperation::emitCall(raw_ostream &os) const {
  std::string given;
  auto get = [](const CxxAttribute &attribute) {
    return "given." + attribute.maker.drop_front(4).lower() + "(\"" +
           attribute.name.str() + "\")";
  };
  os << "  {\"" << name << "\", [](const Given &given) {\n";
  std::vector<std::string> arguments;
  if (operands.empty())
    arguments.push_back("given.graph");
  for (const auto &[i, operand] : llvm::enumerate(operands))
    arguments.push_back(operand->isVariadic()
                            ? "given.operands"
                            : "given.operands[" + std::to_string(i) + "]");
  for (const CxxAttribute &attribute : attributes)
    if (!attribute.isOptional)
      arguments.push_back(get(attribute));
  if (hasOptions()) {
    os << "     " << optionsName() << " options;\n";
    arguments.push_back("options");
  }
  for (const auto &[i, operand] : llvm::enumerate(optionalOperands))
    os << "     if (given.operands.size() > " << operands.size() + i
       << ")\n       options." << getIdentifier(operand->name)
       << "(given.operands[" << operands.size() + i << "]);\n";
  for (const CxxAttribute &attribute : attributes)
    if (attribute.isOptional)
      os << "     if (given.has(\"" << attribute.name << "\"))\n       options."
         << getIdentifier(attribute.name) << "(" << get(attribute) << ");\n";
  os << "     return list(" << function << "(" << llvm::join(arguments, ", ")
     << "));\n   }},\n";
}

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

static void
forEachOperation(const RecordKeeper &records,
                 llvm::function_ref<void(const CxxOperation &)> visit) {
  for (const Record *record : getOperationRecords(records))
    if (record->getValueAsString("closed").empty())
      visit(CxxOperation(*record));
}

void hamkaas::tblgen::emitCxxOperations(const RecordKeeper &records,
                                        raw_ostream &os) {
  os << "//===- Operations.h - All operations as functions ---------------*- "
        "C++ "
        "-*-===//\n"
        "//\n"
        "// Part of HamKaas, under the Apache License v2.0 with LLVM "
        "Exceptions.\n"
        "// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception\n"
        "//\n"
        "//===-------------------------------------------------------------"
        "---------===//\n"
        "//\n"
        "// Generated by hamkaas-tblgen. Operands and attributes that are "
        "needed "
        "are\n"
        "// parameters, the others are set on an object:\n"
        "// sliced_softmax(x, SlicedSoftmaxOptions().prefix(p)). The last "
        "parameter is the\n"
        "// place of the call, for messages and reports.\n"
        "//\n"
        "//===-------------------------------------------------------------"
        "---------===//\n\n"
        "#ifndef HAMKAAS_CPP_OPERATIONS_H\n"
        "#define HAMKAAS_CPP_OPERATIONS_H\n\n"
        "#include \"hamkaas-cpp/Value.h\"\n\n"
        "namespace hamkaas {\n"
        "inline namespace HAMKAAS_CPP_VARIANT {\n\n";
  forEachOperation(records,
                   [&](const CxxOperation &operation) { operation.emit(os); });
  os << "} // namespace HAMKAAS_CPP_VARIANT\n"
        "} // namespace hamkaas\n\n"
        "#endif // HAMKAAS_CPP_OPERATIONS_H\n";
}

void hamkaas::tblgen::emitCxxOperationCalls(const RecordKeeper &records,
                                            raw_ostream &os) {
  forEachOperation(
      records, [&](const CxxOperation &operation) { operation.emitCall(os); });
}
