//===- Trial.cpp - Foreign code in a child process ------------------------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Engine/Trial.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace llvm;
using namespace hamkaas;

/// The child writes it last. No step has it.
static constexpr StringLiteral done("\x01");

static int getTimeLimit() {
  constexpr int usual = 20;
  const char *text = getenv("HAMKAAS_ENGINE_TIMEOUT");
  int seconds = 0;
  return text && !StringRef(text).getAsInteger(10, seconds) && seconds > 0
             ? seconds
             : usual;
}

static void writeStep(int file, StringRef step) {
  std::string text = (step + Twine('\0')).str();
  for (StringRef rest = text; !rest.empty();) {
    ssize_t written = write(file, rest.data(), rest.size());
    if (written < 0 && errno != EINTR)
      _exit(1);
    rest = rest.drop_front(std::max<ssize_t>(written, 0));
  }
}

/// The handlers of this process would remove the files that it is writing.
static void leaveSignalsToSystem() {
  for (int signal : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGSYS, SIGTRAP,
                     SIGINT, SIGTERM, SIGPIPE})
    std::signal(signal, SIG_DFL);
  struct rlimit none = {0, 0};
  setrlimit(RLIMIT_CORE, &none);
}

namespace {

/// Reads what the child writes.
class Watch {
public:
  explicit Watch(int file) : file(file) {}

  /// Returns false after the time limit, else when the child has ended.
  bool wait() {
    int limit = getTimeLimit() * 1000;
    while (true) {
      struct pollfd ready = {file, POLLIN, 0};
      int count = poll(&ready, 1, limit);
      if (count == 0)
        return false;
      if (count < 0 && errno == EINTR)
        continue;
      char buffer[4096];
      ssize_t size = read(file, buffer, sizeof(buffer));
      if (size < 0 && errno == EINTR)
        continue;
      if (size <= 0)
        return true;
      text.append(buffer, size);
      // Another process that was started meanwhile may hold the pipe open.
      if (getStep() == done)
        return true;
    }
  }

  /// The last whole step.
  StringRef getStep() const {
    StringRef steps = StringRef(text).rsplit('\0').first;
    size_t end = steps.rfind('\0');
    return end == StringRef::npos ? steps : steps.drop_front(end + 1);
  }

private:
  int file;
  std::string text;
};

} // namespace

static Error explainEnd(const Watch &watch, int status) {
  StringRef step = watch.getStep();
  if (step == done)
    return Error::success();
  if (WIFSIGNALED(status))
    return createStringError(step + ": crashed (" +
                             strsignal(WTERMSIG(status)) + ")");
  return createStringError(step + ": ended the process with status " +
                           Twine(WEXITSTATUS(status)));
}

Error hamkaas::tryInChild(function_ref<void(TrialStep)> work) {
  int files[2];
  if (pipe(files) != 0)
    return createStringError(Twine("cannot make a pipe: ") + strerror(errno));
  pid_t child = fork();
  if (child == 0) {
    close(files[0]);
    leaveSignalsToSystem();
    auto step = [&](StringRef text) { writeStep(files[1], text); };
    work(step);
    writeStep(files[1], done);
    _exit(0);
  }
  int problem = errno;
  close(files[1]);
  if (child < 0) {
    close(files[0]);
    return createStringError(Twine("cannot start a process: ") +
                             strerror(problem));
  }
  Watch watch(files[0]);
  bool isInTime = watch.wait();
  if (!isInTime)
    kill(child, SIGKILL);
  close(files[0]);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR)
    ;
  if (!isInTime)
    return createStringError(watch.getStep() + ": took longer than " +
                             Twine(getTimeLimit()) +
                             " seconds; HAMKAAS_ENGINE_TIMEOUT allows more");
  return explainEnd(watch, status);
}
