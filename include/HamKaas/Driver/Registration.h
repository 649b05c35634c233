//===- Registration.h - Dialects and passes of the tools ------ -*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_DRIVER_REGISTRATION_H
#define HAMKAAS_DRIVER_REGISTRATION_H

#include "mlir/IR/DialectRegistry.h"

namespace hamkaas {

/// Adds the dialects that occur in any form of a model, and the external models
/// of their interfaces.
void registerDialects(mlir::DialectRegistry &registry);

/// Registers our passes and pipelines, and the upstream passes that are useful
/// beside them, with the command line of `hamkaas-opt`.
void registerPasses();

/// The versions of HamKaas and of LLVM.
void printVersion(llvm::raw_ostream &stream);

/// Lets `--version` of a tool that is MLIR's print that.
void registerVersion();

} // namespace hamkaas

#endif // HAMKAAS_DRIVER_REGISTRATION_H
