//===- GraphTrainingTest.cpp - Training steps of graphs, from C -*- C++ -*-===//
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

struct TrainingTest : ::testing::Test {
  /// A matrix that the model keeps; all elements are 0.5 at first.
  HamKaasValue addState(const char *name) {
    static constexpr float half = 0.5;
    HamKaasGraphTensor tensor = makeTensor(name, square);
    tensor.data = &half;
    tensor.bytes = sizeof(half);
    HamKaasValue state = 0;
    EXPECT_EQ(takeText(HamKaasGraphAddState(graph.get(), &tensor, &state)), "");
    return state;
  }

  HamKaasGraphTrainingStep makeStep(const char *optimizer) {
    HamKaasGraphTrainingStep step = {};
    step.structSize = sizeof(step);
    step.loss = loss;
    step.optimizer = optimizer;
    step.file = "net.c";
    step.line = 7;
    return step;
  }

  std::string add(const HamKaasGraphTrainingStep &step) {
    return takeText(HamKaasGraphAddTrainingStep(graph.get(), &step));
  }
  std::string addError(const char *optimizer) {
    return add(makeStep(optimizer));
  }

  /// The graph with the loss as its output.
  std::string describeGraph() {
    EXPECT_EQ(setOutput(graph, loss), "");
    return describe(graph, HamKaasDescribeGraph);
  }

  Shape square = {2, 2};
  OwnedGraph graph = createGraph();
  HamKaasValue x = addInput(graph, "x", square);
  HamKaasValue first = addState("first"), second = addState("second");
  HamKaasValue hidden = hamkaas::test::add(graph, "matmul", {x, first});
  HamKaasValue loss = hamkaas::test::add(
      graph, "sum", {hamkaas::test::add(graph, "matmul", {hidden, second})});
};

TEST_F(TrainingTest, ChangesStatesFromRunToRun) {
  HamKaasGraphTrainingStep step = makeStep("sgd:lr=0.25");
  step.states = &second;
  step.stateCount = 1;
  ASSERT_EQ(add(step), "");
  EXPECT_EQ(setOutput(graph, loss), "");
  OwnedModel model = compileGraph(graph);
  OwnedInstance instance = instantiate(model, "cpu");
  // hidden is 0.5 everywhere, and so is a quarter of the gradient of second.
  std::vector<float> input = {1, 0, 0, 1}, losses;
  for (int run = 0; run < 3; ++run) {
    float value = 0;
    const void *given[] = {input.data()};
    void *results[] = {&value};
    ASSERT_EQ(takeText(HamKaasInstanceRun(instance.get(), given, results)), "");
    losses.push_back(value);
  }
  EXPECT_THAT(losses, ElementsAre(2, 1, 0));
}

/// The last layer is updated before the gradient of the first one is computed,
/// unless the norm of all gradients has to be known.
TEST_F(TrainingTest, UpdatesStandBehindTheirGradients) {
  ASSERT_EQ(addError("adam"), "");
  std::string text = describeGraph();
  EXPECT_LT(text.find("global_store @state_1 "), text.rfind("matmul"));
  EXPECT_GT(text.find("global_store @state_0 "), text.rfind("matmul"));
}

TEST_F(TrainingTest, ClippingByTheNormWaitsForAllGradients) {
  ASSERT_EQ(addError("adam:clip_norm=1"), "");
  std::string text = describeGraph();
  EXPECT_GT(text.find("global_store @state_1 "), text.rfind("matmul"));
}

TEST_F(TrainingTest, AnErrorLeavesTheGraphAsItWas) {
  std::string before = describeGraph();
  EXPECT_EQ(addError("adan"),
            "net.c:7: error: 'training step': unknown optimizer 'adan', known "
            "are: adam, adamw, lion, rmsprop, sgd");
  EXPECT_EQ(addError("lion:rate=1"),
            "net.c:7: error: 'training step': optimizer 'lion': unknown option "
            "'rate', known are: lr, clip_norm, clip_value, name, no_decay, "
            "group, beta1, beta2, weight_decay");
  EXPECT_THAT(addError("adam:lr=fast"),
              HasSubstr("optimizer 'adam': expected 'lr' to be a number of at "
                        "least 0, got 'fast'"));
  EXPECT_THAT(addError("adam:group=w:lr=1"),
              HasSubstr("expected 'group' to be {PATTERN:OPTION=N,...}, got "
                        "'w:lr=1'"));
  EXPECT_THAT(addError("adam:group={w}"),
              HasSubstr("expected 'group' to be {PATTERN:OPTION=N,...}"));
  EXPECT_THAT(addError("adam:group={{a,b}:lr=1,eps=1}"),
              HasSubstr("group '{a,b}': unknown option 'eps', known are: lr, "
                        "lr_scale, beta1"));
  EXPECT_THAT(addError("adam:lr=1,lr=2"),
              HasSubstr("expected the option 'lr' once, got it twice"));
  EXPECT_THAT(addError("rmsprop:centered=yes"),
              HasSubstr("expected 'centered' to be 0 or 1, got 'yes'"));
  EXPECT_THAT(addError("adam:beta1=x"),
              HasSubstr("'adam_update': expected the attribute 'beta1' to be a "
                        "number, got 'x'"));
  EXPECT_THAT(addError("sgd:momentum=0.9,rule=max"),
              HasSubstr("'rule' to be one of sum, average, got 'max'"));
  HamKaasGraphTrainingStep step = makeStep("sgd");
  step.learningRate = x;
  EXPECT_THAT(add(step), HasSubstr("expected a learning rate of one float, "
                                   "float32 [], got float32 [2, 2]"));
  step = makeStep("sgd");
  step.states = &x;
  step.stateCount = 1;
  EXPECT_THAT(add(step),
              HasSubstr("state 0: expected a state, got another value"));
  step = makeStep("sgd");
  step.loss = hidden;
  EXPECT_THAT(add(step), HasSubstr("expected one element or a seed"));
  EXPECT_EQ(describeGraph(), before);
}

TEST_F(TrainingTest, AStateIsTrainedOnce) {
  ASSERT_EQ(addError("sgd"), "");
  EXPECT_THAT(addError("adam"),
              HasSubstr("expected the state 'first' not to be stored yet"));
}

/// Two functions train the first and the second state.
TEST_F(TrainingTest, OneCountIsOfTheSameStates) {
  HamKaasGraphTrainingStep step = makeStep("adam");
  step.states = &first;
  step.stateCount = 1;
  ASSERT_EQ(add(step), "");
  EXPECT_EQ(setOutput(graph, loss), "");
  ASSERT_EQ(takeText(HamKaasGraphBeginFunction(graph.get(), "again")), "");
  HamKaasValue y = hamkaas::test::add(
      graph, "sum",
      {hamkaas::test::add(graph, "matmul",
                          {addInput(graph, "x", square), second})});
  step.loss = y;
  step.states = &second;
  std::string before = describe(graph, HamKaasDescribeGraph);
  EXPECT_THAT(add(step),
              HasSubstr("expected a step of exactly the states that the "
                        "function 'main' trains, whose steps 'adam.step' "
                        "counts"));
  EXPECT_EQ(describe(graph, HamKaasDescribeGraph), before);
  step.optimizer = "adam:name=second,no_decay={a,b}";
  EXPECT_THAT(add(step), HasSubstr("expected 'no_decay' to match the name of a "
                                   "state that is trained, got '{a,b}'"));
  step.optimizer = "adam:name=second";
  ASSERT_EQ(add(step), "");
  EXPECT_EQ(setOutput(graph, y), "");
  EXPECT_THAT(describe(graph, HamKaasDescribeGraph), HasSubstr("second.step"));
}

TEST_F(TrainingTest, RefusesNull) {
  HamKaasGraphTrainingStep step = makeStep("sgd");
  EXPECT_NE(takeText(HamKaasGraphAddTrainingStep(graph.get(), nullptr)), "");
  EXPECT_NE(takeText(HamKaasGraphAddTrainingStep(nullptr, &step)), "");
  step.optimizer = nullptr;
  EXPECT_THAT(add(step), HasSubstr("the text of an optimizer"));
  step = makeStep("sgd");
  step.stateCount = 1;
  EXPECT_THAT(add(step), HasSubstr("got null"));
  step = makeStep("sgd");
  step.loss = 0;
  EXPECT_THAT(add(step), HasSubstr("expected the loss to be a value"));
}

} // namespace
