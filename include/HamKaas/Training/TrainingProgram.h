//===- TrainingProgram.h - The program that trains a model ------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_TRAINING_TRAININGPROGRAM_H
#define HAMKAAS_TRAINING_TRAININGPROGRAM_H

#include "HamKaas/Options/CompileSettings.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/Error.h"

namespace hamkaas {

/// A model, whose only function is `main`, in two forms with the same inputs,
/// outputs and parameters.
struct TrainedModel {
  /// As a step computes it, and otherwise. May be the same.
  mlir::ModuleOp step, inference;
  /// Parameters that a step gives the values of the last results of `step`.
  llvm::ArrayRef<std::string> updates = {};
};

/// Fails if options of the training are wrong, or there are some without it.
llvm::Error checkTrainingOptions(const CompileSettings &settings);

/// The functions train_step, evaluate and predict over one state. Parameters
/// of floats are states with initial contents, except those that no gradient
/// reaches and those that match `settings.freeze`.
llvm::Expected<mlir::OwningOpRef<mlir::ModuleOp>>
makeTrainingProgram(const TrainedModel &model, const CompileSettings &settings);

} // namespace hamkaas

#endif // HAMKAAS_TRAINING_TRAININGPROGRAM_H
