//===- SafetensorsTest.cpp - Right and wrong safetensors files ------------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Runtime/Files/Safetensors.h"
#include "SafetensorsContents.h"
#include "TemporaryFolder.h"
#include "Text.h"

#include <cstring>
#include <gtest/gtest.h>
#include <string>
#include <vector>

using namespace hamkaas::rt;
using namespace hamkaas::test;

//===----------------------------------------------------------------------===//
// Good files
//===----------------------------------------------------------------------===//

static constexpr char goodHeader[] =
    R"({"__metadata__":{"format":"pt"},)"
    R"("b":{"dtype":"I64","shape":[1,2],"data_offsets":[12,28]},)"
    R"( "a" : {"shape":[3],"data_offsets":[0,12],"dtype":"F32"} }  )";

TEST(Safetensors, ReadsTensors) {
  TemporaryFolder folder;
  std::string data(28, '\0');
  float three[] = {1, 2, 3};
  memcpy(data.data(), three, sizeof(three));
  std::string path =
      folder.write("w.safetensors", safetensorsOf(goodHeader, data));

  SafetensorsFile file;
  ASSERT_EQ(textOf(file.open(path.c_str())), "");
  ASSERT_EQ(file.size(), 2u);
  EXPECT_STREQ(file[0].name, "a");
  EXPECT_STREQ(file[1].name, "b");

  const SafetensorsTensor *a = file.find("a");
  ASSERT_EQ(a, &file[0]);
  EXPECT_EQ(a->elementType, HamKaasFloat32);
  EXPECT_STREQ(a->dtype, "F32");
  EXPECT_EQ(a->rank, 1);
  EXPECT_EQ(a->shape[0], 3);
  EXPECT_EQ(a->bytes, 12u);
  EXPECT_EQ(memcmp(a->data, three, sizeof(three)), 0);

  const SafetensorsTensor *b = file.find("b");
  ASSERT_NE(b, nullptr);
  EXPECT_EQ(b->elementType, HamKaasInt64);
  EXPECT_EQ(b->rank, 2);
  EXPECT_EQ(b->shape[1], 2);
  EXPECT_EQ(file.find("c"), nullptr);
  EXPECT_EQ(file.find(""), nullptr);
}

TEST(Safetensors, ReadsEmptyAndScalarTensors) {
  std::string contents = safetensorsOf(
      R"({"none":{"dtype":"F32","shape":[0,5],"data_offsets":[0,0]},)"
      R"("one":{"dtype":"F32","shape":[],"data_offsets":[0,4]},)"
      R"("end":{"dtype":"C64","shape":[0],"data_offsets":[4,4]}})",
      "1234");
  SafetensorsFile file;
  ASSERT_EQ(textOf(file.parse(contents.data(), contents.size(), "w")), "");
  EXPECT_EQ(file.find("none")->bytes, 0u);
  EXPECT_EQ(file.find("one")->rank, 0);
  EXPECT_EQ(file.find("one")->bytes, 4u);
  EXPECT_EQ(file.find("end")->elementType, -1);
}

TEST(Safetensors, ReadsAFileWithoutTensors) {
  std::string contents = safetensorsOf("{}", "");
  SafetensorsFile file;
  EXPECT_EQ(textOf(file.parse(contents.data(), contents.size(), "w")), "");
  EXPECT_EQ(file.size(), 0u);
  EXPECT_EQ(file.find("a"), nullptr);
}

TEST(Safetensors, ReadsEscapedNames) {
  std::string contents =
      safetensorsOf(R"({"a\/\"\\\u00e9\u20AC\ud83d\ude00é":)"
                    R"({"dtype":"U8","shape":[1],"data_offsets":[0,1]}})",
                    "x");
  SafetensorsFile file;
  ASSERT_EQ(textOf(file.parse(contents.data(), contents.size(), "w")), "");
  EXPECT_STREQ(file[0].name, "a/\"\\é€😀é");
}

TEST(Safetensors, OpensAnotherFileInstead) {
  std::string first = safetensorsOf(goodHeader, std::string(28, 'x'));
  std::string second = safetensorsOf("{}", "");
  SafetensorsFile file;
  ASSERT_EQ(textOf(file.parse(first.data(), first.size(), "1")), "");
  ASSERT_EQ(textOf(file.parse(second.data(), second.size(), "2")), "");
  EXPECT_EQ(file.size(), 0u);
  EXPECT_NE(textOf(file.parse("", 0, "3")), "");
  EXPECT_EQ(file.size(), 0u);
}

// A file of thousands of tensors is read in linear time, about.
TEST(Safetensors, ReadsManyTensors) {
  std::string header = "{";
  constexpr int count = 20000;
  for (int i = 0; i < count; ++i)
    header += (i ? ",\"t" : "\"t") + std::to_string(i) +
              R"(":{"dtype":"U8","shape":[1],"data_offsets":[)" +
              std::to_string(i) + "," + std::to_string(i + 1) + "]}";
  std::string contents = safetensorsOf(header + "}", std::string(count, 'x'));
  SafetensorsFile file;
  ASSERT_EQ(textOf(file.parse(contents.data(), contents.size(), "w")), "");
  EXPECT_EQ(file.find("t777"), &file[777]);
}

//===----------------------------------------------------------------------===//
// Wrong files
//===----------------------------------------------------------------------===//

namespace {
struct WrongFile {
  const char *header;
  size_t dataSize;
  const char *error;
};
} // namespace

// One tensor "a" with these fields.
#define TENSOR(fields) "{\"a\":{" fields "}}"

static const WrongFile wrongFiles[] = {
    // The header as JSON.
    {"", 0, "w: expected the header to begin with '{'"},
    {"[]", 0, "w: expected the header to begin with '{'"},
    {" {}", 0, "w: expected the header to begin with '{'"},
    {"{", 0, "w: the header is not valid JSON: incomplete at byte 1"},
    {"{}}", 0,
     "w: the header is not valid JSON: unexpected character at byte 2"},
    {"{]", 0,
     "w: the header is not valid JSON: unexpected character at byte 1"},
    {"{}{}", 0,
     "w: the header is not valid JSON: unexpected character at byte 2"},
    {"{,}", 0,
     "w: the header is not valid JSON: unexpected character at byte 1"},
    {R"({"a":{},})", 0,
     "w: the header is not valid JSON: unexpected character at byte 8"},
    {R"({"a" {}})", 0,
     "w: the header is not valid JSON: unexpected character at byte 5"},
    {R"({"a":{}"b":{}})", 0,
     "w: the header is not valid JSON: unexpected character at byte 7"},
    {R"({"a)", 0, "w: the header is not valid JSON: incomplete at byte 1"},
    {"{\"a\n\":{}}", 0,
     "w: the header is not valid JSON: unexpected character at byte 1"},
    {R"({"a\x":{}})", 0,
     "w: the header is not valid JSON: unexpected character at byte 1"},
    {R"({"a":{"shape":[[[1]]]}})", 0,
     "w: the header is not valid JSON: nested deeper than 3 levels at byte 15"},
    {R"({"a"})", 0,
     "w: expected a tensor name with a description, got 'a' in the header"},
    {R"({"a":5})", 0,
     "w: tensor 'a': expected a JSON object with dtype, shape and "
     "data_offsets"},
    {R"({"__metadata__":5})", 0,
     "w: expected __metadata__ to be a JSON object"},
    {R"({"__metadata__":{"a":5}})", 0,
     "w: expected __metadata__ to map strings to strings"},
    {R"({"__metadata__":{"a":"b":"c"}})", 0,
     "w: expected __metadata__ to map strings to strings"},
    {R"({"__metadata__":{"a":{}}})", 0,
     "w: expected __metadata__ to map strings to strings"},
    // Names.
    {R"({"\u0000":{}})", 0,
     "w: the name of tensor number 0 is not UTF-8 text without control "
     "characters"},
    {R"({"\n":{}})", 0,
     "w: the name of tensor number 0 is not UTF-8 text without control "
     "characters"},
    {R"({"\ud83d":{}})", 0,
     "w: the name of tensor number 0 is not UTF-8 text without control "
     "characters"},
    {"{\"\xC3\":{}}", 0,
     "w: the name of tensor number 0 is not UTF-8 text without control "
     "characters"},
    {"{\"\xED\xA0\x80\":{}}", 0,
     "w: the name of tensor number 0 is not UTF-8 text without control "
     "characters"},
    {R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},)"
     R"("\u0061":{"dtype":"U8","shape":[1],"data_offsets":[1,2]}})",
     2, "w: tensor 'a' is defined twice"},
    // Fields.
    {TENSOR(R"("dtype":"F32","shape":[1])"), 4,
     "w: tensor 'a': data_offsets is missing"},
    {TENSOR(R"("shape":[1],"data_offsets":[0,4])"), 4,
     "w: tensor 'a': dtype is missing"},
    {TENSOR(R"("dtype":"F32","data_offsets":[0,4])"), 4,
     "w: tensor 'a': shape is missing"},
    {TENSOR(R"("dtype":"F32","dtype":"F32")"), 4,
     "w: tensor 'a': second 'dtype', expected dtype, shape and data_offsets"},
    {TENSOR(R"("stride":[1])"), 4,
     "w: tensor 'a': unknown key 'stride', expected dtype, shape and "
     "data_offsets"},
    {TENSOR(R"("dtype")"), 4,
     "w: tensor 'a': expected a key with a value, got 'dtype'"},
    {TENSOR(R"("dtype":"F33")"), 4, "w: tensor 'a': unknown dtype 'F33'"},
    {TENSOR(R"("dtype":32)"), 4, "w: tensor 'a': unknown dtype '32'"},
    {TENSOR(R"("dtype":"F32":1)"), 4, "w: tensor 'a': unknown dtype 'F32'"},
    {TENSOR(R"("shape":4)"), 4,
     "w: tensor 'a': expected shape to be an array of integers"},
    {TENSOR(R"("shape":["4"])"), 4,
     "w: tensor 'a': expected dimension 0 of shape to be an integer from 0 to "
     "2^63 - 1, got '4'"},
    {TENSOR(R"("shape":[1,-4])"), 4,
     "w: tensor 'a': expected dimension 1 of shape to be an integer from 0 to "
     "2^63 - 1, got '-4'"},
    {TENSOR(R"("shape":[1.5])"), 4,
     "w: tensor 'a': expected dimension 0 of shape to be an integer from 0 to "
     "2^63 - 1, got '1.5'"},
    {TENSOR(R"("shape":[9223372036854775808])"), 4,
     "w: tensor 'a': expected dimension 0 of shape to be an integer from 0 to "
     "2^63 - 1, got '9223372036854775808'"},
    {TENSOR(R"("shape":[1:2])"), 4,
     "w: tensor 'a': expected dimension 0 of shape to be an integer from 0 to "
     "2^63 - 1, got '1:2'"},
    {TENSOR(R"("data_offsets":[0])"), 4,
     "w: tensor 'a': expected data_offsets to be two integers, begin <= end"},
    {TENSOR(R"("data_offsets":[0,4,8])"), 4,
     "w: tensor 'a': expected data_offsets to be two integers, begin <= end"},
    {TENSOR(R"("data_offsets":[4,0])"), 4,
     "w: tensor 'a': expected data_offsets to be two integers, begin <= end"},
    {TENSOR(R"("data_offsets":[0,true])"), 4,
     "w: tensor 'a': expected data_offsets to be two integers, begin <= end"},
    // Sizes and places.
    {TENSOR(R"("dtype":"F32","shape":[3],"data_offsets":[0,8])"), 8,
     "w: tensor 'a': data_offsets [0, 8] hold 8 bytes, expected 12 for F32 "
     "[3]"},
    {TENSOR(R"("dtype":"F32","shape":[4611686018427387904,4],)"
            R"("data_offsets":[0,0])"),
     0,
     "w: tensor 'a': data_offsets [0, 0] hold 0 bytes, expected more than "
     "9223372036854775807 for F32 [4611686018427387904, 4]"},
    {TENSOR(R"("dtype":"F32","shape":[3],"data_offsets":[0,12])"), 8,
     "w: tensor 'a': data_offsets [0, 12] end after the 8 bytes of data in the "
     "file"},
    {TENSOR(R"("dtype":"F32","shape":[1],"data_offsets":[0,4])"), 5,
     "w: the tensors take 4 bytes, but the file has 5 bytes of data"},
    {TENSOR(R"("dtype":"F32","shape":[1],"data_offsets":[4,8])"), 8,
     "w: tensor 'a': data begins at offset 4, expected 0: it leaves a hole "
     "before it"},
    {R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},)"
     R"("b":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}})",
     8,
     "w: tensor 'b': data begins at offset 4, expected 8: it overlaps the "
     "tensor before it"},
};

TEST(Safetensors, WrongFilesAreErrors) {
  for (const WrongFile &wrong : wrongFiles) {
    std::string contents =
        safetensorsOf(wrong.header, std::string(wrong.dataSize, 'x'));
    SafetensorsFile file;
    EXPECT_EQ(textOf(file.parse(contents.data(), contents.size(), "w")),
              wrong.error)
        << wrong.header;
  }
}

TEST(Safetensors, WrongLengthsAreErrors) {
  SafetensorsFile file;
  EXPECT_EQ(textOf(file.parse("1234", 4, "w")),
            "w: truncated: expected at least 8 bytes, got 4");
  EXPECT_EQ(textOf(file.parse("\x09\0\0\0\0\0\0\0{}", 10, "w")),
            "w: truncated: expected a header of 9 bytes, got 2");
  EXPECT_EQ(textOf(file.parse("\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF{}", 10, "w")),
            "w: expected a header of at most 100000000 bytes, got a length "
            "of 18446744073709551615");
}

TEST(Safetensors, OtherFilesAreNamed) {
  auto errorOf = [](const std::string &contents) {
    SafetensorsFile file;
    return textOf(file.parse(contents.data(), contents.size(), "w"));
  };
  EXPECT_EQ(errorOf("\x93NUMPY\1.v.{}"),
            "w: expected a safetensors file, got an npy file");
  EXPECT_EQ(errorOf("weights: none"),
            "w: expected a safetensors file, got other data");
}

TEST(Safetensors, EachTruncationIsAnError) {
  std::string contents = safetensorsOf(goodHeader, std::string(28, 'x'));
  for (size_t size = 0; size < contents.size(); ++size) {
    // A copy of exactly this size, so that the sanitizer sees the end.
    std::vector<char> cut(contents.begin(), contents.begin() + size);
    SafetensorsFile file;
    EXPECT_NE(textOf(file.parse(cut.data(), cut.size(), "w")), "") << size;
  }
}

// jsmn alone would take quadratic time.
TEST(Safetensors, DeepNestingIsAnErrorAtOnce) {
  std::string contents = safetensorsOf("{\"a\":" + std::string(1000000, '[') +
                                           std::string(1000000, ']') + "}",
                                       "");
  SafetensorsFile file;
  EXPECT_EQ(textOf(file.parse(contents.data(), contents.size(), "w")),
            "w: the header is not valid JSON: nested deeper than 3 levels at "
            "byte 7");
}

TEST(Safetensors, FilesThatCannotBeOpenedAreErrors) {
  TemporaryFolder folder;
  SafetensorsFile file;
  std::string path = folder.path("none");
  EXPECT_EQ(textOf(file.open(path.c_str())),
            "cannot read '" + path + "': No such file or directory");
  path = folder.path("");
  EXPECT_EQ(textOf(file.open(path.c_str())),
            "cannot read '" + path + "': not a regular file");
  path = folder.write("empty", "");
  EXPECT_EQ(textOf(file.open(path.c_str())),
            path + ": truncated: expected at least 8 bytes, got 0");
}
