//===- Formats.h - Elements that no graph has -------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_FRONTEND_ONNX_FORMATS_H
#define HAMKAAS_LIB_FRONTEND_ONNX_FORMATS_H

#include "DataTypes.h"

/// Types of elements that a model stores numbers in and a graph does not have:
/// floats of 8 and 4 bits, and integers of 4 and 2. The graph has a byte for
/// each element: the bits of a float, the number of an integer. What computes
/// with them decodes them first.
namespace hamkaas::onnx {

/// Bits of an element; 0 if `type` is no format.
int getFormatBits(DataType type);
inline bool isFormat(DataType type) { return getFormatBits(type) != 0; }
bool isFloatFormat(DataType type);
/// The floats of a format; null for integers.
const llvm::fltSemantics *getSemantics(DataType type);
/// The least and the greatest number of a format of integers.
std::pair<int, int> getFormatRange(DataType type);

/// The type of the bytes; null if `type` is no format.
mlir::Type getStorageType(mlir::MLIRContext *context, DataType type);

/// Elements as a file has them, several a byte in the order of their bits, as
/// `count` bytes.
std::vector<char> unpack(DataType format, llvm::ArrayRef<char> packed,
                         int64_t count);

/// Numbers that a graph computes with: float32, or integers of 8 bits. A plain
/// tensor is left as it is.
Tensor decode(GraphBuilder &b, Tensor x);

/// Plain numbers as integers of that format. What does not fit wraps.
Tensor encodeIntegers(GraphBuilder &b, Tensor x, DataType format);

/// How a float becomes one of fewer bits.
struct FloatRounding {
  /// True if numbers out of range become the largest number instead of an
  /// infinity or NaN.
  bool saturates = true;
  /// Of FLOAT8E8M0, the powers of two: nearest, up or down.
  llvm::StringRef mode = "up";
};

/// Plain numbers as floats of that format, rounded to nearest, halves to even.
Tensor encodeFloats(GraphBuilder &b, Tensor x, DataType format,
                    FloatRounding rounding);

} // namespace hamkaas::onnx

#endif // HAMKAAS_LIB_FRONTEND_ONNX_FORMATS_H
