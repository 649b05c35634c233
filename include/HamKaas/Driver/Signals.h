//===- Signals.h - Leaving signals to the program around us -----*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_DRIVER_SIGNALS_H
#define HAMKAAS_DRIVER_SIGNALS_H

#include <csignal>

namespace hamkaas {

/// Puts back at its end what signals did at its beginning, and the stack on
/// which this thread handles them. LLVM takes over those that end a process, to
/// remove files that it writes.
class SignalScope {
public:
  SignalScope();
  SignalScope(const SignalScope &) = delete;
  SignalScope &operator=(const SignalScope &) = delete;
  ~SignalScope();

private:
  struct sigaction actions[NSIG] = {};
  stack_t stack = {};
};

/// For a library in somebody else's process: from now on, files that are being
/// written no longer make LLVM take over signals. Tools want that, and do not
/// call this.
void leaveSignalsAlone();

} // namespace hamkaas

#endif // HAMKAAS_DRIVER_SIGNALS_H
