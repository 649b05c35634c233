//===- GraphFunctionsTest.cpp - Graphs with several functions, from C -----===//
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

using Floats = std::vector<float>;

std::string begin(const OwnedGraph &graph, const char *name) {
  return takeText(HamKaasGraphBeginFunction(graph.get(), name));
}

std::string store(const OwnedGraph &graph, HamKaasValue state,
                  HamKaasValue value) {
  return takeText(HamKaasGraphStoreState(graph.get(), state, value, nullptr));
}

/// One run of function `number`.
Floats run(HamKaasInstance *instance, int32_t number,
           const std::vector<const void *> &inputs, size_t count) {
  Floats result(count);
  void *outputs[] = {result.data()};
  EXPECT_EQ(takeText(HamKaasInstanceRunFunction(instance, number, inputs.data(),
                                                outputs)),
            "");
  return result;
}

/// set(x): the state becomes x + w; next(): the state grows by w.
struct TwoFunctions : ::testing::Test {
  TwoFunctions() {
    HamKaasGraphTensor parameter = makeTensor("w", shape);
    parameter.data = w.data();
    parameter.bytes = w.size() * sizeof(float);
    HamKaasValue weights = 0;
    EXPECT_EQ(
        takeText(HamKaasGraphAddParameter(graph.get(), &parameter, &weights)),
        "");
    EXPECT_EQ(begin(graph, "set"), "");
    x = addInput(graph, "x", shape);
    sum = add(graph, "add", {x, weights});
    // A state belongs to all functions, also if it is added within one.
    HamKaasGraphTensor tensor = makeTensor("s", shape);
    EXPECT_EQ(takeText(HamKaasGraphAddState(graph.get(), &tensor, &state)), "");
    EXPECT_EQ(store(graph, state, sum), "");
    EXPECT_EQ(setOutput(graph, sum), "");
    EXPECT_EQ(begin(graph, "next"), "");
    HamKaasValue next = add(graph, "add", {state, weights});
    EXPECT_EQ(store(graph, state, next), "");
    EXPECT_EQ(setOutput(graph, next), "");
  }

  Shape shape = {3};
  Floats w = {1, 2, 4};
  OwnedGraph graph = createGraph();
  HamKaasValue x = 0, sum = 0, state = 0;
};

} // namespace

TEST_F(TwoFunctions, ShareParametersAndStates) {
  OwnedModel model = compileGraph(graph);
  const HamKaasProgram *program = nullptr;
  EXPECT_EQ(takeText(HamKaasModelGetProgram(model.get(), &program)), "");
  EXPECT_EQ(HamKaasProgramFunctionCount(program), 2);
  EXPECT_EQ(HamKaasProgramFindFunction(program, "next"), 1);
  EXPECT_EQ(program->parameterCount, 1);
  EXPECT_EQ(program->stateCount, 1);
  Floats given = {10, 20, 30};
  for (const char *device : {"cpu", "reference"}) {
    auto instance = instantiate(model, device);
    EXPECT_THAT(run(instance.get(), 1, {}, 3), ElementsAre(1, 2, 4));
    EXPECT_THAT(run(instance.get(), 0, {given.data()}, 3),
                ElementsAre(11, 22, 34));
    EXPECT_THAT(run(instance.get(), 1, {}, 3), ElementsAre(12, 24, 38));
  }
}

TEST_F(TwoFunctions, ValuesStayInTheirFunction) {
  for (HamKaasValue value : {x, sum})
    EXPECT_THAT(store(graph, state, value),
                HasSubstr("of this function, a parameter or a state, got a "
                          "value of another function"));
}

TEST_F(TwoFunctions, NamesOfFunctionsDiffer) {
  EXPECT_THAT(begin(graph, "set"), HasSubstr("another one is called 'set'"));
  EXPECT_THAT(begin(graph, "next"), HasSubstr("another one is called 'next'"));
  for (const char *name : {"prepare", "k7", "state_0", "hamkaas_run"})
    EXPECT_THAT(begin(graph, name), HasSubstr("the compiler uses it"));
  EXPECT_NE(begin(graph, ""), "");
  EXPECT_NE(begin(graph, nullptr), "");
}

TEST_F(TwoFunctions, NeedOutputs) {
  EXPECT_EQ(begin(graph, "last"), "");
  HamKaasModel *model = nullptr;
  EXPECT_EQ(takeText(HamKaasGraphCompile(graph.get(), nullptr, &model)),
            "expected outputs of function 'last', got none");
  EXPECT_EQ(begin(graph, "more"),
            "expected outputs of function 'last', got none");
}

// Operations before the first function are the function `main`.
TEST(GraphFunctions, BeginWithMain) {
  OwnedGraph graph = createGraph();
  HamKaasValue x = addInput(graph, "x", {2});
  EXPECT_EQ(begin(graph, "second"), "expected a graph with outputs, got none");
  EXPECT_EQ(setOutput(graph, add(graph, "relu", {x})), "");
  EXPECT_EQ(begin(graph, "second"), "");
  HamKaasValue y = addInput(graph, "x", {2});
  EXPECT_EQ(setOutput(graph, add(graph, "neg", {y})), "");
  OwnedModel model = compileGraph(graph);
  auto instance = instantiate(model);
  Floats given = {-1, 2};
  EXPECT_THAT(run(instance.get(), 0, {given.data()}, 2), ElementsAre(0, 2));
  EXPECT_THAT(run(instance.get(), 1, {given.data()}, 2), ElementsAre(1, -2));
}

TEST(GraphFunctions, MustBeOfAGraph) {
  EXPECT_NE(takeText(HamKaasGraphBeginFunction(nullptr, "main")), "");
}
