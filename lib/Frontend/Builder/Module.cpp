//===- Module.cpp - Inputs and results of the graph -------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Dialect/HamKaas/IR/ConstantOps.h"
#include "HamKaas/Dialect/HamKaas/IR/GraphRules.h"
#include "HamKaas/Frontend/Builder/ComposedOperations.h"
#include "HamKaas/Frontend/Builder/Elements.h"
#include "HamKaas/Frontend/Builder/GraphBuilder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MLProgram/IR/MLProgram.h"

using namespace mlir;
using namespace hamkaas;
using namespace hamkaas::graph;

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

std::optional<unsigned> GraphBuilder::findInput(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument || argument.getOwner() != &main.front())
    return std::nullopt;
  return argument.getArgNumber();
}

Value GraphBuilder::materialize(const Tensor &tensor) {
  if (!tensor || tensor.value() || tensor.isEmpty())
    return tensor.value();
  if (tensor.isTrainable())
    return tensor.data->value = createParameter(tensor);
  // A tensor of one repeated number, such as a mask, becomes that number.
  bool isSmall =
      tensor.count() <= (isPartOfOther() ? largestConstant : largestInline);
  DenseElementsAttr elements;
  if (isSmall || !tensor.data->hasBytes)
    elements = getCompactElements(tensor.elements());
  if (isSmall || (elements && elements.isSplat()))
    tensor.data->value =
        ConstantOp::create(constants, location, tensor.type(), elements);
  else if (isPartOfOther())
    fail("expected tables of at most " + Twine(largestConstant) +
         " elements, got " + Twine(tensor.count()));
  else
    tensor.data->value = createParameter(tensor);
  return tensor.value();
}

Value GraphBuilder::createParameter(const Tensor &tensor) {
  std::string name =
      claim(parameterNames,
            isValidName(tensor.data->name) ? tensor.data->name : "constant");
  ArrayRef<char> bytes = tensor.data->bytes;
  if (!tensor.data->hasBytes) {
    auto owned =
        std::make_shared<std::vector<char>>(encodeElements(tensor.elements()));
    bytes = *owned;
    parameters->keep(owned);
  }
  parameters->add(name, bytes);

  std::string symbol = claim(symbols, name);
  OpBuilder globals(main);
  auto global = ml_program::GlobalOp::create(
      globals, location, symbol, tensor.type(), /*is_mutable=*/false,
      ml_program::ExternAttr::get(context(), tensor.type()),
      builder.getStringAttr("private"));
  if (symbol != name)
    global->setAttr(HamKaasDialect::nameAttrName, builder.getStringAttr(name));
  return ml_program::GlobalLoadConstOp::create(
      constants, location, tensor.type(), FlatSymbolRefAttr::get(global));
}

//===----------------------------------------------------------------------===//
// Random numbers that differ from run to run
//===----------------------------------------------------------------------===//

GraphBuilder::RandomBlocks GraphBuilder::takeRandomBlocks(int64_t blocks) {
  if (isPartOfOther() || builder.getInsertionBlock() != &main.front()) {
    fail("random numbers without a seed are not supported in the body of a "
         "loop, where each step would draw the same ones");
    return {};
  }
  if (!generator)
    addGenerator();
  RandomBlocks taken{generator, usedBlocks};
  usedBlocks += blocks;
  return taken;
}

void GraphBuilder::addGenerator() {
  static constexpr StringLiteral name = "generator";
  Type word = IntegerType::get(context(), 64, IntegerType::Unsigned);
  auto type = RankedTensorType::get(3, word);
  std::string symbol = claim(symbols, name);
  OpBuilder globals(main);
  auto global = ml_program::GlobalOp::create(
      globals, location, symbol, type, /*is_mutable=*/true,
      builder.getZeroAttr(type), builder.getStringAttr("private"));
  if (symbol != name)
    global->setAttr(HamKaasDialect::nameAttrName, builder.getStringAttr(name));
  generator = Tensor(ml_program::GlobalLoadOp::create(
      builder, location, type, FlatSymbolRefAttr::get(global)));
}

void GraphBuilder::storeGenerator() {
  if (!generator)
    return;
  Tensor next =
      compose(*this, compositions::RandomAdvance{generator, usedBlocks});
  auto load = generator.value().getDefiningOp<ml_program::GlobalLoadOp>();
  ml_program::GlobalStoreOp::create(builder, location, load.getGlobal(),
                                    next.value());
}

//===----------------------------------------------------------------------===//
// The end
//===----------------------------------------------------------------------===//

/// Erases operations without a use that store nothing, and globals that are
/// neither read nor stored.
void GraphBuilder::dropUnused() {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(main.front())))
    if (op.use_empty() && !op.hasTrait<OpTrait::IsTerminator>() &&
        !isa<ml_program::GlobalStoreOp>(op))
      op.erase();
  llvm::StringSet<> used;
  main.walk([&](ml_program::GlobalLoadConstOp load) {
    used.insert(load.getGlobal().getLeafReference());
  });
  main.walk([&](ml_program::GlobalStoreOp store) {
    used.insert(store.getGlobal().getLeafReference());
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
  storeGenerator();
  func::ReturnOp::create(builder, location, values);
  main.setFunctionType(builder.getFunctionType(main.front().getArgumentTypes(),
                                               ValueRange(values).getTypes()));
  main.setArgAttrsAttr(builder.getArrayAttr(argumentAttributes));
  main.setResAttrsAttr(builder.getArrayAttr(names));
  dropUnused();
  return std::move(module);
}
