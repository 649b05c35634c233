//===- TensorTypeTest.cpp - The table of element types --------------------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Runtime/Core/TensorType.h"

#include <gtest/gtest.h>
#include <set>
#include <string>

using namespace hamkaas::rt;

TEST(TensorType, EachTypeHasAnEntryAtItsNumber) {
  std::set<std::string> names;
  for (int32_t i = 0; i < elementTypeCount; ++i) {
    EXPECT_EQ(elementTypes[i].type, i);
    names.insert(elementTypes[i].name);
  }
  EXPECT_EQ(names.size(), static_cast<size_t>(elementTypeCount));
}

// The end of a name is the number of bits.
TEST(TensorType, SizesFitNames) {
  for (const ElementType &type : elementTypes) {
    std::string name = type.name;
    size_t digit = name.find_first_of("0123456789");
    size_t bits =
        digit == std::string::npos ? 8 : std::stoul(name.substr(digit));
    EXPECT_EQ(type.size * 8, bits) << name;
    EXPECT_STREQ(elementTypeName(type.type), type.name);
    EXPECT_EQ(elementTypeSize(type.type), type.size);
  }
}

TEST(TensorType, OtherNumbersHaveNone) {
  for (int32_t number : {-1, elementTypeCount, INT32_MAX, INT32_MIN}) {
    EXPECT_EQ(elementTypeName(number), nullptr);
    EXPECT_EQ(elementTypeSize(number), 0u);
  }
}
