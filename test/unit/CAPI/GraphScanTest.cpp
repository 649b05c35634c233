//===- GraphScanTest.cpp - Loops over rows, from C --------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Graphs.h"

using namespace hamkaas::test;
using testing::ElementsAre;
using testing::ElementsAreArray;
using testing::FloatNear;
using testing::HasSubstr;

namespace {

using Values = std::vector<HamKaasValue>;

/// A loop as tests ask for it.
struct Loop {
  Values inits, inputs;
  int64_t steps = 0;
  int32_t reversed = 0;
  const char *file = nullptr;
  int64_t line = 0;
};

std::string begin(const OwnedGraph &graph, const Loop &loop,
                  Values &arguments) {
  HamKaasGraphScan scan = {};
  scan.structSize = sizeof(scan);
  scan.inits = loop.inits.data();
  scan.initCount = int32_t(loop.inits.size());
  scan.inputs = loop.inputs.data();
  scan.inputCount = int32_t(loop.inputs.size());
  scan.steps = loop.steps;
  scan.reversed = loop.reversed;
  scan.file = loop.file;
  scan.line = loop.line;
  arguments.assign(loop.inits.size() + loop.inputs.size(), 0);
  return takeText(HamKaasGraphBeginScan(graph.get(), &scan, arguments.data()));
}

Values begin(const OwnedGraph &graph, const Loop &loop) {
  Values arguments;
  EXPECT_EQ(begin(graph, loop, arguments), "");
  return arguments;
}

std::string end(const OwnedGraph &graph, const Values &yielded, Values &results,
                const char *file = nullptr, int64_t line = 0) {
  HamKaasSourceLine position = {file, line};
  results.assign(yielded.size(), 0);
  return takeText(HamKaasGraphEndScan(graph.get(), yielded.data(),
                                      int32_t(yielded.size()), &position,
                                      results.data()));
}

Values end(const OwnedGraph &graph, const Values &yielded) {
  Values results;
  EXPECT_EQ(end(graph, yielded, results), "");
  return results;
}

std::string abandon(const OwnedGraph &graph) {
  return takeText(HamKaasGraphAbandonScan(graph.get()));
}

/// The output of one run, which both devices agree on.
std::vector<float> run(const OwnedGraph &graph, HamKaasValue result,
                       const std::vector<float> &input, size_t count) {
  EXPECT_EQ(setOutput(graph, result), "");
  OwnedModel model = compileGraph(graph);
  std::vector<float> outputs[2];
  for (auto [output, device] :
       {std::pair(&outputs[0], "cpu"), {&outputs[1], "reference"}}) {
    output->resize(count);
    const void *given[] = {input.data()};
    void *results[] = {output->data()};
    EXPECT_EQ(takeText(HamKaasInstanceRun(instantiate(model, device).get(),
                                          given, results)),
              "");
  }
  for (size_t i = 0; i < count; ++i)
    EXPECT_NEAR(outputs[0][i], outputs[1][i], 1e-6);
  return outputs[0];
}

/// With the input `x`, two columns of three rows.
struct ScanTest : ::testing::Test {
  OwnedGraph graph = createGraph();
  HamKaasValue x = addInput(graph, "x", {3, 2});
  HamKaasValue zero = addNumber(graph, 0, {2});
  std::vector<float> rows = {1, 10, 2, 20, 4, 40};
};

} // namespace

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

TEST_F(ScanTest, SumsRows) {
  Values body = begin(graph, {{zero}, {x}});
  HamKaasValue sum = add(graph, "add", {body[0], body[1]});
  Values results = end(graph, {sum, sum});
  EXPECT_THAT(run(graph, results[0], rows, 2), ElementsAre(7, 70));
  EXPECT_THAT(run(graph, results[1], rows, 6),
              ElementsAre(1, 10, 3, 30, 7, 70));
}

TEST_F(ScanTest, GoesBackwards) {
  Loop loop = {{zero}, {x}};
  loop.reversed = 1;
  Values body = begin(graph, loop);
  HamKaasValue sum = add(graph, "add", {body[0], body[1]});
  Values results = end(graph, {sum, sum});
  EXPECT_THAT(run(graph, results[1], rows, 6),
              ElementsAre(7, 70, 6, 60, 4, 40));
}

// h = tanh(x w + h u + b), where w, u and b are known from outside the body.
TEST_F(ScanTest, IsARecurrentNetwork) {
  HamKaasValue w = addNumber(graph, 0.25f, {2, 2});
  HamKaasValue u = add(graph, "exp", {addNumber(graph, -1, {2, 2})});
  HamKaasValue start = addNumber(graph, 0, {1, 2});
  Values body = begin(graph, {{start}, {x}});
  Shape shape = {1, 2};
  HamKaasValue row =
      add(graph, "reshape", {body[1]}, {integers("shape", shape)});
  HamKaasValue h =
      add(graph, "add",
          {add(graph, "matmul", {row, w}), add(graph, "matmul", {body[0], u})});
  h = add(graph, "tanh", {h});
  HamKaasValue last = end(graph, {h, h})[0];
  std::vector<float> small = {0.5f, -0.25f, 1, 0.5f, -1, 0};
  float expected = 0;
  for (size_t i = 0; i < small.size(); i += 2)
    expected = std::tanh(0.25f * (small[i] + small[i + 1]) +
                         2 * std::exp(-1.0f) * expected);
  EXPECT_THAT(
      run(graph, last, small, 2),
      ElementsAre(FloatNear(expected, 1e-6f), FloatNear(expected, 1e-6f)));
}

// The inner body uses values of the outer one and of the function.
TEST_F(ScanTest, Nests) {
  HamKaasValue offset = add(graph, "exp", {zero});
  Values outer = begin(graph, {{zero}, {x}});
  Loop twice = {{outer[0]}, {}};
  twice.steps = 2;
  Values inner = begin(graph, twice);
  HamKaasValue sum = add(graph, "add", {inner[0], outer[1]});
  HamKaasValue next = end(graph, {add(graph, "add", {sum, offset})})[0];
  Values results = end(graph, {next});
  EXPECT_THAT(run(graph, results[0], rows, 2),
              ElementsAre(2 * 7 + 6, 2 * 70 + 6));
}

// The operands of a wrong operation do not stay in the body.
TEST_F(ScanTest, KeepsNoneButUsedValues) {
  HamKaasValue offset = add(graph, "exp", {zero});
  Values body = begin(graph, {{zero}, {x}});
  EXPECT_NE(apply(graph, "matmul", {offset, body[0]}).error, "");
  Values results = end(graph, {add(graph, "add", {body[0], body[1]})});
  EXPECT_EQ(setOutput(graph, results[0]), "");
  EXPECT_THAT(describe(graph, HamKaasDescribeGraph), HasSubstr("with() :"));
  EXPECT_THAT(describe(graph, HamKaasDescribeScript),
              HasSubstr("scan(steps=3)"));
}

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

TEST_F(ScanTest, ChecksTheBeginning) {
  HamKaasValue number = addNumber(graph, 1, {});
  Values none;
  auto fails = [&](const Loop &loop) { return begin(graph, loop, none); };
  EXPECT_EQ(fails({{}, {}, 0, 0, "net.c", 7}),
            "net.c:7: error: 'scan': expected at least 1 step, got 0 and no "
            "inputs");
  EXPECT_EQ(fails({{}, {x}, -1}), "'scan': expected at least 1 step, got -1");
  EXPECT_EQ(fails({{}, {x}, 4}),
            "'scan': input 0: expected a tensor of 4 rows, got float32 [3, 2]");
  EXPECT_EQ(fails({{}, {x, zero}}),
            "'scan': input 1: expected a tensor of 3 rows, got float32 [2]");
  EXPECT_EQ(fails({{}, {number}}),
            "'scan': input 0: expected a tensor of 1 rows, got float32 []");
  EXPECT_EQ(fails({{0}, {x}}),
            "'scan': expected init 0 to be a value, got none");
  EXPECT_EQ(fails({{}, {x}, 0, 2}),
            "'scan': expected 0 or 1 for reversed, got 2");
  EXPECT_EQ(abandon(graph), "expected a loop that has begun, got none");
}

TEST_F(ScanTest, ChecksTheEnd) {
  Values results;
  EXPECT_EQ(end(graph, {x}, results, "net.c", 9),
            "net.c:9: error: 'scan': expected a loop that has begun, got none");
  Values body = begin(graph, {{zero}, {x}});
  EXPECT_EQ(end(graph, {}, results),
            "'scan': expected the body to yield the types ('float32 [2]'), "
            "got ()");
  EXPECT_EQ(end(graph, {x}, results, "net.c", 9),
            "net.c:9: error: 'scan': expected the body to yield the types "
            "('float32 [2]'), got ('float32 [3, 2]')");
  EXPECT_EQ(results[0], 0u);
  EXPECT_EQ(end(graph, {0}, results),
            "'scan': expected yielded 0 to be a value, got none");
  // The body goes on.
  HamKaasValue sum = add(graph, "add", {body[0], body[1]});
  results = end(graph, {sum});
  EXPECT_THAT(run(graph, results[0], rows, 2), ElementsAre(7, 70));
  EXPECT_EQ(apply(graph, "relu", {sum}).error,
            "'relu': expected operand 0 to be a value of this body or around "
            "it, got a value of a loop's body that has ended");
}

TEST_F(ScanTest, RefusesTheRestMeanwhile) {
  Loop loop = {{zero}, {x}};
  loop.file = "net.c";
  loop.line = 5;
  Values body = begin(graph, loop);
  std::string open = "expected the loop that began at net.c:5 to end before ";
  HamKaasGraphTensor tensor = makeTensor("y", Shape());
  HamKaasValue value = 0;
  EXPECT_EQ(takeText(HamKaasGraphAddInput(graph.get(), &tensor, &value)),
            "input 'y': " + open + "an input is added");
  EXPECT_EQ(takeText(HamKaasGraphAddParameter(graph.get(), &tensor, &value)),
            "parameter 'y': " + open + "a parameter is added");
  EXPECT_EQ(takeText(HamKaasGraphAddState(graph.get(), &tensor, &value)),
            "state 'y': " + open + "a state is added");
  EXPECT_EQ(takeText(HamKaasGraphStoreState(graph.get(), x, x, nullptr)),
            open + "a state is stored");
  EXPECT_EQ(takeText(HamKaasGraphBeginFunction(graph.get(), "f")),
            open + "a function begins");
  EXPECT_EQ(setOutput(graph, x), open + "outputs are set");
  EXPECT_EQ(compileGraphError(graph, nullptr), open + "the graph is read");
  EXPECT_EQ(describe(graph, HamKaasDescribeGraph), open + "the graph is read");
  EXPECT_EQ(abandon(graph), "");
  EXPECT_THAT(apply(graph, "relu", {body[1]}).error,
              HasSubstr("a loop's body that has ended"));
  EXPECT_THAT(run(graph, add(graph, "relu", {x}), rows, 6),
              ElementsAreArray(rows));
}

TEST_F(ScanTest, NestsSoDeep) {
  Loop loop = {{zero}, {}, 1};
  Values none;
  for (int i = 0; i < 64; ++i)
    begin(graph, loop);
  EXPECT_EQ(begin(graph, loop, none),
            "'scan': expected loops that nest at most 64 deep");
  HamKaasValue sum = add(graph, "add", {zero, zero});
  for (int i = 0; i < 64; ++i)
    sum = end(graph, {sum})[0];
  EXPECT_THAT(run(graph, sum, rows, 2), ElementsAre(0, 0));
  // A graph may end within a loop.
  begin(graph, loop);
}

TEST_F(ScanTest, RefusesNull) {
  HamKaasGraphScan scan = {};
  scan.structSize = sizeof(scan);
  scan.initCount = 1;
  HamKaasValue value = 0;
  HamKaasGraph *handle = graph.get();
  for (HamKaasError error : {
           HamKaasGraphBeginScan(handle, nullptr, &value),
           HamKaasGraphBeginScan(handle, &scan, nullptr),
           HamKaasGraphBeginScan(handle, &scan, &value),
           HamKaasGraphBeginScan(nullptr, &scan, &value),
           HamKaasGraphEndScan(handle, nullptr, 1, nullptr, &value),
           HamKaasGraphEndScan(handle, &value, 1, nullptr, nullptr),
           HamKaasGraphEndScan(nullptr, &value, 1, nullptr, &value),
           HamKaasGraphAbandonScan(nullptr),
       })
    EXPECT_NE(takeText(error), "");
  begin(graph, {{zero}, {x}});
  EXPECT_EQ(takeText(HamKaasGraphEndScan(handle, &x, -1, nullptr, &value)),
            "'scan': expected a list of 0 or more of each yielded, got -1");
}
