//===- Operators.cpp - The operators of version 1 ---------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Operators.h"
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

mlir::Type hamkaas::script::parseElementType(StringRef name,
                                             mlir::MLIRContext *context) {
  if (name == "float32")
    return mlir::Float32Type::get(context);
  if (name == "int64")
    return mlir::IntegerType::get(context, 64);
  return {};
}

StringRef hamkaas::script::getElementTypeName(mlir::Type type) {
  if (type.isF32())
    return "float32";
  if (type.isSignlessInteger(64))
    return "int64";
  return "";
}

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

bool hamkaas::script::hasFewElements(ArrayRef<int64_t> shape) {
  int64_t count = 1;
  for (int64_t size : shape) {
    // No product is formed that could overflow.
    if (size > (elementLimit - 1) / count)
      return false;
    count *= size;
  }
  return true;
}
