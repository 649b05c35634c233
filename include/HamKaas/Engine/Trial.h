//===- Trial.h - Foreign code in a child process ----------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_ENGINE_TRIAL_H
#define HAMKAAS_ENGINE_TRIAL_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace hamkaas {

/// Says what the child process does next.
using TrialStep = llvm::function_ref<void(llvm::StringRef step)>;

/// Runs `work` in a child process, which ends with it. An error if the child
/// crashes, ends itself, or takes longer for a step than a time limit: the
/// seconds of HAMKAAS_ENGINE_TIMEOUT, else 20. It names the step.
llvm::Error tryInChild(llvm::function_ref<void(TrialStep)> work);

} // namespace hamkaas

#endif // HAMKAAS_ENGINE_TRIAL_H
