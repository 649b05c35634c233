//===- FormatType.cpp - Types as users read them ----------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Dialect/HamKaas/IR/FormatType.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/Support/DebugStringHelper.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace hamkaas;

/// The name of an element type that MLIR prints as `mnemonic`: "float32" of
/// "f32"; empty for what no element is.
static std::string getElementName(StringRef mnemonic) {
  static constexpr std::pair<StringLiteral, StringLiteral> prefixes[] = {
      {"bf", "bfloat"}, {"f", "float"}, {"ui", "uint"}, {"i", "int"}};
  if (mnemonic == "i1")
    return "bool";
  for (auto [prefix, name] : prefixes) {
    StringRef width = mnemonic;
    if (width.consume_front(prefix) && !width.empty() &&
        llvm::all_of(width, llvm::isDigit))
      return (name + width).str();
  }
  return "";
}

/// "float32 [2, 3]" of "2x3xf32"; empty for another text.
static std::string formatTensor(StringRef text) {
  SmallVector<StringRef> parts;
  text.split(parts, 'x');
  std::string element = getElementName(parts.pop_back_val());
  bool hasSizes = llvm::all_of(parts, [](StringRef size) {
    return !size.empty() && llvm::all_of(size, llvm::isDigit);
  });
  if (element.empty() || !hasSizes)
    return "";
  return element + " [" + llvm::join(parts, ", ") + "]";
}

std::string hamkaas::formatType(Type type) {
  std::string text = debugString(type);
  StringRef inner = text;
  std::string formatted;
  if (inner.consume_front("tensor<") && inner.consume_back(">"))
    formatted = formatTensor(inner);
  else
    formatted = getElementName(text);
  return formatted.empty() ? text : formatted;
}

std::string hamkaas::formatTypesIn(StringRef text) {
  std::string result;
  while (true) {
    auto [before, from] = text.split("tensor<");
    result += before;
    if (before.size() == text.size())
      return result;
    StringRef inner = from.take_until([](char c) { return c == '>'; });
    std::string formatted = formatTensor(inner);
    text = formatted.empty() ? from : from.drop_front(inner.size() + 1);
    result += formatted.empty() ? "tensor<" : formatted;
  }
}
