//===- Interpreter.cpp - Runs a model in the form GRAPH ---------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Interpreter/Interpreter.h"
#include "HamKaas/Dialect/HamKaas/IR/ConstantOps.h"
#include "HamKaas/Dialect/HamKaas/IR/GraphRules.h"
#include "HamKaas/Dialect/HamKaas/IR/ProgramSignature.h"
#include "HamKaas/Dialect/HamKaas/IR/ProgramSymbols.h"
#include "HamKaas/Dialect/HamKaas/IR/RegionOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MLProgram/IR/MLProgram.h"

using namespace mlir;
using namespace hamkaas;

/// The state of one run.
struct Interpreter::Frame {
  llvm::DenseMap<Value, SharedTensor> values;
  /// Becomes the interpreter's when the run succeeds. Sharing makes the copy
  /// cheap.
  llvm::StringMap<SharedTensor> globals;
  SmallVector<SharedTensor> results;
};

static LogicalResult checkMemory(Location loc, RankedTensorType type) {
  if (ReferenceTensor::canAllocate(type))
    return success();
  return emitError(loc, "cannot allocate ")
         << ReferenceTensor::getBytes(type) << " bytes for a value of type "
         << type;
}

static FailureOr<ReferenceTensor> readConstant(Location loc, Attribute value,
                                               Type type) {
  if (failed(verifyTensorType(loc, type)) ||
      failed(verifyElements(loc, value, type)))
    return failure();
  auto tensorType = cast<RankedTensorType>(type);
  if (failed(checkMemory(loc, tensorType)))
    return failure();
  return getReferenceTensor(cast<DenseElementsAttr>(value));
}

FailureOr<Interpreter>
Interpreter::create(ModuleOp module,
                    llvm::StringMap<ReferenceTensor> parameters,
                    StringRef function) {
  func::FuncOp main = findEntryFunction(module, function);
  if (!main || main.isDeclaration())
    return module.emitError("expected a function @")
           << (function.empty() ? StringRef(mainName) : function)
           << " with a body";
  if (!main.getBody().hasOneBlock())
    return main.emitError("expected @")
           << main.getSymName() << " to have one block, got "
           << main.getBody().getBlocks().size();
  Interpreter interpreter(main);
  if (failed(interpreter.initializeGlobals(module, parameters)))
    return failure();
  interpreter.findLastUses();
  return interpreter;
}

LogicalResult
Interpreter::initializeGlobals(ModuleOp module,
                               llvm::StringMap<ReferenceTensor> &parameters) {
  for (auto global : module.getOps<ml_program::GlobalOp>()) {
    StringRef name = getGlobalName(global);
    StringRef symbol = global.getSymName();
    if (!global.getValue())
      return global.emitError("expected a value for '") << name << "'";
    if (!isa<ml_program::ExternAttr>(*global.getValue())) {
      auto value =
          readConstant(global.getLoc(), *global.getValue(), global.getType());
      if (failed(value))
        return failure();
      globals[symbol] = std::make_shared<ReferenceTensor>(std::move(*value));
      continue;
    }
    auto given = parameters.find(name);
    if (given == parameters.end())
      return global.emitError("expected a value for parameter '")
             << name << "' of type " << global.getType();
    if (given->second.type != global.getType())
      return global.emitError("expected parameter '")
             << name << "' of type " << global.getType() << ", got "
             << given->second.type;
    globals[symbol] =
        std::make_shared<ReferenceTensor>(std::move(given->second));
    parameters.erase(given);
  }
  if (!parameters.empty())
    return module.emitError("the model has no parameter '")
           << parameters.begin()->first() << "'";
  return success();
}

void Interpreter::findLastUses() {
  llvm::DenseSet<Value> needed;
  for (Operation &op : llvm::reverse(main.getBody().front())) {
    auto addIfLast = [&](Value value) {
      if (needed.insert(value).second)
        lastUses[&op].push_back(value);
    };
    llvm::for_each(op.getResults(), addIfLast);
    llvm::for_each(op.getOperands(), addIfLast);
  }
}

LogicalResult Interpreter::bindInputs(ArrayRef<ReferenceTensor> inputs,
                                      Frame &frame) {
  if (inputs.size() != main.getNumArguments())
    return main.emitError("expected ")
           << main.getNumArguments() << " inputs, got " << inputs.size();
  for (auto [argument, input] : llvm::zip_equal(main.getArguments(), inputs)) {
    if (input.type != argument.getType()) {
      unsigned number = argument.getArgNumber();
      auto name = main.getArgAttrOfType<StringAttr>(
          number, HamKaasDialect::nameAttrName);
      InFlightDiagnostic diagnostic = main.emitError("expected input ");
      if (name)
        diagnostic << "'" << name.getValue() << "'";
      else
        diagnostic << number;
      return diagnostic << " of type " << argument.getType() << ", got "
                        << input.type;
    }
    // Borrows the caller's tensor: a pointer that owns nothing.
    frame.values[argument] = SharedTensor(SharedTensor(), &input);
  }
  return success();
}

LogicalResult Interpreter::run(ArrayRef<ReferenceTensor> inputs,
                               SmallVectorImpl<ReferenceTensor> &outputs,
                               Observer observer) {
  Frame frame;
  frame.globals = globals;
  if (failed(bindInputs(inputs, frame)))
    return failure();
  for (Operation &op : main.getBody().front()) {
    if (failed(execute(op, frame)))
      return failure();
    for (Value value : op.getResults())
      if (observer)
        observer(value, *frame.values.at(value));
    auto dead = lastUses.find(&op);
    if (dead != lastUses.end())
      for (Value value : dead->second)
        frame.values.erase(value);
  }
  outputs.clear();
  for (const SharedTensor &result : frame.results) {
    if (failed(checkMemory(main.getLoc(), result->type)))
      return failure();
    outputs.push_back(*result);
  }
  globals = std::move(frame.globals);
  return success();
}

LogicalResult Interpreter::execute(Operation &op, Frame &frame) {
  auto load = [&](SymbolRefAttr symbol) -> LogicalResult {
    auto global = frame.globals.find(symbol.getLeafReference());
    if (global == frame.globals.end())
      return op.emitError("expected a global named ") << symbol;
    frame.values[op.getResult(0)] = global->second;
    return success();
  };
  if (auto loadConst = dyn_cast<ml_program::GlobalLoadConstOp>(op))
    return load(loadConst.getGlobalAttr());
  if (auto loadState = dyn_cast<ml_program::GlobalLoadOp>(op))
    return load(loadState.getGlobalAttr());
  if (auto store = dyn_cast<ml_program::GlobalStoreOp>(op)) {
    SharedTensor &value = frame.values.at(store.getValue());
    // The caller's tensor lasts no longer than this run.
    if (value.use_count() == 0) {
      if (failed(checkMemory(op.getLoc(), value->type)))
        return failure();
      value = std::make_shared<ReferenceTensor>(*value);
    }
    frame.globals[store.getGlobal().getLeafReference()] = value;
    return success();
  }
  if (isa<arith::ConstantOp, ConstantOp>(op)) {
    auto value = readConstant(op.getLoc(), op.getAttr("value"),
                              op.getResult(0).getType());
    if (succeeded(value))
      frame.values[op.getResult(0)] =
          std::make_shared<ReferenceTensor>(std::move(*value));
    return value;
  }
  if (auto ret = dyn_cast<func::ReturnOp>(op)) {
    for (Value value : ret.getOperands())
      frame.results.push_back(frame.values.at(value));
    return success();
  }
  if (auto scan = dyn_cast<ScanOp>(op))
    return runScan(scan, frame);
  return evaluate(op, frame);
}

/// Row `index` of `tensor`.
static ReferenceTensor takeRow(const ReferenceTensor &tensor, int64_t index) {
  ReferenceTensor row(ScanOp::getRowType(tensor.type));
  auto copy = [&](auto ReferenceTensor::*elements) {
    llvm::copy(
        ArrayRef(tensor.*elements)
            .slice(index * (row.*elements).size(), (row.*elements).size()),
        (row.*elements).begin());
  };
  copy(&ReferenceTensor::f32);
  copy(&ReferenceTensor::f64);
  copy(&ReferenceTensor::i64);
  return row;
}

static void setRow(ReferenceTensor &tensor, int64_t index,
                   const ReferenceTensor &row) {
  auto copy = [&](auto ReferenceTensor::*elements) {
    llvm::copy(row.*elements,
               (tensor.*elements).begin() + index * (row.*elements).size());
  };
  copy(&ReferenceTensor::f32);
  copy(&ReferenceTensor::f64);
  copy(&ReferenceTensor::i64);
}

LogicalResult Interpreter::runScan(ScanOp scan, Frame &frame) {
  SmallVector<SharedTensor> carried;
  for (Value init : scan.getInits())
    carried.push_back(frame.values.at(init));
  SmallVector<std::shared_ptr<ReferenceTensor>> outputs;
  for (Value output : scan.getOutputs()) {
    auto type = cast<RankedTensorType>(output.getType());
    if (failed(checkMemory(scan.getLoc(), type)))
      return failure();
    outputs.push_back(std::make_shared<ReferenceTensor>(type));
  }
  for (auto [argument, value] :
       llvm::zip_equal(scan.getValueArguments(), scan.getValues())) {
    // NOTE: a copy, for the table may move when it grows.
    SharedTensor tensor = frame.values.at(value);
    frame.values[argument] = std::move(tensor);
  }
  for (int64_t step = 0, steps = scan.getSteps(); step < steps; ++step) {
    int64_t index = scan.getReversed() ? steps - 1 - step : step;
    if (failed(runStep(scan, index, carried, frame)))
      return failure();
    OperandRange yielded =
        scan.getBody().front().getTerminator()->getOperands();
    for (auto [output, row] :
         llvm::zip_equal(outputs, yielded.drop_front(carried.size())))
      setRow(*output, index, *frame.values.at(row));
    for (auto [value, next] : llvm::zip(carried, yielded))
      value = frame.values.at(next);
  }
  for (auto [result, value] : llvm::zip_equal(scan.getFinals(), carried))
    frame.values[result] = value;
  for (auto [result, value] : llvm::zip_equal(scan.getOutputs(), outputs))
    frame.values[result] = value;
  return success();
}

LogicalResult Interpreter::runStep(ScanOp scan, int64_t index,
                                   ArrayRef<SharedTensor> carried,
                                   Frame &frame) {
  auto arguments = scan.getBody().getArguments();
  for (auto [argument, value] : llvm::zip(arguments, carried))
    frame.values[argument] = value;
  auto rows = arguments.slice(carried.size(), scan.getInputs().size());
  for (auto [argument, input] : llvm::zip_equal(rows, scan.getInputs())) {
    auto row = std::make_shared<ReferenceTensor>(
        takeRow(*frame.values.at(input), index));
    frame.values[argument] = std::move(row);
  }
  for (Operation &op : scan.getBody().front().without_terminator())
    if (failed(execute(op, frame)))
      return failure();
  return success();
}

LogicalResult Interpreter::evaluate(Operation &op, Frame &frame) {
  auto semantics = dyn_cast<ReferenceSemanticsOpInterface>(op);
  if (!semantics)
    return op.emitError("expected an operation of the form GRAPH, got ")
           << op.getName();
  Type type = op.getResult(0).getType();
  if (failed(verifyTensorType(op.getLoc(), type)))
    return failure();
  SmallVector<const ReferenceTensor *> operands;
  for (Value operand : op.getOperands())
    operands.push_back(frame.values.at(operand).get());
  auto tensorType = cast<RankedTensorType>(type);
  if (failed(checkMemory(op.getLoc(), tensorType)))
    return failure();
  auto result = std::make_shared<ReferenceTensor>(tensorType);
  if (failed(semantics.interpret(operands, *result)))
    return failure();
  roundToType(*result);
  frame.values[op.getResult(0)] = std::move(result);
  return success();
}
