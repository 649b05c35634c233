//===- CountNodes.h - What passes do to nodes -------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_REPORT_COUNTNODES_H
#define HAMKAAS_REPORT_COUNTNODES_H

#include "HamKaas/Program/ProgramInfo.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "llvm/ADT/Hashing.h"
#include <unordered_map>

namespace hamkaas {

/// Counts the nodes that each pass on a graph removes and adds, from outside:
/// no pass has to. Passes that check a form are not reported.
class CountNodes : public mlir::PassInstrumentation {
public:
  /// `optimizations` must outlive this.
  explicit CountNodes(std::vector<OptimizationInfo> &optimizations)
      : optimizations(optimizations) {}

  void runBeforePass(mlir::Pass *pass, mlir::Operation *op) override;
  void runAfterPass(mlir::Pass *pass, mlir::Operation *op) override;

private:
  /// How many nodes there are of one operation, attributes and types.
  using Nodes = std::unordered_map<size_t, uint64_t>;
  static Nodes count(mlir::Operation *op);

  std::vector<OptimizationInfo> &optimizations;
  Nodes before;
};

} // namespace hamkaas

#endif // HAMKAAS_REPORT_COUNTNODES_H
