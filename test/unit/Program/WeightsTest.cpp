//===- WeightsTest.cpp - Parameters from a file -----------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Program/Weights.h"
#include "HamKaas/Support/OutputFile.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "gtest/gtest.h"

using namespace hamkaas;
using namespace llvm;

namespace {

/// A safetensors file with the tensors a: F32 [2] = 1, 2 and b: I64 [1] = 3.
class WeightsTest : public ::testing::Test {
protected:
  void SetUp() override {
    ASSERT_FALSE(sys::fs::createTemporaryFile("weights", "safetensors", path));
    std::string header =
        R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},)"
        R"("b":{"dtype":"I64","shape":[1],"data_offsets":[8,16]}})";
    char size[8];
    support::endian::write64le(size, header.size());
    float a[] = {1, 2};
    int64_t b[] = {3};
    std::string contents(size, sizeof(size));
    contents += header;
    contents.append(reinterpret_cast<char *>(a), sizeof(a));
    contents.append(reinterpret_cast<char *>(b), sizeof(b));
    ASSERT_EQ(toString(writeOutputFile(path, contents)), "");
  }
  void TearDown() override { sys::fs::remove(path); }

  SmallString<128> path;
};

} // namespace

TEST_F(WeightsTest, GivesThemInTheOrderOfTheModel) {
  ProgramInfo model;
  model.parameters = {{"b", HamKaasInt64, {1}}, {"a", HamKaasFloat32, {2}}};
  Expected<Weights> weights = Weights::open(path, model);
  ASSERT_TRUE(bool(weights)) << toString(weights.takeError());
  ASSERT_EQ(weights->contents().size(), 2u);
  EXPECT_EQ(weights->contents()[0].size(), 8u);
  EXPECT_EQ(weights->contents()[0][0], 3);
  EXPECT_EQ(weights->contents()[1].size(), 8u);
}

TEST_F(WeightsTest, ListsAllProblems) {
  ProgramInfo model;
  model.name = "m";
  model.parameters = {{"a", HamKaasFloat32, {1, 2}},
                      {"c", HamKaasFloat32, {3}},
                      {"d", HamKaasInt64, {4}}};
  Expected<Weights> weights = Weights::open(path, model);
  ASSERT_FALSE(bool(weights));
  std::string file = path.str().str();
  EXPECT_EQ(toString(weights.takeError()),
            file + ": model 'm' has no parameters named 'b'\n" + file +
                ": tensor 'a': expected float32 [1, 2], got float32 [2]\n"
                "model 'm': missing parameters 'c' (float32 [3]), 'd' "
                "(int64 [4])");
}

TEST_F(WeightsTest, NeedsNoFileForAModelWithoutParameters) {
  ProgramInfo model;
  model.name = "m";
  Expected<Weights> weights = Weights::open("", model);
  ASSERT_TRUE(bool(weights)) << toString(weights.takeError());
  EXPECT_TRUE(weights->contents().empty());
  model.parameters = {{"a", HamKaasFloat32, {}}};
  weights = Weights::open("", model);
  ASSERT_FALSE(bool(weights));
  EXPECT_EQ(toString(weights.takeError()),
            "model 'm': missing parameters 'a' (float32 [])");
}

TEST_F(WeightsTest, RefusesAMissingFile) {
  Expected<Weights> weights = Weights::open("/nowhere.safetensors", {});
  ASSERT_FALSE(bool(weights));
  EXPECT_EQ(toString(weights.takeError()),
            "cannot read '/nowhere.safetensors': No such file or directory");
}
