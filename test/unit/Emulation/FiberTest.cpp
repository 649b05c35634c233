//===- FiberTest.cpp - Tests of functions on stacks of their own ----------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Fiber.h"
#include "gtest/gtest.h"

#include <string>

namespace hamkaas::emulation {
namespace {

struct Talk {
  Fiber main, first, second;
  std::string text;
};

void sayFirst(void *argument) {
  Talk &talk = *static_cast<Talk *>(argument);
  talk.text += "a";
  talk.first.switchTo(talk.second);
  talk.text += "c";
  talk.first.leaveTo(talk.main);
}

void saySecond(void *argument) {
  Talk &talk = *static_cast<Talk *>(argument);
  // Each stack keeps its contents.
  std::string own = "b";
  talk.text += own;
  talk.second.switchTo(talk.first);
  talk.text += own;
  talk.second.leaveTo(talk.main);
}

TEST(Fiber, GoesOnWhereItStopped) {
  Stacks stacks(2);
  ASSERT_TRUE(stacks.isValid());
  Talk talk;
  talk.first.start(stacks.get(0), Stacks::bytes, sayFirst, &talk);
  talk.second.start(stacks.get(1), Stacks::bytes, saySecond, &talk);
  talk.main.switchTo(talk.first);
  EXPECT_EQ(talk.text, "abc");
  talk.main.switchTo(talk.second);
  EXPECT_EQ(talk.text, "abcb");
}

TEST(Fiber, StacksAreUsedAgain) {
  Stacks stacks(2);
  for (int i = 0; i < 100; ++i) {
    Talk talk;
    talk.first.start(stacks.get(0), Stacks::bytes, sayFirst, &talk);
    talk.second.start(stacks.get(1), Stacks::bytes, saySecond, &talk);
    // The second is dropped where it stands.
    talk.main.switchTo(talk.first);
    EXPECT_EQ(talk.text, "abc");
  }
}

// An instruction that needs an aligned stack would trap.
void lookAtStack(void *argument) {
  Talk &talk = *static_cast<Talk *>(argument);
  const void *frame = __builtin_frame_address(0);
  talk.text =
      reinterpret_cast<uintptr_t>(frame) % 16 == 0 ? "aligned" : "not aligned";
  EXPECT_TRUE(talk.first.isOnStack(frame));
  EXPECT_FALSE(talk.second.isOnStack(frame));
  talk.first.leaveTo(talk.main);
}

TEST(Fiber, HasAnAlignedStack) {
  Stacks stacks(2);
  Talk talk;
  talk.first.start(stacks.get(0), Stacks::bytes, lookAtStack, &talk);
  talk.second.start(stacks.get(1), Stacks::bytes, saySecond, &talk);
  talk.main.switchTo(talk.first);
  EXPECT_EQ(talk.text, "aligned");
}

} // namespace
} // namespace hamkaas::emulation
