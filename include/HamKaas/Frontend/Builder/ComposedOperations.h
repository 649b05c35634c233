//===- ComposedOperations.h - Compositions with names -----------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_FRONTEND_BUILDER_COMPOSEDOPERATIONS_H
#define HAMKAAS_FRONTEND_BUILDER_COMPOSEDOPERATIONS_H

#include "HamKaas/Frontend/Builder/GraphBuilder.h"
#include "mlir/IR/BuiltinAttributeInterfaces.h"

#include "HamKaas/Frontend/Builder/CompositionEnums.h.inc"

/// The compositions of Compositions.td, which docs/reference/Compositions.md
/// describes: for each a structure of its operands and attributes, and
///
///     Tensor compose(GraphBuilder &b, const Softmax &given);
///
/// which builds it: `Tensors` if it has several results. An operand that is
/// left out is null, and so is the result after a failure. The element types of
/// operands are those that Compositions.td says; shapes and attributes may be
/// anything.
namespace hamkaas::graph::compositions {

#include "HamKaas/Frontend/Builder/ComposedOperations.h.inc"

} // namespace hamkaas::graph::compositions

#endif // HAMKAAS_FRONTEND_BUILDER_COMPOSEDOPERATIONS_H
