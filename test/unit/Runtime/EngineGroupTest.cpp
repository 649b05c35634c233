//===- EngineGroupTest.cpp - The text of a group --------------------------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Runtime/Engine/EngineGroup.h"
#include "gtest/gtest.h"

#include <random>
#include <string>

using namespace hamkaas::rt;

namespace {

constexpr char product[] = "hamkaas-group 1\n"
                           "input float32 128 784\n"
                           "constant float32 784 1000\n"
                           "node matmul 0 1 : float32 128 1000\n"
                           "node scale 2 : float32 128 1000\n"
                           "attribute axis integer -1\n"
                           "attribute by number 3fe0000000000000\n"
                           "attribute kind text tanh x\n"
                           "attribute strides integers 2 -3\n"
                           "script\n"
                           "version = 3;\n$1 = relu($0);\n";

TEST(EngineGroup, ReadsEachKindOfLine) {
  EngineGroup owner;
  Error error = owner.parse(product);
  ASSERT_FALSE(error) << error.message();
  const HamKaasEngineGroup &group = owner.get();
  EXPECT_EQ(group.structSize, sizeof(HamKaasEngineGroup));
  ASSERT_EQ(group.valueCount, 4);
  EXPECT_EQ(group.inputCount, 2);
  ASSERT_EQ(group.nodeCount, 2);
  EXPECT_EQ(group.result, 3);
  EXPECT_EQ(group.values[0].isConstant, 0);
  EXPECT_EQ(group.values[1].isConstant, 1);
  EXPECT_EQ(group.values[1].elementType, HamKaasFloat32);
  ASSERT_EQ(group.values[1].rank, 2);
  EXPECT_EQ(group.values[1].shape[0], 784);
  EXPECT_EQ(group.values[1].strides[0], 1000);
  EXPECT_EQ(group.values[1].strides[1], 1);
  const HamKaasEngineNode &matmul = group.nodes[0], &scale = group.nodes[1];
  EXPECT_STREQ(matmul.operation, "matmul");
  ASSERT_EQ(matmul.operandCount, 2);
  EXPECT_EQ(matmul.operands[1], 1);
  EXPECT_EQ(matmul.attributeCount, 0);
  EXPECT_EQ(scale.operands[0], 2);
  ASSERT_EQ(scale.attributeCount, 4);
  EXPECT_STREQ(scale.attributes[0].name, "axis");
  EXPECT_EQ(scale.attributes[0].kind, HamKaasEngineInteger);
  EXPECT_EQ(scale.attributes[0].integer, -1);
  EXPECT_EQ(scale.attributes[1].kind, HamKaasEngineNumber);
  EXPECT_EQ(scale.attributes[1].number, 0.5);
  EXPECT_STREQ(scale.attributes[2].text, "tanh x");
  ASSERT_EQ(scale.attributes[3].count, 2);
  EXPECT_EQ(scale.attributes[3].integers[1], -3);
  EXPECT_STREQ(group.script, "version = 3;\n$1 = relu($0);\n");
}

TEST(EngineGroup, NeedsNoScriptAndTakesScalars) {
  EngineGroup owner;
  Error error = owner.parse("hamkaas-group 1\ninput int64\nnode abs 0 : int64");
  ASSERT_FALSE(error) << error.message();
  EXPECT_EQ(owner.get().values[0].rank, 0);
  EXPECT_EQ(owner.get().script, nullptr);
}

TEST(EngineGroup, SaysWhereAndHow) {
  const std::string rest = "input int64\nnode abs 0 : int64";
  EngineGroup usual, other;
  ASSERT_FALSE(usual.parse(("hamkaas-group 1\n" + rest).c_str()));
  EXPECT_EQ(usual.get().device, uint32_t(HamKaasEngineCpu));
  EXPECT_STREQ(usual.get().precision, "exact");
  ASSERT_FALSE(other.parse(
      ("hamkaas-group 1\ndevice cuda\nprecision bf16\n" + rest).c_str()));
  EXPECT_EQ(other.get().device, uint32_t(HamKaasEngineCuda));
  EXPECT_STREQ(other.get().precision, "bf16");
}

TEST(EngineGroup, NamesTheLineOfAMistake) {
  auto explain = [](std::string text) {
    EngineGroup group;
    Error error = group.parse(text.c_str());
    return std::string(error ? error.message() : "");
  };
  const std::string head = "hamkaas-group 1\n";
  const std::string input = head + "input float32 4\n";
  const std::string node = input + "node relu 0 : float32 4\n";
  EXPECT_EQ(explain(""), "line 0 of the group: expected 'hamkaas-group 1'");
  EXPECT_EQ(explain("hamkaas-group 2\n"),
            "line 1 of the group: expected 'hamkaas-group 1'");
  EXPECT_EQ(explain(input), "line 2 of the group: expected a node");
  EXPECT_EQ(explain(head + "output float32\n"),
            "line 2 of the group: expected device, precision, input, constant, "
            "node, attribute or script");
  EXPECT_EQ(explain(head + "device tpu\n"),
            "line 2 of the group: expected the device cpu or cuda");
  EXPECT_EQ(explain(head + "precision\n"),
            "line 2 of the group: expected the precision exact, tf32, 3xtf32 "
            "or bf16");
  EXPECT_EQ(explain(head + "input float31 4\n"),
            "line 2 of the group: expected an element type");
  EXPECT_EQ(explain(head + "input\n"),
            "line 2 of the group: expected an element type");
  EXPECT_EQ(explain(head + "input float32 0\n"),
            "line 2 of the group: expected dimensions of at least 1");
  EXPECT_EQ(explain(head + "input float32 4611686018427387904 8\n"),
            "line 2 of the group: expected a tensor of less than 2^63 bytes");
  EXPECT_EQ(explain(input + "node\n"),
            "line 3 of the group: expected an operation");
  EXPECT_EQ(explain(input + "node relu 1 : float32 4\n"),
            "line 3 of the group: expected operands that stand before");
  EXPECT_EQ(explain(input + "node relu 0 float32 4\n"),
            "line 3 of the group: expected operands that stand before");
  EXPECT_EQ(explain(input + "node relu 0\n"),
            "line 3 of the group: expected ':' and a type");
  EXPECT_EQ(explain(node + "input float32 4\n"),
            "line 4 of the group: expected all inputs before the first node");
  EXPECT_EQ(explain(input + "attribute a integer 1\n"),
            "line 3 of the group: expected an attribute behind a node");
  EXPECT_EQ(explain(node + "attribute a\n"),
            "line 4 of the group: expected a name and a kind");
  EXPECT_EQ(explain(node + "attribute a integer 1 2\n"),
            "line 4 of the group: expected one value");
  EXPECT_EQ(explain(node + "attribute a integer x\n"),
            "line 4 of the group: expected an integer");
  EXPECT_EQ(explain(node + "attribute a number 1\n"),
            "line 4 of the group: expected the bits of a number as 16 digits");
  EXPECT_EQ(explain(node + "attribute a integers 1 y\n"),
            "line 4 of the group: expected integers");
  EXPECT_EQ(explain(node + "attribute a list 1\n"),
            "line 4 of the group: expected integer, number, text or integers");
}

// A sanitizer finds what goes beyond the arrays.
TEST(EngineGroup, SurvivesDamage) {
  std::mt19937 random(7);
  const char bytes[] = "\n :0123456789-abcdefhinopstux";
  for (int round = 0; round < 20000; ++round) {
    std::string text = product;
    for (unsigned change = 0, count = 1 + random() % 6; change < count;
         ++change) {
      size_t place = random() % text.size();
      unsigned kind = random() % 3;
      if (kind == 0)
        text[place] = bytes[random() % (sizeof(bytes) - 1)];
      else if (kind == 1)
        text.erase(place, 1 + random() % 20);
      else
        text.insert(place, text.substr(random() % text.size(), 30));
      if (text.empty())
        text = "x";
    }
    EngineGroup group;
    if (Error error = group.parse(text.c_str()))
      EXPECT_NE(error.message()[0], '\0');
  }
}

} // namespace
