//===- ElementTypes.h - Element types in graphs and programs ----*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_PROGRAM_ELEMENTTYPES_H
#define HAMKAAS_PROGRAM_ELEMENTTYPES_H

#include "HamKaas/Dialect/HamKaas/IR/ReferenceTensor.h"
#include "hamkaas-c/Program.h"
#include "mlir/IR/BuiltinTypes.h"

namespace hamkaas {

/// An element type of a program: its type in a graph, and how the interpreter
/// holds its elements. Name and size are in the runtime's table.
struct ElementTypeInfo {
  HamKaasElementType type;
  mlir::Type (*make)(mlir::MLIRContext *context);
  /// Elements as a program has them to those of a tensor of this type, and
  /// back.
  void (*decode)(const void *from, ReferenceTensor &to);
  void (*encode)(const ReferenceTensor &from, void *to);
  /// How much two devices may differ, relative to the scale of a row; 0 for
  /// types that are exact.
  double tolerance;
};

/// The entry of a type in a graph; null if programs have no such type.
const ElementTypeInfo *findElementType(mlir::Type type);

/// The entry of a HamKaasElementType.
const ElementTypeInfo &getElementType(int32_t elementType);

/// The entry of the elements of a tensor of a program.
inline const ElementTypeInfo &getElementType(mlir::RankedTensorType type) {
  return *findElementType(type.getElementType());
}

/// The type of a tensor in a program or a file; `elementType` is a
/// HamKaasElementType.
mlir::RankedTensorType makeTensorType(mlir::MLIRContext *context,
                                      int32_t elementType,
                                      llvm::ArrayRef<int64_t> shape);

} // namespace hamkaas

#endif // HAMKAAS_PROGRAM_ELEMENTTYPES_H
