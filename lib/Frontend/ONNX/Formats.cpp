//===- Formats.cpp - Elements that no graph has -----------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Formats.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace hamkaas;
using namespace hamkaas::onnx;

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

const llvm::fltSemantics *onnx::getSemantics(DataType format) {
  switch (format) {
  case DataType::Float8E4M3FN:
    return &llvm::APFloat::Float8E4M3FN();
  case DataType::Float8E4M3FNUZ:
    return &llvm::APFloat::Float8E4M3FNUZ();
  case DataType::Float8E5M2:
    return &llvm::APFloat::Float8E5M2();
  case DataType::Float8E5M2FNUZ:
    return &llvm::APFloat::Float8E5M2FNUZ();
  case DataType::Float8E8M0:
    return &llvm::APFloat::Float8E8M0FNU();
  case DataType::Float4E2M1:
    return &llvm::APFloat::Float4E2M1FN();
  default:
    return nullptr;
  }
}

static bool isSigned(DataType format) {
  return format == DataType::Int4 || format == DataType::Int2;
}

int onnx::getFormatBits(DataType type) {
  if (type == DataType::UInt4 || type == DataType::Int4)
    return 4;
  if (type == DataType::UInt2 || type == DataType::Int2)
    return 2;
  const llvm::fltSemantics *semantics = getSemantics(type);
  return semantics ? int(llvm::APFloat::getSizeInBits(*semantics)) : 0;
}

std::pair<int, int> onnx::getFormatRange(DataType type) {
  int half = 1 << (getFormatBits(type) - 1);
  return isSigned(type) ? std::pair(-half, half - 1)
                        : std::pair(0, 2 * half - 1);
}

bool onnx::isFloatFormat(DataType type) { return getSemantics(type); }

Type onnx::getStorageType(MLIRContext *context, DataType type) {
  if (!isFormat(type))
    return {};
  return IntegerType::get(context, 8,
                          isSigned(type) ? IntegerType::Signless
                                         : IntegerType::Unsigned);
}

std::vector<char> onnx::unpack(DataType format, ArrayRef<char> packed,
                               int64_t count) {
  int bits = getFormatBits(format), perByte = 8 / bits;
  std::vector<char> bytes(count);
  for (int64_t i = 0; i < count; ++i) {
    uint64_t code = uint8_t(packed[i / perByte]) >> (i % perByte * bits);
    code &= llvm::maskTrailingOnes<uint64_t>(bits);
    bytes[i] = char(isSigned(format) ? llvm::SignExtend64(code, bits) : code);
  }
  return bytes;
}

//===----------------------------------------------------------------------===//
// Conversions
//===----------------------------------------------------------------------===//

/// The numbers of all codes of a format of floats.
static Tensor makeTable(GraphBuilder &b, DataType format) {
  int bits = getFormatBits(format);
  SmallVector<double> numbers;
  for (uint64_t code = 0; code < (uint64_t(1) << bits); ++code) {
    llvm::APFloat number(*getSemantics(format), llvm::APInt(bits, code));
    bool losesInfo;
    number.convert(llvm::APFloat::IEEEdouble(),
                   llvm::APFloat::rmNearestTiesToEven, &losesInfo);
    numbers.push_back(number.convertToDouble());
  }
  return b.constantOf(Float32Type::get(b.context()), numbers,
                      int64_t(numbers.size()));
}

Tensor onnx::decode(GraphBuilder &b, Tensor x) {
  DataType format = getFormat(x);
  Tensor bytes = withoutFormat(x);
  if (!x || !isFloatFormat(format))
    return bytes;
  Tensor index = b.cast(bytes, IntegerType::get(b.context(), 64));
  return b.gather(makeTable(b, format), index, 0);
}

Tensor onnx::encodeIntegers(GraphBuilder &b, Tensor x, DataType format) {
  int unused = 8 - getFormatBits(format);
  Type storage = getStorageType(b.context(), format);
  // Floats become integers that do not wrap first.
  if (x.isFloat())
    x = b.cast(x, IntegerType::get(b.context(), 32));
  x = b.cast(x, storage);
  Tensor distance = b.scalar(storage, unused);
  x = b.shiftRight(b.shiftLeft(x, distance), distance);
  return withFormat(x, format);
}
