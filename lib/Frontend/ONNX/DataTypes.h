//===- DataTypes.h - Types of elements in a file ----------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_FRONTEND_ONNX_DATATYPES_H
#define HAMKAAS_LIB_FRONTEND_ONNX_DATATYPES_H

#include "GraphNames.h"
#include "Proto.h"

namespace hamkaas::onnx {

/// The type of elements that `type` of a file stands for; null if
/// no tensor of the graph has such elements.
mlir::Type getElementType(mlir::MLIRContext *context, DataType type);

/// ONNX's name of `type`: "FLOAT16".
std::string getDataTypeName(DataType type);

/// The type that the elements of a tensor encode; Undefined if they are numbers
/// of their own type.
inline DataType getFormat(const Tensor &tensor) {
  return DataType(tensor.encoding());
}
inline Tensor withFormat(const Tensor &tensor, DataType format) {
  return tensor.withEncoding(int64_t(format));
}
/// Marks the elements as numbers of their own type.
inline Tensor withoutFormat(const Tensor &tensor) {
  return withFormat(tensor, DataType::Undefined);
}

} // namespace hamkaas::onnx

#endif // HAMKAAS_LIB_FRONTEND_ONNX_DATATYPES_H
