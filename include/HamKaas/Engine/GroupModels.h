//===- GroupModels.h - The groups of a graph by themselves ------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_ENGINE_GROUPMODELS_H
#define HAMKAAS_ENGINE_GROUPMODELS_H

#include "HamKaas/CodeGen/Kernel/TargetDescription.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace hamkaas {

/// A group as a model of its own, in GRAPH: `@main` computes it from the inputs
/// of the group. Those that depend on parameters alone are parameters.
struct GroupModel {
  std::string digest; ///< getGroupDigest.
  std::string ops, at;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  /// Rules without places that may be chosen; our own code is the first.
  std::vector<std::string> engines;
};

/// The engines that may compute the groups of a model.
struct EngineSearch {
  llvm::StringRef rules;           ///< Those of `--engine`.
  llvm::StringRef path;            ///< That of engine libraries.
  const TargetDescription &target; ///< Of our own code.
  double winogradError;            ///< That of the options.
};

/// The groups of a graph that more than one engine, or more than one setting of
/// its knobs, may compute; equal groups once, in the order of the graph.
///
/// All rules for the place of a group are candidates; without rules, all
/// engines of the path are, but for the one that only checks others. A rule
/// without knobs stands for several values of each.
llvm::Expected<std::vector<GroupModel>>
collectGroupModels(mlir::ModuleOp graph, const EngineSearch &search);

} // namespace hamkaas

#endif // HAMKAAS_ENGINE_GROUPMODELS_H
