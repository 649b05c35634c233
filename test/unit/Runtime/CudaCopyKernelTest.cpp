//===- CudaCopyKernelTest.cpp - The runtime's own kernel ------------------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CudaCopyKernel.h"
#include "TemporaryFolder.h"

#include <cstdlib>
#include <gtest/gtest.h>

using namespace hamkaas::rt;
using namespace hamkaas::test;

TEST(CudaCopyKernel, IsWhatEachArchitectureTakes) {
  if (!*HAMKAAS_PTXAS)
    GTEST_SKIP() << "no ptxas was found";
  TemporaryFolder folder;
  std::string source =
      folder.write("copy.ptx", static_cast<const char *>(cudaCopyCode.image));
  for (const char *architecture : {"sm_80", "sm_90a", "sm_100"}) {
    std::string log = folder.path("log");
    std::string command = std::string(HAMKAAS_PTXAS) +
                          " -arch=" + architecture + " " + source + " -o " +
                          folder.path("copy.cubin") + " 2> " + log;
    EXPECT_EQ(std::system(command.c_str()), 0) << folder.read("log");
  }
}

TEST(CudaCopyKernel, HasAThreadForEachPieceUpToALimit) {
  EXPECT_EQ(getCudaCopyKernel(1).blocks, 1);
  EXPECT_EQ(getCudaCopyKernel(16 * 256).blocks, 2);
  EXPECT_EQ(getCudaCopyKernel(uint64_t{1} << 40).blocks, 1024);
  EXPECT_EQ(getCudaCopyKernel(1).threads, 256);
}
