//===- Locations.h - Where results come from --------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_DIALECT_HAMKAAS_IR_LOCATIONS_H
#define HAMKAAS_DIALECT_HAMKAAS_IR_LOCATIONS_H

#include "mlir/IR/Operation.h"

namespace hamkaas {

/// The location of a result that takes over the work of several, at least one:
/// the first of theirs, as many as somebody reads.
mlir::Location fuseLocations(llvm::ArrayRef<mlir::Location> locations);
mlir::Location fuseLocations(mlir::Operation *a, mlir::Operation *b);

/// The location of an operation that is part of the gradient of the one at
/// `location`: reports tell forward from backward by it. Passes keep locations,
/// and no attributes.
mlir::Location markGradient(mlir::Location location);
/// Returns whether one of the locations that were fused is marked.
bool isOfGradient(mlir::Location location);

} // namespace hamkaas

#endif // HAMKAAS_DIALECT_HAMKAAS_IR_LOCATIONS_H
