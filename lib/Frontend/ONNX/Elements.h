//===- Elements.h - Element types, and elements as bytes --------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_FRONTEND_ONNX_ELEMENTS_H
#define HAMKAAS_LIB_FRONTEND_ONNX_ELEMENTS_H

#include "HamKaas/Dialect/HamKaas/IR/ReferenceTensor.h"
#include "Proto.h"
#include "mlir/IR/BuiltinAttributes.h"

namespace hamkaas::onnx {

/// The type of elements that `type` of a file stands for; null if
/// no tensor of the graph has such elements.
mlir::Type getElementType(mlir::MLIRContext *context, DataType type);

/// ONNX's name of `type`: "FLOAT16".
std::string getDataTypeName(DataType type);

/// Bytes of an element as a program stores it.
int64_t getElementBytes(mlir::Type type);

/// Elements from and to their bytes as a program stores them. A boolean is a
/// byte of 0 or 1; when read, any other byte is true.
ReferenceTensor decodeElements(mlir::RankedTensorType type,
                               llvm::ArrayRef<char> bytes);
std::vector<char> encodeElements(const ReferenceTensor &tensor);

/// The elements as numbers; large integers are rounded.
void appendElements(const ReferenceTensor &tensor,
                    llvm::SmallVectorImpl<double> &values);

/// Sets all elements.
void fillElements(ReferenceTensor &tensor, double value);

} // namespace hamkaas::onnx

#endif // HAMKAAS_LIB_FRONTEND_ONNX_ELEMENTS_H
