//===- CeilingsTest.cpp - What a machine can do at most ---------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Calibration/Ceilings.h"
#include "HamKaas/Calibration/Loops.h"
#include "HamKaas/Report/Profile.h"
#include "HamKaas/Runtime/Cpu/Isa.h"
#include "gtest/gtest.h"
#include <numeric>

using namespace hamkaas;

static Ceilings makeCeilings() {
  Ceilings ceilings;
  ceilings.threads = {
      {1, 100, {{1 << 10, 80}, {1 << 20, 40}}, {{1 << 10, 90}, {1 << 20, 20}}},
      {4, 400, {{1 << 10, 320}}, {{1 << 10, 60}}}};
  return ceilings;
}

TEST(CeilingsTest, InterpolatesByThreads) {
  Ceilings ceilings = makeCeilings();
  EXPECT_DOUBLE_EQ(ceilings.gigaflops(1), 100);
  EXPECT_DOUBLE_EQ(ceilings.gigaflops(3), 300);
  EXPECT_DOUBLE_EQ(ceilings.gigaflops(4), 400);
  EXPECT_DOUBLE_EQ(ceilings.gigaflops(64), 400);
}

TEST(CeilingsTest, InterpolatesByTheLogarithmOfBytes) {
  Ceilings ceilings = makeCeilings();
  EXPECT_DOUBLE_EQ(ceilings.readBandwidth(1, 0), 80);
  EXPECT_DOUBLE_EQ(ceilings.readBandwidth(1, 1 << 10), 80);
  EXPECT_DOUBLE_EQ(ceilings.readBandwidth(1, 1 << 15), 60);
  EXPECT_DOUBLE_EQ(ceilings.readBandwidth(1, uint64_t(1) << 40), 40);
  EXPECT_DOUBLE_EQ(ceilings.copyBandwidth(1, 1 << 20), 20);
  EXPECT_DOUBLE_EQ(ceilings.readBandwidth(2, 1 << 10), 160);
}

static ProgramInfo makeProgram(std::vector<CallInfo> calls) {
  ProgramInfo info;
  info.calls = std::move(calls);
  return info;
}

static CallInfo makeCall(llvm::StringRef family, uint64_t flops, uint64_t bytes,
                         int64_t repetitions = 1) {
  CallInfo call;
  call.family = family;
  call.flops = flops;
  call.bytes = bytes;
  call.repetitions = repetitions;
  return call;
}

TEST(ProfileTest, CeilingIsTheLongerOfFlopsAndBytes) {
  Ceilings ceilings = makeCeilings();
  ProgramInfo info = makeProgram({
      makeCall("contraction", 1000, 80),
      makeCall("contraction", 10, 800),
      // Copying is faster than reading here.
      makeCall("elementwise", 0, 900),
      // Each step uses 1 MB.
      makeCall("contraction", 0, 4 << 20, /*repetitions=*/4),
  });
  std::vector<CallTimes> times = Profile(info, 1, &ceilings).getTimes();
  EXPECT_DOUBLE_EQ(times[0].ceiling, 10);
  EXPECT_TRUE(times[0].isComputeBound);
  EXPECT_DOUBLE_EQ(times[1].ceiling, 10);
  EXPECT_FALSE(times[1].isComputeBound);
  EXPECT_DOUBLE_EQ(times[2].ceiling, 10);
  EXPECT_DOUBLE_EQ(times[3].ceiling, (4 << 20) / 40.0);
}

TEST(ProfileTest, RunsAreDifferencesOfTheRuntimesSums) {
  ProgramInfo info = makeProgram({makeCall("row", 0, 1)});
  Profile profile(info, 1);
  uint64_t sum = 0;
  for (uint64_t nanoseconds : {50, 20, 30}) {
    sum += nanoseconds;
    profile.addRun(sum, nanoseconds, HamKaasCallProfile{1, sum});
  }
  EXPECT_EQ(profile.getRuns()[2].calls[0], 30u);
  CallTimes times = profile.getTimes().front();
  EXPECT_EQ(times.median, 30);
  EXPECT_EQ(times.least, 20);
  EXPECT_EQ(times.ceiling, 0);
}

TEST(LoopsTest, CopyAtEveryLevelOfThisMachine) {
  constexpr size_t count = 8 * loopBytes / sizeof(float);
  alignas(64) float from[count], to[count];
  std::iota(from, from + count, 0);
  HamKaasIsaLevel level = rt::isaLevelOf(rt::readCpuid());
  for (int i = HamKaasIsaX86_64_V2; i <= level; ++i) {
    const Loops &loops = getLoops(HamKaasIsaLevel(i));
    for (auto *copy : {loops.copy, loops.copyPastCaches}) {
      std::fill(to, to + count, 0);
      copy(from, to, sizeof(from));
      EXPECT_TRUE(std::equal(from, from + count, to));
    }
    EXPECT_GT(loops.multiplyAdd(1), 0);
  }
}
