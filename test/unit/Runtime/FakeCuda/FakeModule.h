//===- FakeModule.h - An image that nobody can run --------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_TEST_UNIT_RUNTIME_FAKECUDA_FAKEMODULE_H
#define HAMKAAS_TEST_UNIT_RUNTIME_FAKECUDA_FAKEMODULE_H

#include "FakeCuda.h"

#include <map>

namespace hamkaas::test::cuda {

struct RegisteredKernel {
  int wordCount = 0;
  Kernel kernel;
};

struct FakeFunction {
  std::string name;
  int wordCount = 0;   // 0 if it is not known
  Kernel kernel;       // may be empty
  int valueIndex = -1; // of an argument that is no address
  int sharedBytes = 48 * 1024;
  int carveout = -1;  // percent, -1 where the driver chooses
  int ptxVersion = 0; // 90 of code for sm_90, 0 if it is not known
  bool waits = false; // for the kernel before, as the first thing
};

/// Of PTX it knows the kernels, how many arguments they take, whether they
/// wait, and the global variables; it can run the runtime's own kernel. A
/// fatbin has the kernels of its latest PTX that the GPU runs, which is not
/// compressed. Another image must begin with "fake" and has all kernels but
/// "missing", and the registered globals; with "fake waits" its kernels wait.
class FakeModule {
public:
  using Kernels = std::map<std::string, RegisteredKernel>;
  using Contents = std::map<std::string, std::vector<char>>;

  struct Global {
    std::string name;
    std::vector<char> contents;
    void *address = nullptr;
  };

  FakeModule(const Kernels &kernels, const Contents &registered)
      : kernels(kernels), registered(registered) {}

  /// The error about the image, for a GPU of that compute capability; empty if
  /// there is none.
  std::string load(const char *image, int capability);

  /// Its PTX, if that is what it is loaded from.
  const std::string &text() const { return ptx; }
  /// True if no GPU has to compile PTX.
  bool isMachineCode() const { return hasMachineCode; }

  /// Null if there is none of that name.
  const FakeFunction *findFunction(const std::string &name);
  std::vector<Global> &globals() { return variables; }

private:
  std::string loadPtx(const std::string &text);
  std::string loadFatbin(const char *image, int capability);

  const Kernels &kernels;
  const Contents &registered;
  bool isPtx = false, hasMachineCode = false, allWait = false;
  std::string ptx;
  std::map<std::string, FakeFunction> functions;
  std::vector<Global> variables;
};

} // namespace hamkaas::test::cuda

#endif // HAMKAAS_TEST_UNIT_RUNTIME_FAKECUDA_FAKEMODULE_H
