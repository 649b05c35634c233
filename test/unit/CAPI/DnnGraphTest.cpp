//===- DnnGraphTest.cpp - Tests of graphs of nodes --------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Runtime/Allocations.h"
#include "DnnTest.h"
#include <unistd.h>

using namespace hamkaas;
using namespace hamkaas::test;
using namespace hamkaas::dnn;
using testing::HasSubstr;
using testing::Not;

// Count what the headers allocate, too. AddressSanitizer has operators of its
// own.
#if !__has_feature(address_sanitizer)
void *operator new(size_t bytes) { return malloc(bytes); }
void operator delete(void *memory) noexcept { free(memory); }
void operator delete(void *memory, size_t) noexcept { free(memory); }
#endif

namespace {

/// A convolution with bias and relu: `(1 x 1)` filters of ones.
struct ConvBiasRelu : TestGraph {
  explicit ConvBiasRelu(bool channelsLast = true) {
    x = &add({2, 4, 5, 5}, DataType::FLOAT, channelsLast);
    // The order in which the kernels read filters.
    w = &add({8, 4, 3, 3}, {1, 8, 96, 32}, DataType::FLOAT);
    b = &add({1, 8, 1, 1});
    TensorPointer product = graph.conv_fprop(x->tensor, w->tensor,
                                             ConvFpropAttributes()
                                                 .set_name("conv")
                                                 .set_padding({0, 0})
                                                 .set_stride({1, 1})
                                                 .set_dilation({1, 1}));
    TensorPointer sum = graph.pointwise(
        product, b->tensor,
        PointwiseAttributes().set_name("bias").set_mode(PointwiseMode::ADD));
    y = output(
        graph.pointwise(sum, PointwiseAttributes().set_name("relu").set_mode(
                                 PointwiseMode::RELU_FWD)));
  }

  Operand *x, *w, *b;
  TensorPointer y;
};

} // namespace

TEST(DnnGraphTest, ConvBiasReluIsOneKernel) {
  ConvBiasRelu test;
  ASSERT_EQ(test.run(), "");
  Numbers exact, bounds;
  forEachIndex({2, 8, 3, 3}, [&](const Shape &y) {
    double sum = test.b->numbers[size_t(y[1])], sizes = std::fabs(sum);
    forEachIndex({4, 3, 3}, [&](const Shape &k) {
      double product =
          test.x->numbers[size_t(getOffset(
              {y[0], k[0], y[2] + k[1], y[3] + k[2]}, {100, 25, 5, 1}))] *
          test.w->numbers[size_t(
              getOffset({y[1], k[0], k[1], k[2]}, {36, 9, 3, 1}))];
      sum += product;
      sizes += std::fabs(product);
    });
    exact.push_back(std::max(sum, 0.0));
    bounds.push_back(gamma2(37) * sizes);
  });
  expectNear(test.result(test.y), exact, bounds);
  EXPECT_EQ(test.y->get_stride(), makeStrides({2, 8, 3, 3}, true));
  std::string report;
  EXPECT_EQ(explain(test.graph.get_report(report)), "");
  EXPECT_THAT(report, HasSubstr("1 call of 1 kernel"));
  EXPECT_THAT(report, HasSubstr("conv+add+relu"));
}

TEST(DnnGraphTest, AllocatesNothingInARun) {
  ConvBiasRelu test;
  ASSERT_EQ(test.run(), "");
  std::vector<float> x(200), w(288), b(8), y(144);
  std::unordered_map<int64_t, void *> pointers = {
      {test.x->tensor->get_uid(), x.data()},
      {test.w->tensor->get_uid(), w.data()},
      {test.b->tensor->get_uid(), b.data()},
      {test.y->get_uid(), y.data()}};
  EXPECT_EQ(explain(test.graph.execute(test.handle, pointers)), "");
  int64_t before = allocationCount();
  Error error = test.graph.execute(test.handle, pointers);
  EXPECT_EQ(allocationCount(), before);
  EXPECT_EQ(error.message, "");
}

//===----------------------------------------------------------------------===//
// Order of use
//===----------------------------------------------------------------------===//

TEST(DnnGraphTest, StepsInOrder) {
  ConvBiasRelu test;
  Graph &graph = test.graph;
  ASSERT_EQ(explain(test.handle.create()), "");
  std::string text;
  int64_t number = 0;
  EXPECT_THAT(explain(graph.build_operation_graph(test.handle)),
              HasSubstr("a call of validate before"));
  EXPECT_THAT(explain(graph.create_execution_plans()),
              HasSubstr("a call of validate before"));
  EXPECT_THAT(explain(graph.to_json(text)), HasSubstr("validate"));
  EXPECT_EQ(explain(graph.validate()), "");
  EXPECT_THAT(explain(graph.check_support()),
              HasSubstr("a call of create_execution_plans before"));
  EXPECT_THAT(explain(graph.build_plans()),
              HasSubstr("a call of create_execution_plans before"));
  EXPECT_EQ(explain(graph.create_execution_plans()), "");
  EXPECT_THAT(explain(graph.build_plans()),
              HasSubstr("a call of build_operation_graph before"));
  EXPECT_EQ(explain(graph.build_operation_graph(test.handle)), "");
  EXPECT_EQ(explain(graph.check_support()), "");
  EXPECT_THAT(explain(graph.get_workspace_size(number)),
              HasSubstr("build_plans"));
  EXPECT_EQ(graph.get_workspace_size(), -1);
  EXPECT_THAT(explain(graph.execute(test.handle,
                                    std::unordered_map<int64_t, void *>())),
              HasSubstr("a call of build_plans before"));
  EXPECT_EQ(explain(graph.build_plans()), "");
  EXPECT_EQ(graph.get_execution_plan_count(), 1);
  // One plan an engine.
  std::vector<int64_t> engines;
  EXPECT_EQ(explain(graph.get_ranked_engine_ids(engines)), "");
  EXPECT_EQ(explain(graph.build_plans(BuildPlanPolicy::ALL)), "");
  EXPECT_EQ(graph.get_execution_plan_count(), int64_t(engines.size()));
  EXPECT_EQ(graph.get_workspace_size(), 0);
  Graph moved = std::move(graph);
  EXPECT_EQ(moved.get_execution_plan_count(), int64_t(engines.size()));
}

TEST(DnnGraphTest, FillsInWhatIsNotSet) {
  ConvBiasRelu test(/*channelsLast=*/false);
  test.w->tensor->set_uid(1);
  test.b->tensor->set_uid(0);
  ASSERT_EQ(explain(test.graph.validate()), "");
  std::set<int64_t> uids;
  for (const TensorPointer &tensor : test.graph.get_tensors()) {
    uids.insert(tensor->get_uid());
    EXPECT_NE(tensor->get_data_type(), DataType::NOT_SET);
    EXPECT_EQ(tensor->get_dim().size(), tensor->get_stride().size());
  }
  EXPECT_EQ(uids, std::set<int64_t>({0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(test.y->get_name(), "relu::OUT_0");
  EXPECT_EQ(test.y->get_stride(), test::makeStrides({2, 8, 3, 3}));
  EXPECT_EQ(test.graph.query_tensor(test.y->get_uid()), test.y);
  EXPECT_EQ(test.graph.query_tensor(77), nullptr);
  test.w->tensor->set_uid(0);
  EXPECT_THAT(explain(test.graph.validate()),
              HasSubstr("uids of their own, two have 0"));
}

TEST(DnnGraphTest, MistakesWaitForValidate) {
  TestGraph test;
  Operand &x = test.add({2});
  PointwiseAttributes add;
  add.set_name("sum").set_mode(PointwiseMode::ADD);
  TensorPointer y = test.graph.pointwise(nullptr, x.tensor, add);
  ASSERT_NE(y, nullptr);
  test.output(y);
  Error error = test.graph.validate();
  EXPECT_EQ(error.getCode(), ErrorCode::ATTRIBUTE_NOT_SET);
  EXPECT_EQ(error.get_message(), "node 'sum': expected a tensor, got null");
  Graph empty;
  EXPECT_EQ(empty.validate().code, ErrorCode::INVALID_VALUE);
  // No type anywhere.
  Graph untyped;
  TensorPointer z = untyped.pointwise(
      Graph::tensor(TensorAttributes().set_dim({2}).set_name("x")),
      PointwiseAttributes().set_mode(PointwiseMode::NEG));
  z->set_output(true);
  EXPECT_THAT(explain(untyped.validate()),
              HasSubstr("expected a data type, or one of the graph for real "
                        "tensors"));
  // A data type without a number.
  TestGraph other;
  other.output(other.graph.pointwise(
      Graph::tensor(
          TensorAttributes().set_dim({2}).set_data_type(DataType(99))),
      PointwiseAttributes().set_mode(PointwiseMode::NEG)));
  EXPECT_THAT(other.run(), HasSubstr("expected a data type from 0 to 12"));
}

TEST(DnnGraphTest, EnginesAndKnobs) {
  ConvBiasRelu test;
  ASSERT_EQ(explain(test.handle.create()), "");
  ASSERT_EQ(explain(test.graph.validate()), "");
  ASSERT_EQ(explain(test.graph.build_operation_graph(test.handle)), "");
  std::vector<EngineInfo> engines;
  ASSERT_EQ(explain(test.graph.get_ranked_engines(engines)), "");
  ASSERT_GE(engines.size(), 1u);
  EXPECT_EQ(engines[0].name, "hamkaas");
  std::vector<Knob> knobs;
  EXPECT_EQ(explain(test.graph.get_knobs_for_engine(engines[0].id, knobs)), "");
  EXPECT_EQ(knobs.size(), 5u);
  std::vector<BehaviorNote> notes;
  EXPECT_EQ(
      explain(test.graph.get_behavior_notes_for_engine(engines[0].id, notes)),
      "");
  EXPECT_EQ(notes.size(), 2u);
  EXPECT_EQ(explain(test.graph.create_execution_plan_ext(
                engines[0].id, {{"hamkaas.target_cpu", std::string("x86-64")},
                                {"hamkaas.winograd_error", 1e-6},
                                {"hamkaas.max_workspace", int64_t(1) << 30}})),
            "");
  EXPECT_EQ(explain(test.graph.build_plans()), "");
  std::string report;
  EXPECT_EQ(explain(test.graph.get_report(report)), "");
  EXPECT_THAT(report, HasSubstr("plan for x86-64,"));
  int64_t id = 0;
  EXPECT_EQ(explain(test.graph.get_execution_plan_engine_id(id)), "");
  EXPECT_EQ(id, engines[0].id);
  // A preference is not a wish: another engine does not take its place.
  test.graph.set_preferred_engine_id_ext(5);
  EXPECT_THAT(explain(test.graph.create_execution_plans()),
              HasSubstr("got 5; these do: hamkaas"));
}

//===----------------------------------------------------------------------===//
// Strides
//===----------------------------------------------------------------------===//

// Bytes between the elements of a result stay as they are; operands with holes
// are packed. The last case has strides that are no multiples of each other.
TEST(DnnGraphTest, StridesWithHoles) {
  const Shape dims = {3, 4, 5};
  const Shape layouts[] = {{40, 8, 1}, {1, 20, 4},   {60, 1, 9},
                           {20, 5, 1}, {2, 24, 120}, {53, 11, 2}};
  for (const Shape &from : layouts)
    for (const Shape &to : layouts) {
      TestGraph test;
      Operand &x = test.add(dims, from, DataType::FLOAT);
      TensorPointer y = test.output(test.graph.pointwise(
          x.tensor, PointwiseAttributes().set_mode(PointwiseMode::NEG)));
      y->set_stride(to);
      ASSERT_EQ(test.run(), "");
      Numbers exact;
      for (double number : x.numbers)
        exact.push_back(-number);
      EXPECT_EQ(test.result(y).get(), exact);
      EXPECT_TRUE(test.result(y).hasIntactHoles());
    }
}

// An operand may read one element several times; a result may not write it.
TEST(DnnGraphTest, OverlappingStrides) {
  TestGraph test;
  Operand &x = test.add({3, 3}, {1, 1}, DataType::FLOAT);
  x.set({0, 1, 2, 1, 2, 3, 2, 3, 4});
  TensorPointer y = test.output(test.graph.pointwise(
      x.tensor, PointwiseAttributes().set_mode(PointwiseMode::NEG)));
  y->set_stride({3, 1});
  ASSERT_EQ(test.run(), "");
  EXPECT_EQ(test.result(y).get(), Numbers({0, -1, -2, -1, -2, -3, -2, -3, -4}));
  y->set_stride({1, 1});
  EXPECT_THAT(test.run(), HasSubstr("memory of their own"));
  // Strides of a tensor whose dims are inferred.
  y->set_dim({}).set_stride({1});
  EXPECT_THAT(test.run(), HasSubstr("expected 2 strides"));
  y->set_dim({}).set_stride({0, 1});
  EXPECT_THAT(test.run(), HasSubstr("strides of at least 1"));
}

// The same tensor is an operand of the program and a result, and two results
// are one value.
TEST(DnnGraphTest, ResultsThatAreOperands) {
  TestGraph test;
  Operand &x = test.add({4});
  PointwiseAttributes identity;
  identity.set_mode(PointwiseMode::IDENTITY);
  TensorPointer y = test.output(test.graph.pointwise(x.tensor, identity));
  TensorPointer z = test.output(test.graph.pointwise(y, identity));
  ASSERT_EQ(test.run(), "");
  EXPECT_EQ(test.result(y).get(), x.numbers);
  EXPECT_EQ(test.result(z).get(), x.numbers);
}

// Virtual tensors have the intermediate type: each is rounded to it.
TEST(DnnGraphTest, VirtualTensorsAreRounded) {
  for (DataType type : {DataType::FLOAT, DataType::BFLOAT16}) {
    TestGraph test;
    test.graph.set_intermediate_data_type(type);
    Operand &x = test.add({1});
    x.set({1});
    PointwiseAttributes add, sub;
    add.set_mode(PointwiseMode::ADD);
    sub.set_mode(PointwiseMode::SUB);
    TensorPointer sum =
        test.graph.pointwise(x.tensor, test.number(0x1p-12), add);
    TensorPointer y =
        test.output(test.graph.pointwise(sum, test.number(1), sub));
    ASSERT_EQ(test.run(), "");
    EXPECT_EQ(test.result(y).get(),
              Numbers({type == DataType::FLOAT ? 0x1p-12 : 0.0}));
  }
}

//===----------------------------------------------------------------------===//
// Texts and files
//===----------------------------------------------------------------------===//

TEST(DnnGraphTest, TextComesBackEqual) {
  ConvBiasRelu test;
  ASSERT_EQ(test.run(), "");
  std::string text, again;
  ASSERT_EQ(explain(test.graph.to_json(text)), "");
  Graph read;
  ASSERT_EQ(explain(read.from_json(text)), "");
  ASSERT_EQ(explain(read.to_json(again)), "");
  EXPECT_EQ(text, again);
  // And computes the same.
  ASSERT_EQ(explain(read.build(test.handle)), "");
  Operand y(test.y);
  std::unordered_map<int64_t, void *> pointers = {
      {test.x->tensor->get_uid(), test.x->data()},
      {test.w->tensor->get_uid(), test.w->data()},
      {test.b->tensor->get_uid(), test.b->data()},
      {test.y->get_uid(), y.data()}};
  EXPECT_EQ(explain(read.execute(test.handle, pointers)), "");
  EXPECT_EQ(y.get(), test.result(test.y).get());
  EXPECT_THAT(explain(read.from_json("{}")), HasSubstr("expected a graph"));
  EXPECT_THAT(explain(read.from_json(std::string(100000, '['))),
              HasSubstr("levels of brackets"));
  // Numbers of tensors that there cannot be, and a name that is none.
  std::string x = "\"x\": " + std::to_string(test.x->tensor->get_uid());
  size_t use = text.find(x);
  ASSERT_NE(use, std::string::npos) << text;
  EXPECT_THAT(explain(read.from_json(text.substr(0, use) +
                                     "\"x\": 9223372036854775807" +
                                     text.substr(use + x.size()))),
              HasSubstr("there is no tensor 9223372036854775807"));
  EXPECT_THAT(explain(read.from_json(text.substr(0, text.rfind('}')) +
                                     ", \"name\": 5}")),
              HasSubstr("'name'"));
  size_t kind = text.find("conv_fprop");
  EXPECT_THAT(explain(read.from_json(text.substr(0, kind) + "custom_op" +
                                     text.substr(kind + 10))),
              HasSubstr("nodes[0]: custom_op is not supported"));
}

TEST(DnnGraphTest, NullsAreErrors) {
  ConvBiasRelu test;
  ASSERT_EQ(test.run(), "");
  EXPECT_EQ(explain(test.graph.execute(
                test.handle,
                std::unordered_map<TensorPointer, void *>{{nullptr, nullptr}})),
            "expected tensors, got null");
  EXPECT_EQ(explain(test.graph.build(nullptr)), "expected a handle, got null");
}

TEST(DnnGraphTest, NanIsAConstantLikeOthers) {
  TestGraph test;
  TensorPointer nan = test.graph.scalar(std::nanf(""));
  Operand &x = test.add({3});
  auto attributes = PointwiseAttributes().set_mode(PointwiseMode::ADD);
  test.output(test.graph.pointwise(
      test.graph.pointwise(x.tensor, nan, attributes), nan, attributes));
  EXPECT_EQ(explain(test.graph.validate()), "");
}

TEST(DnnGraphTest, PlansAreFiles) {
  ConvBiasRelu test;
  test.y->set_stride({150, 1, 48, 16}); // With holes.
  ASSERT_EQ(test.run(), "");
  std::string path =
      ::testing::TempDir() + "/dnn-" + std::to_string(getpid()) + ".so";
  ASSERT_EQ(explain(test.graph.write_plan(path)), "");
  Graph plan;
  ASSERT_EQ(explain(plan.read_plan(test.handle, path)), "");
  Operand y(test.y);
  std::unordered_map<int64_t, void *> pointers = {
      {test.x->tensor->get_uid(), test.x->data()},
      {test.w->tensor->get_uid(), test.w->data()},
      {test.b->tensor->get_uid(), test.b->data()},
      {test.y->get_uid(), y.data()}};
  EXPECT_EQ(explain(plan.execute(test.handle, pointers)), "");
  EXPECT_EQ(y.get(), test.result(test.y).get());
  EXPECT_TRUE(y.hasIntactHoles());
  std::string header = path.substr(0, path.size() - 2) + "h";
  std::remove(path.c_str());
  std::remove(header.c_str());
  EXPECT_THAT(explain(plan.read_plan(test.handle, path)),
              HasSubstr("No such file"));
  EXPECT_THAT(explain(test.graph.write_plan("plan.txt")),
              HasSubstr("ends in .so"));
}
