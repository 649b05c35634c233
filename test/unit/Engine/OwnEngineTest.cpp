//===- OwnEngineTest.cpp - Knobs of our code generator --------------------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Engine/OwnEngine.h"
#include "HamKaas/Dialect/HamKaas/IR/Knobs.h"
#include "HamKaas/Runtime/Engine/EngineGroup.h"
#include "HamKaas/Runtime/Engine/EngineLibrary.h"
#include "mlir/IR/MLIRContext.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

using testing::AnyOf;
using testing::Contains;
using testing::ElementsAre;
using testing::Not;
using testing::StartsWith;

namespace hamkaas {
namespace {

std::vector<std::string> list(const char *text,
                              llvm::StringRef level = "x86-64-v3",
                              double winogradError = 1e-5) {
  rt::EngineGroup group;
  rt::Error error = group.parse(text);
  EXPECT_FALSE(error) << error.message();
  return listOwnVariants(group.get(), *lookupTarget(level), winogradError);
}

// Each is a rule that can be read, and another than the others.
void expectUsable(const std::vector<std::string> &variants) {
  mlir::MLIRContext context;
  ASSERT_FALSE(variants.empty());
  EXPECT_EQ(variants.front(), "");
  EXPECT_LE(variants.size(), 12u);
  llvm::DenseSet<mlir::Attribute> known;
  for (const std::string &variant : variants) {
    auto knobs = readOwnKnobs(variant, &context);
    ASSERT_TRUE(bool(knobs)) << llvm::toString(knobs.takeError());
    EXPECT_EQ(areKnobs(*knobs), !variant.empty()) << variant;
    EXPECT_TRUE(known.insert(*knobs).second) << variant;
  }
}

TEST(OwnEngine, HasUsableTable) {
  const HamKaasEngine &engine = getOwnEngine();
  EXPECT_STREQ(engine.id, "hamkaas");
  EXPECT_EQ(engine.hash, rt::hashEngineId("hamkaas"));
  EXPECT_EQ(engine.notes, HamKaasEngineBitExact);
  EXPECT_EQ(engine.devices, HamKaasEngineCpu);
  EXPECT_EQ(engine.knobCount, 7);
}

TEST(OwnEngine, ReadsKnobs) {
  mlir::MLIRContext context;
  auto knobs =
      readOwnKnobs("winograd=off,rows=4,depth=0,packing=auto", &context);
  ASSERT_TRUE(bool(knobs)) << llvm::toString(knobs.takeError());
  EXPECT_EQ(formatKnobs(*knobs), "rows=4, winograd=off");
  auto none = readOwnKnobs("", &context);
  ASSERT_TRUE(bool(none)) << llvm::toString(none.takeError());
  EXPECT_TRUE(none->empty());
  for (const char *wrong : {"rows=-1", "rows=4x", "rows=99999999999999999999",
                            "depth", "packing=yes", "unknown=1"}) {
    auto got = readOwnKnobs(wrong, &context);
    ASSERT_FALSE(bool(got)) << wrong;
    EXPECT_THAT(llvm::toString(got.takeError()),
                StartsWith("engine 'hamkaas': expected "))
        << wrong;
  }
}

TEST(OwnEngine, ListsVariantsOfProducts) {
  for (const char *level : {"x86-64", "x86-64-v3", "x86-64-v4"}) {
    std::vector<std::string> variants =
        list("hamkaas-group 1\ninput float32 512 1024\n"
             "input float32 1024 512\n"
             "node matmul 0 1 : float32 512 512\n"
             "node relu 2 : float32 512 512\n",
             level);
    expectUsable(variants);
    EXPECT_GE(variants.size(), 8u) << level;
    EXPECT_THAT(variants, Contains(StartsWith("rows=")));
    EXPECT_THAT(variants, Contains(StartsWith("depth=")));
    EXPECT_THAT(variants, Contains(StartsWith("block-rows=")));
    EXPECT_THAT(variants, Contains(AnyOf("packing=always", "packing=never")));
  }
  // A constant is packed once, in any case.
  std::vector<std::string> constant =
      list("hamkaas-group 1\ninput float32 512 1024\n"
           "constant float32 1024 512\n"
           "node matmul 0 1 : float32 512 512\n");
  expectUsable(constant);
  EXPECT_THAT(constant, Not(Contains(StartsWith("packing="))));
}

// 6 rows of two vectors take the least time (AMD Zen 3, one thread), and are
// what the cost model chooses.
TEST(OwnEngine, LeavesOutTheDefaultTile) {
  std::vector<std::string> variants =
      list("hamkaas-group 1\ninput float32 32 50 64\n"
           "input float32 32 64 50\n"
           "node matmul 0 1 : float32 32 50 50\n");
  EXPECT_THAT(variants, Contains(StartsWith("rows=")));
  EXPECT_THAT(variants, Not(Contains("rows=6,vectors=2")));
}

// Also where there is little to choose.
TEST(OwnEngine, ListsVariantsOfSmallProducts) {
  for (int rows : {1, 2, 7})
    for (int columns : {1, 3, 40})
      for (int depth : {1, 90}) {
        std::string m = std::to_string(rows), n = std::to_string(columns),
                    k = std::to_string(depth);
        std::string text = "hamkaas-group 1\ninput float32 3 " + m + " " + k +
                           "\ninput float32 3 " + k + " " + n +
                           "\nnode matmul 0 1 : float32 3 " + m + " " + n +
                           "\n";
        expectUsable(list(text.c_str()));
      }
  expectUsable(list("hamkaas-group 1\ninput float32 8\nconstant float32 8 4\n"
                    "node matmul 0 1 : float32 4\n"));
}

TEST(OwnEngine, ListsVariantsOfConvolutions) {
  const char *window =
      "hamkaas-group 1\ninput float32 1 28 28 32\n"
      "constant float32 3 3 32 64\nnode conv 0 1 : float32 1 28 28 64\n"
      "attribute dilations integers 1 1\nattribute groups integer 1\n"
      "attribute pad_high integers 1 1\nattribute pad_low integers 1 1\n"
      "attribute strides integers 1 1\n";
  expectUsable(list(window));
  EXPECT_THAT(list(window),
              ElementsAre("", "winograd=off", "winograd=2", "winograd=4"));
  EXPECT_THAT(list(window, "x86-64-v3", /*winogradError=*/1e-6),
              ElementsAre("", "winograd=off", "winograd=2"));
  // So may the gradient of weights.
  EXPECT_THAT(list("hamkaas-group 1\ninput float32 32 30 30 1\n"
                   "input float32 28 28 1 64\n"
                   "node conv 0 1 : float32 32 3 3 64\n"
                   "attribute dilations integers 1 1\n"
                   "attribute groups integer 1\n"
                   "attribute pad_high integers 0 0\n"
                   "attribute pad_low integers 0 0\n"
                   "attribute strides integers 1 1\n"),
              ElementsAre("", "winograd=off", "winograd=2", "winograd=4"));
  // An image that no tile divides has other tiles of sums.
  std::vector<std::string> odd =
      list("hamkaas-group 1\ninput float32 1 7 7 32\n"
           "constant float32 3 3 32 64\nnode conv 0 1 : float32 1 7 7 64\n"
           "attribute dilations integers 1 1\nattribute groups integer 1\n"
           "attribute pad_high integers 1 1\nattribute pad_low integers 1 1\n"
           "attribute strides integers 1 1\n");
  expectUsable(odd);
  EXPECT_THAT(odd, Not(Contains(StartsWith("winograd="))));
  EXPECT_GT(odd.size(), 1u);
  std::vector<std::string> strided =
      list("hamkaas-group 1\ninput float32 1 28 28 32\n"
           "constant float32 3 3 32 64\nnode conv 0 1 : float32 1 14 14 64\n"
           "attribute dilations integers 1 1\nattribute groups integer 1\n"
           "attribute pad_high integers 1 1\nattribute pad_low integers 1 1\n"
           "attribute strides integers 2 2\n");
  expectUsable(strided);
  EXPECT_THAT(strided, Not(Contains(StartsWith("winograd="))));
  EXPECT_LE(strided.size(), 4u);
  // One of a point is a product of 784 rows.
  std::vector<std::string> point =
      list("hamkaas-group 1\ninput float32 1 28 28 32\n"
           "constant float32 1 1 32 64\nnode conv 0 1 : float32 1 28 28 64\n"
           "attribute dilations integers 1 1\nattribute groups integer 1\n"
           "attribute pad_high integers 0 0\nattribute pad_low integers 0 0\n"
           "attribute strides integers 1 1\n");
  expectUsable(point);
  EXPECT_THAT(point, Contains(StartsWith("block-rows=")));
  // A depthwise one has none.
  EXPECT_THAT(list("hamkaas-group 1\ninput float32 1 28 28 32\n"
                   "constant float32 3 3 1 32\n"
                   "node conv 0 1 : float32 1 28 28 32\n"
                   "attribute dilations integers 1 1\n"
                   "attribute groups integer 32\n"
                   "attribute pad_high integers 1 1\n"
                   "attribute pad_low integers 1 1\n"
                   "attribute strides integers 1 1\n"),
              ElementsAre(""));
}

TEST(OwnEngine, ListsTheDefaultOfOtherGroups) {
  EXPECT_THAT(list("hamkaas-group 1\ninput float32 4 8\n"
                   "node relu 0 : float32 4 8\n"),
              ElementsAre(""));
}

} // namespace
} // namespace hamkaas
