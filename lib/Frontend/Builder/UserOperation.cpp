//===- UserOperation.cpp - Operations by name, checked ----------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Frontend/Builder/UserOperation.h"
#include "HamKaas/Dialect/HamKaas/IR/FormatType.h"
#include "HamKaas/Dialect/HamKaas/IR/HamKaas.h"
#include "HamKaas/Frontend/Builder/Addition.h"
#include "HamKaas/Frontend/Builder/CreateOperation.h"
#include "HamKaas/Frontend/Builder/GraphBuilder.h"
#include "HamKaas/Frontend/Builder/Numbers.h"
#include "HamKaas/Frontend/Builder/OperationTable.h"
#include "mlir/Support/DebugStringHelper.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace hamkaas;
using namespace hamkaas::graph;
using llvm::createStringError;
using llvm::Error;
using llvm::Expected;

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

Expected<RankedTensorType> graph::makeType(ArrayRef<int64_t> shape,
                                           Type element, const Twine &what) {
  if (shape.size() > largestRank)
    return createStringError(what + "expected at most " + Twine(largestRank) +
                             " dimensions, got " + Twine(shape.size()));
  if (llvm::any_of(shape, [](int64_t size) { return size < 1; }))
    return createStringError(what + "expected sizes of at least 1, got " +
                             formatList(shape));
  if (!hasFewElements(shape))
    return createStringError(what + "expected fewer than 2^47 elements, got " +
                             formatList(shape));
  return RankedTensorType::get(shape, element);
}

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

char UserOperationError::ID;

/// An error, if it is one, about a part of a request.
static Error blame(UserOperationError::Part part, size_t index, Error error) {
  if (!error)
    return error;
  return llvm::make_error<UserOperationError>(llvm::toString(std::move(error)),
                                              part, index);
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

/// The value, for messages.
static std::string describe(const UserAttribute &attribute) {
  if (auto *integer = std::get_if<int64_t>(&attribute.value))
    return std::to_string(*integer);
  if (auto *real = std::get_if<double>(&attribute.value))
    return "the real number " + debugString(*real);
  if (auto *list = std::get_if<ArrayRef<int64_t>>(&attribute.value))
    return formatList(*list);
  if (auto *word = std::get_if<StringRef>(&attribute.value))
    return quote(*word);
  if (auto *number = std::get_if<NumberText>(&attribute.value))
    return quote(number->text);
  return formatType(std::get<Type>(attribute.value));
}

/// True for a flag that is set; none if the value is no flag.
static std::optional<bool> getFlag(const UserAttribute &given) {
  int64_t flag = -1;
  if (auto *integer = std::get_if<int64_t>(&given.value))
    flag = *integer;
  else if (auto *number = std::get_if<NumberText>(&given.value))
    flag = llvm::StringSwitch<int>(number->text)
               .Cases({"false", "0"}, 0)
               .Cases({"true", "1"}, 1)
               .Default(-1);
  return flag == 0 || flag == 1 ? std::optional(flag == 1) : std::nullopt;
}

/// The number as an element of `type`; null if it is none, or out of range.
static Attribute makeElement(const UserAttribute &given, Type type) {
  if (auto *number = std::get_if<NumberText>(&given.value))
    return parseNumberAttr(number->text, type);
  Builder builder(type.getContext());
  auto *integer = std::get_if<int64_t>(&given.value);
  auto *real = std::get_if<double>(&given.value);
  if (isa<FloatType>(type) && (integer || real))
    return builder.getFloatAttr(type, integer ? double(*integer) : *real);
  auto integerType = dyn_cast<IntegerType>(type);
  if (!integer || !integerType)
    return {};
  unsigned width = integerType.getWidth();
  if (width == 1)
    return *integer == 0 || *integer == 1 ? builder.getBoolAttr(*integer)
                                          : Attribute();
  bool isUnsigned = integerType.isUnsigned();
  bool fits = isUnsigned ? *integer >= 0 && llvm::isUIntN(width, *integer)
                         : llvm::isIntN(width, *integer);
  if (!fits)
    return {};
  return IntegerAttr::get(type, llvm::APInt(width, uint64_t(*integer),
                                            /*isSigned=*/!isUnsigned));
}

namespace {

/// Checks a request against the table, and adds the operation.
class OperationMaker {
  using Values = SmallVector<Value, 1>;

public:
  OperationMaker(const UserOperation &given, OpBuilder &place,
                 Location location)
      : given(given), place(place), location(location),
        builder(location.getContext()) {}

  Expected<Values> run();

private:
  using Part = UserOperationError::Part;

  Error fail(const Twine &problem) const {
    return createStringError(quote(given.name) + ": " + problem);
  }
  Error findInfo();
  Error checkOperands();
  Error checkOperand(const ValueInfo &operand, Value value, const Twine &name);
  Error takeAttributes();
  Error takeAttribute(const UserAttribute &attribute);
  Error findMissing(const llvm::SmallVectorImpl<StringRef> &names) const;
  Attribute makeAttribute(const AttributeInfo &attribute,
                          const UserAttribute &value);
  Expected<RankedTensorType> getGivenType() const;
  Error checkResults(ValueRange results) const;
  Expected<Values> create();
  Expected<Values> compose();

  const UserOperation &given;
  OpBuilder &place;
  Location location;
  Builder builder;
  const OperationInfo *info = nullptr;
  /// Those that are given.
  SmallVector<Value> operands;
  /// Of each operand of the table whether it is given; empty if one is
  /// variadic.
  SmallVector<int32_t> segments;
  SmallVector<NamedAttribute> attributes;
  /// Where the operation does not infer them.
  std::optional<ArrayRef<int64_t>> resultShape;
  Type resultElement;
};

} // namespace

/// The name of an operation that was perhaps meant; none for "convolution".
static StringRef findClosest(StringRef given) {
  constexpr unsigned mostEdits = 3;
  StringRef closest;
  unsigned least = mostEdits + 1;
  std::string lower = given.take_front(64).lower();
  StringRef name = lower;
  for (const OperationInfo &info : getOperations()) {
    unsigned edits = name.edit_distance(info.name, true, mostEdits);
    if (info.isOpen() && edits < least) {
      least = edits;
      closest = info.name;
    }
  }
  return closest;
}

Error OperationMaker::findInfo() {
  info = findOperation(given.name);
  if (!info) {
    StringRef closest = findClosest(given.name);
    return createStringError(
        "unknown operation " + quote(given.name) +
        (closest.empty() ? "" : ", did you mean " + quote(closest) + "?"));
  }
  if (!info->isOpen())
    return fail("expected an operation that can be added by its name, got one "
                "that cannot: " +
                info->closed);
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

Error OperationMaker::checkOperand(const ValueInfo &operand, Value value,
                                   const Twine &name) {
  if (!value)
    return fail("expected the operand '" + name + "', a " + operand.constraint +
                ", got none");
  if (!operand.accepts(value.getType()))
    return fail("expected the operand '" + name + "' to be a " +
                operand.constraint + ", got " + formatType(value.getType()));
  operands.push_back(value);
  return Error::success();
}

Error OperationMaker::checkOperands() {
  if (info->isVariadic()) {
    const ValueInfo &operand = info->operands.front();
    for (auto [i, value] : llvm::enumerate(given.operands))
      if (Error error =
              checkOperand(operand, value, operand.name + "[" + Twine(i) + "]"))
        return blame(Part::Operand, i, std::move(error));
    return Error::success();
  }
  if (given.operands.size() > info->operands.size())
    return fail("expected at most " + Twine(info->operands.size()) +
                " operands, got " + Twine(given.operands.size()));
  for (auto [i, operand] : llvm::enumerate(info->operands)) {
    Value value = i < given.operands.size() ? given.operands[i] : Value();
    bool isLeftOut = !value && operand.count == ValueCount::Optional;
    segments.push_back(!isLeftOut);
    if (!isLeftOut)
      if (Error error = checkOperand(operand, value, operand.name))
        return blame(Part::Operand, i, std::move(error));
  }
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Attributes of an operation
//===----------------------------------------------------------------------===//

/// Null if the value is not of the attribute's kind.
Attribute OperationMaker::makeAttribute(const AttributeInfo &attribute,
                                        const UserAttribute &value) {
  auto *list = std::get_if<ArrayRef<int64_t>>(&value.value);
  auto *word = std::get_if<StringRef>(&value.value);
  std::optional<bool> flag = getFlag(value);
  auto *type = std::get_if<Type>(&value.value);
  switch (attribute.kind) {
  case AttributeKind::Integer:
    return makeElement(value, builder.getI64Type());
  case AttributeKind::Float32:
    return makeElement(value, builder.getF32Type());
  case AttributeKind::Float64:
    return makeElement(value, builder.getF64Type());
  case AttributeKind::Element:
    return makeElement(value, getElementTypeOrSelf(operands.front().getType()));
  case AttributeKind::Integers:
    return list ? builder.getDenseI64ArrayAttr(*list) : Attribute();
  case AttributeKind::Flag:
    return flag ? builder.getUnitAttr() : Attribute();
  case AttributeKind::Word:
    return word ? attribute.makeWord(*word, builder.getContext()) : Attribute();
  case AttributeKind::Text:
    return word ? builder.getStringAttr(*word) : Attribute();
  case AttributeKind::ElementType:
    return type ? TypeAttr::get(*type) : Attribute();
  case AttributeKind::ResultShape:
  case AttributeKind::ResultType:
    return {};
  }
  llvm_unreachable("all kinds of attributes are handled");
}

Error OperationMaker::takeAttribute(const UserAttribute &value) {
  const AttributeInfo *attribute = info->findAttribute(value.name);
  if (!attribute) {
    std::string known = llvm::join(
        llvm::map_range(info->attributes,
                        [](const AttributeInfo &a) { return a.name.str(); }),
        ", ");
    return fail("unknown attribute " + quote(value.name) +
                ", known are: " + (known.empty() ? "none" : known));
  }
  if (auto *list = std::get_if<ArrayRef<int64_t>>(&value.value);
      list && attribute->kind == AttributeKind::ResultShape) {
    resultShape = *list;
    return Error::success();
  }
  if (auto *type = std::get_if<Type>(&value.value);
      type && attribute->kind == AttributeKind::ResultType) {
    resultElement = *type;
    return Error::success();
  }
  Attribute made = makeAttribute(*attribute, value);
  if (!made) {
    std::string element =
        attribute->kind == AttributeKind::Element
            ? " of the elements of " + formatType(operands.front().getType())
            : "";
    return fail("expected the attribute '" + attribute->name + "' to be " +
                describeKind(*attribute) + element + ", got " +
                describe(value));
  }
  bool isUnset = isa<UnitAttr>(made) && !*getFlag(value);
  if (!isUnset)
    attributes.emplace_back(builder.getStringAttr(value.name), made);
  return Error::success();
}

Error OperationMaker::takeAttributes() {
  SmallVector<StringRef> names;
  for (auto [i, value] : llvm::enumerate(given.attributes)) {
    Error error = llvm::is_contained(names, value.name)
                      ? fail("expected the attribute " + quote(value.name) +
                             " once, got it twice")
                      : takeAttribute(value);
    if (error)
      return blame(Part::Attribute, i, std::move(error));
    names.push_back(value.name);
  }
  return findMissing(names);
}

Error OperationMaker::findMissing(
    const llvm::SmallVectorImpl<StringRef> &names) const {
  for (const AttributeInfo &attribute : info->attributes)
    if (!attribute.isOptional && !llvm::is_contained(names, attribute.name))
      return fail("expected the attribute '" + attribute.name + "', " +
                  describeKind(attribute) + ", got none");
  if (!info->infersType && !resultShape && !resultElement)
    return fail("expected the attribute 'shape' or 'type' of the result, got "
                "none");
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Creation
//===----------------------------------------------------------------------===//

/// The type of the result where the operation does not infer it; null
/// otherwise.
Expected<RankedTensorType> OperationMaker::getGivenType() const {
  if (info->infersType)
    return RankedTensorType();
  RankedTensorType first;
  if (!operands.empty())
    first = cast<RankedTensorType>(operands.front().getType());
  return makeType(resultShape ? *resultShape : first.getShape(),
                  resultElement ? resultElement : first.getElementType(),
                  quote(given.name) + ": attribute 'shape': ");
}

Error OperationMaker::checkResults(ValueRange results) const {
  for (Type type : results.getTypes())
    if (cast<RankedTensorType>(type).getRank() > int64_t(largestRank))
      return fail("expected a result of at most " + Twine(largestRank) +
                  " dimensions, got " + formatType(type));
  if (given.resultCount && *given.resultCount != results.size())
    return fail("expected a resultCount of " + Twine(results.size()) +
                ", got " + Twine(*given.resultCount));
  return Error::success();
}

Expected<OperationMaker::Values> OperationMaker::create() {
  Expected<RankedTensorType> type = getGivenType();
  if (!type)
    return type.takeError();
  OperationName name(
      (HamKaasDialect::getDialectNamespace() + "." + info->name).str(),
      builder.getContext());
  OperationRequest request{name, location, operands};
  request.attributes = attributes;
  request.type = *type;
  request.isWellFormed = true;
  request.segments = segments;
  OperationResult created = createOperation(request);
  if (!created.op)
    return fail(formatTypesIn(created.problem));
  if (Error error = checkResults(created.op->getResults())) {
    created.op->destroy();
    return std::move(error);
  }
  place.insert(created.op);
  return Values(created.op->getResults());
}

//===----------------------------------------------------------------------===//
// Compositions
//===----------------------------------------------------------------------===//

Expected<OperationMaker::Values> OperationMaker::compose() {
  Tensors tensors;
  const Value *next = operands.begin();
  if (segments.empty())
    segments.assign(operands.size(), 1);
  for (int32_t isGiven : segments)
    tensors.push_back(isGiven ? Tensor(*next++) : Tensor());
  Diagnostics diagnostics(location);
  GraphBuilder graph(place, location, diagnostics);
  Addition addition(place);
  Values values;
  for (const Tensor &result :
       info->compose(graph, tensors, builder.getDictionaryAttr(attributes))) {
    if (result && result.isEmpty())
      graph.fail("expected results with elements, got the shape " +
                 formatList(result.shape()));
    values.push_back(graph.materialize(result));
  }
  Error error = graph.hasFailed()
                    ? fail(formatTypesIn(diagnostics.takeFailure()))
                    : checkResults(values);
  if (error)
    values.clear();
  addition.eraseUnused(values);
  if (error)
    return std::move(error);
  return values;
}

Expected<OperationMaker::Values> OperationMaker::run() {
  if (Error error = findInfo())
    return std::move(error);
  if (Error error = checkOperands())
    return std::move(error);
  if (Error error = takeAttributes())
    return std::move(error);
  return info->isComposition() ? compose() : create();
}

Expected<SmallVector<Value, 1>>
graph::addUserOperation(const UserOperation &request, OpBuilder &place,
                        Location location) {
  return OperationMaker(request, place, location).run();
}
