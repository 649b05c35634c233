//===- RunLinker.cpp - The linker in this process ---------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RunLinker.h"
#include "HamKaas/Support/Signals.h"
#include "lld/Common/Driver.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/Path.h"
#include <fcntl.h>
#include <mutex>
#include <unistd.h>

LLD_HAS_DRIVER(elf)

using namespace llvm;

namespace hamkaas {
namespace {

/// A path to a file by way of its folder's number. The linker writes to a
/// temporary name first, and would put digits for each "%" of the folder.
class NumberedPath {
public:
  explicit NumberedPath(StringRef path)
      : directory(open(sys::path::parent_path(path).str().c_str(),
                       O_PATH | O_DIRECTORY | O_CLOEXEC)),
        path(("/proc/self/fd/" + Twine(directory) + "/" +
              sys::path::filename(path))
                 .str()) {}
  NumberedPath(const NumberedPath &) = delete;
  ~NumberedPath() {
    if (directory >= 0)
      close(directory);
  }

  const char *c_str() const { return path.c_str(); }

private:
  int directory;
  std::string path;
};

} // namespace

/// Calls the linker, one caller at a time, and returns whether it succeeded.
///
/// lld is not re-entrant as a library: lldMain sets the process's only
/// CommonLinkerContext, from which the arenas and the error handler of a link
/// come, resets all options of LLVM, and destroys the context at its end. After
/// a crash it may be unusable. The signals, which SignalScope keeps for the
/// host program, are the process's, too.
static Expected<bool> callLinker(ArrayRef<const char *> argv,
                                 raw_ostream &messages) {
  static std::mutex mutex;
  static bool usable = true;
  std::lock_guard<std::mutex> lock(mutex);
  if (!usable)
    return createStringError("the linker crashed earlier in this process");
  SignalScope signals;
  // Without this a fatal error of the linker ends the process.
  CrashRecoveryContext::Enable();
  scope_exit disable([] { CrashRecoveryContext::Disable(); });
  lld::Result result =
      lld::lldMain(argv, messages, messages, {{lld::Gnu, &lld::elf::link}});
  usable = result.canRunAgain;
  return result.retCode == 0;
}

Error runLinker(StringRef path, StringRef output,
                ArrayRef<std::string> arguments) {
  NumberedPath outputPath(output);
  SmallVector<const char *> argv = {"ld.lld", "-o", outputPath.c_str()};
  for (const std::string &argument : arguments)
    argv.push_back(argument.c_str());
  std::string messages;
  raw_string_ostream stream(messages);
  Expected<bool> succeeded = callLinker(argv, stream);
  if (!succeeded)
    return succeeded.takeError();
  if (*succeeded)
    return Error::success();
  // "failed to open OUTPUT: REASON", of a name that means nothing to the user.
  StringRef reason = StringRef(messages).split(outputPath.c_str()).second;
  if (!reason.empty())
    return createStringError("cannot write '" + path +
                             "': " + reason.split('\n').first.ltrim("': "));
  return createStringError("cannot link the program: " +
                           StringRef(messages).trim());
}

} // namespace hamkaas
