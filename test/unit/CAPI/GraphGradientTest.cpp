//===- GraphGradientTest.cpp - Gradients of graphs, from C ------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Graphs.h"

using namespace hamkaas::test;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

using Values = std::vector<HamKaasValue>;

struct GradientTest : ::testing::Test {
  std::string addGradient(HamKaasValue y, const Values &xs, Values &results,
                          HamKaasValue seed = 0) {
    HamKaasGraphGradient gradient = {};
    gradient.structSize = sizeof(gradient);
    gradient.y = y;
    gradient.seed = seed;
    gradient.xs = xs.data();
    gradient.xCount = int32_t(xs.size());
    gradient.file = "net.c";
    gradient.line = 7;
    results.assign(xs.size(), 1);
    return takeText(
        HamKaasGraphAddGradient(graph.get(), &gradient, results.data()));
  }

  /// The output of one run for `x` = 1, 2, 3.
  std::vector<float> run(HamKaasValue result) {
    EXPECT_EQ(setOutput(graph, result), "");
    OwnedModel model = compileGraph(graph);
    std::vector<float> input = {1, 2, 3}, output(3);
    const void *given[] = {input.data()};
    void *results[] = {output.data()};
    EXPECT_EQ(takeText(HamKaasInstanceRun(instantiate(model, "cpu").get(),
                                          given, results)),
              "");
    return output;
  }

  OwnedGraph graph = createGraph();
  HamKaasValue x = addInput(graph, "x", {3});
};

TEST_F(GradientTest, CanBeDifferentiatedAgain) {
  HamKaasValue cube = add(graph, "mul", {add(graph, "mul", {x, x}), x});
  HamKaasValue seed = addNumber(graph, 1, {3});
  Values slope, curvature;
  ASSERT_EQ(addGradient(cube, {x}, slope, seed), "");
  ASSERT_EQ(addGradient(slope[0], {x}, curvature, seed), "");
  EXPECT_THAT(run(slope[0]), ElementsAre(3, 12, 27));
  EXPECT_THAT(run(curvature[0]), ElementsAre(6, 12, 18));
}

TEST_F(GradientTest, HasAnEntryForEachX) {
  HamKaasValue doubled = add(graph, "add", {x, x});
  HamKaasValue y = add(graph, "sum", {add(graph, "mul", {doubled, x})});
  Values results;
  ASSERT_EQ(addGradient(y, {doubled, x}, results), "");
  EXPECT_THAT(run(results[0]), ElementsAre(1, 2, 3));
  EXPECT_THAT(run(results[1]), ElementsAre(4, 8, 12));
}

/// Begins and ends a loop over the elements of `x`, which adds their squares
/// and counts them.
Values addLoop(const OwnedGraph &graph, HamKaasValue x) {
  HamKaasValue inits[] = {addNumber(graph, 0, {}), addNumber(graph, 0, {})};
  HamKaasGraphScan scan = {};
  scan.structSize = sizeof(scan);
  scan.inits = inits;
  scan.initCount = 2;
  scan.inputs = &x;
  scan.inputCount = 1;
  HamKaasValue arguments[3];
  EXPECT_EQ(takeText(HamKaasGraphBeginScan(graph.get(), &scan, arguments)), "");
  HamKaasValue square = add(graph, "mul", {arguments[2], arguments[2]});
  HamKaasValue yielded[] = {
      add(graph, "add", {arguments[0], square}),
      add(graph, "add", {arguments[1], addNumber(graph, 1, {})})};
  Values results(2);
  EXPECT_EQ(takeText(HamKaasGraphEndScan(graph.get(), yielded, 2, nullptr,
                                         results.data())),
            "");
  return results;
}

TEST_F(GradientTest, LoopsHaveThem) {
  Values loop = addLoop(graph, x), slope, curvature;
  HamKaasValue y = add(graph, "mul", {loop[0], loop[1]});
  ASSERT_EQ(addGradient(y, {x}, slope), "");
  EXPECT_THAT(run(slope[0]), ElementsAre(6, 12, 18));
  ASSERT_EQ(addGradient(slope[0], {x}, curvature, addNumber(graph, 1, {3})),
            "");
  EXPECT_THAT(run(curvature[0]), ElementsAre(6, 6, 6));
  EXPECT_THAT(addGradient(loop[1], {x}, slope),
              HasSubstr("net.c:7: error: 'gradient': x 0: expected a value "
                        "that y depends on"));
}

TEST_F(GradientTest, ErrorsHaveThePositionAndNameTheValue) {
  HamKaasValue other = addInput(graph, "other", {3});
  HamKaasValue y = add(graph, "sum", {x});
  Values results;
  EXPECT_THAT(addGradient(y, {x, other}, results),
              HasSubstr("net.c:7: error: 'gradient': x 1: expected a value "
                        "that y depends on"));
  EXPECT_THAT(results, ElementsAre(0, 0));
  EXPECT_EQ(addGradient(x, {x}, results),
            "net.c:7: error: 'gradient': y: expected one element or a seed, "
            "got float32 [3] and no seed");
  EXPECT_EQ(addGradient(x, {x}, results, y),
            "net.c:7: error: 'gradient': seed: expected the type of y, float32 "
            "[3], got float32 []");
  EXPECT_EQ(addGradient(y, {}, results),
            "net.c:7: error: 'gradient': expected at least one x, got 0");
  EXPECT_EQ(addGradient(y, {0}, results),
            "net.c:7: error: 'gradient': expected x 0 to be a value, got none");
  EXPECT_EQ(addGradient(0, {x}, results),
            "net.c:7: error: 'gradient': expected y to be a value, got none");
}

TEST_F(GradientTest, RefusesNull) {
  HamKaasGraphGradient gradient = {};
  gradient.structSize = sizeof(gradient);
  gradient.y = x;
  gradient.xCount = 1;
  HamKaasValue value = 0;
  EXPECT_NE(takeText(HamKaasGraphAddGradient(graph.get(), nullptr, &value)),
            "");
  EXPECT_NE(takeText(HamKaasGraphAddGradient(graph.get(), &gradient, nullptr)),
            "");
  EXPECT_EQ(takeText(HamKaasGraphAddGradient(graph.get(), &gradient, &value)),
            "'gradient': expected a list of 0 or more of each x, got null");
  EXPECT_NE(takeText(HamKaasGraphAddGradient(nullptr, &gradient, &value)), "");
}

} // namespace
