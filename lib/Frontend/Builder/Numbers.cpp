//===- Numbers.cpp - Numbers of all element types as text -----------------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Frontend/Builder/Numbers.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Error.h"
#include <charconv>

using namespace mlir;
using namespace hamkaas;
using llvm::APFloat;
using llvm::APInt;

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

static std::optional<APInt> parseBits(StringRef digits, unsigned width) {
  APInt bits;
  if (digits.size() != width / 4 || digits.getAsInteger(16, bits))
    return std::nullopt;
  return bits.zextOrTrunc(width);
}

/// APFloat takes hundreds of nanoseconds for a number, which counts where a
/// constant has a million.
template <typename T, typename Bits>
static std::optional<APInt> parseQuickly(StringRef text) {
  T value;
  auto [end, status] = std::from_chars(text.begin(), text.end(), value);
  if (status != std::errc() || end != text.end() || !std::isfinite(value))
    return std::nullopt;
  return APInt(sizeof(T) * 8, llvm::bit_cast<Bits>(value));
}

static std::optional<APInt> parseFloat(StringRef text, FloatType type) {
  std::optional<APInt> quick =
      type.isF32()   ? parseQuickly<float, uint32_t>(text)
      : type.isF64() ? parseQuickly<double, uint64_t>(text)
                     : std::nullopt;
  if (quick)
    return quick;
  StringRef digits = text;
  if (digits.consume_front("0x") && !digits.contains_insensitive('p'))
    return parseBits(digits, type.getWidth());
  APFloat value(type.getFloatSemantics());
  auto status = value.convertFromString(text, APFloat::rmNearestTiesToEven);
  if (llvm::errorToBool(status.takeError()) || (*status & APFloat::opOverflow))
    return std::nullopt;
  // "nan7" has a payload, which bits say better.
  if (value.isNaN() && !text.equals_insensitive("nan"))
    return std::nullopt;
  return value.bitcastToAPInt();
}

static std::optional<APInt> parseInteger(StringRef text, IntegerType type) {
  bool isNegative = text.consume_front("-");
  APInt value;
  if (text.getAsInteger(10, value))
    return std::nullopt;
  // With room for the sign.
  unsigned width = type.getWidth();
  value = value.zext(std::max(value.getBitWidth(), width) + 1);
  if (isNegative)
    value.negate();
  bool fits = type.isUnsigned() ? !value.isNegative() && value.isIntN(width)
                                : value.isSignedIntN(width);
  return fits ? std::optional(value.trunc(width)) : std::nullopt;
}

std::optional<APInt> graph::parseNumber(StringRef text, Type type) {
  if (text.size() > longestNumber)
    return std::nullopt;
  if (auto floatType = dyn_cast<FloatType>(type))
    return parseFloat(text, floatType);
  if (!type.isInteger(1))
    return parseInteger(text, cast<IntegerType>(type));
  if (text == "true" || text == "false")
    return APInt(1, text == "true");
  return std::nullopt;
}

TypedAttr graph::parseNumberAttr(StringRef text, Type type) {
  std::optional<APInt> bits = parseNumber(text, type);
  if (!bits)
    return {};
  if (auto floatType = dyn_cast<FloatType>(type))
    return FloatAttr::get(type, APFloat(floatType.getFloatSemantics(), *bits));
  return cast<TypedAttr>(IntegerAttr::get(type, *bits));
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

template <typename... Format>
static StringRef format(std::array<char, 64> &buffer, Format... format) {
  auto result = std::to_chars(buffer.begin(), buffer.end(), format...);
  assert(result.ec == std::errc() && "a number takes less than 64 characters");
  return {buffer.data(), size_t(result.ptr - buffer.data())};
}

/// A float of 16 bits, which the standard library does not know.
static void printNarrow(llvm::raw_ostream &stream, const APFloat &value,
                        FloatType type) {
  APFloat wide = value;
  bool losesInfo;
  wide.convert(APFloat::IEEEsingle(), APFloat::rmNearestTiesToEven, &losesInfo);
  std::array<char, 64> buffer;
  for (int digits = 1;; ++digits) {
    StringRef text = format(buffer, wide.convertToFloat(),
                            std::chars_format::general, digits);
    if (graph::parseNumber(text, type) == value.bitcastToAPInt()) {
      stream << text;
      return;
    }
  }
}

static void printFloat(llvm::raw_ostream &stream, const APFloat &value,
                       FloatType type) {
  std::array<char, 64> buffer;
  if (value.isInfinity())
    stream << (value.isNegative() ? "-inf" : "inf");
  else if (value.bitwiseIsEqual(APFloat::getNaN(value.getSemantics())))
    stream << "nan";
  else if (value.isNaN())
    stream << "0x"
           << llvm::utohexstr(value.bitcastToAPInt().getZExtValue(),
                              /*LowerCase=*/true, type.getWidth() / 4);
  else if (type.isF32())
    stream << format(buffer, value.convertToFloat());
  else if (type.isF64())
    stream << format(buffer, value.convertToDouble());
  else
    printNarrow(stream, value, type);
}

void graph::printNumber(llvm::raw_ostream &stream, const APInt &bits,
                        Type type) {
  if (auto floatType = dyn_cast<FloatType>(type))
    printFloat(stream, APFloat(floatType.getFloatSemantics(), bits), floatType);
  else if (type.isInteger(1))
    stream << (bits.isZero() ? "false" : "true");
  else
    bits.print(stream, /*isSigned=*/!type.isUnsignedInteger());
}
