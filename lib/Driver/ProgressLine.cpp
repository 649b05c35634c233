//===- ProgressLine.cpp - How far a compilation is --------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Driver/ProgressLine.h"
#include "HamKaas/Support/VisibleText.h"
#include "llvm/Support/Process.h"
#include <cstdlib>

using namespace mlir;
using namespace hamkaas;
using std::chrono::milliseconds;

/// Between two changes of what is seen.
static constexpr milliseconds interval(100);
/// Most models are compiled before. Tests set the environment variable, so that
/// what they see depends on no clock.
static milliseconds getFirstDelay() {
  const char *given = std::getenv("HAMKAAS_PROGRESS_DELAY");
  int64_t delay = 1000;
  if (given)
    (void)StringRef(given).getAsInteger(10, delay);
  return milliseconds(delay);
}

/// A terminal that can wipe a line, with somebody before it.
static bool hasReader() {
  const char *terminal = std::getenv("TERM");
  return llvm::sys::Process::StandardErrIsDisplayed() && terminal &&
         StringRef(terminal) != "dumb" && !std::getenv("CI");
}

ProgressLine::ProgressLine(StringRef name, MLIRContext *context,
                           ShowProgress when)
    // A line that does not fit could not be wiped.
    : name(makeVisible(name, /*limit=*/24)) {
  if (when == ShowProgress::Never ||
      (when == ShowProgress::Auto && !hasReader()))
    return;
  // The handlers below print; the line must be gone by then.
  handler.emplace(context, [this](Diagnostic &) {
    std::lock_guard lock(mutex);
    wipe();
    // Nothing is shown before the next step, which the text is read until.
    isNew = false;
    return failure();
  });
  isActive = true;
  auto delay =
      when == ShowProgress::Auto ? getFirstDelay() : milliseconds::zero();
  isImmediate = delay == milliseconds::zero();
  if (!isImmediate)
    worker = std::thread([this, delay] { work(delay); });
}

ProgressLine::~ProgressLine() {
  {
    std::lock_guard lock(mutex);
    isAtEnd = true;
  }
  condition.notify_one();
  if (worker.joinable())
    worker.join();
  wipe();
}

void ProgressLine::attach(CompileOptions &options) {
  if (!isActive)
    return;
  options.progress = [this](StringRef step, int done, int total) {
    begin(step, done, total);
    return true;
  };
  options.kernelProgress = [this](int done, int total) {
    countKernels(done, total);
  };
}

void ProgressLine::begin(StringRef name, int done, int total) {
  std::lock_guard lock(mutex);
  step =
      std::to_string(done + 1) + "/" + std::to_string(total) + " " + name.str();
  kernels.clear();
  change();
}

void ProgressLine::countKernels(int done, int total) {
  std::lock_guard lock(mutex);
  kernels =
      ", " + std::to_string(done) + " of " + std::to_string(total) + " kernels";
  change();
}

void ProgressLine::change() {
  isNew = true;
  if (isImmediate)
    show();
}

void ProgressLine::work(milliseconds delay) {
  std::unique_lock lock(mutex);
  auto isDone = [this] { return isAtEnd; };
  for (; !condition.wait_for(lock, delay, isDone); delay = interval)
    show();
}

void ProgressLine::show() {
  if (!std::exchange(isNew, false))
    return;
  isShown = true;
  llvm::errs() << "\r\x1b[Kcompiling " << name << ": " << step << kernels;
}

void ProgressLine::wipe() {
  if (std::exchange(isShown, false))
    llvm::errs() << "\r\x1b[K";
}
