//===- GraphRules.h - What tensors, constants and names may be --*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_DIALECT_HAMKAAS_IR_GRAPHRULES_H
#define HAMKAAS_DIALECT_HAMKAAS_IR_GRAPHRULES_H

#include "mlir/IR/Location.h"
#include "mlir/IR/Operation.h"

namespace hamkaas {

/// The user's name of a parameter or state: that of the attribute
/// `hamkaas.name`, else the symbol. Two globals may not share a symbol, but a
/// parameter and a state may share a name.
llvm::StringRef getGlobalName(mlir::Operation *global);

/// True for a name that messages, C strings and drawings can show: not empty,
/// UTF-8, without control characters.
bool isValidName(llvm::StringRef name);

/// Returns whether passes give that name to functions, such as `prepare` or
/// `k0`. No entry function may have it.
bool isReservedFunctionName(llvm::StringRef name);

/// Checks that a value of GRAPH may have `type`. Reports an error at `loc`
/// otherwise.
llvm::LogicalResult verifyTensorType(mlir::Location loc, mlir::Type type);

/// Checks that `value` holds the elements of a tensor of `type`. Reports an
/// error at `loc` otherwise.
llvm::LogicalResult verifyElements(mlir::Location loc, mlir::Attribute value,
                                   mlir::Type type);

/// The first error that `function` reports, without the name of the operation.
std::string captureErrors(mlir::MLIRContext *context,
                          llvm::function_ref<void()> function);

} // namespace hamkaas

#endif // HAMKAAS_DIALECT_HAMKAAS_IR_GRAPHRULES_H
