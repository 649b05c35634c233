//===- CreateOperation.h - Creates and checks an operation ------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_FRONTEND_BUILDER_CREATEOPERATION_H
#define HAMKAAS_FRONTEND_BUILDER_CREATEOPERATION_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"

namespace hamkaas::graph {

/// Tensors have fewer elements than this, so that no size or offset in bytes
/// overflows.
inline constexpr int64_t elementLimit = int64_t(1) << 47;

/// True if a tensor of `shape` (dimensions of at least 1) keeps below the
/// limit.
bool hasFewElements(llvm::ArrayRef<int64_t> shape);

/// The attribute that tells optional operands apart. `createOperation` sets it
/// by the operands' types.
inline constexpr llvm::StringLiteral segmentsAttr = "operandSegmentSizes";

/// An operation of GRAPH that has one result.
struct OperationRequest {
  mlir::OperationName name;
  mlir::Location location;
  mlir::ValueRange operands = {};
  /// The `Properties` of the operation's class; null to give `attributes`.
  mlir::OpaqueProperties properties = nullptr;
  llvm::ArrayRef<mlir::NamedAttribute> attributes = {};
  /// Type of the result, null to have it inferred.
  mlir::RankedTensorType type = {};
  /// The number of operands, their element types, and the attributes are known
  /// to be those that the operation takes: only shapes and values may be wrong.
  bool isWellFormed = false;
  /// Of an operation with several optional operands: how many operands are for
  /// each of them. Empty to tell by their types.
  llvm::ArrayRef<int32_t> segments = {};
};

/// A new operation in no block, or why there is none.
struct OperationResult {
  /// The part of a request that an operation may refuse.
  enum class Part { Attributes, Signature, Shapes };

  mlir::Operation *op = nullptr;
  Part fault = Part::Attributes;
  /// Without position and name of the operation.
  std::string problem = "";
};

/// Creates an operation with the type that it infers, and verifies it. Emits no
/// diagnostics. All front ends create their operations here.
OperationResult createOperation(const OperationRequest &request);

} // namespace hamkaas::graph

#endif // HAMKAAS_FRONTEND_BUILDER_CREATEOPERATION_H
