//===- GradientOpInterface.h - Rules of differentiation ---------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_GRADIENT_GRADIENTOPINTERFACE_H
#define HAMKAAS_GRADIENT_GRADIENTOPINTERFACE_H

#include "HamKaas/Frontend/Builder/GraphBuilder.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/OpDefinition.h"
#include "llvm/ADT/BitVector.h"

namespace hamkaas::gradient {

bool isOfFloats(mlir::Value value);

/// For each result of an operation, the operands that it depends on by
/// operations on floats.
using Dependences = llvm::SmallVector<llvm::BitVector, 1>;

Dependences findDependences(mlir::Operation *op);

/// Each result of floats depends on all operands of floats.
Dependences dependOnAllFloats(mlir::Operation *op);

} // namespace hamkaas::gradient

#include "HamKaas/Gradient/GradientOpInterface.h.inc"

namespace hamkaas {

/// Attaches the models of GradientOpInterface to the operations of GRAPH.
void registerGradientRules(mlir::DialectRegistry &registry);

} // namespace hamkaas

#endif // HAMKAAS_GRADIENT_GRADIENTOPINTERFACE_H
