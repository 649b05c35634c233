//===- GroupGraph.cpp - Groups of engines as graphs -----------------------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Engine/GroupGraph.h"
#include "HamKaas/Dialect/HamKaas/IR/FormatType.h"
#include "HamKaas/Dialect/HamKaas/IR/GraphRules.h"
#include "HamKaas/Dialect/HamKaas/IR/HamKaas.h"
#include "HamKaas/Dialect/HamKaas/IR/ProgramSymbols.h"
#include "HamKaas/Frontend/Builder/CreateOperation.h"
#include "HamKaas/Frontend/Script/Enumerations.h"
#include "HamKaas/Interpreter/ReferenceSemantics.h"
#include "HamKaas/Program/ElementTypes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MLProgram/IR/MLProgram.h"
#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"

using namespace mlir;
using namespace hamkaas;

void hamkaas::registerGroupDialects(DialectRegistry &registry) {
  registry.insert<HamKaasDialect, arith::ArithDialect, func::FuncDialect,
                  ml_program::MLProgramDialect>();
  registerReferenceSemantics(registry);
}

static RankedTensorType makeType(const HamKaasEngineTensor &tensor,
                                 MLIRContext *context) {
  return makeTensorType(context, tensor.elementType,
                        ArrayRef(tensor.shape, tensor.rank));
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

/// The number as an element of that type; null if it is none.
static Attribute makeNumber(const HamKaasEngineAttribute &attribute,
                            Type type) {
  if (attribute.kind == HamKaasEngineNumber)
    return isa<FloatType>(type) ? FloatAttr::get(type, attribute.number)
                                : Attribute();
  auto integer = dyn_cast<IntegerType>(type);
  if (!integer)
    return Attribute();
  return IntegerAttr::get(type, APInt(integer.getWidth(), attribute.integer,
                                      /*isSigned=*/false,
                                      /*implicitTrunc=*/true));
}

/// All that `attribute` may stand for, the likeliest first. `type` is that of
/// the operation's result.
static SmallVector<Attribute>
listCandidates(const HamKaasEngineAttribute &attribute, RankedTensorType type) {
  Builder builder(type.getContext());
  if (attribute.kind == HamKaasEngineIntegers)
    return {builder.getDenseI64ArrayAttr(
        ArrayRef(attribute.integers, attribute.count))};
  if (attribute.kind == HamKaasEngineText)
    return llvm::filter_to_vector(
        listEnumerations(type.getContext()), [&](Attribute value) {
          return getEnumerationName(value) == attribute.text;
        });
  SmallVector<Attribute> values;
  for (Type element : {type.getElementType(), Type(builder.getI64Type()),
                       Type(builder.getF64Type()), Type(builder.getF32Type())})
    if (Attribute value = makeNumber(attribute, element))
      values.push_back(value);
  if (Attribute element = makeNumber(attribute, type.getElementType()))
    values.push_back(DenseElementsAttr::get(type, element));
  if (attribute.kind == HamKaasEngineInteger && attribute.integer == 1)
    values.push_back(builder.getUnitAttr());
  return values;
}

/// The attribute as the operation wants it.
static llvm::Expected<NamedAttribute>
makeAttribute(const HamKaasEngineAttribute &attribute, OperationName name,
              RankedTensorType type) {
  MLIRContext *context = type.getContext();
  for (Attribute value : listCandidates(attribute, type)) {
    NamedAttrList list;
    list.append(attribute.name, value);
    std::string problem = captureErrors(context, [&] {
      (void)name.verifyInherentAttrs(
          list, [&] { return emitError(UnknownLoc::get(context)); });
    });
    if (problem.empty())
      return NamedAttribute(StringAttr::get(context, attribute.name), value);
  }
  return llvm::createStringError("expected another attribute '" +
                                 Twine(attribute.name) + "' of " +
                                 name.getStringRef());
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

namespace {

class GroupGraphBuilder {
public:
  GroupGraphBuilder(const HamKaasEngineGroup &group, MLIRContext *context)
      : group(group), loc(UnknownLoc::get(context)), builder(context) {}

  llvm::Expected<OwningOpRef<ModuleOp>> build() {
    OwningOpRef<ModuleOp> module(ModuleOp::create(loc));
    SmallVector<Type> inputs;
    for (const HamKaasEngineTensor &input :
         ArrayRef(group.values, group.inputCount))
      inputs.push_back(makeType(input, builder.getContext()));
    Type result = makeType(group.values[group.result], builder.getContext());
    builder.setInsertionPointToEnd(module->getBody());
    auto function = func::FuncOp::create(
        builder, loc, mainName, builder.getFunctionType(inputs, result));
    Block *entry = function.addEntryBlock();
    builder.setInsertionPointToStart(entry);
    llvm::append_range(values, entry->getArguments());
    for (const HamKaasEngineNode &node : ArrayRef(group.nodes, group.nodeCount))
      if (llvm::Error error = addNode(node))
        return std::move(error);
    func::ReturnOp::create(builder, loc, values[group.result]);
    return module;
  }

private:
  llvm::Error addNode(const HamKaasEngineNode &node) {
    OperationName name(
        (HamKaasDialect::getDialectNamespace() + "." + Twine(node.operation))
            .str(),
        builder.getContext());
    if (!name.isRegistered())
      return llvm::createStringError("expected an operation, got '" +
                                     Twine(node.operation) + "'");
    RankedTensorType type =
        makeType(group.values[node.result], builder.getContext());
    SmallVector<Value> operands;
    for (int32_t operand : ArrayRef(node.operands, node.operandCount))
      operands.push_back(values[operand]);
    SmallVector<NamedAttribute> attributes;
    for (const HamKaasEngineAttribute &attribute :
         ArrayRef(node.attributes, node.attributeCount)) {
      auto made = makeAttribute(attribute, name, type);
      if (!made)
        return made.takeError();
      attributes.push_back(*made);
    }
    graph::OperationRequest request = {name, loc};
    request.operands = operands;
    request.attributes = attributes;
    if (!name.hasInterface<InferTypeOpInterface>())
      request.type = type;
    graph::OperationResult created = graph::createOperation(request);
    if (!created.op)
      return llvm::createStringError(name.getStringRef() + ": " +
                                     created.problem);
    builder.insert(created.op);
    if (Type got = created.op->getResult(0).getType(); got != type)
      return llvm::createStringError(name.getStringRef() +
                                     ": expected a result of type " +
                                     formatType(type) + ", got " +
                                     formatType(cast<RankedTensorType>(got)));
    values.push_back(created.op->getResult(0));
    return llvm::Error::success();
  }

  const HamKaasEngineGroup &group;
  Location loc;
  OpBuilder builder;
  SmallVector<Value> values; ///< As those of the group.
};

} // namespace

llvm::Expected<OwningOpRef<ModuleOp>>
hamkaas::buildGroupGraph(const HamKaasEngineGroup &group,
                         MLIRContext *context) {
  return GroupGraphBuilder(group, context).build();
}
