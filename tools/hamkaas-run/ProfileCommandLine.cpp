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
namespace cl = llvm::cl;

ProfileCommandLine::ProfileCommandLine(cl::OptionCategory &category)
    : format("profile", cl::desc("Measure the time of each kernel call"),
             cl::value_desc("text|json|trace"), cl::ValueOptional,
             cl::cat(category)),
      output("profile-output", cl::desc("Where to write the profile"),
             cl::value_desc("F"), cl::init("-"), cl::cat(category)),
      listAll("profile-all", cl::desc("List all calls in a profile as text"),
              cl::cat(category)),
      calibrateFlag("calibrate",
                    cl::desc("Measure what this machine can do at most, for "
                             "profiles"),
                    cl::cat(category)),
      ceilingsPath("ceilings",
                   cl::desc("File that --calibrate writes and --profile reads "
                            "(default: hamkaas/ceilings.json in the cache "
                            "folder)"),
                   cl::value_desc("F.json"), cl::cat(category)) {}

llvm::Error ProfileCommandLine::check() const {
  llvm::StringRef name = format;
  if (!name.empty() && name != "text" && name != "json" && name != "trace")
    return llvm::createStringError(
        "--profile: expected text, json or trace, got '" + name + "'");
  for (const cl::Option *option :
       std::initializer_list<const cl::Option *>{&output, &listAll})
    if (option->getNumOccurrences() && !wantsProfile())
      return llvm::createStringError("--" + option->ArgStr +
                                     ": expected --profile, too");
  if (ceilingsPath.getNumOccurrences() && !wantsProfile() &&
      !wantsCalibration())
    return llvm::createStringError(
        "--ceilings: expected --profile or --calibrate, too");
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// Ceilings
//===----------------------------------------------------------------------===//

std::string ProfileCommandLine::getCeilingsPath() const {
  return ceilingsPath.empty() ? getDefaultCeilingsPath()
                              : std::string(ceilingsPath);
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
    if (ceilingsPath.getNumOccurrences())
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
  if (format == "json") {
    printProfileJson(profile, os);
  } else if (format == "trace") {
    printProfileTrace(profile, os);
  } else {
    printProfile(profile, listAll, os);
    if (!note.empty())
      os << note << "\n";
  }
  return writeOutputFile(output, text);
}
