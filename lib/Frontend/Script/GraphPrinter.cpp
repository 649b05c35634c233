//===- GraphPrinter.cpp - GRAPH to scripts of version 3 -------------------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GraphPrinter.h"
#include "HamKaas/Dialect/HamKaas/IR/ConstantOps.h"
#include "HamKaas/Dialect/HamKaas/IR/GraphRules.h"
#include "HamKaas/Frontend/Builder/Diagnostics.h"
#include "HamKaas/Frontend/Builder/Numbers.h"
#include "Operators.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace hamkaas;
using namespace hamkaas::script;
using ml_program::GlobalLoadConstOp;
using ml_program::GlobalLoadOp;
using ml_program::GlobalOp;
using ml_program::GlobalStoreOp;

//===----------------------------------------------------------------------===//
// The module
//===----------------------------------------------------------------------===//

static bool isIdentifier(StringRef name) {
  return !name.empty() && !llvm::isDigit(name.front()) &&
         llvm::all_of(name,
                      [](char c) { return llvm::isAlnum(c) || c == '_'; });
}

FailureOr<std::string> GraphPrinter::print() {
  os << "version = 3;\n";
  if (failed(collectSymbols()))
    return failure();
  bool isOne = functions.size() == 1 && functions[0].getSymName() == "main";
  if (!isOne && failed(printGlobals(nullptr)))
    return failure();
  for (func::FuncOp function : functions) {
    main = function;
    if (!isOne)
      os << "function " << main.getSymName() << " {\n";
    depth = isOne ? 0 : 1;
    if (failed(printFunction()))
      return failure();
    if (!isOne)
      os << "}\n";
  }
  return std::move(text);
}

LogicalResult GraphPrinter::printFunction() {
  stored.clear();
  names.clear();
  if (failed(printInputs()))
    return failure();
  for (Operation &op : main.front().without_terminator())
    if (failed(printOp(&op)))
      return failure();
  if (failed(printGlobals(nullptr)))
    return failure();
  if (stored.empty() && main.getNumResults() == 0)
    return main.emitError("expected ")
           << functionName() << " to return a result or to store a state";
  return printOutputs();
}

LogicalResult GraphPrinter::collectSymbols() {
  for (Operation &op : *module.getBody()) {
    auto global = dyn_cast<GlobalOp>(op);
    auto function = dyn_cast<func::FuncOp>(op);
    if (!global && !function)
      return op.emitError("expected only globals and functions in a graph that "
                          "is printed as a script");
    if (global) {
      globals.push_back(global);
      globalsBySymbol[global.getSymNameAttr()] = global;
    } else if (!function.getBody().hasOneBlock() ||
               !isIdentifier(function.getSymName())) {
      return op.emitError("expected functions of one block whose names are "
                          "words, got @")
             << function.getSymName();
    } else {
      functions.push_back(function);
    }
  }
  if (functions.empty())
    return emitError(module.getLoc(), "expected a function @main");
  return success();
}

LogicalResult GraphPrinter::printInputs() {
  for (BlockArgument argument : main.getArguments()) {
    unsigned i = argument.getArgNumber();
    Location location = argument.getLoc();
    auto name =
        main.getArgAttrOfType<StringAttr>(i, HamKaasDialect::nameAttrName);
    if (!name)
      return emitError(location)
             << "expected argument " << i << " of " << functionName()
             << " to have a name, the attribute "
             << HamKaasDialect::nameAttrName;
    beginStatement(argument);
    os << "input(";
    if (failed(printName(location, "input", name.getValue())) ||
        failed(printType(location, argument.getType())))
      return failure();
    os << ");\n";
  }
  return success();
}

/// Prints all globals up to `last`, or all, that were not printed yet: a
/// program has them in this order.
LogicalResult GraphPrinter::printGlobals(Operation *last) {
  while (nextGlobal < globals.size() && !(last && globalIds.contains(last)))
    if (failed(printGlobal(globals[nextGlobal++])))
      return failure();
  return success();
}

/// The contents are printed unless they are what is meant without: those of a
/// parameter are given from outside, a state is zero at first.
LogicalResult GraphPrinter::printGlobal(GlobalOp global) {
  Attribute value = global.getValue().value_or(nullptr);
  Location location = global.getLoc();
  bool isState = global.getIsMutable();
  bool isExtern = isa_and_nonnull<ml_program::ExternAttr>(value);
  StringRef kind = isState ? "state" : "parameter";
  globalIds[global] = ++lastId;
  isLaterArgument = false;
  os << "$" << lastId << " = " << kind << "(";
  if (failed(printName(location, kind, getGlobalName(global))) ||
      failed(printType(location, global.getType())))
    return failure();
  Attribute zero = Builder(module.getContext()).getZeroAttr(global.getType());
  if (isExtern && isState) {
    os << ", extern";
  } else if (!isExtern && !(isState && value == zero)) {
    os << ", ";
    if (failed(printElements(location, value)))
      return failure();
  }
  os << ");\n";
  return success();
}

LogicalResult GraphPrinter::printOutputs() {
  Operation *end = main.front().getTerminator();
  for (auto [i, value] : llvm::enumerate(end->getOperands())) {
    auto name =
        main.getResultAttrOfType<StringAttr>(i, HamKaasDialect::nameAttrName);
    if (!name && end->getNumOperands() != 1)
      return main.emitError("expected result ")
             << i << " of " << functionName()
             << " to have a name, the attribute "
             << HamKaasDialect::nameAttrName;
    os.indent(2 * depth) << "output(";
    if (failed(printName(end->getLoc(), "output",
                         name ? name.getValue() : "result")) ||
        failed(printNode(end, value)))
      return failure();
    os << ");\n";
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Statements
//===----------------------------------------------------------------------===//

LogicalResult GraphPrinter::printOp(Operation *op) {
  if (auto load = dyn_cast<GlobalLoadOp>(op))
    return printLoad(op, load.getGlobal());
  if (auto load = dyn_cast<GlobalLoadConstOp>(op))
    return printLoad(op, load.getGlobal());
  if (auto store = dyn_cast<GlobalStoreOp>(op))
    return printStore(store);
  if (auto constant = dyn_cast<ConstantOp>(op))
    return printConstant(op, constant.getValue());
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    return printConstant(op, constant.getValue());
  if (auto scan = dyn_cast<ScanOp>(op))
    return printScan(scan);
  if (auto yield = dyn_cast<YieldOp>(op))
    return printYield(yield);
  return printCall(op);
}

LogicalResult GraphPrinter::printLoad(Operation *load, SymbolRefAttr symbol) {
  GlobalOp global = globalsBySymbol.lookup(symbol.getLeafReference());
  if (!global)
    return load->emitError("expected a load of a global, got ") << symbol;
  if (stored.contains(global))
    return load->emitError("expected the load of a state before its store");
  if (failed(printGlobals(global)))
    return failure();
  ids[load->getResult(0)] = globalIds[global];
  return success();
}

LogicalResult GraphPrinter::printStore(GlobalStoreOp store) {
  GlobalOp global =
      globalsBySymbol.lookup(store.getGlobal().getLeafReference());
  if (!global || !global.getIsMutable() || !stored.insert(global).second)
    return store.emitError("expected one store to each state");
  if (failed(printGlobals(global)))
    return failure();
  os.indent(2 * depth) << "store($" << globalIds[global];
  isLaterArgument = true;
  if (failed(printNode(store, store.getValue())))
    return failure();
  os << ");\n";
  return success();
}

LogicalResult GraphPrinter::printConstant(Operation *op, Attribute value) {
  beginStatement(op->getResults());
  os << "constant(";
  if (failed(printType(op->getLoc(), op->getResult(0).getType())))
    return failure();
  os << ", ";
  if (failed(printElements(op->getLoc(), value)))
    return failure();
  os << ");\n";
  return success();
}

LogicalResult GraphPrinter::printScan(ScanOp scan) {
  beginStatement(scan.getResults());
  os << "scan(steps=" << scan.getSteps()
     << (scan.getReversed() ? ", reversed=true" : "") << ") {\n";
  ++depth;
  size_t inits = scan.getInits().size(), rows = scan.getInputs().size();
  for (BlockArgument argument : scan.getBody().getArguments()) {
    size_t i = argument.getArgNumber();
    Value operand = scan.getTiedOperand(argument);
    beginStatement(argument);
    os << (i < inits ? "init(" : i < inits + rows ? "row(" : "value(");
    if (failed(printNode(scan, operand)))
      return failure();
    os << ");\n";
  }
  for (Operation &op : scan.getBody().front())
    if (failed(printOp(&op)))
      return failure();
  --depth;
  os.indent(2 * depth) << "}\n";
  return success();
}

LogicalResult GraphPrinter::printYield(YieldOp yield) {
  beginStatement({});
  os << "yield(";
  for (Value value : yield.getValues())
    if (failed(printNode(yield, value)))
      return failure();
  os << ");\n";
  return success();
}

LogicalResult GraphPrinter::printCall(Operation *op) {
  const graph::OperationInfo *info =
      graph::findOperation(op->getName().stripDialect());
  if (!info || !info->isOpen() ||
      op->getName().getDialectNamespace() !=
          HamKaasDialect::getDialectNamespace())
    return op->emitError("expected an operation of the script language");
  beginStatement(op->getResults());
  os << info->name << "(";
  if (failed(printOperands(op, *info)) || failed(printAttributes(op, *info)))
    return failure();
  if (!info->infersType)
    printResultType(op);
  os << ");\n";
  return success();
}

/// The operands by the table, null for those that are left out.
static SmallVector<Value> getOperands(Operation *op,
                                      const graph::OperationInfo &info) {
  auto sizes = dyn_cast_or_null<DenseI32ArrayAttr>(
      op->getInherentAttr(graph::segmentsAttr).value_or(nullptr));
  if (!sizes)
    return SmallVector<Value>(op->getOperands());
  SmallVector<Value> operands;
  unsigned next = 0;
  for (int32_t size : sizes.asArrayRef())
    operands.push_back(size == 0 ? Value() : op->getOperand(next++));
  while (!operands.empty() && !operands.back())
    operands.pop_back();
  return operands;
}

LogicalResult GraphPrinter::printOperands(Operation *op,
                                          const graph::OperationInfo &info) {
  for (Value operand : getOperands(op, info)) {
    if (operand && failed(printNode(op, operand)))
      return failure();
    if (!operand) {
      separate();
      os << "none";
    }
  }
  return success();
}

/// The word of the table for a value, or nothing.
static StringRef findWord(const graph::AttributeInfo &attribute,
                          Attribute value) {
  for (StringRef word : attribute.words)
    if (attribute.makeWord(word, value.getContext()) == value)
      return word;
  return "";
}

static bool isDefault(const graph::AttributeInfo &attribute, Attribute value) {
  auto number = dyn_cast<TypedAttr>(value);
  return attribute.isOptional && number && !attribute.defaultValue.empty() &&
         graph::parseNumberAttr(attribute.defaultValue, number.getType()) ==
             value;
}

static bool printValue(raw_ostream &os, const graph::AttributeInfo &attribute,
                       Attribute value) {
  if (auto number = dyn_cast<FloatAttr>(value))
    graph::printNumber(os, number.getValue().bitcastToAPInt(),
                       number.getType());
  else if (auto number = dyn_cast<IntegerAttr>(value);
           number && attribute.words.empty())
    graph::printNumber(os, number.getValue(), number.getType());
  else if (auto list = dyn_cast<DenseI64ArrayAttr>(value))
    os << formatList(list.asArrayRef());
  else if (isa<UnitAttr>(value))
    os << "true";
  else if (StringRef word = findWord(attribute, value); !word.empty())
    os << word;
  else
    return false;
  return true;
}

LogicalResult GraphPrinter::printAttributes(Operation *op,
                                            const graph::OperationInfo &info) {
  for (const graph::AttributeInfo &attribute : info.attributes) {
    Attribute value = op->getInherentAttr(attribute.name).value_or(nullptr);
    if (!value || isDefault(attribute, value))
      continue;
    separate();
    os << attribute.name << "=";
    if (!printValue(os, attribute, value))
      return op->emitError("expected the attribute '")
             << attribute.name << "' to be one that a script can write, got "
             << value;
  }
  return success();
}

/// The part of the result's type that the first operand does not imply; not
/// empty.
void GraphPrinter::printResultType(Operation *op) {
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  RankedTensorType operand;
  if (op->getNumOperands() != 0)
    operand = cast<RankedTensorType>(op->getOperand(0).getType());
  bool isOtherElement =
      !operand || operand.getElementType() != type.getElementType();
  if (!operand || operand.getShape() != type.getShape() || !isOtherElement) {
    separate();
    os << "shape=" << formatList(type.getShape());
  }
  if (isOtherElement) {
    separate();
    os << "type=" << getElementTypeName(type.getElementType());
  }
}

//===----------------------------------------------------------------------===//
// Parts of statements
//===----------------------------------------------------------------------===//

void GraphPrinter::beginStatement(ValueRange results) {
  isLaterArgument = false;
  os.indent(2 * depth);
  llvm::interleaveComma(results, os,
                        [&](Value result) { os << "$" << define(result); });
  if (!results.empty())
    os << " = ";
}

void GraphPrinter::separate() {
  if (isLaterArgument)
    os << ", ";
  isLaterArgument = true;
}

LogicalResult GraphPrinter::printNode(Operation *user, Value value) {
  auto known = ids.find(value);
  if (known == ids.end())
    return user->emitError("expected operands that a script can define");
  separate();
  os << "$" << known->second;
  return success();
}

LogicalResult GraphPrinter::printType(Location location, Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  StringRef element = tensor ? getElementTypeName(tensor.getElementType()) : "";
  if (element.empty() || !tensor.hasStaticShape() ||
      tensor.getRank() > maxRanks[3] || !hasFewElements(tensor.getShape()))
    return emitError(location)
           << "expected a tensor that a script can declare, got " << type;
  separate();
  os << element << ", " << formatList(tensor.getShape());
  return success();
}

/// One number if all are the same.
LogicalResult GraphPrinter::printElements(Location location, Attribute value) {
  auto elements = dyn_cast_or_null<DenseElementsAttr>(value);
  if (!elements)
    return emitError(location)
           << "expected contents that are dense elements, got " << value;
  Type type = elements.getElementType();
  auto print = [&](const llvm::APInt &bits) {
    graph::printNumber(os, bits, type);
  };
  auto printFloat = [&](const llvm::APFloat &number) {
    print(number.bitcastToAPInt());
  };
  bool isFloat = isa<FloatType>(type);
  if (elements.isSplat() && isFloat) {
    printFloat(elements.getSplatValue<llvm::APFloat>());
  } else if (elements.isSplat()) {
    print(elements.getSplatValue<llvm::APInt>());
  } else {
    os << "[";
    if (isFloat)
      llvm::interleaveComma(elements.getValues<llvm::APFloat>(), os,
                            printFloat);
    else
      llvm::interleaveComma(elements.getValues<llvm::APInt>(), os, print);
    os << "]";
  }
  return success();
}

LogicalResult GraphPrinter::printName(Location location, StringRef kind,
                                      StringRef name) {
  if (!isValidName(name))
    return emitError(location)
           << "expected a name without control characters, and not empty, got "
           << graph::quote(name);
  if (!names.insert((kind + " " + name).str()).second)
    return emitError(location) << "expected a new name, another " << kind
                               << " is called " << graph::quote(name);
  os << '"';
  for (char c : name) {
    if (c == '"' || c == '\\')
      os << '\\';
    os << c;
  }
  os << '"';
  isLaterArgument = true;
  return success();
}
