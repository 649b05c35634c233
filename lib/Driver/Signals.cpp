//===- Signals.cpp - Leaving signals to the program around us ---*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Driver/Signals.h"
#include "llvm/Support/Signals.h"
#include <mutex>

using namespace hamkaas;

SignalScope::SignalScope() {
  sigaltstack(nullptr, &stack);
  for (int signal = 1; signal < NSIG; ++signal)
    sigaction(signal, nullptr, &actions[signal]);
}

SignalScope::~SignalScope() {
  for (int signal = 1; signal < NSIG; ++signal)
    sigaction(signal, &actions[signal], nullptr);
  sigaltstack(&stack, nullptr);
}

void hamkaas::leaveSignalsAlone() {
  // LLVM installs its handlers once, for the first file, and never looks again.
  // So they are installed here, and taken back at once.
  static std::once_flag once;
  std::call_once(once, [] {
    SignalScope scope;
    llvm::StringRef file = "no file";
    llvm::sys::RemoveFileOnSignal(file);
    llvm::sys::DontRemoveFileOnSignal(file);
  });
}
