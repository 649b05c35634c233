//===- HamKaasToLinalg.h - Lowering of operations to linalg -----*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_CONVERSION_HAMKAASTOLINALG_HAMKAASTOLINALG_H
#define HAMKAAS_CONVERSION_HAMKAASTOLINALG_HAMKAASTOLINALG_H

#include "mlir/IR/DialectRegistry.h"

namespace hamkaas {

/// Attaches LinalgLoweringOpInterface to every operation of GRAPH.
void registerLinalgLowerings(mlir::DialectRegistry &registry);

} // namespace hamkaas

#endif // HAMKAAS_CONVERSION_HAMKAASTOLINALG_HAMKAASTOLINALG_H
