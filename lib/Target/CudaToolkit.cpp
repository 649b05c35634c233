//===- CudaToolkit.cpp - Where a CUDA toolkit is ----------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CudaToolkit.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include <cstdlib>

using namespace llvm;

namespace hamkaas {

/// The toolkits that the environment names.
static std::vector<std::string> getNamedToolkits() {
  std::vector<std::string> toolkits;
  for (const char *variable : {"CUDA_PATH", "CUDA_HOME"})
    // Not in a program that runs with more rights than its caller's.
    if (const char *value = secure_getenv(variable); value && *value)
      toolkits.push_back(value);
  return toolkits;
}

std::vector<std::string> getCudaToolkits() {
  std::vector<std::string> toolkits = getNamedToolkits();
  if (toolkits.empty())
    toolkits.push_back("/usr/local/cuda");
  return toolkits;
}

std::string findCudaProgram(StringRef name) {
  if (getNamedToolkits().empty() && secure_getenv("PATH"))
    if (auto path = sys::findProgramByName(name))
      return *path;
  for (StringRef toolkit : getCudaToolkits()) {
    SmallString<128> folder(toolkit);
    sys::path::append(folder, "bin");
    if (auto path = sys::findProgramByName(name, StringRef(folder)))
      return *path;
  }
  return "";
}

} // namespace hamkaas
