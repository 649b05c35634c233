//===- ErrorTest.cpp - Errors, texts and sizes ----------------------------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Runtime/Core/Error.h"
#include "Allocations.h"
#include "HamKaas/Runtime/Core/TensorType.h"
#include "Text.h"

#include <cerrno>
#include <gtest/gtest.h>
#include <utility>

using namespace hamkaas::rt;
using namespace hamkaas::test;

TEST(Error, IsEmptyOnSuccess) {
  Error error;
  EXPECT_FALSE(error);
  EXPECT_EQ(error.message(), nullptr);
}

TEST(Error, Formats) {
  EXPECT_EQ(textOf(Error::format("%s: expected %d", "x.npy", 3)),
            "x.npy: expected 3");
  std::string longText(5000, 'a');
  EXPECT_EQ(textOf(Error::format("%s!", longText.c_str())), longText + "!");
}

TEST(Error, Moves) {
  Error first = Error::format("first");
  Error second = std::move(first);
  EXPECT_FALSE(first);
  EXPECT_EQ(textOf(second), "first");
  second = Error::format("second");
  EXPECT_EQ(textOf(second), "second");
}

TEST(Error, RemainsAnErrorWithoutMemory) {
  failAllocationAfter(0);
  Error error = Error::format("%d", 1);
  failAllocationAfter(-1);
  EXPECT_EQ(textOf(error), "out of memory");
  freeErrorText(error.release());
}

TEST(Error, NamesErrnoValues) {
  EXPECT_STREQ(ErrnoText(ENOENT).c_str(), "No such file or directory");
}

TEST(TextBuilder, Grows) {
  TextBuilder text;
  EXPECT_TRUE(text.empty());
  std::string expected;
  for (int i = 0; i < 1000; ++i) {
    text.append("%d,", i);
    expected += std::to_string(i) + ",";
  }
  EXPECT_FALSE(text.empty());
  EXPECT_EQ(textOf(Error::adopt(text.release())), expected);
  EXPECT_TRUE(text.empty());
}

TEST(TensorType, CountsBytes) {
  uint64_t bytes = 1;
  int64_t shape[] = {3, 5};
  EXPECT_TRUE(countBytes(4, 2, shape, bytes));
  EXPECT_EQ(bytes, 60u);
  EXPECT_TRUE(countBytes(8, 0, nullptr, bytes));
  EXPECT_EQ(bytes, 8u);
  int64_t negative[] = {3, -1};
  EXPECT_FALSE(countBytes(4, 2, negative, bytes));
  int64_t huge[] = {int64_t{1} << 40, int64_t{1} << 40};
  EXPECT_FALSE(countBytes(4, 2, huge, bytes));
  int64_t none[] = {int64_t{1} << 40, int64_t{1} << 40, 0};
  EXPECT_TRUE(countBytes(4, 3, none, bytes));
  EXPECT_EQ(bytes, 0u);
}
