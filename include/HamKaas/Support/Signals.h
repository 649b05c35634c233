//===- Signals.h - Leaving signals to the program around us -----*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_SUPPORT_SIGNALS_H
#define HAMKAAS_SUPPORT_SIGNALS_H

#include "llvm/Support/InitLLVM.h"
#include <csignal>

namespace hamkaas {

/// Saves signal handlers and this thread's signal stack, and restores them at
/// its end. LLVM installs handlers for signals that end a process, to remove
/// files that it is writing.
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

/// llvm::InitLLVM for a tool that a signal ends as it ends any program:
/// quietly, with the status that a shell expects, and without files that are
/// half written. LLVM would print a stack dump and ask for a report also where
/// the user has pressed Ctrl-\ or set a limit. What the caller ignores, as
/// nohup does, stays ignored. Beyond a limit of the size of files, or behind a
/// closed pipe, writing fails instead.
class ToolProcess {
public:
  ToolProcess(int &argc, const char **&argv) : init(argc, argv) { install(); }
  ToolProcess(int &argc, char **&argv) : init(argc, argv) { install(); }

private:
  void install();

  /// NOTE: before `init`, which changes them.
  struct Inherited {
    Inherited();
    struct sigaction actions[NSIG] = {};
  } inherited;
  llvm::InitLLVM init;
};

/// Ends the process as the signal does that a write to a closed pipe brings.
/// Returns where that is ignored.
void endByBrokenPipe();

/// For a library in somebody else's process: from now on, files that are being
/// written no longer make LLVM take over signals. Tools want that, and do not
/// call this.
void leaveSignalsAlone();

} // namespace hamkaas

#endif // HAMKAAS_SUPPORT_SIGNALS_H
