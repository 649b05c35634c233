//===- ChooseEngines.h - Engines by a file or by the clock ------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_DRIVER_CHOOSEENGINES_H
#define HAMKAAS_LIB_DRIVER_CHOOSEENGINES_H

#include "CandidateTimer.h"
#include "HamKaas/Driver/CompileOptions.h"
#include "HamKaas/Program/TargetMachine.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/Error.h"

namespace hamkaas {

/// The engines of groups for `hamkaas-use-engines`, as `options.choices` and
/// `options.choose` say: read from a file, and measured on this machine. What
/// is measured goes into the file. `module` is the model as it was read, and is
/// not changed; `host` is the processor of the program.
llvm::Expected<std::string> chooseEngines(mlir::ModuleOp module,
                                          const TargetCpu &host,
                                          const CompileOptions &options,
                                          CompileFunction compile);

/// Returns whether `choose` asks for measuring; false if it cannot be read.
bool measuresEngines(const CompileSettings &settings);

} // namespace hamkaas

#endif // HAMKAAS_LIB_DRIVER_CHOOSEENGINES_H
