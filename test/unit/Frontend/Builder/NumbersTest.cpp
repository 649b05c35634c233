//===- NumbersTest.cpp - Numbers of all element types as text -------------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Frontend/Builder/Numbers.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/MLIRContext.h"
#include "gtest/gtest.h"
#include <random>

using namespace mlir;
using namespace hamkaas::graph;
using llvm::APInt;

namespace {

class NumbersTest : public ::testing::Test {
protected:
  std::string print(uint64_t bits, Type type) {
    std::string text;
    llvm::raw_string_ostream stream(text);
    printNumber(stream, APInt(type.getIntOrFloatBitWidth(), bits), type);
    return text;
  }
  uint64_t parse(StringRef text, Type type) {
    return parseNumber(text, type).value_or(APInt(64, ~0ull)).getZExtValue();
  }
  void expectSame(uint64_t bits, Type type) {
    std::string text = print(bits, type);
    ASSERT_EQ(parse(text, type), bits) << text;
  }

  MLIRContext context;
  Builder builder{&context};
};

} // namespace

TEST_F(NumbersTest, AllNarrowNumbersRoundTrip) {
  for (Type type : {Type(builder.getF16Type()), Type(builder.getBF16Type()),
                    Type(builder.getIntegerType(16)),
                    Type(builder.getIntegerType(16, /*isSigned=*/false))})
    for (uint64_t bits = 0; bits < 1 << 16; ++bits)
      expectSame(bits, type);
}

TEST_F(NumbersTest, RandomWideNumbersRoundTrip) {
  std::mt19937_64 random(1);
  for (unsigned i = 0; i < 200000; ++i) {
    uint64_t bits = random();
    expectSame(bits >> 32, builder.getF32Type());
    expectSame(bits, builder.getF64Type());
    expectSame(bits, builder.getI64Type());
    expectSame(bits, builder.getIntegerType(64, /*isSigned=*/false));
  }
}

TEST_F(NumbersTest, PrintsTheFewestDigits) {
  EXPECT_EQ(print(0x3dcccccd, builder.getF32Type()), "0.1");
  EXPECT_EQ(print(0x2e66, builder.getF16Type()), "0.1");
  EXPECT_EQ(print(0x3dcd, builder.getBF16Type()), "0.1");
  EXPECT_EQ(print(0x80000000, builder.getF32Type()), "-0");
  EXPECT_EQ(print(0xff800000, builder.getF32Type()), "-inf");
  EXPECT_EQ(print(0x7fc00000, builder.getF32Type()), "nan");
  EXPECT_EQ(print(0xffc00001, builder.getF32Type()), "0xffc00001");
  EXPECT_EQ(print(1, builder.getI1Type()), "true");
  EXPECT_EQ(print(0xff, builder.getIntegerType(8)), "-1");
  EXPECT_EQ(print(0xff, builder.getIntegerType(8, false)), "255");
}

TEST_F(NumbersTest, RefusesWhatATypeHasNot) {
  Type f32 = builder.getF32Type(), i8 = builder.getIntegerType(8);
  Type u64 = builder.getIntegerType(64, false), boolean = builder.getI1Type();
  for (StringRef text : {"", "x", "1e39", "-1e39", "nan7", "0x7fc0",
                         "0x7fc0000g", "1,5", "true", " 1", "--1"})
    EXPECT_FALSE(parseNumber(text, f32)) << text.str();
  for (StringRef text :
       {"128", "-129", "1.0", "1e1", "inf", "0x10", "true", ""})
    EXPECT_FALSE(parseNumber(text, i8)) << text.str();
  for (StringRef text : {"-1", "18446744073709551616"})
    EXPECT_FALSE(parseNumber(text, u64)) << text.str();
  for (StringRef text : {"0", "1", "True"})
    EXPECT_FALSE(parseNumber(text, boolean)) << text.str();
  EXPECT_FALSE(parseNumber(std::string(longestNumber + 1, '1'), f32));
  EXPECT_EQ(parse(std::string(longestNumber, '0'), f32), 0u);
  EXPECT_EQ(parse("1e-60", f32), 0u);
  EXPECT_EQ(parse("18446744073709551615", u64), ~0ull);
}
