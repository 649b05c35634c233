//===- Quantization.h - Numbers as small integers ---------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_FRONTEND_ONNX_QUANTIZATION_H
#define HAMKAAS_LIB_FRONTEND_ONNX_QUANTIZATION_H

#include "OpContext.h"

namespace hamkaas::onnx {

/// Numbers as 8 bits without a sign: `scale * (values - zeroPoint)`, all three
/// floats, `values` and `zeroPoint` whole and from 0 to 255.
struct DynamicQuantization {
  Tensor values, scale, zeroPoint;
};

/// Codes of few bits, several a byte from the lowest bits on, as bytes. The
/// rows become `8 / bits` times as long.
Tensor unpackRows(GraphBuilder &b, Tensor packed, int64_t bits);

/// A constant as a value of the graph: its operations are part of the program,
/// not evaluated at import, so that it stays as small as the file has it.
Tensor keepPacked(GraphBuilder &b, const Tensor &x);

/// Quantizes by the least and the largest of the numbers and 0.
DynamicQuantization quantizeDynamically(GraphBuilder &b, Tensor x);

/// `x` minus an input's zero point, if it is there, as integers of 32 bits. A
/// zero point of several elements has one for each index of `dim`.
Tensor subtractZeroPoint(OpContext &op, GraphBuilder &b, Tensor x,
                         unsigned input, int64_t dim);

/// `sum * scale`, rounded and shifted to the type of the zero point, whose
/// range it does not leave. `like` is the type if there is no zero point.
Tensor requantize(GraphBuilder &b, Tensor sum, Tensor scale, Tensor zeroPoint,
                  mlir::Type like);

} // namespace hamkaas::onnx

#endif // HAMKAAS_LIB_FRONTEND_ONNX_QUANTIZATION_H
