//===- GraphWrapperTest.cpp - Graphs that are built in C++ ----------------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Models.h"
#include "hamkaas-cpp/Graph.h"

#include <array>
#include <limits>

using namespace hamkaas::test;
using hamkaas::Graph;
using hamkaas::Value;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

using Floats = std::vector<float>;
using Integers = std::vector<int64_t>;

namespace {

/// An input `x` of float32 [2, 3], which is 0, 1, 2, 3, 4, 5.
struct GraphWrapper : ::testing::Test {
  template <typename T>
  std::vector<T> run(const Value &result, size_t count,
                     HamKaasElementType type = HamKaasFloat32) {
    EXPECT_EQ(graph.error(), "");
    EXPECT_EQ(result.type().elementType, type);
    graph.output("y", result);
    auto model = graph.compile();
    EXPECT_TRUE(bool(model)) << model.error().message();
    auto instance = model->createInstance();
    EXPECT_TRUE(bool(instance)) << instance.error().message();
    std::vector<T> y(count);
    const void *inputs[] = {elements.data()};
    void *outputs[] = {y.data()};
    EXPECT_TRUE(bool(instance->run(inputs, outputs)));
    return y;
  }

  Graph graph;
  Value x = graph.input("x", HamKaasFloat32, {2, 3});
  Floats elements = {0, 1, 2, 3, 4, 5};
};

} // namespace

//===----------------------------------------------------------------------===//
// Operators
//===----------------------------------------------------------------------===//

TEST_F(GraphWrapper, ComputesWithNumbers) {
  EXPECT_EQ(run<float>(1 - (x * 2 + 0.5f) / 4, 6),
            (Floats{0.875, 0.375, -0.125, -0.625, -1.125, -1.625}));
}

TEST_F(GraphWrapper, HasAsManyResultsAsAnOperation) {
  Value rows = graph.input("rows", HamKaasFloat32, {300, 2});
  std::vector<Value> results = unstack(rows);
  EXPECT_EQ(graph.error(), "");
  ASSERT_EQ(results.size(), 300u);
  EXPECT_EQ(results.back().type().rank, 1);
}

TEST_F(GraphWrapper, HasGradients) {
  Value y = x * x;
  Value slope = graph.gradient(y, {x}, x)[0];
  EXPECT_EQ(run<float>(slope, 6), (Floats{0, 2, 8, 18, 32, 50}));
  EXPECT_FALSE(graph.gradient(y, {x})[0]);
  EXPECT_THAT(graph.error(), HasSubstr("GraphWrapperTest.cpp"));
  EXPECT_THAT(graph.error(), HasSubstr("error: 'gradient': y: expected one "
                                       "element or a seed"));
}

TEST_F(GraphWrapper, HasTrainingSteps) {
  Value w = graph.state("w", {}, Floats{3});
  Value other = graph.state("other", HamKaasFloat32, {});
  graph.trainingStep(w * w + other, "sgd:lr=0.25", {{}, {}, "other"});
  graph.output("w", w);
  auto model = graph.compile();
  ASSERT_TRUE(bool(model)) << model.error().message();
  auto instance = model->createInstance();
  ASSERT_TRUE(bool(instance)) << instance.error().message();
  for (float expected : Floats{3, 1.5, 0.75}) {
    Floats input(6);
    float result = 0;
    const void *inputs[] = {input.data()};
    void *outputs[] = {&result};
    ASSERT_TRUE(bool(instance->run(inputs, outputs)));
    EXPECT_EQ(result, expected);
  }
  graph.trainingStep(w, "sgd:speed=1");
  EXPECT_THAT(graph.error(), HasSubstr("GraphWrapperTest.cpp"));
  EXPECT_THAT(graph.error(), HasSubstr("unknown option 'speed'"));
}

TEST_F(GraphWrapper, RepeatsDimensions) {
  Value row = graph.constant({3}, Floats{10, 20, 30});
  Value column = graph.constant({2, 1}, std::array<float, 2>{100, 200});
  // The left side is repeated as well.
  EXPECT_EQ(run<float>(row + x - (column - row), 6),
            (Floats{-80, -59, -38, -177, -156, -135}));
}

TEST_F(GraphWrapper, ComparesAndSelects) {
  Value isInside = (x > 0) & (x <= 3) & (2 != x);
  EXPECT_EQ(isInside.type().elementType, HamKaasBool);
  Value y = select((x == 5) | isInside, x % 2, -x);
  EXPECT_EQ(run<float>(y, 6), (Floats{0, 1, -2, 1, -4, 1}));
}

TEST_F(GraphWrapper, GivesNumbersTheTypeOfTheValue) {
  Value count = hamkaas::iota(graph, 0, {3}, HamKaasInt32);
  Value half = cast(x, hamkaas::CastOptions().type(HamKaasFloat16)) * 0.5;
  EXPECT_EQ(half.type().elementType, HamKaasFloat16);
  EXPECT_EQ((count + 1.0).type().elementType, HamKaasInt32);
  std::vector<int32_t> y = run<int32_t>(~(count * 3 - 1), 3, HamKaasInt32);
  EXPECT_EQ(y, (std::vector<int32_t>{0, -3, -6}));
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

TEST_F(GraphWrapper, HasParametersStatesAndOptions) {
  Floats weights = {1, 2, 3, 4, 5, 6};
  Value w = graph.parameter("w", {3, 2}, weights);
  Value total = graph.state("total", {2, 2}, 1000.0f);
  Value sum = total + matmul(x, w);
  graph.store(total, sum);
  Graph moved = std::move(graph);
  moved.output("total", total);
  moved.output("largest", reduce(sum, "max", {1}));
  hamkaas::CompileOptions options;
  options.name = "summed";
  auto model = moved.compile(options);
  ASSERT_TRUE(bool(model)) << model.error().message();
  EXPECT_STREQ(model->program().name, "summed");
  auto instance = model->createInstance();
  ASSERT_TRUE(bool(instance));
  Floats before(4), largest(2);
  auto run = [&] {
    auto done = instance->run({{"x", elements}},
                              {{"total", before}, {"largest", largest}});
    EXPECT_TRUE(bool(done)) << done.error().message();
  };
  run();
  EXPECT_EQ(before, Floats(4, 1000));
  EXPECT_EQ(largest, (Floats{1016, 1052}));
  run();
  EXPECT_EQ(before, (Floats{1013, 1016, 1040, 1052}));
  EXPECT_TRUE(bool(instance->state().reset()));
  run();
  EXPECT_EQ(before, Floats(4, 1000));
}

TEST_F(GraphWrapper, TakesWhatMayBeLeftOut) {
  Value prefix = graph.constant({1}, Integers{2});
  Value y =
      sliced_softmax(x * 0, hamkaas::SlicedSoftmaxOptions().prefix(prefix));
  EXPECT_EQ(run<float>(y, 6), (Floats{0.5, 0.5, 0, 0.5, 0.5, 0}));
}

TEST_F(GraphWrapper, IsDescribed) {
  graph.output("y", relu(x));
  auto text = graph.describe(HamKaasDescribeGraph);
  ASSERT_TRUE(bool(text));
  EXPECT_THAT(*text, HasSubstr("hamkaas.relu"));
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

namespace {

/// add(x): the state grows by x w and is the output; peek(): twice the state.
struct GraphWrapperFunctions : ::testing::Test {
  GraphWrapperFunctions() {
    Value w = graph.parameter("w", {2}, weights);
    Value total = graph.state("total", {2}, 1.0f);
    graph.beginFunction("add");
    x = graph.input("x", HamKaasFloat32, {2});
    Value sum = total + x * w;
    graph.store(total, sum);
    graph.output("sum", sum);
    graph.beginFunction("peek");
    graph.output("twice", total * 2);
  }

  Floats weights = {1, 10};
  Graph graph;
  Value x;
};

} // namespace

TEST_F(GraphWrapperFunctions, ShareParametersAndStates) {
  auto model = graph.compile();
  ASSERT_TRUE(bool(model)) << model.error().message();
  EXPECT_EQ(model->functions(), (std::vector<std::string>{"add", "peek"}));
  auto instance = model->createInstance();
  ASSERT_TRUE(bool(instance)) << instance.error().message();
  auto add = instance->function("add"), peek = instance->function("peek");
  ASSERT_TRUE(bool(add) && bool(peek));
  Floats given = {2, 3}, sum(2), twice(2);
  EXPECT_TRUE(bool(peek->run({}, {{"twice", twice}})));
  EXPECT_EQ(twice, (Floats{2, 2}));
  EXPECT_TRUE(bool(add->run({{"x", given}}, {{"sum", sum}})));
  EXPECT_EQ(sum, (Floats{3, 31}));
  EXPECT_TRUE(bool(peek->run({}, {{"twice", twice}})));
  EXPECT_EQ(twice, (Floats{6, 62}));
}

TEST_F(GraphWrapperFunctions, NeedNamesOfTheirOwn) {
  graph.beginFunction("add");
  EXPECT_THAT(graph.error(), HasSubstr("another one is called 'add'"));
  EXPECT_FALSE(bool(graph.compile()));
}

TEST_F(GraphWrapperFunctions, DoNotSeeValuesOfOthers) {
  graph.output("x", x);
  EXPECT_THAT(graph.compile().error().message(),
              HasSubstr("a value of another function"));
}

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

TEST_F(GraphWrapper, KeepsTheFirstErrorWithItsLine) {
  const int line = __LINE__ + 1;
  Value wrong = matmul(x, x);
  EXPECT_FALSE(bool(wrong));
  EXPECT_EQ(wrong.shape(), Integers());
  std::string place = std::string(__FILE__) + ":" + std::to_string(line);
  EXPECT_THAT(graph.error(), StartsWith(place + ": error: 'matmul': expected"));
  // Its users fail without another error.
  Value later = relu(wrong + 1);
  EXPECT_FALSE(bool(later));
  graph.output("y", later);
  auto model = graph.compile();
  ASSERT_FALSE(bool(model));
  EXPECT_EQ(model.error().message(), graph.error());
  EXPECT_EQ(graph.describe(HamKaasDescribeGraph).error().message(),
            graph.error());
}

TEST_F(GraphWrapper, OperatorsKnowTheirLine) {
  Value y = graph.input("y", HamKaasFloat32, {2, 4});
  const int line = __LINE__ + 1;
  Value wrong = x + y;
  EXPECT_FALSE(bool(wrong));
  EXPECT_THAT(graph.error(),
              StartsWith(std::string(__FILE__) + ":" + std::to_string(line)));
}

TEST_F(GraphWrapper, RefusesBrokenNumbersBesideIntegers) {
  Value count = hamkaas::iota(graph, 0, {3}, HamKaasInt32);
  const int line = __LINE__ + 1;
  Value wrong = count * 0.5;
  EXPECT_FALSE(bool(wrong));
  EXPECT_EQ(graph.error(), std::string(__FILE__) + ":" + std::to_string(line) +
                               ": error: expected a number of int32 beside a "
                               "tensor of it, got 0.500000");
}

/// The error of a tensor of the type plus the number.
template <typename T>
static std::string addNumber(HamKaasElementType type, T number) {
  Graph graph;
  Value sum = graph.input("x", type, {2}) + number;
  EXPECT_EQ(bool(sum), graph.error().empty());
  return graph.error();
}

TEST(GraphNumbers, AreInTheTypeBesideThem) {
  EXPECT_EQ(addNumber(HamKaasInt8, -128), "");
  EXPECT_THAT(addNumber(HamKaasInt8, 128), HasSubstr("got 128.0"));
  EXPECT_THAT(addNumber(HamKaasUInt8, -1), HasSubstr("a number of uint8"));
  EXPECT_EQ(addNumber(HamKaasInt64, INT64_MAX), "");
  EXPECT_EQ(addNumber(HamKaasInt64, INT64_MIN), "");
  EXPECT_NE(addNumber(HamKaasInt64, UINT64_MAX), "");
  EXPECT_NE(addNumber(HamKaasInt64, 0x1p63), "");
  EXPECT_EQ(addNumber(HamKaasUInt64, UINT64_MAX), "");
  EXPECT_EQ(addNumber(HamKaasUInt64, 0x1p63), "");
  EXPECT_NE(addNumber(HamKaasUInt64, -1), "");
  EXPECT_NE(addNumber(HamKaasInt32, std::numeric_limits<float>::quiet_NaN()),
            "");
  EXPECT_EQ(addNumber(HamKaasFloat32, 1e300), "");
}

TEST_F(GraphWrapper, RefusesNoValueBesideAnOperator) {
  Value none;
  EXPECT_FALSE(bool(x + none));
  EXPECT_THAT(graph.error(), HasSubstr("expected two values, got none"));
}

TEST_F(GraphWrapper, LoopsOverRows) {
  Value zero = graph.constant({3}, 0.0f);
  auto step = [](const auto &carry, const auto &rows) -> hamkaas::Scan {
    Value sum = carry[0] + rows[0];
    return {{sum}, {sum, sum * 2}};
  };
  auto [last, sums] = graph.scan({{zero}, {x}}, step);
  ASSERT_EQ(last.size(), 1u);
  ASSERT_EQ(sums.size(), 2u);
  EXPECT_EQ(run<float>(sums[0], 6), (Floats{0, 1, 2, 3, 5, 7}));
}

TEST_F(GraphWrapper, LoopsInLoops) {
  hamkaas::ScanOptions twice;
  twice.steps = 2;
  hamkaas::ScanOptions backwards;
  backwards.reversed = true;
  Value zero = graph.constant({3}, 0.0f), one = exp(zero);
  auto outer = [&](const auto &carry, const auto &rows) -> hamkaas::Scan {
    auto inner = [&](const auto &sum, const auto &) -> hamkaas::Scan {
      return {{sum[0] * 2 + rows[0] + one}, {}};
    };
    Value next = graph.scan({{carry[0]}, {}}, inner, twice).carry[0];
    return {{next}, {next}};
  };
  Value all = graph.scan({{zero}, {x}}, outer, backwards).rows[0];
  EXPECT_EQ(run<float>(all, 6), (Floats{51, 66, 81, 12, 15, 18}));
}

// A loop with more results takes the place of each one, whose values stay.
TEST_F(GraphWrapper, HasGradientsOfLoops) {
  Value one = graph.constant({3}, 1.0f);
  auto step = [](const auto &carry, const auto &rows) -> hamkaas::Scan {
    return {{carry[0] * rows[0]}, {}};
  };
  Value product = graph.scan({{one}, {x + 1}}, step).carry[0];
  Value slope = graph.gradient(product, {x}, one)[0];
  EXPECT_EQ(run<float>(slope * product, 6), (Floats{16, 50, 108, 4, 20, 54}));
}

// All results are there, but none is a value.
TEST_F(GraphWrapper, KeepsTheErrorsOfLoops) {
  Value zero = graph.constant({3}, 0.0f);
  int64_t line = __LINE__ + 3;
  auto [carry, rows] = graph.scan(
      {{zero}, {x}}, [](const auto &carry, const auto &rows) -> hamkaas::Scan {
        Value wrong = matmul(rows[0], carry[0]);
        return {{wrong}, {relu(wrong)}};
      });
  ASSERT_EQ(carry.size(), 1u);
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_FALSE(bool(carry[0]) || bool(relu(rows[0])));
  EXPECT_THAT(graph.error(),
              HasSubstr("GraphWrapperTest.cpp:" + std::to_string(line) +
                        ": error: 'matmul': "));
}

TEST_F(GraphWrapper, ChecksWhatLoopsAreGivenAndReturn) {
  auto nothing = [](const auto &, const auto &) { return hamkaas::Scan(); };
  Value zero = graph.constant({3}, 0.0f);
  EXPECT_EQ(graph.scan({{zero}, {x}}, nothing).carry.size(), 1u);
  EXPECT_THAT(graph.error(), HasSubstr("expected the body to return a carry "
                                       "of 1 values, got 0"));
  Graph other;
  EXPECT_EQ(other.scan({{zero}, {}}, nothing).carry.size(), 1u);
  EXPECT_THAT(other.error(), HasSubstr("'scan': expected init 0 to be a value "
                                       "of this graph"));
}

TEST(GraphWrapperErrors, RefuseValuesOfOtherGraphs) {
  Graph first, second;
  Value x = first.input("x", HamKaasFloat32, {2});
  Value y = second.input("y", HamKaasFloat32, {2});
  EXPECT_FALSE(bool(x + y));
  EXPECT_THAT(first.error(),
              HasSubstr("'add': expected operand 1 to be a value "
                        "of this graph"));
}

TEST(GraphWrapperErrors, RefuseTextsWithNul) {
  const std::string broken("a\0b", 3);
  auto expectRefusal = [](auto call, std::string what) {
    Graph graph;
    Value x = graph.input("x", HamKaasFloat32, {2, 2});
    call(graph, x);
    EXPECT_THAT(graph.error(), StartsWith(std::string(__FILE__) + ":"));
    EXPECT_THAT(graph.error(), EndsWith(": error: expected " + what +
                                        " without NUL, got 'a\\0b'"));
  };
  auto input = [&](Graph &graph, Value) {
    EXPECT_FALSE(bool(graph.input(broken, HamKaasFloat32, {2})));
  };
  expectRefusal(input, "a name");
  auto parameter = [&](Graph &graph, Value) {
    graph.parameter(broken, {2}, std::vector<float>{1, 2});
  };
  expectRefusal(parameter, "a name");
  auto state = [&](Graph &graph, Value) {
    graph.state(broken, HamKaasFloat32, {2});
  };
  expectRefusal(state, "a name");
  auto function = [&](Graph &graph, Value) { graph.beginFunction(broken); };
  expectRefusal(function, "a name");
  auto output = [&](Graph &graph, Value x) { graph.output(broken, x); };
  expectRefusal(output, "a name");
  auto word = [&](Graph &, Value x) { hamkaas::einsum({x}, broken); };
  expectRefusal(word, "a text");
}

TEST(GraphWrapperErrors, TellOfMovedGraphs) {
  Graph first;
  Value x = first.input("x", HamKaasFloat32, {2});
  Graph second = std::move(first);
  second.output("y", relu(x));
  EXPECT_TRUE(bool(second.compile()));
  EXPECT_FALSE(bool(first.input("x", HamKaasFloat32, {2})));
  first.beginFunction("f");
  first.store(x, x);
  first.scan({{x}, {}},
             [](const auto &, const auto &) { return hamkaas::Scan(); });
  EXPECT_THAT(first.error(), HasSubstr("got one that was moved"));
  auto model = first.compile();
  ASSERT_FALSE(bool(model));
  EXPECT_THAT(model.error().message(), HasSubstr("got one that was moved"));
  first = std::move(second);
  EXPECT_TRUE(bool(first.compile()));
}
