//===- RulesTest.h - Each rule against finite differences -------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_TEST_UNIT_GRADIENT_RULESTEST_H
#define HAMKAAS_TEST_UNIT_GRADIENT_RULESTEST_H

#include "GradientTest.h"

namespace hamkaas {

/// Operations on arguments `%a`, `%b`, ... of the given types, of which the
/// last one defines `%y`. Elements are from `least` to `greatest` and differ
/// from each other; those of integers are `firstIndex` at first and count up,
/// within `indexLimit`.
struct RuleCase {
  std::string operation;
  std::vector<std::string> arguments;
  double least = -1, greatest = 1;
  int64_t firstIndex = 0, indexLimit = 3;
};

class RulesTest : public GradientTest,
                  public ::testing::WithParamInterface<RuleCase> {
protected:
  using Tensors = std::vector<ReferenceTensor>;

  /// The module of the case, with an argument for the gradient of the result.
  mlir::OwningOpRef<mlir::ModuleOp> parseCase(bool hasSeed);
  /// Elements for the arguments.
  Tensors makeInputs(mlir::ModuleOp module) const;
  ReferenceTensor makeInput(mlir::RankedTensorType type, unsigned number) const;
  /// The arguments of floats, without the seed.
  static llvm::SmallVector<mlir::Value> getXs(mlir::ModuleOp module);

  /// The sum of the result's elements times those of the seed, the last input.
  static double evaluate(mlir::ModuleOp module, const Tensors &inputs);
  /// The derivative of that at `inputs` in a direction.
  static double differ(mlir::ModuleOp module, const Tensors &inputs,
                       unsigned number, const ReferenceTensor &direction);
  /// Compares the gradients of the gradient by argument `x`, one of floats.
  void checkSecondOrder(unsigned x);
  void checkDerivatives(mlir::ModuleOp module, mlir::ModuleOp plain,
                        const Tensors &inputs);
};

} // namespace hamkaas

#endif // HAMKAAS_TEST_UNIT_GRADIENT_RULESTEST_H
