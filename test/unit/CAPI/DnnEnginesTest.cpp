//===- DnnEnginesTest.cpp - Graphs of nodes on libraries --------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DnnTest.h"
#include <filesystem>
#include <malloc.h>
#include <unistd.h>

using namespace hamkaas;
using namespace hamkaas::test;
using namespace hamkaas::dnn;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

namespace {

PointwiseAttributes mode(PointwiseMode mode, const char *name) {
  return PointwiseAttributes().set_mode(mode).set_name(name);
}

/// relu(a b + c)
struct Product : TestGraph {
  Product() {
    Operand &a = add({17, 24}), &b = add({24, 33}), &c = add({1, 33});
    TensorPointer product = graph.matmul(
        a.tensor, b.tensor, MatmulAttributes().set_name("product"));
    sum = graph.pointwise(product, c.tensor, mode(PointwiseMode::ADD, "bias"));
  }
  void addRelu() {
    y = output(graph.pointwise(sum, mode(PointwiseMode::RELU_FWD, "relu")));
  }
  void addGelu() {
    y = output(graph.pointwise(sum, mode(PointwiseMode::GELU_FWD, "gelu")));
  }

  TensorPointer sum, y;
};

/// A convolution with bias and relu. Channels lie last, or not.
struct Convolution : TestGraph {
  explicit Convolution(bool channelsLast = true, bool isAlone = false) {
    Operand &x = add({2, 8, 9, 7}, DataType::FLOAT, channelsLast);
    Operand &w = add({16, 8, 3, 3}, {1, 16, 384, 128}, DataType::FLOAT);
    TensorPointer product = graph.conv_fprop(x.tensor, w.tensor,
                                             ConvFpropAttributes()
                                                 .set_name("conv")
                                                 .set_padding({1, 1})
                                                 .set_stride({2, 1})
                                                 .set_dilation({1, 1}));
    if (!isAlone)
      product =
          graph.pointwise(graph.pointwise(product, add({1, 16, 1, 1}).tensor,
                                          mode(PointwiseMode::ADD, "bias")),
                          mode(PointwiseMode::RELU_FWD, "relu"));
    y = output(product);
  }

  TensorPointer y;
};

/// Softmax of rows, from its parts.
struct Softmax : TestGraph {
  Softmax() {
    Operand &x = add({6, 10});
    auto reduce = [&](TensorPointer of, ReductionMode mode) {
      TensorPointer made =
          graph.reduction(of, ReductionAttributes().set_mode(mode));
      made->set_dim({6, 1});
      return made;
    };
    TensorPointer shifted =
        graph.pointwise(x.tensor, reduce(x.tensor, ReductionMode::MAX),
                        mode(PointwiseMode::SUB, "shift"));
    TensorPointer power =
        graph.pointwise(shifted, mode(PointwiseMode::EXP, "power"));
    y = output(graph.pointwise(power, reduce(power, ReductionMode::ADD),
                               mode(PointwiseMode::DIV, "share")));
  }

  TensorPointer y;
};

std::vector<std::string> listEngines(Graph &graph) {
  std::vector<EngineInfo> engines;
  EXPECT_EQ(explain(graph.validate()), "");
  EXPECT_EQ(explain(graph.get_ranked_engines(engines)), "");
  std::vector<std::string> names;
  for (const EngineInfo &engine : engines) {
    EXPECT_EQ(engine.id, Graph::getEngineId(engine.name));
    names.push_back(engine.name);
  }
  return names;
}

bool isBuilt(const char *name) {
  return std::filesystem::exists(
      std::filesystem::read_symlink("/proc/self/exe").parent_path() /
      "../lib/hamkaas/engines" /
      (std::string("hamkaas-engine-") + name + ".so"));
}

/// Expects an engine to take a graph, and to compute what ours does.
template <typename Test> void expectEqualResults(const char *engine) {
  Test own, other;
  ASSERT_EQ(own.run(), "");
  other.graph.set_preferred_engine_id_ext(engine);
  ASSERT_EQ(other.run(), "");
  expectClose(other.result(other.y), own.result(own.y).get(), 2e-6);
  int64_t id = 0, bytes = -1;
  EXPECT_EQ(explain(other.graph.get_execution_plan_engine_id(id)), "");
  EXPECT_EQ(id, Graph::getEngineId(engine));
  EXPECT_EQ(explain(own.graph.get_execution_plan_engine_id(id)), "");
  EXPECT_EQ(id, Graph::getEngineId("hamkaas"));
  EXPECT_EQ(explain(other.graph.get_workspace_size(bytes)), "");
  EXPECT_EQ(bytes, 0);
  std::string report;
  EXPECT_EQ(explain(other.graph.get_report(report)), "");
  EXPECT_THAT(report, HasSubstr("(" + std::string(engine) + ")"));
  EXPECT_EQ(explain(own.graph.get_report(report)), "");
  EXPECT_THAT(report, Not(HasSubstr("(" + std::string(engine) + ")")));
}

/// The error of a graph that an engine was asked for.
std::string refuse(TestGraph &test, const char *engine) {
  test.graph.set_preferred_engine_id_ext(engine);
  EXPECT_EQ(explain(test.graph.validate()), "");
  Error error = test.graph.create_execution_plans();
  EXPECT_EQ(error.code, ErrorCode::GRAPH_NOT_SUPPORTED);
  EXPECT_EQ(test.graph.get_execution_plan_count(), 0);
  return error.message;
}

} // namespace

//===----------------------------------------------------------------------===//
// Which graphs
//===----------------------------------------------------------------------===//

TEST(DnnEnginesTest, SampleComputesSoftmax) {
  Softmax test;
  EXPECT_THAT(listEngines(test.graph), Contains("sample"));
  EXPECT_EQ(listEngines(test.graph).front(), "hamkaas");
  expectEqualResults<Softmax>("sample");
}

// A program that has room for one engine works wherever there are more.
TEST(DnnEnginesTest, RoomForOne) {
  Softmax test;
  std::string json;
  ASSERT_EQ(explain(test.graph.validate()), "");
  ASSERT_EQ(explain(test.graph.to_json(json)), "");
  HamKaasDnnDescriptor *graph = nullptr, *heuristic = nullptr;
  HamKaasDnnDescriptor *configs[1] = {};
  int32_t mode = HamKaasDnnFallback;
  int64_t count = 0;
  ASSERT_EQ(HamKaasDnnReadGraph(json.data(), json.size(), &graph),
            HamKaasDnnSuccess);
  HamKaasDnnCreateDescriptor(HamKaasDnnEngineHeuristic, &heuristic);
  HamKaasDnnSetAttribute(heuristic, HamKaasDnnAttrGraph,
                         HamKaasDnnTypeDescriptor, 1, &graph);
  HamKaasDnnSetAttribute(heuristic, HamKaasDnnAttrHeuristicMode,
                         HamKaasDnnTypeHeuristicMode, 1, &mode);
  ASSERT_EQ(HamKaasDnnFinalize(heuristic), HamKaasDnnSuccess);
  HamKaasDnnCreateDescriptor(HamKaasDnnEngineConfig, &configs[0]);
  EXPECT_EQ(HamKaasDnnGetAttribute(heuristic, HamKaasDnnAttrResults,
                                   HamKaasDnnTypeDescriptor, 1, &count,
                                   configs),
            HamKaasDnnSuccess);
  EXPECT_GE(count, 2);
  int64_t engines = 0;
  EXPECT_EQ(HamKaasDnnGetAttribute(graph, HamKaasDnnAttrEngineCount,
                                   HamKaasDnnTypeInt64, 1, nullptr, &engines),
            HamKaasDnnSuccess);
  EXPECT_EQ(engines, count);
  EXPECT_EQ(HamKaasDnnFinalize(configs[0]), HamKaasDnnSuccess);
  for (HamKaasDnnDescriptor *each : {graph, heuristic, configs[0]})
    HamKaasDnnDestroyDescriptor(each);
}

// An engine that was asked for is never replaced by another one.
TEST(DnnEnginesTest, RefusalsNameTheNode) {
  Product product;
  product.addRelu();
  EXPECT_THAT(listEngines(product.graph), Not(Contains("sample")));
  EXPECT_EQ(refuse(product, "sample"),
            "engine 'sample' does not compute node 'product': it leaves matmul "
            "to this compiler");
  Error unknown = product.graph.set_preferred_engine_id_ext("none")
                      .create_execution_plans();
  EXPECT_EQ(unknown.code, ErrorCode::INVALID_VALUE);
  EXPECT_THAT(unknown.message, HasSubstr("these do: hamkaas ("));
  TestGraph moved;
  moved.output(moved.graph.pointwise(
      moved.add({2, 3}).tensor, mode(PointwiseMode::IDENTITY, "identity")));
  EXPECT_THAT(refuse(moved, "sample"), HasSubstr("only moves elements"));
}

TEST(DnnEnginesTest, OpenBlas) {
  if (!isBuilt("openblas"))
    GTEST_SKIP() << "built without OpenBLAS";
  struct Relu : Product {
    Relu() { addRelu(); }
  };
  expectEqualResults<Relu>("openblas");
  Product gelu;
  gelu.addGelu();
  EXPECT_EQ(refuse(gelu, "openblas"),
            "engine 'openblas' does not compute node 'gelu': it leaves gelu to "
            "this compiler");
}

namespace {
// Permutes stay ours: they are no part of a node.
struct ChannelsFirst : Convolution {
  ChannelsFirst() : Convolution(/*channelsLast=*/false, /*isAlone=*/true) {}
};
} // namespace

TEST(DnnEnginesTest, OneDnn) {
  if (!isBuilt("onednn"))
    GTEST_SKIP() << "built without oneDNN";
  expectEqualResults<Convolution>("onednn");
  expectEqualResults<ChannelsFirst>("onednn");
  // The permute comes last.
  struct Behind : Convolution {
    Behind() : Convolution(/*channelsLast=*/false) {}
  };
  expectEqualResults<Behind>("onednn");
  struct Relu : Product {
    Relu() { addRelu(); }
  };
  expectEqualResults<Relu>("onednn");
}

// A thousand runs leave no more memory behind than ten, and bits do not depend
// on the addresses.
TEST(DnnEnginesTest, OneDnnMemory) {
  if (!isBuilt("onednn"))
    GTEST_SKIP() << "built without oneDNN";
  Convolution test;
  test.graph.set_preferred_engine_id_ext("onednn");
  ASSERT_EQ(test.run(), "");
  Numbers first = test.result(test.y).get();
  std::unordered_map<TensorPointer, void *> pointers;
  std::vector<std::vector<float>> memory;
  size_t moved = 0;
  auto place = [&](Operand &operand) {
    std::vector<float> &made = memory.emplace_back(operand.bytes() / 4 + 16);
    float *address = made.data() + ++moved;
    std::memcpy(address, operand.data(), operand.bytes());
    pointers[operand.tensor] = address;
    return address;
  };
  for (const TensorPointer &tensor : test.graph.get_tensors())
    if (!tensor->get_is_virtual() && tensor != test.y)
      place(test.operand(tensor));
  Operand &y = test.result(test.y);
  float *address = place(y);
  auto run = [&](int count) {
    for (int i = 0; i < count; ++i)
      ASSERT_EQ(explain(test.graph.execute(test.handle, pointers)), "");
  };
  run(10);
  size_t before = mallinfo2().uordblks;
  run(1000);
  EXPECT_LE(mallinfo2().uordblks, before + 4096);
  std::memcpy(y.data(), address, y.bytes());
  EXPECT_EQ(y.get(), first);
}

//===----------------------------------------------------------------------===//
// Knobs, notes, devices
//===----------------------------------------------------------------------===//

TEST(DnnEnginesTest, KnobsAndNotes) {
  Softmax test;
  ASSERT_EQ(test.run(), "");
  int64_t id = Graph::getEngineId("sample");
  std::vector<Knob> knobs;
  ASSERT_EQ(explain(test.graph.get_knobs_for_engine(id, knobs)), "");
  ASSERT_EQ(knobs.size(), 1u);
  EXPECT_EQ(knobs[0].id, "sample.rows");
  EXPECT_EQ(knobs[0].description, "rows that a thread takes at a time");
  std::vector<BehaviorNote> notes;
  ASSERT_EQ(explain(test.graph.get_behavior_notes_for_engine(id, notes)), "");
  EXPECT_THAT(notes, Contains(BehaviorNote::EXTERNAL_LIBRARY_DEPENDENCY));
  EXPECT_EQ(explain(test.graph.create_execution_plan_ext(
                id, {{"sample.rows", int64_t(2)}})),
            "");
  EXPECT_EQ(explain(test.graph.build_plans()), "");
  auto choose = [&](KnobSetting setting) {
    return explain(test.graph.create_execution_plan_ext(id, {setting}));
  };
  EXPECT_EQ(choose({"sample.rows", int64_t(0)}),
            "knob 'sample.rows': expected a number from 1 to 1048576, by "
            "default 16, got 0");
  EXPECT_THAT(choose({"rows", int64_t(1)}),
              HasSubstr("the nearest is 'sample.rows'"));
  EXPECT_THAT(choose({"hamkaas.max_workspace", int64_t(1)}),
              HasSubstr("engine 'sample' has no knob"));
}

TEST(DnnEnginesTest, KnobsWithChoices) {
  if (!isBuilt("onednn"))
    GTEST_SKIP() << "built without oneDNN";
  Convolution test;
  ASSERT_EQ(test.run(), "");
  Numbers own = test.result(test.y).get();
  int64_t id = Graph::getEngineId("onednn");
  std::vector<Knob> knobs;
  ASSERT_EQ(explain(test.graph.get_knobs_for_engine(id, knobs)), "");
  ASSERT_GE(knobs.size(), 1u);
  EXPECT_EQ(knobs[0].id, "onednn.layout");
  EXPECT_THAT(knobs[0].description, HasSubstr("one of plain, blocked"));
  EXPECT_EQ(explain(test.graph.create_execution_plan_ext(
                id, {{"onednn.layout", std::string("blocked")}})),
            "");
  EXPECT_EQ(explain(test.graph.build_plans()), "");
  EXPECT_EQ(explain(test.graph.create_execution_plan_ext(
                id, {{"onednn.layout", std::string("other")}})),
            "knob 'onednn.layout': expected one of plain, blocked, by default "
            "plain, got 'other'");
}

TEST(DnnEnginesTest, OtherDevices) {
  for (const char *device : {"cuda", "reference"}) {
    Softmax test;
    test.graph.set_preferred_engine_id_ext("sample");
    EXPECT_EQ(test.run(device),
              "engine 'sample' computes on the CPU, not on the device '" +
                  std::string(device) + "'");
  }
}

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

TEST(DnnEnginesTest, PlansAreFiles) {
  Softmax test;
  test.graph.set_preferred_engine_id_ext("sample");
  ASSERT_EQ(test.run(), "");
  std::string path =
      ::testing::TempDir() + "/dnn-engine-" + std::to_string(getpid()) + ".so";
  ASSERT_EQ(explain(test.graph.write_plan(path)), "");
  Graph plan;
  ASSERT_EQ(explain(plan.read_plan(test.handle, path)), "");
  int64_t id = 0;
  EXPECT_EQ(explain(plan.get_execution_plan_engine_id(id)), "");
  EXPECT_EQ(id, Graph::getEngineId("sample"));
  std::remove(path.c_str());
  std::remove((path.substr(0, path.size() - 2) + "h").c_str());
}

// An engine that is in two files is used from neither.
TEST(DnnEnginesTest, SearchPath) {
  std::filesystem::path folder = std::filesystem::path(::testing::TempDir()) /
                                 ("engines-" + std::to_string(getpid()));
  std::filesystem::create_directory(folder);
  std::filesystem::create_symlink(
      std::filesystem::read_symlink("/proc/self/exe").parent_path() /
          "../lib/hamkaas/engines/hamkaas-engine-sample.so",
      folder / "sample.so");
  Softmax test;
  EXPECT_THAT(listEngines(test.graph), Contains("sample"));
  auto expectTwice = [&] {
    EXPECT_THAT(listEngines(test.graph), Not(Contains("sample")));
    EXPECT_THAT(refuse(test, "sample"),
                HasSubstr("expected engine 'sample' in one file, got "));
  };
  setenv("HAMKAAS_ENGINE_PATH", folder.c_str(), 1);
  expectTwice();
  unsetenv("HAMKAAS_ENGINE_PATH");
  EXPECT_THAT(listEngines(test.graph), Contains("sample"));
  // With the usual places, and without them.
  EXPECT_EQ(explain(set_engine_path(folder.string() + ":")), "");
  expectTwice();
  EXPECT_EQ(explain(set_engine_path(folder)), "");
  EXPECT_EQ(listEngines(test.graph),
            std::vector<std::string>({"hamkaas", "sample"}));
  EXPECT_EQ(test.run(), "");
  EXPECT_EQ(explain(set_engine_path(folder / "none")),
            "expected folders and files that are there, got '" +
                (folder / "none").string() + "'");
  EXPECT_EQ(HamKaasDnnSetEnginePath(nullptr), HamKaasDnnSuccess);
  std::filesystem::remove_all(folder);
}
