//===- TargetTest.cpp - Choosing the target CPU -----------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Target/Target.h"
#include "HamKaas/Runtime/Cpu/Isa.h"
#include "llvm/Target/TargetMachine.h"
#include "gtest/gtest.h"

using namespace hamkaas;

TEST(TargetTest, KnowsTheLevels) {
  const HamKaasIsaLevel levels[] = {HamKaasIsaX86_64_V1, HamKaasIsaX86_64_V2,
                                    HamKaasIsaX86_64_V3, HamKaasIsaX86_64_V4};
  const char *names[] = {"x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4"};
  for (int i = 0; i < 4; ++i) {
    llvm::Expected<TargetCpu> cpu = resolveTargetCpu(names[i]);
    ASSERT_TRUE(bool(cpu)) << llvm::toString(cpu.takeError());
    EXPECT_EQ(cpu->name, names[i]);
    EXPECT_EQ(cpu->level, levels[i]);
    auto machine = createTargetMachine(*cpu);
    ASSERT_TRUE(bool(machine)) << llvm::toString(machine.takeError());
    EXPECT_TRUE((*machine)->isPositionIndependent());
  }
}

TEST(TargetTest, NamesTheChoicesForAnUnknownCpu) {
  llvm::Expected<TargetCpu> cpu = resolveTargetCpu("pentium");
  ASSERT_FALSE(bool(cpu));
  EXPECT_EQ(llvm::toString(cpu.takeError()),
            "--target-cpu: expected one of host, x86-64, x86-64-v2, "
            "x86-64-v3, x86-64-v4, got 'pentium'");
}

// A program for the host must not be refused by the runtime on the host.
TEST(TargetTest, HostIsTheLevelTheRuntimeFinds) {
  llvm::Expected<TargetCpu> cpu = resolveTargetCpu("host");
  ASSERT_TRUE(bool(cpu)) << llvm::toString(cpu.takeError());
  HamKaasIsaLevel level;
  ASSERT_FALSE(bool(rt::findIsaLevel(level)));
  EXPECT_EQ(cpu->level, level);
}
