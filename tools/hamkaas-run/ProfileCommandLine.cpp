//===- ProfileCommandLine.cpp - Options about profiles ----------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProfileCommandLine.h"
#include "HamKaas/Report/CeilingsFile.h"
#include "HamKaas/Support/OutputFile.h"
#include "llvm/Support/Format.h"

using namespace hamkaas;

llvm::Error ProfileCommandLine::check() const {
  for (ToolOption option : {OPT_profile_output, OPT_profile_all})
    if (line.has(option) && !wantsProfile())
      return llvm::createStringError(getFlag(option) +
                                     ": expected --profile, too");
  if (line.has(OPT_ceilings) && !wantsProfile() && !wantsCalibration())
    return llvm::createStringError(
        "--ceilings: expected --profile or --calibrate, too");
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// Ceilings
//===----------------------------------------------------------------------===//

std::string ProfileCommandLine::getCeilingsPath() const {
  return line.has(OPT_ceilings) ? line.get(OPT_ceilings).str()
                                : getDefaultCeilingsPath();
}

static void printCeilings(const ThreadCeilings &ceilings) {
  llvm::outs() << ceilings.threads
               << (ceilings.threads == 1 ? " thread: " : " threads: ")
               << llvm::format("%.0f GFLOP/s\n", ceilings.gigaflops);
  llvm::outs() << "       KiB   read GB/s   copy GB/s\n";
  for (auto [read, copy] : llvm::zip_equal(ceilings.read, ceilings.copy))
    llvm::outs() << llvm::format(
        "%10llu %11.1f %11.1f\n", (unsigned long long)(read.bytes >> 10),
        read.gigabytesPerSecond, copy.gigabytesPerSecond);
}

llvm::Error ProfileCommandLine::calibrate() const {
  std::string path = getCeilingsPath();
  if (path.empty())
    return llvm::createStringError(
        "--calibrate: there is no cache folder; expected XDG_CACHE_HOME, HOME "
        "or --ceilings=F.json");
  auto ceilings = measureCeilings();
  if (!ceilings)
    return ceilings.takeError();
  if (llvm::Error error = writeCeilings(path, *ceilings))
    return error;
  for (const ThreadCeilings &entry : ceilings->threads)
    printCeilings(entry);
  llvm::outs() << "written to " << path << "\n";
  return llvm::Error::success();
}

llvm::Expected<std::optional<Ceilings>> ProfileCommandLine::loadCeilings() {
  std::string path = getCeilingsPath();
  auto ceilings = readCeilings(path);
  if (!ceilings)
    return ceilings.takeError();
  if (!*ceilings) {
    if (line.has(OPT_ceilings))
      return llvm::createStringError("cannot read '" + path +
                                     "': No such file or directory");
    note = "for percentages of what this machine can do, measure that once: "
           "hamkaas-run --calibrate";
  } else if ((*ceilings)->cpu != getProcessorName()) {
    note = "the ceilings of " + path + " are those of another processor, " +
           (*ceilings)->cpu + ", and this is " + getProcessorName() +
           ": measure anew with hamkaas-run --calibrate";
    ceilings->reset();
  }
  return ceilings;
}

//===----------------------------------------------------------------------===//
// Output
//===----------------------------------------------------------------------===//

llvm::Error ProfileCommandLine::write(const Profile &profile) const {
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::StringRef format = line.get(OPT_profile);
  if (format == "json") {
    printProfileJson(profile, os);
  } else if (format == "trace") {
    printProfileTrace(profile, os);
  } else {
    printProfile(profile, line.isOn(OPT_profile_all), os);
    if (!note.empty())
      os << note << "\n";
  }
  return writeOutputFile(line.get(OPT_profile_output), text);
}
