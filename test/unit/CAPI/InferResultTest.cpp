//===- InferResultTest.cpp - The type of the result of a script -*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Models.h"

#include <thread>

using namespace hamkaas::test;
using ::testing::HasSubstr;
using ::testing::StartsWith;

namespace {

std::string inferError(const std::string &script) {
  HamKaasTensorType type = {7, 7, {7}};
  std::string error =
      takeText(HamKaasInferResult(script.data(), script.size(), &type));
  if (!error.empty())
    EXPECT_EQ(type.rank, 0);
  return error;
}

} // namespace

TEST(InferResult, Types) {
  HamKaasTensorType type = {};
  std::string script = addScript;
  ASSERT_EQ(takeText(HamKaasInferResult(script.data(), script.size(), &type)),
            "");
  EXPECT_EQ(type.elementType, HamKaasFloat32);
  ASSERT_EQ(type.rank, 2);
  EXPECT_EQ(type.shape[0], 2);
  EXPECT_EQ(type.shape[1], 2);

  script = "$1 = InputTensor(n, int64, [5]);\nresult = $1;\n";
  ASSERT_EQ(takeText(HamKaasInferResult(script.data(), script.size(), &type)),
            "");
  EXPECT_EQ(type.elementType, HamKaasInt64);
  ASSERT_EQ(type.rank, 1);
  EXPECT_EQ(type.shape[0], 5);
}

TEST(InferResult, Ranks) {
  for (int rank : {0, 8}) {
    std::string shape;
    for (int i = 0; i < rank; ++i)
      shape += i ? ", 2" : "2";
    std::string script = "version = 2;\n$1 = InputTensor(x, float32, [" +
                         shape + "]);\nresult = $1;\n";
    HamKaasTensorType type = {};
    ASSERT_EQ(takeText(HamKaasInferResult(script.data(), script.size(), &type)),
              "");
    EXPECT_EQ(type.rank, rank);
  }
  EXPECT_NE(inferError("version = 2;\n$1 = InputTensor(x, float32, "
                       "[1, 1, 1, 1, 1, 1, 1, 1, 1]);\nresult = $1;\n"),
            "");
}

TEST(InferResult, Invalid) {
  EXPECT_EQ(takeText(HamKaasInferResult("x", 1, nullptr)),
            "expected a place for the type, got null");
  HamKaasTensorType type = {};
  EXPECT_EQ(takeText(HamKaasInferResult(nullptr, 1, &type)),
            "expected the text of a model, got null");
  EXPECT_THAT(takeText(HamKaasInferResult("x", UINT64_MAX, &type)),
              HasSubstr("18446744073709551615"));
  EXPECT_EQ(inferError(""), "expected the text of a model, got 0 bytes");
  EXPECT_EQ(inferError("module {}"), "expected a script, got another text");
  EXPECT_EQ(inferError(std::string("$1\0", 3)),
            "script:1:3: error: expected text in UTF-8, got the byte 0x00");
  EXPECT_THAT(inferError("$1 = InputTensor(x, float32, [2]);\n"
                         "$2 = SumNode($1, $7);\n"),
              StartsWith("script:2:18: error: unknown node $7"));
}

// One call leaves nothing behind that another one sees.
TEST(InferResult, Again) {
  for (int i = 0; i < 3; ++i) {
    EXPECT_NE(inferError("$1 = ;"), "");
    EXPECT_EQ(inferError(addScript), "");
  }
}

TEST(InferResult, Threads) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([t] {
      std::string script = "$1 = InputTensor(x, float32, [" +
                           std::to_string(t + 1) + "]);\nresult = $1;\n";
      for (int i = 0; i < 50; ++i) {
        HamKaasTensorType type = {};
        EXPECT_EQ(
            takeText(HamKaasInferResult(script.data(), script.size(), &type)),
            "");
        EXPECT_EQ(type.shape[0], t + 1);
      }
    });
  for (std::thread &thread : threads)
    thread.join();
}
