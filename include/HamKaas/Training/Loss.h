//===- Loss.h - Losses by their names ---------------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_TRAINING_LOSS_H
#define HAMKAAS_TRAINING_LOSS_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/Support/Error.h"

namespace hamkaas {

/// A loss of the table of operations, between an output of a model and labels.
struct Loss {
  llvm::StringRef name, operation;
  /// The labels are numbers of classes, int64, not of the output's type.
  bool hasClasses;
  /// The word of the attribute `reduction`.
  llvm::StringRef reduction = "mean";
  /// The output is scores: a softmax at the end would be applied twice.
  bool takesScores = false;
};

/// The error lists the known names.
llvm::Expected<Loss> findLoss(llvm::StringRef name);

/// The known names, with commas between them.
std::string listLosses();

/// The type of the labels for an output. Classes are its dimension 1, or 0 of a
/// vector.
llvm::Expected<mlir::RankedTensorType> getLabelType(const Loss &loss,
                                                    mlir::Value output);

llvm::Expected<mlir::Value> addLoss(const Loss &loss, mlir::Value output,
                                    mlir::Value labels, mlir::OpBuilder &place,
                                    mlir::Location location);

/// How many labels are the class of the largest score, int64 [].
mlir::Value countCorrect(mlir::Value output, mlir::Value labels,
                         mlir::OpBuilder &place, mlir::Location location);

} // namespace hamkaas

#endif // HAMKAAS_TRAINING_LOSS_H
