//===- Signals.cpp - Leaving signals to the program around us ---*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Support/Signals.h"
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

static void handle(int signal, void (*handler)(int)) {
  struct sigaction action = {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  sigaction(signal, &action, nullptr);
}

/// Removes what is half written. The signal is blocked until this returns, and
/// ends the process then.
static void endBySignal(int signal) {
  llvm::sys::RunInterruptHandlers();
  handle(signal, SIG_DFL);
  raise(signal);
}

ToolProcess::Inherited::Inherited() {
  for (int signal = 1; signal < NSIG; ++signal)
    sigaction(signal, nullptr, &actions[signal]);
}

void ToolProcess::install() {
  handle(SIGQUIT, endBySignal);
  handle(SIGXCPU, endBySignal);
  // NOTE: not SIG_IGN, which programs that this one starts would inherit.
  handle(SIGXFSZ, [](int) {});
  handle(SIGPIPE, [](int) {});
  for (int signal = 1; signal < NSIG; ++signal)
    if (inherited.actions[signal].sa_handler == SIG_IGN)
      handle(signal, SIG_IGN);
}

void hamkaas::endByBrokenPipe() {
  struct sigaction current;
  sigaction(SIGPIPE, nullptr, &current);
  if (current.sa_handler != SIG_IGN)
    endBySignal(SIGPIPE);
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
