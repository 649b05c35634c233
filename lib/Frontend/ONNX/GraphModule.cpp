//===- GraphModule.cpp - Inputs and results of the graph --------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Diagnostics.h"
#include "Elements.h"
#include "GraphBuilder.h"
#include "HamKaas/Dialect/HamKaas/IR/ConstantOps.h"
#include "HamKaas/Dialect/HamKaas/IR/GraphRules.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MLProgram/IR/MLProgram.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace hamkaas;
using namespace hamkaas::onnx;

/// Constants of more elements are parameters, so that kernels that are equal
/// but for their constants are one.
static constexpr int64_t largestInline = 16;

/// `name` itself, or the first of name_0, name_1, ... that is free.
static std::string claim(llvm::StringSet<> &taken, StringRef name) {
  std::string free = name.str();
  for (unsigned i = 0; !taken.insert(free).second; ++i)
    free = (name + "_" + Twine(i)).str();
  return free;
}

Tensor GraphBuilder::addInput(StringRef name, RankedTensorType type) {
  argumentAttributes.push_back(builder.getDictionaryAttr(builder.getNamedAttr(
      HamKaasDialect::nameAttrName, builder.getStringAttr(name))));
  return Tensor(main.front().addArgument(type, location));
}

StringRef GraphBuilder::getInputName(unsigned index) {
  return cast<DictionaryAttr>(argumentAttributes[index])
      .getAs<StringAttr>(HamKaasDialect::nameAttrName);
}

GraphBuilder::Origin GraphBuilder::findOrigin(Value value) {
  Origin origin;
  llvm::SetVector<Value> visited;
  visited.insert(value);
  // A few are enough for a message.
  constexpr size_t mostVisited = 1000;
  for (size_t i = 0; i < std::min(visited.size(), mostVisited); ++i) {
    if (Operation *op = visited[i].getDefiningOp()) {
      if (!origin.remaining && remainsForConstants(op))
        origin.remaining = op;
      visited.insert_range(op->getOperands());
      continue;
    }
    auto argument = cast<BlockArgument>(visited[i]);
    if (argument.getOwner() == &main.front())
      origin.inputs.insert(argument.getArgNumber());
    else
      origin.isInLoop = true;
  }
  return origin;
}

/// "node 'durations' (Conv)".
static std::string describeNode(Location location) {
  auto name = dyn_cast<NameLoc>(location);
  auto op = name ? dyn_cast<NameLoc>(name.getChildLoc()) : NameLoc();
  return op ? ("node '" + name.getName().strref() + "' (" +
               op.getName().strref() + ")")
                  .str()
            : "a node";
}

bool GraphBuilder::expectKnown(const Twine &what, const Tensor &tensor) {
  if (tensor.isConstant())
    return true;
  Origin origin = findOrigin(tensor.value());
  std::string names =
      llvm::join(llvm::map_range(origin.inputs,
                                 [&](unsigned input) {
                                   return quote(getInputName(input));
                                 }),
                 ", ");
  std::string text =
      ("expected " + what +
       " to be known when the model is compiled, found one that ")
          .str();
  bool isFixed = names.empty() || origin.isInLoop || origin.remaining;
  if (!names.empty() && !origin.isInLoop)
    text += "depends on " + names;
  else
    text += origin.isInLoop ? "is computed in a loop" : "is computed";
  if (origin.remaining && !origin.isInLoop)
    text += " by way of " + describeNode(origin.remaining->getLoc());
  if (isFixed) {
    text += ", which is not supported";
    isFinal |= !hasFailed();
  } else {
    text += ("; " + optionNames.constantInputsExample +
             " makes an input a constant")
                .str();
    missing.insert_range(origin.inputs);
  }
  fail(text);
  return false;
}

Value GraphBuilder::materialize(const Tensor &tensor) {
  if (!tensor || tensor.value() || tensor.isEmpty())
    return tensor.value();
  // Not in the body of a loop, so that it may be read anywhere from now on.
  auto end = OpBuilder::atBlockEnd(&main.front());
  // What the model itself repeats, such as the number of a mask, is that
  // number.
  bool isSmall = tensor.count() <= largestInline;
  DenseElementsAttr elements;
  if (isSmall || !tensor.data->hasBytes)
    elements = getCompactElements(tensor.elements());
  if (isSmall || (elements && elements.isSplat()))
    tensor.data->value =
        ConstantOp::create(end, location, tensor.type(), elements);
  else
    tensor.data->value = createParameter(tensor, end);
  return tensor.value();
}

Value GraphBuilder::createParameter(const Tensor &tensor, OpBuilder &loads) {
  std::string name =
      claim(parameterNames,
            isValidName(tensor.data->name) ? tensor.data->name : "constant");
  ArrayRef<char> bytes = tensor.data->bytes;
  if (!tensor.data->hasBytes) {
    auto owned =
        std::make_shared<std::vector<char>>(encodeElements(tensor.elements()));
    bytes = *owned;
    parameters.keep(owned);
  }
  parameters.add(name, bytes);

  std::string symbol = claim(symbols, name);
  OpBuilder globals(main);
  auto global = ml_program::GlobalOp::create(
      globals, location, symbol, tensor.type(), /*is_mutable=*/false,
      ml_program::ExternAttr::get(context(), tensor.type()),
      builder.getStringAttr("private"));
  if (symbol != name)
    global->setAttr(HamKaasDialect::nameAttrName, builder.getStringAttr(name));
  return ml_program::GlobalLoadConstOp::create(loads, location, tensor.type(),
                                               FlatSymbolRefAttr::get(global));
}

/// Nothing in the graph has an effect: what has no use is not needed.
void GraphBuilder::dropUnused() {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(main.front())))
    if (op.use_empty() && !op.hasTrait<OpTrait::IsTerminator>())
      op.erase();
  llvm::StringSet<> used;
  main.walk([&](ml_program::GlobalLoadConstOp load) {
    used.insert(load.getGlobal().getLeafReference());
  });
  for (auto global :
       llvm::make_early_inc_range(module->getOps<ml_program::GlobalOp>()))
    if (!used.contains(global.getSymName()))
      global.erase();
}

OwningOpRef<ModuleOp>
GraphBuilder::finish(ArrayRef<std::pair<std::string, Tensor>> results) {
  SmallVector<Value> values;
  SmallVector<Attribute> names;
  for (const auto &[name, tensor] : results) {
    values.push_back(materialize(tensor));
    names.push_back(builder.getDictionaryAttr(builder.getNamedAttr(
        HamKaasDialect::nameAttrName, builder.getStringAttr(name))));
  }
  func::ReturnOp::create(builder, location, values);
  main.setFunctionType(builder.getFunctionType(main.front().getArgumentTypes(),
                                               ValueRange(values).getTypes()));
  main.setArgAttrsAttr(builder.getArrayAttr(argumentAttributes));
  main.setResAttrsAttr(builder.getArrayAttr(names));
  dropUnused();
  return std::move(module);
}
