//===- ReferenceSemantics.h - Meaning of each operation ---------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_INTERPRETER_REFERENCESEMANTICS_H
#define HAMKAAS_INTERPRETER_REFERENCESEMANTICS_H

#include "mlir/IR/DialectRegistry.h"

namespace hamkaas {

/// Attaches the models of ReferenceSemanticsOpInterface to the operations of
/// GRAPH.
void registerReferenceSemantics(mlir::DialectRegistry &registry);

} // namespace hamkaas

#endif // HAMKAAS_INTERPRETER_REFERENCESEMANTICS_H
