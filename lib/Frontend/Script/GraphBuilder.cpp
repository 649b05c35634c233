//===- GraphBuilder.cpp - Builds the module of a script ---------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GraphBuilder.h"
#include "HamKaas/Dialect/HamKaas/IR/ConstantOps.h"
#include "HamKaas/Dialect/HamKaas/IR/GraphRules.h"
#include "HamKaas/Dialect/HamKaas/IR/ProgramSymbols.h"
#include "HamKaas/Dialect/HamKaas/IR/ViewOps.h"
#include "Operators.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MLProgram/IR/MLProgram.h"

using namespace mlir;
using namespace hamkaas;
using namespace hamkaas::script;

GraphBuilder::GraphBuilder(MLIRContext *context, Location location)
    : builder(context), module(ModuleOp::create(location)), storages(builder) {
  builder.setInsertionPointToEnd(module->getBody());
  main = func::FuncOp::create(builder, location, mainName,
                              builder.getFunctionType({}, {}));
  builder.setInsertionPointToEnd(main.addEntryBlock());
  // Names of functions of the program, which no global may take.
  symbols[mainName] = 0;
  symbols[prepareName] = 0;
}

uint32_t GraphBuilder::addInput(StringRef name, RankedTensorType type,
                                Location location) {
  argumentAttributes.push_back(builder.getDictionaryAttr(builder.getNamedAttr(
      HamKaasDialect::nameAttrName, builder.getStringAttr(name))));
  return storages.addOwner(main.front().addArgument(type, location));
}

/// Declares a global before `@main`. Its symbol is its name where that is free;
/// otherwise the name stands in an attribute.
Operation *GraphBuilder::createGlobal(StringRef name, RankedTensorType type,
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

uint32_t GraphBuilder::addConstant(StringRef name, RankedTensorType type,
                                   Location location) {
  auto global = cast<ml_program::GlobalOp>(createGlobal(
      name, type, ml_program::ExternAttr::get(builder.getContext(), type),
      /*isMutable=*/false, location));
  return storages.addOwner(ml_program::GlobalLoadConstOp::create(
      builder, location, type, FlatSymbolRefAttr::get(global)));
}

uint32_t GraphBuilder::addNumber(TypedAttr number, RankedTensorType type,
                                 Location location) {
  return storages.addOwner(ConstantOp::create(
      builder, location, DenseElementsAttr::get(type, Attribute(number))));
}

uint32_t GraphBuilder::addBuffer(StringRef name, RankedTensorType type,
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
void GraphBuilder::claimName(StringRef name, Buffer &buffer) {
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

FailureOr<uint32_t> GraphBuilder::apply(const Application &application) {
  SmallVector<Value> operands;
  for (uint32_t operand : application.operands)
    operands.push_back(storages.read(operand));
  MLIRContext *context = builder.getContext();
  Operation *op = Operation::create(
      application.location, application.name, NoneType::get(context), operands,
      DictionaryAttr::get(context), /*properties=*/nullptr, /*successors=*/{},
      /*numRegions=*/0);
  auto attributes = DictionaryAttr::get(context, application.attributes);
  LogicalResult result = success();
  if (!attributes.empty())
    result = op->setPropertiesFromAttribute(
        attributes, [&] { return emitError(application.blame); });
  if (succeeded(result))
    chooseSegments(op);
  if (succeeded(result) && !application.isWellFormed)
    result = checkApplicable(op, application.operatorLocation);
  if (succeeded(result)) {
    FailureOr<Type> type = inferType(op, application);
    result = type;
    if (succeeded(type))
      op->getResult(0).setType(*type);
  }
  if (succeeded(result))
    result = verify(op, application.blame);
  if (failed(result)) {
    op->destroy();
    return failure();
  }
  builder.insert(op);
  return defineNode(op, application);
}

/// What is wrong with number and types of operands and attributes, on which the
/// inference of the type of the result relies. ODS checks these first and then
/// the result's type, which is a placeholder here: that complaint is the sign
/// of success.
static std::string findMisfit(Operation *op) {
  std::string text = captureErrors(
      op->getContext(), [&] { (void)op->getName().verifyInvariants(op); });
  return StringRef(text).starts_with("result #0 must be") ? "" : text;
}

/// Of an op with several optional operands, finds out by their types which are
/// given. Those that come first in the op are preferred.
void GraphBuilder::chooseSegments(Operation *op) {
  if (!op->hasTrait<OpTrait::AttrSizedOperandSegments>())
    return;
  auto initial = dyn_cast_or_null<DenseI32ArrayAttr>(
      op->getInherentAttr(segmentsAttr).value_or(nullptr));
  unsigned count = initial.size();
  StringAttr name = builder.getStringAttr(segmentsAttr);
  for (unsigned absent = 0; absent < 1u << count; ++absent) {
    // Bit 0 is the last operand.
    SmallVector<int32_t> sizes;
    for (unsigned i = 0; i < count; ++i)
      sizes.push_back(absent >> (count - 1 - i) & 1 ? 0 : 1);
    if (count - llvm::popcount(absent) != op->getNumOperands())
      continue;
    op->setInherentAttr(name, builder.getDenseI32ArrayAttr(sizes));
    if (findMisfit(op).empty())
      return;
  }
}

LogicalResult GraphBuilder::checkApplicable(Operation *op, Location location) {
  std::string text = findMisfit(op);
  if (text.empty())
    return success();
  return emitError(location) << text;
}

FailureOr<Type> GraphBuilder::inferType(Operation *op,
                                        const Application &application) {
  RankedTensorType type;
  if (auto inference = dyn_cast<InferTypeOpInterface>(op)) {
    SmallVector<Type> types;
    if (failed(inference.inferReturnTypes(
            op->getContext(), application.blame, op->getOperands(),
            op->getRawDictionaryAttrs(), op->getPropertiesStorage(),
            op->getRegions(), types)))
      return failure();
    type = cast<RankedTensorType>(types.front());
  } else {
    auto operand = op->getNumOperands() == 0
                       ? RankedTensorType()
                       : cast<RankedTensorType>(op->getOperand(0).getType());
    type = RankedTensorType::get(
        application.shape ? *application.shape : operand.getShape(),
        application.elementType ? application.elementType
                                : operand.getElementType());
  }
  if (!hasFewElements(type.getShape()))
    return emitError(application.blame)
           << "expected the result to have fewer than 2^47 elements, got the "
              "shape "
           << formatList(type.getShape());
  return Type(type);
}

LogicalResult GraphBuilder::verify(Operation *op, Location blame) {
  std::string text = captureErrors(
      op->getContext(), [&] { (void)op->getName().verifyInvariants(op); });
  if (text.empty())
    return success();
  return emitError(blame) << text;
}

uint32_t GraphBuilder::defineNode(Operation *op,
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

OwningOpRef<ModuleOp> GraphBuilder::finish(uint32_t result, Location location) {
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
