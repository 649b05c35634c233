//===- CreateOperation.cpp - Creates and checks an operation ----*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Frontend/Builder/CreateOperation.h"
#include "HamKaas/Dialect/HamKaas/IR/GraphRules.h"
#include "HamKaas/Frontend/Builder/Diagnostics.h"
#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace hamkaas;
using namespace hamkaas::graph;

bool graph::hasFewElements(ArrayRef<int64_t> shape) {
  int64_t count = 1;
  for (int64_t size : shape) {
    // No product is formed that could overflow.
    if (size > (elementLimit - 1) / count)
      return false;
    count *= size;
  }
  return true;
}

namespace {

/// Runs the steps of a creation; the first that fails says why.
class OperationCreator {
public:
  explicit OperationCreator(const OperationRequest &request)
      : request(request) {}

  OperationResult run();

private:
  using Part = OperationResult::Part;

  bool step(Part part, llvm::function_ref<LogicalResult()> function);
  std::string describeRefusal() const;
  std::string findMisfit() const;
  void chooseSegments();
  LogicalResult setAttributes();
  LogicalResult checkSignature();
  LogicalResult setType();
  FailureOr<RankedTensorType> inferType();

  const OperationRequest &request;
  Operation *op = nullptr;
  OperationResult result;
};

} // namespace

OperationResult OperationCreator::run() {
  MLIRContext *context = request.location.getContext();
  op = Operation::create(request.location, request.name, NoneType::get(context),
                         request.operands, DictionaryAttr::get(context),
                         request.properties, /*successors=*/{},
                         /*numRegions=*/0);
  bool isValid =
      step(Part::Attributes, [&] { return setAttributes(); }) &&
      step(Part::Signature, [&] { return checkSignature(); }) &&
      step(Part::Shapes, [&] { return setType(); }) &&
      step(Part::Shapes, [&] { return op->getName().verifyInvariants(op); });
  if (isValid)
    result.op = op;
  else
    op->destroy();
  return std::move(result);
}

bool OperationCreator::step(Part part,
                            llvm::function_ref<LogicalResult()> function) {
  LogicalResult isDone = success();
  std::string text =
      captureErrors(op->getContext(), [&] { isDone = function(); });
  if (succeeded(isDone) && text.empty())
    return true;
  result.fault = part;
  result.problem = text.empty() ? describeRefusal() : text;
  return false;
}

/// For a check that fails without a word.
std::string OperationCreator::describeRefusal() const {
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << "expected operands that " << op->getName() << " takes, got (";
  llvm::interleaveComma(op->getOperandTypes(), stream);
  stream << ") with " << op->getPropertiesAsAttribute();
  return text;
}

LogicalResult OperationCreator::setAttributes() {
  if (!request.attributes.empty()) {
    auto attributes = DictionaryAttr::get(op->getContext(), request.attributes);
    if (failed(op->setPropertiesFromAttribute(
            attributes, [&] { return emitError(request.location); })))
      return failure();
  }
  if (!op->hasTrait<OpTrait::AttrSizedOperandSegments>())
    return success();
  if (request.segments.empty())
    chooseSegments();
  else
    op->setInherentAttr(
        StringAttr::get(op->getContext(), segmentsAttr),
        DenseI32ArrayAttr::get(op->getContext(), request.segments));
  return success();
}

/// The error in the number and element types of operands or in attributes, on
/// which type inference relies; empty if there is none. ODS checks these first,
/// then the result's type, which is a placeholder here: an error about the
/// placeholder means success.
std::string OperationCreator::findMisfit() const {
  std::string text = captureErrors(
      op->getContext(), [&] { (void)op->getName().verifyInvariants(op); });
  return StringRef(text).starts_with("result #0 must be") ? "" : text;
}

LogicalResult OperationCreator::checkSignature() {
  if (request.isWellFormed)
    return success();
  std::string text = findMisfit();
  return text.empty() ? success()
                      : LogicalResult(emitError(request.location) << text);
}

/// Of an op with several optional operands, finds out by their types which are
/// given. Those that come first in the op are preferred.
void OperationCreator::chooseSegments() {
  auto initial = dyn_cast_or_null<DenseI32ArrayAttr>(
      op->getInherentAttr(segmentsAttr).value_or(nullptr));
  unsigned count = initial.size();
  Builder builder(op->getContext());
  StringAttr name = builder.getStringAttr(segmentsAttr);
  for (unsigned absent = 0; absent < 1u << count; ++absent) {
    if (count - llvm::popcount(absent) != op->getNumOperands())
      continue;
    // Bit 0 is the last operand.
    SmallVector<int32_t> sizes;
    for (unsigned i = 0; i < count; ++i)
      sizes.push_back(absent >> (count - 1 - i) & 1 ? 0 : 1);
    op->setInherentAttr(name, builder.getDenseI32ArrayAttr(sizes));
    if (findMisfit().empty())
      return;
  }
}

FailureOr<RankedTensorType> OperationCreator::inferType() {
  if (request.type)
    return request.type;
  auto inference = dyn_cast<InferTypeOpInterface>(op);
  if (!inference)
    return emitError(request.location)
           << "expected the type of the result, which " << op->getName()
           << " does not infer";
  SmallVector<Type> types;
  if (failed(inference.inferReturnTypes(
          op->getContext(), request.location, op->getOperands(),
          op->getRawDictionaryAttrs(), op->getPropertiesStorage(),
          op->getRegions(), types)))
    return failure();
  return cast<RankedTensorType>(types.front());
}

LogicalResult OperationCreator::setType() {
  FailureOr<RankedTensorType> type = inferType();
  if (failed(type))
    return failure();
  bool hasElements =
      llvm::none_of(type->getShape(), [](int64_t size) { return size < 1; });
  if (hasElements && !hasFewElements(type->getShape()))
    return emitError(request.location)
           << "expected the result to have fewer than 2^47 elements, got the "
              "shape "
           << formatList(type->getShape());
  if (failed(verifyTensorType(request.location, *type)))
    return failure();
  op->getResult(0).setType(*type);
  return success();
}

OperationResult graph::createOperation(const OperationRequest &request) {
  return OperationCreator(request).run();
}
