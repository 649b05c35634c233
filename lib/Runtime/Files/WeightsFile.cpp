//===- WeightsFile.cpp - The weights that a program names -------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Runtime/Files/WeightsFile.h"

#include "HamKaas/Runtime/Files/Digest.h"
#include "ProgramFile.h"

#include <cinttypes>
#include <cstdlib>

using namespace hamkaas::rt;

WeightsFile::~WeightsFile() { free(beside); }

// Adds a line to `problems` if the file is not the one.
bool WeightsFile::tryPath(const HamKaasProgram &program,
                          const HamKaasInstanceOptions &options,
                          const char *path, TextBuilder &problems) {
  if (Error error = mapped.open(path)) {
    problems.append("\n  %s", error.message());
    return false;
  }
  if (program.weightsBytes != mapped.size()) {
    problems.append("\n  '%s': %zu bytes", path, mapped.size());
    return false;
  }
  Digest expected, found;
  memcpy(expected.bytes, program.weightsDigest, sizeof(expected.bytes));
  if (options.unverified)
    return true;
  if (Error error =
          computeDigest(mapped.data(), mapped.size(), options.threads, found)) {
    problems.append("\n  '%s': %s", path, error.message());
    return false;
  }
  if (found == expected)
    return true;
  problems.append("\n  '%s': %zu bytes with digest %s", path, mapped.size(),
                  DigestText(found).c_str());
  return false;
}

Error WeightsFile::open(const HamKaasProgram &program,
                        const HamKaasInstanceOptions &options) {
  opened = program.weightsFile;
  // Of a program that was made by hand, perhaps.
  if (program.weightsBytes == 0)
    return mapped.open(opened);
  beside = ProgramFile(program).pathBeside(program.weightsFile);
  TextBuilder problems;
  bool isElsewhere = !beside || strcmp(beside, program.weightsFile) != 0;
  const char *paths[] = {beside, isElsewhere ? program.weightsFile : nullptr};
  for (const char *path : paths) {
    if (!path)
      continue;
    opened = path;
    if (tryPath(program, options, path, problems))
      return Error();
  }
  mapped.close();
  Digest expected;
  memcpy(expected.bytes, program.weightsDigest, sizeof(expected.bytes));
  char *text = problems.release();
  Error error = Error::format(
      "model '%s': expected a file of weights of %" PRIu64
      " bytes with digest %s, got%s",
      program.name, program.weightsBytes, DigestText(expected).c_str(),
      text ? text : " no memory to look for it");
  free(text);
  return error;
}
