//===- DescribeGroup.h - Groups as engines see them -------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_ENGINE_DESCRIBEGROUP_H
#define HAMKAAS_LIB_ENGINE_DESCRIBEGROUP_H

#include "HamKaas/Dialect/HamKaas/IR/HamKaas.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include <optional>
#include <string>

namespace hamkaas {

/// Operations of GRAPH in order, of which the last one has the result, and the
/// values that they take from outside.
struct EngineSlice {
  llvm::SmallVector<mlir::Operation *> ops;
  llvm::SmallVector<mlir::Value> inputs;
  /// One an input: whether it depends on parameters alone.
  llvm::SmallVector<bool> isConstant;
};

/// Where and how a group is computed, as in the text of a group.
struct EngineTarget {
  llvm::StringRef device = "cpu";
  llvm::StringRef precision = "exact";
};

/// The text of `HamKaas/Runtime/Engine/EngineGroup.h`. Nothing if the slice has
/// types or attributes that the text cannot say.
std::optional<std::string> describeSlice(const EngineSlice &slice,
                                         const EngineTarget &target);

/// The slice as a model in GRAPH, with inputs "x0", "x1" and so on. With
/// `hasParameters`, those that depend on parameters alone are parameters.
mlir::OwningOpRef<mlir::ModuleOp> makeSliceModel(const EngineSlice &slice,
                                                 bool hasParameters);

} // namespace hamkaas

#endif // HAMKAAS_LIB_ENGINE_DESCRIBEGROUP_H
