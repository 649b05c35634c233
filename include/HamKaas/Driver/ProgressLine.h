//===- ProgressLine.h - How far a compilation is ----------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_DRIVER_PROGRESSLINE_H
#define HAMKAAS_DRIVER_PROGRESSLINE_H

#include "HamKaas/Driver/Compiler.h"
#include "mlir/IR/Diagnostics.h"
#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

namespace hamkaas {

/// When a tool shows how far a compilation is.
enum class ShowProgress {
  Auto, ///< After a second, on a terminal.
  Always,
  Never
};

/// A line on standard error that is rewritten while a model is compiled, and
/// wiped at the end and before a diagnostic. After a delay it has a thread of
/// its own, so that it shows a step that takes long, too.
class ProgressLine {
public:
  /// For the model `name`, whose diagnostics are those of `context`.
  ProgressLine(llvm::StringRef name, mlir::MLIRContext *context,
               ShowProgress when);
  ProgressLine(const ProgressLine &) = delete;
  ~ProgressLine();

  /// Lets the compilation tell this what it does, as long as this lives.
  void attach(CompileOptions &options);

private:
  void change();
  void begin(llvm::StringRef step, int done, int total);
  void countKernels(int done, int total);
  void work(std::chrono::milliseconds delay);
  void show();
  void wipe();

  std::string name, step, kernels;
  std::mutex mutex;
  std::condition_variable condition;
  bool isActive = false, isAtEnd = false, isShown = false;
  /// True if each change is shown, without a thread.
  bool isImmediate = false;
  /// Text of the line that is not shown yet.
  bool isNew = false;
  std::optional<mlir::ScopedDiagnosticHandler> handler;
  std::thread worker;
};

} // namespace hamkaas

#endif // HAMKAAS_DRIVER_PROGRESSLINE_H
