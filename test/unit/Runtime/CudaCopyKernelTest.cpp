//===- CudaCopyKernelTest.cpp - The runtime's own kernel ------------------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CudaCopyKernel.h"
#include "TemporaryFolder.h"

#include <cstdlib>
#include <cstring>
#include <gtest/gtest.h>
#include <utility>

using namespace hamkaas::rt;
using namespace hamkaas::test;

TEST(CudaCopyKernel, IsWhatEachArchitectureTakes) {
  if (!*HAMKAAS_PTXAS)
    GTEST_SKIP() << "no ptxas was found";
  TemporaryFolder folder;
  for (auto [capability, architecture] : {std::pair(80, "sm_80"),
                                          {89, "sm_89"},
                                          {90, "sm_90a"},
                                          {100, "sm_100"}}) {
    const HamKaasDeviceCode &code = getCudaCopyCode(capability);
    auto *ptx = static_cast<const char *>(code.image);
    EXPECT_EQ(strlen(ptx) + 1, code.imageBytes);
    std::string source = folder.write("copy.ptx", ptx);
    std::string log = folder.path("log");
    std::string command = std::string(HAMKAAS_PTXAS) +
                          " -arch=" + architecture + " " + source + " -o " +
                          folder.path("copy.cubin") + " 2> " + log;
    EXPECT_EQ(std::system(command.c_str()), 0) << folder.read("log");
  }
}

TEST(CudaCopyKernel, WaitsWhereThereIsAnInstruction) {
  EXPECT_EQ(getCudaCopyCode(89).waitsFrom, 0);
  EXPECT_EQ(getCudaCopyCode(90).waitsFrom, 90);
  EXPECT_EQ(&getCudaCopyCode(120), &getCudaCopyCode(90));
}

TEST(CudaCopyKernel, HasAThreadForEachPieceUpToALimit) {
  EXPECT_EQ(getCudaCopyKernel(1).blocks, 1);
  EXPECT_EQ(getCudaCopyKernel(16 * 256).blocks, 2);
  EXPECT_EQ(getCudaCopyKernel(uint64_t{1} << 40).blocks, 1024);
  EXPECT_EQ(getCudaCopyKernel(1).threads, 256);
}
