//===- GraphBuilder.cpp - Builds and folds a graph --------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Frontend/Builder/GraphBuilder.h"
#include "HamKaas/Dialect/HamKaas/IR/GraphRules.h"
#include "HamKaas/Dialect/HamKaas/IR/ProgramSymbols.h"
#include "HamKaas/Frontend/Builder/CreateOperation.h"
#include "HamKaas/Frontend/Builder/Elements.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace hamkaas;
using namespace hamkaas::graph;

/// Results of more elements are not computed while building; those of integers
/// are index tables, which later operations may need to know.
static constexpr int64_t largestFolded = 4096, largestFoldedInteger = 1 << 20;

/// Bytes are weights, no indices: as wider numbers they would take more memory,
/// and hide that products of them are products of bytes.
static constexpr int64_t largestWidened = 16;

static bool isFoldedSize(RankedTensorType result, TypeRange operands) {
  Type element = result.getElementType();
  auto isWidened = [&](Type type) {
    return getElementTypeOrSelf(type).isInteger(8) && !element.isInteger(8);
  };
  int64_t most = llvm::any_of(operands, isWidened) ? largestWidened
                 : isa<FloatType>(element)         ? largestFolded
                                                   : largestFoldedInteger;
  return result.getNumElements() <= most;
}

GraphBuilder::GraphBuilder(Location location, ParameterContents &parameters,
                           Diagnostics &diagnostics)
    : builder(location.getContext()), constants(location.getContext()),
      location(location), module(ModuleOp::create(location)),
      parameters(&parameters), diagnostics(diagnostics),
      foldBudget(int64_t(1) << 28) {
  builder.setInsertionPointToEnd(module->getBody());
  main = func::FuncOp::create(builder, location, mainName,
                              builder.getFunctionType({}, {}));
  builder.setInsertionPointToEnd(main.addEntryBlock());
  constants = builder;
  // Names of functions of the program, which no global may take.
  symbols.insert(mainName);
  symbols.insert(prepareName);
}

// Folds little: a composition that is added again folds again.
GraphBuilder::GraphBuilder(const OpBuilder &place, Location location,
                           Diagnostics &diagnostics)
    : builder(place), constants(place), location(location),
      diagnostics(diagnostics), foldBudget(int64_t(1) << 16) {}

//===----------------------------------------------------------------------===//
// Constants in place of operations
//===----------------------------------------------------------------------===//

bool GraphBuilder::canFold(Operation *op) {
  return isa<ReferenceSemanticsOpInterface>(op) &&
         isFoldedSize(cast<RankedTensorType>(op->getResult(0).getType()),
                      op->getOperandTypes()) &&
         llvm::all_of(op->getOperandTypes(), [](Type type) {
           return getElementCount(type) <= largestFoldedInteger;
         });
}

bool GraphBuilder::isFolded(Operation *op, ArrayRef<Tensor> operands) {
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  // No larger than a constant may be where there are no parameters.
  if (isPartOfOther() && (!isa<ReferenceSemanticsOpInterface>(op) ||
                          type.getNumElements() > largestFolded))
    return false;
  int64_t cost = type.getNumElements();
  SmallVector<Type> types;
  for (const Tensor &operand : operands) {
    if (!operand.isConstant() || operand.count() > largestFoldedInteger)
      return false;
    cost += operand.count();
    types.push_back(operand.type());
  }
  if (!isFoldedSize(type, types) || cost > foldBudget)
    return false;
  foldBudget -= cost;
  return true;
}

/// For semantics that refuse elements without a word.
static std::string describeRefusal(Operation *op,
                                   ArrayRef<const ReferenceTensor *> operands) {
  constexpr int64_t mostShown = 8;
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << "expected elements that " << op->getName() << " takes, got ";
  llvm::interleaveComma(operands, stream, [&](const ReferenceTensor *operand) {
    SmallVector<double> elements;
    appendElements(*operand, elements);
    stream << "[";
    llvm::interleaveComma(ArrayRef(elements).take_front(mostShown), stream);
    stream << (elements.size() > mostShown ? ", ...]" : "]");
  });
  return text;
}

Tensor GraphBuilder::fold(Operation *op, ArrayRef<Tensor> operands) {
  SmallVector<const ReferenceTensor *> elements;
  for (const Tensor &operand : operands)
    elements.push_back(&operand.elements());
  ReferenceTensor result(cast<RankedTensorType>(op->getResult(0).getType()));
  auto semantics = dyn_cast<ReferenceSemanticsOpInterface>(op);
  if (!semantics)
    return {};
  std::string text = captureErrors(op->getContext(), [&] {
    if (failed(semantics.interpret(elements, result)))
      emitError(op->getLoc(), describeRefusal(op, elements));
  });
  if (!text.empty())
    return fail(text);
  roundToType(result);
  return Tensor(std::move(result));
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

Tensor GraphBuilder::create(const OperationKind &kind,
                            ArrayRef<Tensor> operands) {
  if (llvm::any_of(operands, [](const Tensor &x) { return !x; }))
    return {};
  // Constants enter the graph only if the operation does.
  Block arguments;
  SmallVector<Value> values;
  bool isConstant = true;
  for (const Tensor &operand : operands) {
    isConstant &= operand.isConstant() && !operand.isTrainable();
    assert(operand.isPlain() && "operands have elements of the graph");
    if (operand.isEmpty())
      return fail("tensors without elements are not supported");
    values.push_back(operand.value()
                         ? operand.value()
                         : arguments.addArgument(operand.type(), location));
  }
  OperationRequest request{kind.name, location, values, kind.properties};
  request.type = kind.type;
  request.isWellFormed = true;
  OperationResult result = createOperation(request);
  ++created;
  Operation *op = result.op;
  if (!op)
    return fail(result.problem);
  if (isConstant && kind.mayFold && isFolded(op, operands)) {
    Tensor folded = fold(op, operands);
    op->destroy();
    return folded;
  }
  for (auto [i, operand] : llvm::enumerate(operands))
    values[i] = materialize(operand);
  if (hasFailed()) {
    op->destroy();
    return {};
  }
  op->setOperands(values);
  builder.insert(op);
  return Tensor(op->getResult(0));
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

Tensor GraphBuilder::scalar(Type type, double value) {
  if (!type)
    return {};
  ReferenceTensor tensor(RankedTensorType::get({}, type));
  fillElements(tensor, value);
  return Tensor(std::move(tensor));
}

Tensor GraphBuilder::constant(ArrayRef<int64_t> values) {
  return constant(values, int64_t(values.size()));
}

Tensor GraphBuilder::constant(ArrayRef<int64_t> values,
                              ArrayRef<int64_t> shape) {
  ReferenceTensor tensor(RankedTensorType::get(shape, builder.getI64Type()));
  llvm::copy(values, tensor.i64.begin());
  return Tensor(std::move(tensor));
}

Tensor GraphBuilder::constantOf(Type type, ArrayRef<double> values,
                                ArrayRef<int64_t> shape) {
  if (!type)
    return {};
  ReferenceTensor tensor(RankedTensorType::get(shape, type));
  tensor.withElements(
      [&](auto &elements) { llvm::copy(values, elements.begin()); });
  roundToType(tensor);
  return Tensor(std::move(tensor));
}

Tensor GraphBuilder::empty(ArrayRef<int64_t> shape, Type type) {
  if (!type)
    return {};
  return Tensor(ReferenceTensor(RankedTensorType::get(shape, type)));
}
