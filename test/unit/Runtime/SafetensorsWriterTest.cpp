//===- SafetensorsWriterTest.cpp - Files and names of all kinds -----------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Runtime/Files/SafetensorsWriter.h"
#include "HamKaas/Runtime/Core/TensorType.h"
#include "HamKaas/Runtime/Files/Safetensors.h"
#include "TemporaryFolder.h"
#include "Text.h"

#include <cstring>
#include <gtest/gtest.h>
#include <string>
#include <vector>

using namespace hamkaas::rt;
using namespace hamkaas::test;

namespace {
struct SafetensorsWriter : ::testing::Test {
  /// Adds a vector of so many elements, each byte of which is `fill`.
  void add(const char *name, int32_t elementType, int64_t elements, char fill) {
    uint64_t bytes =
        static_cast<uint64_t>(elements) * elementTypeSize(elementType);
    shapes.push_back(elements);
    contents.emplace_back(bytes, fill);
    tensors.push_back({name, elementType, 1, nullptr, bytes, 0, nullptr});
  }

  std::string write() {
    for (size_t i = 0; i < tensors.size(); ++i)
      if (!tensors[i].shape)
        tensors[i].shape = &shapes[i];
    auto read = [](void *test, size_t tensor, uint64_t offset, void *to,
                   uint64_t bytes) {
      memcpy(to,
             static_cast<SafetensorsWriter *>(test)->contents[tensor].data() +
                 offset,
             bytes);
      return Error();
    };
    return textOf(writeSafetensors(path.c_str(), tensors.data(), tensors.size(),
                                   {read, this}));
  }

  /// Checks that the file has these tensors.
  void expectWritten() {
    SafetensorsFile file;
    ASSERT_EQ(textOf(file.open(path.c_str())), "");
    ASSERT_EQ(file.size(), tensors.size());
    for (size_t i = 0; i < tensors.size(); ++i) {
      const SafetensorsTensor *found = file.find(tensors[i].name);
      ASSERT_NE(found, nullptr) << tensors[i].name;
      EXPECT_EQ(found->elementType, tensors[i].elementType);
      ASSERT_EQ(found->bytes, tensors[i].bytes);
      EXPECT_EQ(memcmp(found->data, contents[i].data(), found->bytes), 0);
    }
  }

  TemporaryFolder folder;
  std::string path = folder.path("w.safetensors");
  std::vector<HamKaasTensorInfo> tensors;
  std::vector<int64_t> shapes;
  std::vector<std::string> contents;
};
} // namespace

TEST_F(SafetensorsWriter, WritesTheBytesOfTheFormat) {
  add("a", HamKaasFloat32, 1, 'a');
  add("b", HamKaasInt64, 1, 'b');
  ASSERT_EQ(write(), "");
  std::string header = R"({"b":{"dtype":"I64","shape":[1],)"
                       R"("data_offsets":[0,8]},)"
                       R"("a":{"dtype":"F32","shape":[1],)"
                       R"("data_offsets":[8,12]}})";
  header.resize((header.size() + 7) / 8 * 8, ' ');
  std::string prefix(8, '\0');
  prefix[0] = static_cast<char>(header.size());
  EXPECT_EQ(folder.read("w.safetensors"),
            prefix + header + "bbbbbbbb" + "aaaa");
}

TEST_F(SafetensorsWriter, WritesAllTypes) {
  for (const ElementType &type : elementTypes)
    add(type.name, type.type, 3, static_cast<char>('a' + type.type));
  ASSERT_EQ(write(), "");
  expectWritten();
  SafetensorsFile file;
  ASSERT_EQ(textOf(file.open(path.c_str())), "");
  for (const ElementType &type : elementTypes) {
    const SafetensorsTensor *tensor = file.find(type.name);
    EXPECT_STREQ(tensor->dtype, type.safetensors);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(tensor->data) % type.size, 0u);
  }
}

// Whatever the length of the header.
TEST_F(SafetensorsWriter, DataIsAligned) {
  std::string name;
  for (int length = 0; length < 16; ++length) {
    tensors.clear(), shapes.clear(), contents.clear();
    name += 'n';
    add(name.c_str(), HamKaasFloat32, 3, 'x');
    add("i", HamKaasInt64, 2, 'i');
    add("empty", HamKaasInt64, 0, ' ');
    add("f", HamKaasFloat32, 5, 'f');
    ASSERT_EQ(write(), "");
    expectWritten();
    SafetensorsFile file;
    ASSERT_EQ(textOf(file.open(path.c_str())), "");
    for (const HamKaasTensorInfo &tensor : tensors)
      EXPECT_EQ(reinterpret_cast<uintptr_t>(file.find(tensor.name)->data) %
                    elementTypeSize(tensor.elementType),
                0u);
  }
}

TEST_F(SafetensorsWriter, WritesNoTensors) {
  ASSERT_EQ(write(), "");
  EXPECT_EQ(folder.read("w.safetensors"),
            std::string("\x08\0\0\0\0\0\0\0", 8) + "{}      ");
  expectWritten();
}

TEST_F(SafetensorsWriter, WritesAllRanks) {
  int64_t shape[] = {1, 2, 1, 3, 1, 1, 1, 2};
  add("scalar", HamKaasFloat32, 1, 's');
  add("deep", HamKaasFloat32, 12, 'd');
  tensors[0].rank = 0;
  tensors[1].rank = 8;
  tensors[1].shape = shape;
  ASSERT_EQ(write(), "");
  expectWritten();
  SafetensorsFile file;
  ASSERT_EQ(textOf(file.open(path.c_str())), "");
  EXPECT_EQ(file.find("scalar")->rank, 0);
  ASSERT_EQ(file.find("deep")->rank, 8);
  EXPECT_EQ(memcmp(file.find("deep")->shape, shape, sizeof(shape)), 0);
}

TEST_F(SafetensorsWriter, WritesHostileNames) {
  std::string slashes(5000, '\\'), quotes(5000, '"');
  for (const char *name : {"",
                           " ",
                           "\"",
                           "\\",
                           "\\\"",
                           "\\u0041",
                           "\\n",
                           "{\"a\":1}",
                           "a,b:c[0]",
                           "%s%n%d",
                           "../../etc",
                           "\xC3\xA9",
                           "\xE2\x82\xAC",
                           "\xF0\x9F\x98\x80",
                           "\xEF\xBB\xBF",
                           "metadata",
                           "__metadata",
                           "dtype",
                           slashes.c_str(),
                           quotes.c_str()})
    add(name, HamKaasFloat32, 1, static_cast<char>('a' + tensors.size()));
  ASSERT_EQ(write(), "");
  expectWritten();
}

TEST_F(SafetensorsWriter, RefusesWhatCannotBeRead) {
  for (const char *name : {"a\nb", "\x01", "\x7F", "\x80", "a\xFF", "\xC0\x80",
                           "\xED\xA0\x80", "\xF4\x90\x80\x80", "\xE2\x82"}) {
    tensors.clear(), shapes.clear(), contents.clear();
    add("a", HamKaasFloat32, 1, 'a');
    add(name, HamKaasFloat32, 1, 'b');
    EXPECT_EQ(write(), path + ": the name of tensor number 1 is not UTF-8 text "
                              "without control characters");
  }
  tensors[1].name = "__metadata__";
  EXPECT_EQ(write(), path + ": a tensor cannot be named '__metadata__'");
  tensors[1].name = "a";
  EXPECT_EQ(write(), path + ": tensor 'a' is given twice");
  EXPECT_EQ(folder.fileCount(), 0u);
}

TEST_F(SafetensorsWriter, RefusesWrongSizes) {
  add("a", HamKaasFloat32, 3, 'a');
  tensors[0].bytes = 13;
  EXPECT_EQ(write(), path + ": tensor 'a': 13 bytes do not fit float32 [3]");
  tensors[0].bytes = 12;
  tensors[0].elementType = elementTypeCount;
  EXPECT_EQ(write(),
            path + ": tensor 'a': 12 bytes do not fit unknown type [3]");
  tensors[0].elementType = HamKaasFloat32;
  shapes[0] = -3;
  EXPECT_EQ(write(), path + ": tensor 'a': 12 bytes do not fit float32 [-3]");
  EXPECT_EQ(folder.fileCount(), 0u);
}

// A header of more than the format allows; the old file stays.
TEST_F(SafetensorsWriter, RefusesAHugeHeader) {
  add("a", HamKaasFloat32, 1, 'a');
  ASSERT_EQ(write(), "");
  std::string old = folder.read("w.safetensors");
  std::string name(100000000, 'n');
  tensors[0].name = name.c_str();
  EXPECT_EQ(write(), path + ": the header takes 100000056 bytes, the format "
                            "allows 100000000");
  EXPECT_EQ(folder.read("w.safetensors"), old);
  EXPECT_EQ(folder.fileCount(), 1u);
}
