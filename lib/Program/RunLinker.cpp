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

Error runLinker(StringRef path, StringRef output,
                ArrayRef<std::string> arguments) {
  // The linker keeps its state in globals, and after a crash it may be
  // unusable.
  static std::mutex mutex;
  static bool usable = true;
  std::lock_guard<std::mutex> lock(mutex);
  if (!usable)
    return createStringError("the linker crashed earlier in this process");

  // This process is the host program's.
  SignalScope signals;
  NumberedPath outputPath(output);
  SmallVector<const char *> argv = {"ld.lld", "-o", outputPath.c_str()};
  for (const std::string &argument : arguments)
    argv.push_back(argument.c_str());
  std::string messages;
  raw_string_ostream stream(messages);
  // Without this a fatal error of the linker ends the process.
  CrashRecoveryContext::Enable();
  scope_exit disable([] { CrashRecoveryContext::Disable(); });
  lld::Result result =
      lld::lldMain(argv, stream, stream, {{lld::Gnu, &lld::elf::link}});
  usable = result.canRunAgain;
  if (result.retCode == 0)
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
