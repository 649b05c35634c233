//===- HamKaas.h - The dialect and its interfaces ---------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_DIALECT_HAMKAAS_IR_HAMKAAS_H
#define HAMKAAS_DIALECT_HAMKAAS_IR_HAMKAAS_H

#include "HamKaas/Dialect/HamKaas/IR/ReferenceTensor.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include <optional>

#include "HamKaas/Dialect/HamKaas/IR/HamKaasDialect.h.inc"
#include "HamKaas/Dialect/HamKaas/IR/HamKaasEnums.h.inc"

namespace hamkaas {

/// True for a ranked tensor of static shape, of any element type, that has at
/// least one element and fewer than 2^47.
bool isSupportedShape(mlir::Type type);

/// True for `tensor<1xi64>`, the type of a position known only at run time.
bool isPosition(mlir::Type type);

/// Marks all operations below `root` that read such a position as vouched for,
/// so that no kernel checks it.
void markUnchecked(mlir::Operation *root);

/// The element type that memory holds for elements of `element`: a byte for a
/// boolean, and integers without a sign.
mlir::Type getStorageElementType(mlir::Type element);

/// `type`, a tensor, with the element type that memory holds.
mlir::RankedTensorType getStorageType(mlir::Type type);

/// `elements` as memory holds them.
mlir::DenseElementsAttr getStoredElements(mlir::DenseElementsAttr elements);

/// Checks the rules of an elementwise operation on two tensors and appends the
/// type of its result.
llvm::LogicalResult inferBroadcast(std::optional<mlir::Location> loc,
                                   mlir::ValueRange operands,
                                   llvm::SmallVectorImpl<mlir::Type> &types);

/// Number of elements of a tensor type of static shape.
int64_t getElementCount(mlir::Type type);

/// Sum and product of counts, which stay at the largest int64_t instead of
/// wrapping.
int64_t addCounts(int64_t a, int64_t b);
int64_t multiplyCounts(int64_t a, int64_t b);

/// Size in bytes of the elements of a tensor type of static shape.
int64_t getByteCount(mlir::Type type);

} // namespace hamkaas

#define GET_ATTRDEF_CLASSES
#include "HamKaas/Dialect/HamKaas/IR/HamKaasAttrs.h.inc"
#include "HamKaas/Dialect/HamKaas/IR/HamKaasInterfaces.h.inc"

#endif // HAMKAAS_DIALECT_HAMKAAS_IR_HAMKAAS_H
