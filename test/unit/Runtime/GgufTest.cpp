//===- GgufTest.cpp - Right and wrong GGUF files --------------------------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Runtime/Files/Gguf.h"
#include "Allocations.h"
#include "GgufContents.h"
#include "TemporaryFolder.h"
#include "Text.h"
#include "hamkaas-c/Program.h"

#include <gtest/gtest.h>

using namespace hamkaas::rt;
using namespace hamkaas::test;

static std::string readError(const std::string &contents) {
  // A copy of exactly this size, so that the sanitizer sees the end.
  std::vector<char> copy(contents.begin(), contents.end());
  GgufFile file;
  return textOf(file.parse(copy.data(), copy.size(), "w"));
}

//===----------------------------------------------------------------------===//
// Good files
//===----------------------------------------------------------------------===//

TEST(Gguf, ReadsTensors) {
  TemporaryFolder folder;
  std::string path = folder.write("w.gguf", exampleGguf());
  GgufFile file;
  ASSERT_EQ(textOf(file.open(path.c_str())), "");
  ASSERT_EQ(file.tensorCount(), 2u);
  const GgufTensor &numbers = file.tensor(0), &blocks = file.tensor(1);
  EXPECT_STREQ(numbers.name, "numbers");
  EXPECT_STREQ(numbers.type->name, "F32");
  EXPECT_EQ(numbers.type->elementType, HamKaasFloat32);
  EXPECT_EQ(numbers.rank, 1);
  EXPECT_EQ(numbers.shape[0], 3);
  EXPECT_EQ(numbers.bytes, 12u);
  float three[] = {1, 2, 3};
  EXPECT_EQ(memcmp(numbers.data, three, sizeof(three)), 0);

  EXPECT_EQ(file.findTensor("blocks"), &blocks);
  EXPECT_EQ(blocks.rank, 2);
  EXPECT_EQ(blocks.shape[0], 2);
  EXPECT_EQ(blocks.shape[1], 64);
  EXPECT_EQ(blocks.rowBytes(), 36u);
  EXPECT_EQ(blocks.bytes, 72u);
  EXPECT_EQ(blocks.offset, numbers.offset + 32);
  EXPECT_EQ(file.findTensor("none"), nullptr);
}

namespace {
struct Integer {
  const char *key;
  int64_t value;
};
} // namespace

static constexpr Integer integers[] = {{"tiny.u8", 200},
                                       {"tiny.i8", -7},
                                       {"tiny.u16", 60000},
                                       {"tiny.i16", -300},
                                       {"tiny.u32", 4000000000},
                                       {"tiny.i32", -70000},
                                       {"tiny.i64", -(int64_t{1} << 40)}};

TEST(Gguf, ReadsIntegers) {
  std::string contents = exampleGguf();
  GgufFile file;
  ASSERT_EQ(textOf(file.parse(contents.data(), contents.size(), "w")), "");
  for (auto [key, expected] : integers) {
    const GgufValue *value = file.findValue(key);
    ASSERT_NE(value, nullptr) << key;
    int64_t integer = 0;
    EXPECT_TRUE(value->readInteger(0, integer)) << key;
    EXPECT_EQ(integer, expected) << key;
    uint64_t count = 0;
    EXPECT_EQ(value->readCount(0, count), expected >= 0) << key;
    double number;
    EXPECT_FALSE(value->readFloat(0, number)) << key;
  }
  const GgufValue *largest = file.findValue("tiny.u64");
  uint64_t count = 0;
  int64_t integer;
  EXPECT_TRUE(largest->readCount(0, count));
  EXPECT_EQ(count, ~uint64_t{0});
  EXPECT_FALSE(largest->readInteger(0, integer));
}

TEST(Gguf, ReadsOtherValues) {
  std::string contents = exampleGguf();
  GgufFile file;
  ASSERT_EQ(textOf(file.parse(contents.data(), contents.size(), "w")), "");
  double number = 0;
  EXPECT_TRUE(file.findValue("tiny.f32")->readFloat(0, number));
  EXPECT_EQ(number, 0.5);
  EXPECT_TRUE(file.findValue("tiny.f64")->readFloat(0, number));
  EXPECT_EQ(number, 0.1);
  bool flag = false;
  EXPECT_TRUE(file.findValue("tiny.bool")->readBool(0, flag));
  EXPECT_TRUE(flag);
  EXPECT_FALSE(file.findValue("tiny.u8")->readBool(0, flag));
  GgufText text;
  ASSERT_TRUE(file.findValue("general.architecture")->readText(text));
  EXPECT_TRUE(text.equals("tiny"));
  EXPECT_FALSE(text.equals("tin"));
  EXPECT_FALSE(file.findValue("tiny.u8")->readText(text));
  EXPECT_EQ(file.findValue("tiny.other"), nullptr);
}

TEST(Gguf, ReadsArrays) {
  std::string contents = exampleGguf();
  GgufFile file;
  ASSERT_EQ(textOf(file.parse(contents.data(), contents.size(), "w")), "");
  const GgufValue *words = file.findValue("tiny.words");
  EXPECT_TRUE(words->isArray);
  EXPECT_EQ(words->count, 3u);
  GgufText text;
  EXPECT_FALSE(words->readText(text));
  GgufTexts texts(*words);
  for (const char *expected : {"a", "", "é€"}) {
    ASSERT_TRUE(texts.next(text));
    EXPECT_TRUE(text.equals(expected)) << expected;
  }
  EXPECT_FALSE(texts.next(text));

  const GgufValue *numbers = file.findValue("tiny.numbers");
  int64_t integer = 0;
  EXPECT_TRUE(numbers->readInteger(1, integer));
  EXPECT_EQ(integer, -6);
  EXPECT_FALSE(GgufTexts(*numbers).next(text));
  EXPECT_EQ(file.findValue("tiny.none")->count, 0u);
}

TEST(Gguf, ReadsVersion2AndOtherAlignments) {
  GgufContents contents;
  contents.version = 2;
  contents.addValue("general.alignment", GgufType::UInt32, bytesOf(64))
      .addTensor("a", {}, /*I8*/ 24, 64)
      .addData(65);
  std::string text = contents.make(64);
  GgufFile file;
  ASSERT_EQ(textOf(file.parse(text.data(), text.size(), "w")), "");
  EXPECT_EQ(file.tensor(0).offset % 64, 0u);
  EXPECT_EQ(file.tensor(0).offset, text.size() - 1);
  EXPECT_EQ(file.tensor(0).rank, 0);
  EXPECT_EQ(file.tensor(0).bytes, 1u);
}

// The data may end, or not begin, where the header does.
TEST(Gguf, ReadsAFileWithoutTensors) {
  GgufContents contents;
  contents.addValue("k", GgufType::Bool, bytesOf(uint8_t{0}));
  EXPECT_EQ(readError(contents.make(1)), "");
  EXPECT_EQ(readError(GgufContents().make(1)), "");
}

TEST(Gguf, OpensAnotherFileInstead) {
  std::string first = exampleGguf(), second = GgufContents().make();
  GgufFile file;
  ASSERT_EQ(textOf(file.parse(first.data(), first.size(), "1")), "");
  ASSERT_EQ(textOf(file.parse(second.data(), second.size(), "2")), "");
  EXPECT_EQ(file.tensorCount(), 0u);
  EXPECT_EQ(file.findValue("tiny.u8"), nullptr);
  EXPECT_NE(textOf(file.parse("", 0, "3")), "");
}

// Tokens stay in the file.
TEST(Gguf, StringsTakeNoMemory) {
  constexpr uint64_t count = 50000;
  std::string words;
  for (uint64_t i = 0; i < count; ++i)
    words += ggufText("token" + std::to_string(i));
  GgufContents contents;
  contents.addArray("words", GgufType::String, count, words);
  std::string text = contents.make();
  GgufFile file;
  int64_t before = allocationCount();
  ASSERT_EQ(textOf(file.parse(text.data(), text.size(), "w")), "");
  EXPECT_LT(allocationCount() - before, 10);
  GgufTexts texts(file.value(0));
  GgufText last = {};
  for (GgufText next; texts.next(next);)
    last = next;
  EXPECT_TRUE(last.equals("token49999"));
}

//===----------------------------------------------------------------------===//
// Wrong files
//===----------------------------------------------------------------------===//

TEST(Gguf, EachCutIsAnError) {
  std::string contents = exampleGguf();
  for (size_t size = 0; size < contents.size(); ++size)
    EXPECT_NE(readError(contents.substr(0, size)), "") << size;
}

TEST(Gguf, WrongStartsAreErrors) {
  EXPECT_EQ(readError(""),
            "w: byte 0: expected a file that begins with 'GGUF', got another");
  EXPECT_EQ(readError("GGU"),
            "w: byte 0: expected a file that begins with 'GGUF', got another");
  EXPECT_EQ(readError("GGUFx"), "w: byte 4: expected 4 bytes of the version, "
                                "got 1: the file is cut off");
  GgufContents contents;
  contents.version = 1;
  EXPECT_EQ(readError(contents.make()),
            "w: byte 4: expected version 2 or 3, got 1");
  contents.version = 3 << 24;
  EXPECT_EQ(readError(contents.make()),
            "w: byte 4: expected version 2 or 3, got 50331648: the file is big "
            "endian");
}

// Nothing is allocated for a count that the file cannot hold.
TEST(Gguf, WrongCountsAreErrors) {
  GgufContents keys;
  keys.moreValues = uint64_t{1} << 60;
  EXPECT_EQ(readError(keys.make(1)),
            "w: byte 24: expected 1152921504606846976 keys, got 0 bytes, which "
            "hold 0 at most");
  GgufContents tensors;
  tensors.moreTensors = 3;
  tensors.data = std::string(60, 'x');
  EXPECT_EQ(readError(tensors.make(1)),
            "w: byte 24: expected 3 tensors, got 60 bytes, which hold 2 at "
            "most");
  GgufContents array;
  array.addArray("k", GgufType::Float64, uint64_t{1} << 61, "12345678");
  EXPECT_EQ(readError(array.make(1)),
            "w: byte 49: expected 2305843009213693952 values, got 8 bytes, "
            "which hold 1 at most");
}

namespace {
struct WrongValue {
  std::string key;
  GgufType type;
  std::string bytes;
  const char *error;
};
} // namespace

TEST(Gguf, WrongValuesAreErrors) {
  const WrongValue wrongValues[] = {
      {"", GgufType::Int16, std::string(2, 0),
       "w: byte 32: expected a key, got an empty one"},
      {"a\n", GgufType::Bool, std::string(1, 0),
       "w: byte 33: expected a key without control characters, got 0x0A"},
      {std::string("a\0b", 3), GgufType::Bool, std::string(1, 0),
       "w: byte 33: expected a key without control characters, got 0x00"},
      {"\xC3", GgufType::Bool, std::string(1, 0),
       "w: byte 32: expected UTF-8 in a key, got the byte 0xC3"},
      {"k", GgufType(13), "12345678",
       "w: byte 33: expected a type of values from 0 to 12, got 13"},
      {"k", GgufType::Bool, "\2",
       "w: byte 37: expected 0 or 1 as a bool, got 2"},
      {"k", GgufType::String, bytesOf(uint64_t{9}) + "12345678",
       "w: byte 45: expected 9 bytes of a string, got 8: the file is cut off"},
      {"k", GgufType::String, ggufText("ab\xED\xA0\x80"),
       "w: byte 47: expected UTF-8 in a string, got the byte 0xED"},
      {"k", GgufType::UInt64, "1234567",
       "w: byte 37: expected 1 values, got 7 bytes, which hold 0 at most"},
      {"k", GgufType::Array, bytesOf(9) + bytesOf(uint64_t{0}),
       "w: byte 37: expected an array of values, got an array of arrays"},
      {"k", GgufType::Array, bytesOf(7) + bytesOf(uint64_t{2}) + "\1\3",
       "w: byte 50: expected 0 or 1 as a bool, got 3"},
      {"general.alignment", GgufType::UInt64, bytesOf(uint64_t{32}),
       "w: byte 53: expected general.alignment to be a uint32, got uint64"},
      {"general.alignment", GgufType::Array,
       bytesOf(4) + bytesOf(uint64_t{1}) + bytesOf(32),
       "w: byte 65: expected general.alignment to be a uint32, got an array of "
       "uint32"},
      {"general.alignment", GgufType::UInt32, bytesOf(0),
       "w: byte 53: expected general.alignment to be a power of 2 from 8 to "
       "1048576, got 0"},
      {"general.alignment", GgufType::UInt32, bytesOf(24),
       "w: byte 53: expected general.alignment to be a power of 2 from 8 to "
       "1048576, got 24"},
  };
  for (const WrongValue &wrong : wrongValues)
    EXPECT_EQ(readError(GgufContents()
                            .addValue(wrong.key, wrong.type, wrong.bytes)
                            .make(1)),
              wrong.error);
}

namespace {
struct WrongTensor {
  std::vector<uint64_t> shape;
  uint32_t type;
  uint64_t offset;
  const char *error;
};
} // namespace

TEST(Gguf, WrongTensorsAreErrors) {
  const WrongTensor wrongTensors[] = {
      {{1, 1, 1, 1, 1}, 0, 0, "w: byte 33: expected a rank up to 4, got 5"},
      {{2, 0},
       0,
       0,
       "w: byte 45: expected a dimension from 1 to 2^63 - 1, got 0"},
      {{~uint64_t{0}},
       0,
       0,
       "w: byte 37: expected a dimension from 1 to 2^63 - 1, got "
       "18446744073709551615"},
      {{4},
       99,
       0,
       "w: byte 45: expected the number of a type of tensors, got 99"},
      // Its blocks are 36 bytes for some and 40 for others.
      {{32},
       9,
       0,
       "w: byte 45: expected the number of a type of tensors, got 9"},
      {{33},
       2,
       0,
       "w: byte 45: expected rows of a multiple of 32 numbers for Q4_0, got "
       "33"},
      {{},
       8,
       0,
       "w: byte 37: expected rows of a multiple of 32 numbers for Q8_0, got 1"},
      {{uint64_t{1} << 61, 8},
       0,
       0,
       "w: byte 53: expected a tensor of at most 2^63 - 1 bytes, got more"},
      {{uint64_t{1} << 31, uint64_t{1} << 31},
       0,
       0,
       "w: byte 53: expected a tensor of at most 2^63 - 1 bytes, got more"},
      {{4},
       0,
       8,
       "w: byte 49: expected an offset that is a multiple of 32, got 8"},
      {{17},
       0,
       0,
       "w: tensor 't': expected 68 bytes at offset 0 of the data, which begins "
       "at byte 64, got a file of 128"},
      {{4},
       0,
       64,
       "w: tensor 't': expected 16 bytes at offset 64 of the data, which "
       "begins at byte 64, got a file of 128"},
      {{4},
       0,
       ~uint64_t{31},
       "w: tensor 't': expected 16 bytes at offset 18446744073709551584 of the "
       "data, which begins at byte 64, got a file of 128"},
  };
  for (const WrongTensor &wrong : wrongTensors)
    EXPECT_EQ(
        readError(GgufContents()
                      .addTensor("t", wrong.shape, wrong.type, wrong.offset)
                      .addData(64)
                      .make()),
        wrong.error);
}

TEST(Gguf, WrongNamesOfTensorsAreErrors) {
  EXPECT_EQ(readError(GgufContents().addTensor("", {}, 0, 0).make()),
            "w: byte 32: expected the name of a tensor, got an empty one");
  EXPECT_EQ(readError(GgufContents().addTensor("a\x7F", {}, 0, 0).make()),
            "w: byte 33: expected the name of a tensor without control "
            "characters, got 0x7F");
}

TEST(Gguf, RepeatedNamesAreErrors) {
  EXPECT_EQ(readError(GgufContents()
                          .addValue("k", GgufType::Bool, std::string(1, 0))
                          .addValue("k", GgufType::UInt8, std::string(1, 0))
                          .make()),
            "w: expected each key once, got 'k' twice");
  EXPECT_EQ(readError(GgufContents()
                          .addTensor("t", {8}, 0, 0)
                          .addTensor("t", {8}, 0, 32)
                          .addData(64)
                          .make()),
            "w: expected each tensor once, got 't' twice");
}

TEST(Gguf, OverlappingTensorsAreErrors) {
  EXPECT_EQ(readError(GgufContents()
                          .addTensor("second", {8}, 0, 32)
                          .addTensor("first", {9}, 0, 0)
                          .addData(64)
                          .make()),
            "w: expected tensors that do not overlap, got 'second' at byte "
            "160, within the 36 bytes of 'first' from 128");
  EXPECT_EQ(readError(GgufContents()
                          .addTensor("second", {8}, 0, 32)
                          .addTensor("first", {8}, 0, 0)
                          .addData(64)
                          .make()),
            "");
}

TEST(Gguf, MissingMemoryIsAnError) {
  std::string contents = exampleGguf();
  bool fails = true;
  for (int passed = 0; fails; ++passed) {
    GgufFile file;
    failAllocationAfter(passed);
    Error error = file.parse(contents.data(), contents.size(), "w");
    failAllocationAfter(-1);
    fails = bool(error);
    EXPECT_EQ(fails, passed < 5);
    EXPECT_EQ(file.tensorCount(), fails ? 0u : 2u);
  }
}

TEST(Gguf, FilesThatCannotBeOpenedAreErrors) {
  TemporaryFolder folder;
  GgufFile file;
  std::string path = folder.path("none");
  EXPECT_EQ(textOf(file.open(path.c_str())),
            "cannot read '" + path + "': No such file or directory");
}
