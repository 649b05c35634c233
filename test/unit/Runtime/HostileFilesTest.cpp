//===- HostileFilesTest.cpp - Files with changed bytes --------------------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Files that are almost right: whatever a few changed bytes do, the readers
// return, read nothing outside the contents (which the sanitizer sees), and
// what they accept keeps its promises.
//
//===----------------------------------------------------------------------===//

#include "GgufContents.h"
#include "HamKaas/Runtime/Files/Gguf.h"
#include "HamKaas/Runtime/Files/Npy.h"
#include "HamKaas/Runtime/Files/Safetensors.h"
#include "SafetensorsContents.h"
#include "Text.h"

#include <cstring>
#include <gtest/gtest.h>
#include <random>
#include <string>
#include <vector>

using namespace hamkaas::rt;
using namespace hamkaas::test;

static constexpr unsigned seed = 20261121;
static constexpr int mutations = 20000;

// Changes, inserts or removes a few bytes.
static std::string mutate(std::string contents, std::mt19937 &random) {
  // Marks of both formats do more than random bytes.
  static constexpr char marks[] = "{}[]():,'\"\\0123456789-.eL <>fiu\0\xFF";
  int changes = 1 + static_cast<int>(random() % 4);
  for (int i = 0; i < changes && !contents.empty(); ++i) {
    size_t at = random() % contents.size();
    char byte = random() % 4 == 0 ? static_cast<char>(random())
                                  : marks[random() % (sizeof(marks) - 1)];
    switch (random() % 4) {
    case 0:
      contents.insert(at, 1, byte);
      break;
    case 1:
      contents.erase(at, 1 + random() % 8);
      break;
    default:
      contents[at] = byte;
    }
  }
  return contents;
}

// True if [data, data + bytes) lies in the contents.
static bool isInside(const std::vector<char> &contents, const void *data,
                     uint64_t bytes) {
  const char *begin = static_cast<const char *>(data);
  const char *end = contents.data() + contents.size();
  return begin >= contents.data() && begin <= end &&
         bytes <= static_cast<uint64_t>(end - begin);
}

TEST(HostileFiles, SafetensorsReaderSurvivesMutations) {
  std::string good = safetensorsOf(
      R"({"__metadata__":{"k":"v\u00e9"},)"
      R"("first":{"dtype":"F32","shape":[2,3],"data_offsets":[0,24]},)"
      R"("second\u0041":{"dtype":"I64","shape":[2],"data_offsets":[24,40]}})",
      std::string(40, '\7'));
  std::mt19937 random(seed);
  for (int i = 0; i < mutations; ++i) {
    std::string mutated = mutate(good, random);
    // Mostly with a header length that fits, to get further.
    if (random() % 8 != 0 && mutated.size() > 48)
      mutated = safetensorsOf(mutated.substr(8, mutated.size() - 48),
                              mutated.substr(mutated.size() - 40));
    std::vector<char> contents(mutated.begin(), mutated.end());
    SafetensorsFile file;
    Error error = file.parse(contents.data(), contents.size(), "w");
    for (size_t tensor = 0; tensor < file.size(); ++tensor) {
      ASSERT_TRUE(isInside(contents, file[tensor].data, file[tensor].bytes));
      ASSERT_EQ(file.find(file[tensor].name), &file[tensor]);
    }
  }
}

TEST(HostileFiles, NpyReaderSurvivesMutations) {
  std::string dictionary =
      "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }";
  std::string good = std::string("\x93NUMPY\1\0", 8) +
                     static_cast<char>(dictionary.size()) + '\0' + dictionary +
                     std::string(24, '\7');
  std::mt19937 random(seed);
  for (int i = 0; i < mutations; ++i) {
    std::string mutated = mutate(good, random);
    std::vector<char> contents(mutated.begin(), mutated.end());
    NpyFile file;
    if (Error error = file.parse(contents.data(), contents.size(), "x"))
      continue;
    std::vector<char> copy(file.bytes());
    if (!copy.empty())
      memcpy(copy.data(), file.data(), copy.size());
    ASSERT_LE(file.bytes(), contents.size());
  }
}

TEST(HostileFiles, GgufReaderSurvivesMutations) {
  std::string good = exampleGguf();
  std::mt19937 random(seed);
  int accepted = 0;
  for (int i = 0; i < mutations; ++i) {
    std::string mutated = mutate(good, random);
    std::vector<char> contents(mutated.begin(), mutated.end());
    GgufFile file;
    Error error = file.parse(contents.data(), contents.size(), "w");
    accepted += !error;
    for (size_t value = 0; value < file.valueCount(); ++value) {
      ASSERT_EQ(file.findValue(file.value(value).name), &file.value(value));
      GgufTexts texts(file.value(value));
      for (GgufText text; texts.next(text);)
        ASSERT_TRUE(isInside(contents, text.data, text.size));
      int64_t number;
      if (uint64_t count = file.value(value).count)
        file.value(value).readInteger(count - 1, number);
    }
    for (size_t tensor = 0; tensor < file.tensorCount(); ++tensor) {
      const GgufTensor &found = file.tensor(tensor);
      ASSERT_TRUE(isInside(contents, found.data, found.bytes));
      ASSERT_EQ(file.findTensor(found.name), &found);
    }
  }
  // Those whose data was changed.
  EXPECT_GT(accepted, mutations / 100);
}
