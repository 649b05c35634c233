//===- DescribeTest.cpp - Texts and drawings of models from C ---*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Models.h"

#include "llvm/Support/JSON.h"

using namespace hamkaas::test;
using ::testing::HasSubstr;

TEST(Describe, Invalid) {
  OwnedModel model = compile(addScript);
  EXPECT_EQ(takeText(HamKaasModelDescribe(model.get(), 0, nullptr)),
            "expected a place for the text, got null");
  EXPECT_EQ(describe(nullptr, 0), "expected a model, got null");
  EXPECT_EQ(describe(model.get(), -1),
            "expected a description of 0 to 6, got -1");
  EXPECT_EQ(describe(model.get(), 7),
            "expected a description of 0 to 6, got 7");
}

TEST(Describe, Report) {
  OwnedModel model = compile(addScript);
  EXPECT_THAT(describe(model.get(), HamKaasDescribeReport), HasSubstr("bias"));
}

TEST(Describe, ReportJson) {
  OwnedModel model = compile(addScript);
  auto json =
      llvm::json::parse(describe(model.get(), HamKaasDescribeReportJson));
  ASSERT_TRUE(bool(json)) << llvm::toString(json.takeError());
  ASSERT_NE(json->getAsObject(), nullptr);
  EXPECT_EQ(json->getAsObject()->getString("name"), "model");
}

TEST(Describe, Drawings) {
  OwnedModel model = compile(addScript);
  EXPECT_THAT(describe(model.get(), HamKaasDescribePlanSvg),
              HasSubstr("</svg>"));
  // Without Graphviz an error that names it.
  std::string graph = describe(model.get(), HamKaasDescribeGraphSvg);
  if (!llvm::StringRef(graph).contains("</svg>"))
    EXPECT_THAT(graph, HasSubstr("Graphviz"));
}

TEST(Describe, Graph) {
  OwnedModel model = compile(addScript);
  std::string graph = describe(model.get(), HamKaasDescribeGraph);
  EXPECT_THAT(graph, HasSubstr("hamkaas.relu"));
  // It is a model in turn.
  EXPECT_EQ(compileError(graph), "");
}

TEST(Describe, Script) {
  OwnedModel model = compile(addScript);
  EXPECT_EQ(describe(model.get(), HamKaasDescribeScript), addScript);
}

// The script is of the version that can say it.
TEST(Describe, ScriptOfVersion3) {
  OwnedModel model = compile(twoResults);
  EXPECT_EQ(describe(model.get(), HamKaasDescribeScript),
            "version = 3;\n"
            "$1 = input(\"x\", float32, [2]);\n"
            "$2 = input(\"y\", float32, [2]);\n"
            "output(\"a\", $1);\n"
            "output(\"b\", $2);\n");
}
