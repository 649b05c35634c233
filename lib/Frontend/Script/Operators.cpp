//===- Operators.cpp - The operators of version 1 ---------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Operators.h"
#include "HamKaas/Dialect/HamKaas/IR/HamKaas.h"
#include "HamKaas/Frontend/Script/Enumerations.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace hamkaas::script;

ArrayRef<Operator> hamkaas::script::getOperators() {
  using Kind = ParameterKind;
  static constexpr Parameter floatLhs = {"lhs", Kind::FloatNode};
  static constexpr Parameter floatRhs = {"rhs", Kind::FloatNode};
  static constexpr Parameter floatX = {"x", Kind::FloatNode};
  static constexpr Parameter anyX = {"x", Kind::AnyNode};
  static constexpr Parameter weight = {"w", Kind::FloatNode};
  static constexpr Operator table[] = {
      {"SumNode", "hamkaas.add", 2, {floatLhs, floatRhs}},
      {"HadamardProductNode", "hamkaas.mul", 2, {floatLhs, floatRhs}},
      {"ReLUNode", "hamkaas.relu", 1, {floatX}},
      {"SiLUNode", "hamkaas.silu", 1, {floatX}},
      {"MatMulNode", "hamkaas.matmul", 2, {floatLhs, floatRhs}},
      {"SliceNode",
       "hamkaas.slice",
       3,
       {anyX, {"begin", Kind::Integer}, {"end", Kind::Integer}}},
      {"ReshapeNode", "hamkaas.reshape", 2, {anyX, {shapeAttr, Kind::Shape}}},
      {"PermuteNode",
       "hamkaas.permute",
       2,
       {anyX, {"permutation", Kind::List}}},
      {"ReplaceSliceNode",
       "hamkaas.replace_slice",
       4,
       {{"target", Kind::AnyNode},
        {"replacement", Kind::AnyNode},
        {"begin", Kind::PositionNode},
        {"end", Kind::PositionNode}}},
      {"ComplexHadamardProductNode",
       "hamkaas.complex_mul",
       2,
       {floatLhs, floatRhs}},
      {"RMSNormNode", "hamkaas.rms_norm", 2, {floatX, weight}, /*maxRank=*/1},
      {"RmsNormNode", "hamkaas.rms_norm", 2, {floatX, weight}, /*maxRank=*/1},
      {"SlicedSoftmaxNode",
       "hamkaas.sliced_softmax",
       2,
       {floatX, {"prefix", Kind::Prefix}}},
  };
  return table;
}

std::string hamkaas::script::getVersion2Spelling(StringRef mnemonic) {
  return convertToCamelFromSnakeCase(mnemonic, /*capitalizeFirst=*/true) +
         "Node";
}

size_t hamkaas::script::findControl(StringRef text) {
  for (size_t i = 0; i < text.size(); ++i) {
    // U+0080 to U+009F are two bytes each.
    bool isLatin = uint8_t(text[i]) == 0xc2 && i + 1 < text.size() &&
                   uint8_t(text[i + 1]) < 0xa0;
    if (uint8_t(text[i]) < 0x20 || text[i] == 0x7f || isLatin)
      return i;
  }
  return StringRef::npos;
}

//===----------------------------------------------------------------------===//
// Element types
//===----------------------------------------------------------------------===//

namespace {

struct ElementType {
  StringLiteral name;
  mlir::Type (*make)(mlir::MLIRContext *context);
};

} // namespace

template <typename T> static mlir::Type makeFloat(mlir::MLIRContext *context) {
  return T::get(context);
}
template <unsigned width>
static mlir::Type makeInteger(mlir::MLIRContext *context) {
  return mlir::IntegerType::get(context, width);
}
template <unsigned width>
static mlir::Type makeUnsigned(mlir::MLIRContext *context) {
  return mlir::IntegerType::get(context, width, mlir::IntegerType::Unsigned);
}

/// Those of version 1 come first.
static constexpr ElementType elementTypes[] = {
    {"float32", makeFloat<mlir::Float32Type>},
    {"int64", makeInteger<64>},
    {"float64", makeFloat<mlir::Float64Type>},
    {"float16", makeFloat<mlir::Float16Type>},
    {"bfloat16", makeFloat<mlir::BFloat16Type>},
    {"int32", makeInteger<32>},
    {"int16", makeInteger<16>},
    {"int8", makeInteger<8>},
    {"uint64", makeUnsigned<64>},
    {"uint32", makeUnsigned<32>},
    {"uint16", makeUnsigned<16>},
    {"uint8", makeUnsigned<8>},
    {"bool", makeInteger<1>},
};

static ArrayRef<ElementType> getElementTypes(unsigned version) {
  constexpr size_t version1 = 2;
  ArrayRef<ElementType> all = elementTypes;
  return version == 1 ? all.take_front(version1) : all;
}

mlir::Type hamkaas::script::parseElementType(StringRef name, unsigned version,
                                             mlir::MLIRContext *context) {
  for (const ElementType &type : getElementTypes(version))
    if (type.name == name)
      return type.make(context);
  return {};
}

StringRef hamkaas::script::getElementTypeName(mlir::Type type) {
  for (const ElementType &candidate : elementTypes)
    if (candidate.make(type.getContext()) == type)
      return candidate.name;
  return "";
}

std::string hamkaas::script::listElementTypes(unsigned version) {
  std::string text;
  ArrayRef<ElementType> types = getElementTypes(version);
  for (const ElementType &type : types) {
    if (&type != types.begin())
      text += &type == std::prev(types.end()) ? " or " : ", ";
    text += type.name;
  }
  return text;
}

//===----------------------------------------------------------------------===//
// Enumerations
//===----------------------------------------------------------------------===//

namespace {

/// An attribute of the dialect whose value is one of several words.
struct Enumeration {
  /// Null behind the last value.
  mlir::Attribute (*get)(unsigned value, mlir::MLIRContext *context);
  /// The empty string for a value of another enumeration.
  StringRef (*print)(mlir::Attribute value);
};

} // namespace

template <typename Attr> static constexpr Enumeration makeEnumeration() {
  using Value = decltype(std::declval<Attr>().getValue());
  return {[](unsigned value, mlir::MLIRContext *context) -> mlir::Attribute {
            auto constant = static_cast<Value>(value);
            bool isKnown = !hamkaas::stringifyEnum(constant).empty();
            return isKnown ? Attr::get(context, constant) : Attr();
          },
          [](mlir::Attribute value) -> StringRef {
            auto attribute = dyn_cast<Attr>(value);
            return attribute ? hamkaas::stringifyEnum(attribute.getValue())
                             : StringRef();
          }};
}

static constexpr Enumeration enumerations[] = {
    makeEnumeration<hamkaas::CombinerAttr>(),
    makeEnumeration<hamkaas::ComparePredicateAttr>(),
    makeEnumeration<hamkaas::ScatterReductionAttr>(),
    makeEnumeration<hamkaas::GeluApproximationAttr>(),
    makeEnumeration<hamkaas::BlockFormatAttr>(),
};

SmallVector<mlir::Attribute>
hamkaas::listEnumerations(mlir::MLIRContext *context) {
  SmallVector<mlir::Attribute> values;
  for (const Enumeration &enumeration : enumerations)
    for (unsigned i = 0; mlir::Attribute value = enumeration.get(i, context);
         ++i)
      values.push_back(value);
  return values;
}

StringRef hamkaas::getEnumerationName(mlir::Attribute value) {
  for (const Enumeration &enumeration : enumerations)
    if (StringRef name = enumeration.print(value); !name.empty())
      return name;
  return "";
}

//===----------------------------------------------------------------------===//
// Lists and shapes
//===----------------------------------------------------------------------===//

std::string hamkaas::script::formatList(ArrayRef<int64_t> list) {
  std::string text = "[";
  interleave(
      list, [&](int64_t item) { text += itostr(item); }, [&] { text += ", "; });
  return text + "]";
}

std::string hamkaas::script::describeType(mlir::Type tensor) {
  auto shaped = cast<mlir::ShapedType>(tensor);
  return (getElementTypeName(shaped.getElementType()) + " " +
          formatList(shaped.getShape()))
      .str();
}
