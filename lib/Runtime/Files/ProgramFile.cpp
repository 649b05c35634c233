//===- ProgramFile.cpp - Where a program was loaded from --------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProgramFile.h"

#include <cstdlib>
#include <cstring>
#include <dlfcn.h>

using namespace hamkaas::rt;

// The name of an executable is what its caller made of it; that of a library
// has a folder.
ProgramFile::ProgramFile(const HamKaasProgram &program) {
  Dl_info info;
  if (!dladdr(&program, &info) || !info.dli_fname)
    return;
  file = strchr(info.dli_fname, '/') ? strdup(info.dli_fname)
                                     : realpath("/proc/self/exe", nullptr);
}

ProgramFile::~ProgramFile() { free(file); }

char *ProgramFile::pathBeside(const char *other) const {
  const char *folderEnd = file ? strrchr(file, '/') : nullptr;
  if (!folderEnd)
    return nullptr;
  const char *slash = strrchr(other, '/');
  const char *name = slash ? slash + 1 : other;
  size_t folder = static_cast<size_t>(folderEnd - file) + 1;
  char *path = static_cast<char *>(malloc(folder + strlen(name) + 1));
  if (path) {
    memcpy(path, file, folder);
    strcpy(path + folder, name);
  }
  return path;
}
