//===- ModuleBuilder.cpp - Builds the module of a script --------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ModuleBuilder.h"
#include "HamKaas/Dialect/HamKaas/IR/ConstantOps.h"
#include "HamKaas/Dialect/HamKaas/IR/ProgramSymbols.h"
#include "HamKaas/Dialect/HamKaas/IR/ViewOps.h"
#include "HamKaas/Frontend/Builder/CreateOperation.h"
#include "Operators.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MLProgram/IR/MLProgram.h"

using namespace mlir;
using namespace hamkaas;
using namespace hamkaas::script;

ModuleBuilder::ModuleBuilder(MLIRContext *context, Location location)
    : builder(context), module(ModuleOp::create(location)), storages(builder) {
  builder.setInsertionPointToEnd(module->getBody());
  main = func::FuncOp::create(builder, location, mainName,
                              builder.getFunctionType({}, {}));
  builder.setInsertionPointToEnd(main.addEntryBlock());
  // Names of functions of the program, which no global may take.
  symbols[mainName] = 0;
  symbols[prepareName] = 0;
}

uint32_t ModuleBuilder::addInput(StringRef name, RankedTensorType type,
                                 Location location) {
  argumentAttributes.push_back(builder.getDictionaryAttr(builder.getNamedAttr(
      HamKaasDialect::nameAttrName, builder.getStringAttr(name))));
  return storages.addOwner(main.front().addArgument(type, location));
}

/// Declares a global before `@main`. Its symbol is its name where that is free;
/// otherwise the name stands in an attribute.
Operation *ModuleBuilder::createGlobal(StringRef name, RankedTensorType type,
                                       Attribute value, bool isMutable,
                                       Location location) {
  std::string symbol = name.str();
  auto [taken, isFree] = symbols.try_emplace(name, 0);
  while (!isFree) {
    symbol = (name + "_" + Twine(taken->second++)).str();
    isFree = symbols.try_emplace(symbol, 0).second;
    taken = symbols.find(name);
  }
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(main);
  auto global =
      ml_program::GlobalOp::create(builder, location, symbol, type, isMutable,
                                   value, builder.getStringAttr("private"));
  if (symbol != name)
    global->setAttr(HamKaasDialect::nameAttrName, builder.getStringAttr(name));
  return global;
}

uint32_t ModuleBuilder::addConstant(StringRef name, RankedTensorType type,
                                    Location location) {
  auto global = cast<ml_program::GlobalOp>(createGlobal(
      name, type, ml_program::ExternAttr::get(builder.getContext(), type),
      /*isMutable=*/false, location));
  return storages.addOwner(ml_program::GlobalLoadConstOp::create(
      builder, location, type, FlatSymbolRefAttr::get(global)));
}

uint32_t ModuleBuilder::addNumber(TypedAttr number, RankedTensorType type,
                                  Location location) {
  return storages.addOwner(ConstantOp::create(
      builder, location, DenseElementsAttr::get(type, Attribute(number))));
}

uint32_t ModuleBuilder::addBuffer(StringRef name, RankedTensorType type,
                                  Location location) {
  std::string unnamed = ("buffer_" + Twine(buffers.size())).str();
  auto global = cast<ml_program::GlobalOp>(
      createGlobal(name.empty() ? unnamed : name, type,
                   builder.getZeroAttr(type), /*isMutable=*/true, location));
  Value initial = ml_program::GlobalLoadOp::create(
      builder, location, type, FlatSymbolRefAttr::get(global));
  uint32_t node = storages.addOwner(initial);
  buffers.push_back({global, node, location, initial});
  if (name.empty()) {
    global->removeAttr(HamKaasDialect::nameAttrName);
    unnamedBuffers[global.getSymName()] = buffers.size() - 1;
  } else {
    claimName(name, buffers.back());
  }
  return node;
}

/// The symbol of an unnamed buffer stands for its name. Where the script gives
/// that name to another, the two exchange their symbols.
void ModuleBuilder::claimName(StringRef name, Buffer &buffer) {
  auto unnamed = unnamedBuffers.find(name);
  if (unnamed == unnamedBuffers.end())
    return;
  size_t index = unnamed->second;
  unnamedBuffers.erase(unnamed);
  auto setSymbol = [](Buffer &buffer, StringAttr symbol) {
    SymbolTable::setSymbolName(buffer.global, symbol);
    buffer.initial.getDefiningOp<ml_program::GlobalLoadOp>().setGlobalAttr(
        FlatSymbolRefAttr::get(symbol));
  };
  StringAttr given = SymbolTable::getSymbolName(buffers[index].global);
  StringAttr other = SymbolTable::getSymbolName(buffer.global);
  setSymbol(buffers[index], other);
  setSymbol(buffer, given);
  buffer.global->removeAttr(HamKaasDialect::nameAttrName);
  unnamedBuffers[other] = index;
}

/// The result type of an operation that does not infer it: from the script,
/// with the first operand's shape and element type as defaults.
static RankedTensorType getGivenType(const Application &application,
                                     ArrayRef<Value> operands) {
  if (application.name.hasInterface<InferTypeOpInterface>())
    return {};
  RankedTensorType first;
  if (!operands.empty())
    first = cast<RankedTensorType>(operands.front().getType());
  if (!first && !(application.shape && application.elementType))
    return {};
  return RankedTensorType::get(
      application.shape ? ArrayRef(*application.shape) : first.getShape(),
      application.elementType ? application.elementType
                              : first.getElementType());
}

FailureOr<uint32_t> ModuleBuilder::apply(const Application &application) {
  using graph::OperationResult;
  SmallVector<Value> operands;
  for (uint32_t operand : application.operands)
    operands.push_back(storages.read(operand));
  OperationResult created = graph::createOperation(
      {application.name, application.location, operands,
       /*properties=*/nullptr, application.attributes,
       getGivenType(application, operands), application.isWellFormed});
  if (created.op) {
    builder.insert(created.op);
    return defineNode(created.op, application);
  }
  bool isOperator = created.fault == OperationResult::Part::Signature;
  return emitError(isOperator ? application.operatorLocation
                              : application.blame)
         << created.problem;
}

uint32_t ModuleBuilder::defineNode(Operation *op,
                                   const Application &application) {
  Value result = op->getResult(0);
  if (isa<ReshapeOp>(op))
    return storages.addView(application.operands.front(), 0, result);
  if (auto slice = dyn_cast<SliceOp>(op)) {
    int64_t rowSize =
        slice.getType().getNumElements() / slice.getType().getDimSize(0);
    return storages.addView(application.operands.front(),
                            int64_t(slice.getBegin()) * rowSize, result);
  }
  if (OpOperand *updated = cast<KernelOpInterface>(op).getUpdatedOperand()) {
    uint32_t node = application.operands[updated->getOperandNumber()];
    storages.write(node, result, application.location);
    return node;
  }
  return storages.addOwner(result);
}

OwningOpRef<ModuleOp> ModuleBuilder::finish(uint32_t result,
                                            Location location) {
  Value value = storages.read(result);
  for (const Buffer &buffer : buffers) {
    Value contents = storages.read(buffer.node);
    if (contents != buffer.initial)
      ml_program::GlobalStoreOp::create(builder, buffer.location,
                                        FlatSymbolRefAttr::get(buffer.global),
                                        contents);
  }
  func::ReturnOp::create(builder, location, value);
  main.setFunctionType(builder.getFunctionType(main.front().getArgumentTypes(),
                                               value.getType()));
  main.setArgAttrsAttr(builder.getArrayAttr(argumentAttributes));
  Attribute resultName = builder.getDictionaryAttr(builder.getNamedAttr(
      HamKaasDialect::nameAttrName, builder.getStringAttr("result")));
  main.setResAttrsAttr(builder.getArrayAttr(resultName));
  return std::move(module);
}
