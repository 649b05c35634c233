//===- Printer.cpp - GRAPH to script text -----------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Aliases.h"
#include "GraphPrinter.h"
#include "HamKaas/Dialect/HamKaas/IR/ConstantOps.h"
#include "HamKaas/Dialect/HamKaas/IR/GraphRules.h"
#include "HamKaas/Dialect/HamKaas/IR/ProgramSymbols.h"
#include "HamKaas/Dialect/HamKaas/IR/ViewOps.h"
#include "HamKaas/Frontend/Script/Enumerations.h"
#include "HamKaas/Frontend/Script/Script.h"
#include "Operators.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MLProgram/IR/MLProgram.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/ConvertUTF.h"

using namespace mlir;
using namespace hamkaas;
using namespace hamkaas::script;

namespace {

/// Prints op by op, in order. Each statement is checked against what the
/// statements before it have done to the storage of its operands.
class Printer {
public:
  explicit Printer(ModuleOp module) : module(module) {}

  /// The script, or failure after an error was reported.
  FailureOr<std::string> print();

private:
  // The module.
  LogicalResult collectGlobals();
  LogicalResult printInputs();
  LogicalResult printGlobals(ml_program::GlobalOp last);
  FailureOr<uint64_t> printGlobal(ml_program::GlobalOp global);
  LogicalResult printLoad(Operation *load, StringAttr symbol);
  LogicalResult printOp(Operation *op);
  LogicalResult checkStores();
  LogicalResult printResult();

  // Statements.
  FailureOr<uint64_t> printTensor(Location location, StringRef spelling,
                                  StringRef name, Type type);
  LogicalResult printStatement(Operation *op);
  LogicalResult printNumber(ConstantOp op);
  FailureOr<std::string> formatVersion1(Operation *op);
  FailureOr<std::string> formatVersion2(Operation *op);
  SmallVector<std::string> formatResult(Operation *op);
  void noteType(RankedTensorType type);
  FailureOr<std::string> formatAttribute(Operation *op, StringRef name,
                                         Attribute value);
  FailureOr<std::string> reference(Operation *op, Value value);
  FailureOr<uint64_t> getViewId(Value value);
  uint64_t addStatement(const Twine &rightSide);

  ModuleOp module;
  func::FuncOp main;
  std::string text;
  uint64_t lastId = 0;
  bool needsVersion2 = false;
  AliasMap aliases;
  llvm::StringSet<> names;
  std::vector<ml_program::GlobalOp> globals;
  llvm::DenseMap<Attribute, ml_program::GlobalOp> globalsBySymbol;
  /// The first of `globals` that was not reached yet.
  size_t nextGlobal = 0;
  /// A load of each global, by symbol.
  llvm::MapVector<Attribute, Value> loads;
  llvm::DenseSet<Attribute> loadedSymbols;
  llvm::MapVector<Attribute, ml_program::GlobalStoreOp> stores;
  uint64_t bufferCount = 0;
};

} // namespace

static bool isNameable(StringRef name) {
  auto *begin = reinterpret_cast<const llvm::UTF8 *>(name.begin());
  return !name.empty() && name.trim() == name &&
         name.find_first_of(",)#") == StringRef::npos &&
         findControl(name) == StringRef::npos &&
         llvm::isLegalUTF8String(
             &begin, reinterpret_cast<const llvm::UTF8 *>(name.end()));
}

/// The operator of version 1 that says everything about `op`, or null.
static const Operator *findOperator(Operation *op) {
  StringRef opName = op->getName().getStringRef();
  auto known = llvm::find_if(getOperators(), [&](const Operator &candidate) {
    return candidate.opName == opName;
  });
  if (known == getOperators().end() ||
      cast<ShapedType>(op->getOperand(0).getType()).getRank() > known->maxRank)
    return nullptr;
  // Operands come first, in the order of the op.
  for (auto [parameter, operand] :
       llvm::zip(known->getParameters(), op->getOperands()))
    if (parameter.kind == ParameterKind::FloatNode &&
        !getElementTypeOrSelf(operand).isF32())
      return nullptr;
  for (StringAttr name : op->getName().getAttributeNames()) {
    bool isParameter =
        name == staticPrefixAttr ||
        llvm::any_of(known->getParameters(), [&](const Parameter &parameter) {
          return name == parameter.name;
        });
    if (!isParameter && op->getInherentAttr(name).value_or(nullptr))
      return nullptr;
  }
  return known;
}

//===----------------------------------------------------------------------===//
// The module
//===----------------------------------------------------------------------===//

FailureOr<std::string> Printer::print() {
  if (failed(collectGlobals()) || failed(printInputs()))
    return failure();
  for (Operation &op : main.front())
    if (failed(printOp(&op)))
      return failure();
  if (failed(printGlobals({})) || failed(checkStores()) ||
      failed(printResult()))
    return failure();
  return (needsVersion2 ? "version = 2;\n" : "") + text;
}

LogicalResult Printer::collectGlobals() {
  for (Operation &op : *module.getBody()) {
    auto global = dyn_cast<ml_program::GlobalOp>(op);
    auto function = dyn_cast<func::FuncOp>(op);
    if (global) {
      globals.push_back(global);
      globalsBySymbol[global.getSymNameAttr()] = global;
    } else if (function && function.getSymName() == mainName) {
      main = function;
    } else {
      return op.emitError("expected only globals and the function @main in a "
                          "graph that is printed as a script");
    }
  }
  if (!main || !main.getBody().hasOneBlock() || main.getNumResults() != 1)
    return emitError(main ? main.getLoc() : module.getLoc())
           << "expected a function @main of one block and one result";
  for (Operation &op : main.front()) {
    if (auto load = dyn_cast<ml_program::GlobalLoadOp>(op))
      loadedSymbols.insert(load.getGlobal().getLeafReference());
    else if (auto load = dyn_cast<ml_program::GlobalLoadConstOp>(op))
      loadedSymbols.insert(load.getGlobal().getLeafReference());
  }
  return success();
}

LogicalResult Printer::printInputs() {
  for (BlockArgument argument : main.getArguments()) {
    auto name = main.getArgAttrOfType<StringAttr>(argument.getArgNumber(),
                                                  HamKaasDialect::nameAttrName);
    if (!name)
      return emitError(argument.getLoc())
             << "expected argument " << argument.getArgNumber()
             << " of @main to have a name, the attribute "
             << HamKaasDialect::nameAttrName;
    FailureOr<uint64_t> id = printTensor(argument.getLoc(), "InputTensor",
                                         name.getValue(), argument.getType());
    if (failed(id))
      return failure();
    aliases.addOwner(argument, *id);
  }
  return success();
}

/// Prints the globals before `last`, or all that are left, that no op loads: a
/// program has them all the same, and in this order.
LogicalResult Printer::printGlobals(ml_program::GlobalOp last) {
  for (; nextGlobal < globals.size(); ++nextGlobal) {
    ml_program::GlobalOp global = globals[nextGlobal];
    if (global == last)
      return success();
    if (!loadedSymbols.contains(global.getSymNameAttr()) &&
        failed(printGlobal(global)))
      return failure();
  }
  return success();
}

FailureOr<uint64_t> Printer::printGlobal(ml_program::GlobalOp global) {
  StringRef name = getGlobalName(global);
  Attribute value = global.getValue().value_or(nullptr);
  if (!global.getIsMutable()) {
    if (!isa_and_nonnull<ml_program::ExternAttr>(value))
      return global.emitError("expected a constant whose value is given from "
                              "outside, a script holds no values");
    return printTensor(global.getLoc(), "ConstantTensor", name,
                       global.getType());
  }
  if (!value ||
      !(matchPattern(value, m_Zero()) || matchPattern(value, m_PosZeroFloat())))
    return global.emitError("expected a buffer that is zero at first, a script "
                            "holds no values");
  std::string unnamed = ("buffer_" + Twine(bufferCount++)).str();
  bool isUnnamed = name == unnamed && global.getSymName() == unnamed;
  return printTensor(global.getLoc(), "BufferTensor", isUnnamed ? "" : name,
                     global.getType());
}

LogicalResult Printer::printLoad(Operation *load, StringAttr symbol) {
  Value value = load->getResult(0);
  auto [known, isNew] = loads.try_emplace(symbol, value);
  if (isa<ml_program::GlobalLoadOp>(load) &&
      (!isNew || stores.contains(symbol)))
    return load->emitError(
        "expected one load of each buffer, before it is stored");
  if (!isNew) {
    aliases.addSynonym(value, known->second);
    return success();
  }
  ml_program::GlobalOp global = globalsBySymbol.lookup(symbol);
  if (!global)
    return load->emitError("expected a load of a global, got ") << symbol;
  if (failed(printGlobals(global)))
    return failure();
  FailureOr<uint64_t> id = printGlobal(global);
  if (failed(id))
    return failure();
  aliases.addOwner(value, *id);
  return success();
}

LogicalResult Printer::printOp(Operation *op) {
  if (auto load = dyn_cast<ml_program::GlobalLoadOp>(op))
    return printLoad(op, load.getGlobal().getLeafReference());
  if (auto load = dyn_cast<ml_program::GlobalLoadConstOp>(op))
    return printLoad(op, load.getGlobal().getLeafReference());
  if (auto store = dyn_cast<ml_program::GlobalStoreOp>(op)) {
    if (stores.try_emplace(store.getGlobal().getLeafReference(), store).second)
      return success();
    return op->emitError("expected one store to each buffer");
  }
  // Known positions are for the ops that a statement implies.
  if (isa<arith::ConstantOp, func::ReturnOp>(op) || aliases.absorb(op))
    return success();
  if (isa<KernelOpInterface>(op))
    return printStatement(op);
  if (auto constant = dyn_cast<ConstantOp>(op))
    return printNumber(constant);
  return op->emitError("expected an operator of the script language");
}

/// A buffer ends up with what was written to it in place, so that is what the
/// graph must store.
LogicalResult Printer::checkStores() {
  for (auto [symbol, store] : stores)
    if (!loads.contains(symbol) || !aliases.contains(store.getValue()) ||
        aliases.getAlias(store.getValue()).storage !=
            aliases.getAlias(loads[symbol]).storage ||
        !aliases.isContents(store.getValue()))
      return store.emitError("expected the value stored in a buffer to come "
                             "from replacing slices of it");
  for (auto [symbol, load] : loads) {
    const AliasMap::Storage &storage =
        aliases.getStorage(aliases.getAlias(load));
    bool isBuffer = isa<ml_program::GlobalLoadOp>(load.getDefiningOp());
    if (isBuffer && storage.version != 0 && !stores.contains(symbol))
      return storage.lastWrite->emitError(
          "expected the write to a buffer to be stored, in a script it lasts");
  }
  return success();
}

LogicalResult Printer::printResult() {
  Operation *terminator = main.front().getTerminator();
  auto name =
      main.getResultAttrOfType<StringAttr>(0, HamKaasDialect::nameAttrName);
  if (name && name.getValue() != "result")
    return main.emitError("expected the result to be called 'result'");
  FailureOr<std::string> id = reference(terminator, terminator->getOperand(0));
  if (failed(id))
    return failure();
  text += "result = " + *id + ";\n";
  return success();
}

//===----------------------------------------------------------------------===//
// Statements
//===----------------------------------------------------------------------===//

uint64_t Printer::addStatement(const Twine &rightSide) {
  text += ("$" + Twine(++lastId) + " = " + rightSide + ";\n").str();
  return lastId;
}

/// An input, constant or buffer; without a name where that is empty.
FailureOr<uint64_t> Printer::printTensor(Location location, StringRef spelling,
                                         StringRef name, Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  StringRef elementType =
      tensor ? getElementTypeName(tensor.getElementType()) : "";
  if (elementType.empty() || !tensor.hasStaticShape() ||
      tensor.getRank() > maxRanks[2] || !hasFewElements(tensor.getShape()))
    return emitError(location)
           << "expected a tensor that a script can declare, got " << type;
  if (!name.empty() && !isNameable(name))
    return emitError(location)
           << "expected a name that a script can spell, got '" << name << "'";
  if (!name.empty() && !names.insert((spelling + " " + name).str()).second)
    return emitError(location) << "expected a new name, another " << spelling
                               << " is called '" << name << "'";
  noteType(tensor);
  return addStatement(spelling + "(" + name + (name.empty() ? "" : ", ") +
                      elementType + ", " + formatList(tensor.getShape()) + ")");
}

/// Prints a constant whose elements are one number that a script can hold.
LogicalResult Printer::printNumber(ConstantOp op) {
  auto elements = dyn_cast<DenseElementsAttr>(op.getValue());
  Type type = op.getType().getElementType();
  if (!elements || !elements.isSplat() || getElementTypeName(type).empty())
    return op.emitError("expected a constant of one number for all elements, a "
                        "script holds no other values");
  FailureOr<std::string> number =
      formatAttribute(op, "value", elements.getSplatValue<Attribute>());
  if (failed(number))
    return failure();
  needsVersion2 = true;
  aliases.addOwner(op.getResult(),
                   addStatement(numberTensor + "(" + *number + ", " +
                                getElementTypeName(type) + ", " +
                                formatList(op.getType().getShape()) + ")"));
  return success();
}

/// Version 1 has few types.
void Printer::noteType(RankedTensorType type) {
  needsVersion2 |= type.getRank() == 0 || type.getRank() > maxRanks[1] ||
                   !parseElementType(getElementTypeName(type.getElementType()),
                                     /*version=*/1, type.getContext());
}

LogicalResult Printer::printStatement(Operation *op) {
  noteType(cast<RankedTensorType>(op->getResult(0).getType()));
  bool isVersion1 = findOperator(op) != nullptr;
  needsVersion2 |= !isVersion1;
  FailureOr<std::string> statement =
      isVersion1 ? formatVersion1(op) : formatVersion2(op);
  if (failed(statement))
    return failure();
  aliases.define(op, addStatement(*statement));
  return success();
}

FailureOr<std::string> Printer::formatVersion1(Operation *op) {
  const Operator &spelled = *findOperator(op);
  std::string statement = (spelled.spelling + "(").str();
  unsigned nextOperand = 0;
  for (const Parameter &parameter : spelled.getParameters()) {
    if (&parameter != spelled.parameters)
      statement += ", ";
    StringRef attribute = parameter.kind == ParameterKind::Prefix
                              ? StringRef(staticPrefixAttr)
                              : StringRef(parameter.name);
    Attribute value = op->getInherentAttr(attribute).value_or(nullptr);
    FailureOr<std::string> argument =
        parameter.kind == ParameterKind::Shape
            ? formatList(
                  cast<ShapedType>(op->getResult(0).getType()).getShape())
        : value ? formatAttribute(op, attribute, value)
                : reference(op, op->getOperand(nextOperand++));
    if (failed(argument))
      return failure();
    statement += *argument;
  }
  return statement + ")";
}

FailureOr<std::string> Printer::formatVersion2(Operation *op) {
  std::string statement =
      getVersion2Spelling(op->getName().stripDialect()) + "(";
  const char *separator = "";
  auto append = [&](FailureOr<std::string> argument) {
    if (succeeded(argument))
      statement += separator + *argument;
    separator = ", ";
    return LogicalResult(argument);
  };
  for (Value operand : op->getOperands())
    if (failed(append(reference(op, operand))))
      return failure();
  for (StringAttr name : op->getName().getAttributeNames()) {
    Attribute value = op->getInherentAttr(name).value_or(nullptr);
    if (value && name != segmentsAttr) {
      FailureOr<std::string> formatted = formatAttribute(op, name, value);
      if (failed(formatted) || failed(append(name.str() + " = " + *formatted)))
        return failure();
    }
  }
  if (!isa<InferTypeOpInterface>(op))
    for (std::string &half : formatResult(op))
      (void)append(half);
  return statement + ")";
}

/// The part of the result's type that the first operand does not imply; not
/// empty.
SmallVector<std::string> Printer::formatResult(Operation *op) {
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  RankedTensorType operand;
  if (op->getNumOperands() != 0)
    operand = cast<RankedTensorType>(op->getOperand(0).getType());
  SmallVector<std::string> halves;
  if (!operand || operand.getElementType() != type.getElementType())
    halves.push_back((typeAttr + " = ").str() +
                     getElementTypeName(type.getElementType()).str());
  if (!operand || operand.getShape() != type.getShape() || halves.empty())
    halves.push_back((shapeAttr + " = ").str() + formatList(type.getShape()));
  return halves;
}

/// A script has one NaN of each type.
static bool isWritable(FloatAttr number) {
  llvm::APFloat value = number.getValue();
  return !value.isNaN() ||
         value.bitwiseIsEqual(llvm::APFloat::getNaN(value.getSemantics()));
}

/// The fewest digits that distinguish the value from its neighbours.
static std::string formatFloat(const llvm::APFloat &value) {
  if (value.isNaN())
    return "nan";
  if (value.isInfinity())
    return value.isNegative() ? "-inf" : "inf";
  for (unsigned digits = 1;; ++digits) {
    SmallString<32> text;
    value.toString(text, digits);
    llvm::APFloat read(value.getSemantics(), text);
    if (read.bitwiseIsEqual(value))
      return text.str().str();
  }
}

static std::string formatInteger(IntegerAttr integer) {
  if (integer.getType().isInteger(1))
    return integer.getValue().isZero() ? "false" : "true";
  return llvm::toString(integer.getValue(), /*Radix=*/10,
                        !integer.getType().isUnsignedInteger());
}

FailureOr<std::string> Printer::formatAttribute(Operation *op, StringRef name,
                                                Attribute value) {
  if (auto number = dyn_cast<FloatAttr>(value); number && isWritable(number))
    return formatFloat(number.getValue());
  if (auto integer = dyn_cast<IntegerAttr>(value))
    return formatInteger(integer);
  if (StringRef word = getEnumerationName(value); !word.empty())
    return word.str();
  if (auto list = dyn_cast<DenseI64ArrayAttr>(value))
    return formatList(list.asArrayRef());
  if (isa<UnitAttr>(value))
    return std::string("true");
  return op->emitError("expected the attribute '")
         << name << "' to be one that a script can write, got " << value;
}

/// How a statement for `op` reads `value` now.
FailureOr<std::string> Printer::reference(Operation *op, Value value) {
  if (!aliases.contains(value))
    return op->emitError("expected operands that a script can define, got ")
           << (value.getDefiningOp() ? value.getDefiningOp()->getName()
                                     : op->getName());
  if (!aliases.isCurrent(value)) {
    InFlightDiagnostic diagnostic =
        op->emitError("expected no read of a value from before it was replaced "
                      "in place, as a script cannot keep it");
    diagnostic.attachNote(
        aliases.getStorage(aliases.getAlias(value)).lastWrite->getLoc())
        << "replaced here";
    return diagnostic;
  }
  FailureOr<uint64_t> id = getViewId(value);
  if (failed(id))
    return failure();
  return ("$" + Twine(*id)).str();
}

/// The statement whose node is the view that `value` is of its storage. Prints
/// those that were put off.
FailureOr<uint64_t> Printer::getViewId(Value value) {
  // Absorbed ops read what they view or replace through their first operand.
  SmallVector<Value> chain;
  while (aliases.getAlias(value).id == 0) {
    chain.push_back(value);
    value = value.getDefiningOp()->getOperand(0);
  }
  uint64_t id = aliases.getAlias(value).id;
  for (Value view : llvm::reverse(chain)) {
    Operation *op = view.getDefiningOp();
    auto type = cast<RankedTensorType>(view.getType());
    std::string base = "($" + std::to_string(id) + ", ";
    if (auto slice = dyn_cast<SliceOp>(op))
      id = addStatement("SliceNode" + base + Twine(slice.getBegin()) + ", " +
                        Twine(slice.getEnd()) + ")");
    else if (isa<ReshapeOp>(op))
      id = addStatement("ReshapeNode" + base + formatList(type.getShape()) +
                        ")");
    noteType(type);
    aliases.getAlias(view).id = id;
  }
  return id;
}

/// Of version 1 or 2; failure where neither can say it.
static FailureOr<std::string> printOld(ModuleOp module) {
  // A graph that is too much for these versions is no error.
  ScopedDiagnosticHandler silence(module.getContext(),
                                  [](Diagnostic &) { return success(); });
  return Printer(module).print();
}

LogicalResult hamkaas::exportScript(ModuleOp module, raw_ostream &stream,
                                    const ScriptExportOptions &options) {
  FailureOr<std::string> text = failure();
  if (!options.newest)
    text = printOld(module);
  if (failed(text))
    text = GraphPrinter(module).print();
  if (failed(text))
    return failure();
  stream << *text;
  return success();
}
