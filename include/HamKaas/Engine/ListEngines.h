//===- ListEngines.h - The engines of this machine as text ------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_ENGINE_LISTENGINES_H
#define HAMKAAS_ENGINE_LISTENGINES_H

#include "HamKaas/Engine/EngineHost.h"
#include "llvm/Support/raw_ostream.h"

namespace hamkaas {

/// The engines, with their knobs, and the files that were searched, with the
/// reason for each that is not used.
void printEngines(const EngineHost &host, llvm::raw_ostream &stream);

/// For a tool: from now on, a crash in an engine names it on standard error
/// before LLVM's stack dump.
void nameCrashingEngines();

} // namespace hamkaas

#endif // HAMKAAS_ENGINE_LISTENGINES_H
