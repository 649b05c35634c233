//===- Enumerations.h - Enumerations as words -------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_FRONTEND_SCRIPT_ENUMERATIONS_H
#define HAMKAAS_FRONTEND_SCRIPT_ENUMERATIONS_H

#include "mlir/IR/Attributes.h"
#include "llvm/ADT/SmallVector.h"

namespace hamkaas {

/// The word that scripts write for the value of an enumeration; empty for what
/// is none.
llvm::StringRef getEnumerationName(mlir::Attribute value);

/// All values of all enumerations of the dialect. Several may have one name;
/// which of them an operation takes is its constraint's to say.
llvm::SmallVector<mlir::Attribute> listEnumerations(mlir::MLIRContext *context);

} // namespace hamkaas

#endif // HAMKAAS_FRONTEND_SCRIPT_ENUMERATIONS_H
