//===- GraphBuilder.cpp - Builds and folds the graph ------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GraphBuilder.h"
#include "Diagnostics.h"
#include "Elements.h"
#include "HamKaas/Dialect/HamKaas/IR/GraphRules.h"
#include "HamKaas/Dialect/HamKaas/IR/HamKaas.h"
#include "HamKaas/Dialect/HamKaas/IR/ProgramSymbols.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MLProgram/IR/MLProgram.h"

using namespace mlir;
using namespace hamkaas;
using namespace hamkaas::onnx;

/// Results of more elements are not computed while importing; those of integers
/// are index tables, which later operations may need to know.
static constexpr int64_t largestFolded = 4096, largestFoldedInteger = 1 << 20;

static bool isFoldedSize(RankedTensorType result) {
  return result.getNumElements() <= (isa<FloatType>(result.getElementType())
                                         ? largestFolded
                                         : largestFoldedInteger);
}

GraphBuilder::GraphBuilder(Location location, ParameterContents &parameters,
                           const OnnxOptionNames &optionNames)
    : builder(location.getContext()), location(location),
      module(ModuleOp::create(location)), parameters(parameters),
      optionNames(optionNames), foldBudget(int64_t(1) << 28) {
  builder.setInsertionPointToEnd(module->getBody());
  main = func::FuncOp::create(builder, location, mainName,
                              builder.getFunctionType({}, {}));
  builder.setInsertionPointToEnd(main.addEntryBlock());
  // Names of functions of the program, which no global may take.
  symbols.insert(mainName);
  symbols.insert(prepareName);
}

Tensor GraphBuilder::fail(const Twine &text) {
  if (reason.empty())
    reason = text.str();
  return {};
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

static Operation *createOperation(Location location, StringRef name,
                                  ValueRange operands,
                                  ArrayRef<NamedAttribute> attributes) {
  MLIRContext *context = location.getContext();
  Operation *op = Operation::create(
      location, OperationName(("hamkaas." + name).str(), context),
      NoneType::get(context), operands, DictionaryAttr::get(context),
      /*properties=*/nullptr, /*successors=*/{}, /*numRegions=*/0);
  if (!attributes.empty())
    (void)op->setPropertiesFromAttribute(
        DictionaryAttr::get(context, attributes),
        [&] { return emitError(location); });
  return op;
}

/// Sets the type of the result and checks the operation.
static LogicalResult complete(Operation *op, RankedTensorType type) {
  if (!type) {
    SmallVector<Type> types;
    if (failed(cast<InferTypeOpInterface>(op).inferReturnTypes(
            op->getContext(), op->getLoc(), op->getOperands(),
            op->getRawDictionaryAttrs(), op->getPropertiesStorage(),
            op->getRegions(), types)))
      return failure();
    type = cast<RankedTensorType>(types.front());
  }
  if (failed(verifyTensorType(op->getLoc(), type)))
    return failure();
  op->getResult(0).setType(type);
  return op->getName().verifyInvariants(op);
}

bool GraphBuilder::isFolded(ArrayRef<Tensor> operands, RankedTensorType type) {
  int64_t cost = type.getNumElements();
  for (const Tensor &operand : operands) {
    if (!operand.isConstant() || operand.count() > largestFoldedInteger)
      return false;
    cost += operand.count();
  }
  if (!isFoldedSize(type) || cost > foldBudget)
    return false;
  foldBudget -= cost;
  return true;
}

/// Whether constant operands would leave `op` in the graph. NOTE: while sizes
/// are not known, they are at least those of the types.
bool GraphBuilder::remainsForConstants(Operation *op) const {
  auto kernelOp = dyn_cast<KernelOpInterface>(op);
  if (!kernelOp)
    return op->getNumOperands() != 0;
  // Products are how a model predicts, not how it computes shapes.
  KernelFamily family = kernelOp.getKernelFamily();
  if (!areSizesKnown && (family == KernelFamily::Contraction ||
                         family == KernelFamily::Attention))
    return true;
  return !isa<ReferenceSemanticsOpInterface>(op) ||
         !isFoldedSize(cast<RankedTensorType>(op->getResult(0).getType())) ||
         llvm::any_of(op->getOperandTypes(), [](Type type) {
           return getElementCount(type) > largestFoldedInteger;
         });
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
      emitError(op->getLoc(), "expected other values");
  });
  if (!text.empty())
    return fail(text);
  roundToType(result);
  return Tensor(std::move(result));
}

Tensor GraphBuilder::create(StringRef name, ArrayRef<Tensor> operands,
                            ArrayRef<NamedAttribute> attributes,
                            RankedTensorType type, bool mayFold) {
  if (llvm::any_of(operands, [](const Tensor &x) { return !x; }))
    return {};
  if (!RegisteredOperationName::lookup(("hamkaas." + name).str(), context()))
    return fail("the operation '" + name + "' is not supported");
  // Constants enter the graph only if the operation does.
  Block arguments;
  SmallVector<Value> values;
  bool isConstant = true;
  for (const Tensor &operand : operands) {
    isConstant &= operand.isConstant();
    assert(operand.isPlain() && "operands have elements of the graph");
    if (operand.isEmpty())
      return fail("tensors without elements are not supported");
    values.push_back(operand.value()
                         ? operand.value()
                         : arguments.addArgument(operand.type(), location));
  }
  Operation *op = createOperation(location, name, values, attributes);
  ++created;
  std::string text = captureErrors(context(), [&] {
    if (failed(complete(op, type)))
      emitError(location, "expected other operands");
  });
  if (!text.empty()) {
    op->destroy();
    return fail(text);
  }
  if (isConstant && mayFold &&
      isFolded(operands, cast<RankedTensorType>(op->getResult(0).getType()))) {
    Tensor folded = fold(op, operands);
    op->destroy();
    return folded;
  }
  for (auto [i, operand] : llvm::enumerate(operands))
    op->setOperand(i, materialize(operand));
  builder.insert(op);
  return Tensor(op->getResult(0));
}

Tensor GraphBuilder::unary(StringRef name, Tensor x) {
  return !x || x.isEmpty() ? x : create(name, x, {}, x.type());
}

//===----------------------------------------------------------------------===//
// Broadcasts
//===----------------------------------------------------------------------===//

std::optional<Shape> onnx::getBroadcastShape(ArrayRef<int64_t> lhs,
                                             ArrayRef<int64_t> rhs) {
  Shape shape(std::max(lhs.size(), rhs.size()), 1);
  for (size_t i = 0; i < shape.size(); ++i) {
    int64_t l = i < lhs.size() ? lhs[lhs.size() - 1 - i] : 1;
    int64_t r = i < rhs.size() ? rhs[rhs.size() - 1 - i] : 1;
    if (l != r && l != 1 && r != 1)
      return std::nullopt;
    shape[shape.size() - 1 - i] = l == 1 ? r : l;
  }
  return shape;
}

/// Brings both operands to one rank, and the first to the shape of the result.
bool GraphBuilder::broadcastBoth(Tensor &lhs, Tensor &rhs) {
  if (!lhs || !rhs)
    return false;
  if (lhs.elementType() != rhs.elementType()) {
    std::string text;
    llvm::raw_string_ostream(text)
        << "expected operands of one element type, found " << lhs.elementType()
        << " and " << rhs.elementType();
    fail(text);
    return false;
  }
  std::optional<Shape> shape = getBroadcastShape(lhs.shape(), rhs.shape());
  if (!shape) {
    fail("expected operands that can be broadcast, found the shapes " +
         formatShape(lhs.shape()) + " and " + formatShape(rhs.shape()));
    return false;
  }
  lhs = broadcast(lhs, *shape);
  rhs = extendRank(rhs, shape->size());
  return lhs && rhs;
}

static bool isCommutative(StringRef name) {
  return llvm::is_contained({"add", "mul", "max", "min", "and", "or", "xor"},
                            name);
}

Tensor GraphBuilder::binary(StringRef name, Tensor lhs, Tensor rhs) {
  // Only the second operand is repeated for free.
  if (lhs.count() < rhs.count() && isCommutative(name))
    std::swap(lhs, rhs);
  if (!broadcastBoth(lhs, rhs))
    return {};
  return lhs.isEmpty() ? lhs : create(name, {lhs, rhs});
}

Tensor GraphBuilder::compare(StringRef predicate, Tensor lhs, Tensor rhs) {
  if (!broadcastBoth(lhs, rhs))
    return {};
  if (lhs.isEmpty())
    return empty(lhs.shape(), builder.getI1Type());
  return create(
      "compare", {lhs, rhs},
      builder.getNamedAttr(
          "predicate", ComparePredicateAttr::get(
                           context(), *symbolizeComparePredicate(predicate))));
}

Tensor GraphBuilder::select(Tensor condition, Tensor ifTrue, Tensor ifFalse) {
  if (!condition || !ifTrue || !ifFalse)
    return {};
  std::optional<Shape> shape =
      getBroadcastShape(ifTrue.shape(), ifFalse.shape());
  if (shape)
    shape = getBroadcastShape(condition.shape(), *shape);
  if (!shape)
    return fail("expected operands that can be broadcast, found the shapes " +
                formatShape(condition.shape()) + ", " +
                formatShape(ifTrue.shape()) + " and " +
                formatShape(ifFalse.shape()));
  condition = broadcast(condition, *shape);
  ifTrue = broadcast(ifTrue, *shape);
  ifFalse = broadcast(ifFalse, *shape);
  return ifTrue.isEmpty() ? ifTrue
                          : create("select", {condition, ifTrue, ifFalse});
}

Tensor GraphBuilder::cast(Tensor x, Type type) {
  // The type of a tensor that failed is null.
  if (!x || !type)
    return {};
  if (x.elementType() == type)
    return x;
  if (x.isEmpty())
    return empty(x.shape(), type);
  return create("cast", x, {}, x.type().clone(type));
}

Tensor GraphBuilder::matmul(Tensor lhs, Tensor rhs) {
  return create("matmul", {lhs, rhs});
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

Tensor GraphBuilder::reshape(Tensor x, ArrayRef<int64_t> shape) {
  constexpr size_t largestRank = 64;
  if (!x || x.shape() == shape)
    return x;
  if (shape.size() > largestRank)
    return fail("expected at most " + Twine(largestRank) +
                " dimensions, found " + Twine(shape.size()));
  RankedTensorType type = RankedTensorType::get(shape, x.elementType());
  if (x.isEmpty() && type.getNumElements() == 0)
    return empty(shape, x.elementType());
  return create("reshape", x, {}, type);
}

Tensor GraphBuilder::permute(Tensor x, ArrayRef<int64_t> permutation) {
  if (!x || llvm::equal(permutation,
                        llvm::seq<int64_t>(0, int64_t(permutation.size()))))
    return x;
  if (x.isEmpty()) {
    Shape shape;
    for (int64_t dim : permutation)
      shape.push_back(x.dim(dim));
    return empty(shape, x.elementType());
  }
  return create("permute", x,
                builder.getNamedAttr(
                    "permutation", builder.getDenseI64ArrayAttr(permutation)));
}

Tensor GraphBuilder::extendRank(Tensor x, int64_t rank) {
  if (!x || x.rank() >= rank)
    return x;
  Shape shape(rank - x.rank(), 1);
  llvm::append_range(shape, x.shape());
  return reshape(x, shape);
}

Tensor GraphBuilder::broadcast(Tensor x, ArrayRef<int64_t> shape) {
  x = extendRank(x, shape.size());
  if (!x || x.shape() == shape)
    return x;
  if (llvm::is_contained(shape, 0))
    return empty(shape, x.elementType());
  return create("broadcast", x, {},
                RankedTensorType::get(shape, x.elementType()));
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
