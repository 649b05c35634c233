//===- HostProgramTest.cpp - The runtime used from C ----------------------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostProgram.h"
#include "FakeProgram.h"

#include <gtest/gtest.h>

using namespace hamkaas::test;

TEST(HostProgram, RunsFromC) {
  FakeProgram fake;
  FakeParameters parameters;
  FakeRun run(nullptr);
  EXPECT_EQ(hamkaasRunFromC(&fake.program, parameters.scale, parameters.bias,
                            run.x, run.y, &run.runs),
            0);
  EXPECT_EQ(run.y[3], 6.5f);
  EXPECT_EQ(run.runs, 1);
}
