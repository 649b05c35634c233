//===- ProgramCodeTest.cpp - What the code cache keeps of a program -------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Program/ProgramCode.h"
#include "ExampleProgram.h"
#include "gtest/gtest.h"

using namespace hamkaas;
using namespace llvm;

TEST(ProgramCode, ComesBack) {
  ProgramCode code;
  code.info = test::exampleInfo("example");
  code.info.buffers = {{"add", "example.hk:1:1", 256, 64, 1, 2}};
  code.info.initialStates = {{256, 4, 1, 0}};
  code.info.optimizations = {{"cse", 1, 0}};
  code.info.missed = {{"gelu", "another factor", "example.hk:2:1"}};
  code.objects.push_back(MemoryBuffer::getMemBuffer("object"));
  std::string bytes = saveCode(code);
  std::optional<ProgramCode> back = loadCode(bytes);
  ASSERT_TRUE(back);
  EXPECT_EQ(saveCode(*back), bytes);
  EXPECT_EQ(back->info.inputs[0].shape, (std::vector<int64_t>{2, 2}));
  EXPECT_EQ(back->info.calls[0].location, "example.hk:1:1");
  EXPECT_EQ(back->info.buffers[0].last, 2);
  EXPECT_EQ(back->info.initialStates[0].offset, 256u);
  EXPECT_EQ(back->info.initialStates[0].state, 1);
  EXPECT_EQ(back->info.missed, code.info.missed);
  EXPECT_EQ(back->objects.front()->getBuffer(), "object");
  for (size_t size = 0; size < bytes.size(); ++size)
    EXPECT_FALSE(loadCode(StringRef(bytes).take_front(size))) << size;
  EXPECT_FALSE(loadCode(bytes + "x"));
  // A length beyond the end must not be allocated.
  for (size_t i = 0; i + 8 <= bytes.size(); ++i) {
    std::string damaged = bytes;
    damaged.replace(i, 8, 8, '\x7f');
    loadCode(damaged);
  }
}
