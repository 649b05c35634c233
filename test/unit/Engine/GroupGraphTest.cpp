//===- GroupGraphTest.cpp - Groups of engines as graphs ---------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Engine/GroupGraph.h"
#include "HamKaas/Runtime/Engine/EngineGroup.h"
#include "mlir/IR/MLIRContext.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace hamkaas;
using ::testing::HasSubstr;

namespace {

class GroupGraphTest : public ::testing::Test {
protected:
  GroupGraphTest() {
    mlir::DialectRegistry registry;
    registerGroupDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
  }

  /// The graph of a group as text, or the error.
  std::string build(const std::string &lines) {
    rt::EngineGroup group;
    rt::Error error = group.parse(("hamkaas-group 1\n" + lines).c_str());
    if (error)
      return error.message();
    auto graph = buildGroupGraph(group.get(), &context);
    if (!graph)
      return llvm::toString(graph.takeError());
    std::string text;
    llvm::raw_string_ostream stream(text);
    (*graph)->print(stream);
    return text;
  }

  mlir::MLIRContext context;
};

} // namespace

TEST_F(GroupGraphTest, ConnectsNodes) {
  std::string graph = build("input float32 4 8\n"
                            "constant float32 8 3\n"
                            "input float32 1 3\n"
                            "node matmul 0 1 : float32 4 3\n"
                            "node add 3 2 : float32 4 3\n"
                            "node relu 4 : float32 4 3\n");
  EXPECT_THAT(graph, HasSubstr("func.func @main(%arg0: tensor<4x8xf32>, %arg1: "
                               "tensor<8x3xf32>, %arg2: tensor<1x3xf32>) -> "
                               "tensor<4x3xf32>"));
  EXPECT_THAT(graph, HasSubstr("%0 = hamkaas.matmul %arg0, %arg1"));
  EXPECT_THAT(graph, HasSubstr("%1 = hamkaas.add %0, %arg2"));
  EXPECT_THAT(graph, HasSubstr("return %2"));
}

TEST_F(GroupGraphTest, ReadsAttributesOfEveryKind) {
  EXPECT_THAT(build("input float32 4\n"
                    "node gelu 0 : float32 4\n"
                    "attribute approximate text tanh\n"),
              HasSubstr("approximate  tanh"));
  // A flag, and an integer of 64 bits.
  EXPECT_THAT(build("input int32 4\n"
                    "node cumsum 0 : int32 4\n"
                    "attribute dim integer 0\n"
                    "attribute reverse integer 1\n"),
              HasSubstr("reverse"));
  // Numbers of several types, one as the elements of a tensor.
  EXPECT_THAT(build("input float32 2 4\n"
                    "input float32 4\n"
                    "node rms_norm 0 1 : float32 2 4\n"
                    "attribute epsilon number 3fe0000000000000\n"),
              HasSubstr("epsilon 5.000000e-01"));
  EXPECT_THAT(build("input float16 3\n"
                    "node constant : float16 1\n"
                    "attribute value number 3fe0000000000000\n"
                    "node mul 0 1 : float16 3\n"),
              HasSubstr("dense<5.000000e-01> : tensor<1xf16>"));
  EXPECT_THAT(build("input uint8 3\n"
                    "node pad 0 : uint8 6\n"
                    "attribute high integers 2\n"
                    "attribute interior integers 0\n"
                    "attribute low integers 1\n"
                    "attribute value integer 255\n"),
              HasSubstr("255 : ui8"));
}

TEST_F(GroupGraphTest, TellsOptionalOperandsByTheirTypes) {
  EXPECT_THAT(build("input float32 2 3 4\n"
                    "input float32 2 5 4\n"
                    "input float32 2 5 6\n"
                    "input float32 1 3 5\n"
                    "node attention 0 1 2 3 : float32 2 3 6\n"
                    "attribute scale number 3fe0000000000000\n"),
              HasSubstr("bias %arg3 scale"));
}

TEST_F(GroupGraphTest, RefusesWhatIsNoGraph) {
  EXPECT_EQ(build("input float32 4\nnode magic 0 : float32 4\n"),
            "expected an operation, got 'magic'");
  EXPECT_EQ(build("input float32 4\n"
                  "node gelu 0 : float32 4\n"
                  "attribute approximate text fast\n"),
            "expected another attribute 'approximate' of hamkaas.gelu");
  EXPECT_THAT(build("input float32 4\n"
                    "node relu 0 : float32 4\n"
                    "attribute slope integer 3\n"),
              HasSubstr("hamkaas.relu: "));
  EXPECT_THAT(build("input float32 4\n"
                    "input float32 3\n"
                    "node add 0 1 : float32 4\n"),
              HasSubstr("hamkaas.add: expected"));
  EXPECT_EQ(build("input float32 4\nnode relu 0 : float32 5\n"),
            "hamkaas.relu: expected a result of type float32 [5], got float32 "
            "[4]");
}
