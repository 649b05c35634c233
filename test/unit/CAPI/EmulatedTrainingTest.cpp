//===- EmulatedTrainingTest.cpp - Steps on an emulated GPU ------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Graphs.h"
#include "HamKaas/Program/LoadedProgram.h"
#include "HamKaas/Run/EmulatedProgram.h"
#include "HamKaas/Runtime/Instance/CreateInstance.h"

using namespace hamkaas;
using namespace hamkaas::test;
using testing::HasSubstr;

namespace {

/// Two layers and the loss of class numbers, trained by Adam.
struct EmulatedTrainingTest : ::testing::Test {
  EmulatedTrainingTest() {
    OwnedGraph graph = createGraph();
    HamKaasValue x = addInput(graph, "x", {2, 3});
    HamKaasValue labels = addInput(graph, "labels", {2}, HamKaasInt64);
    HamKaasValue hidden = test::add(
        graph, "tanh",
        {test::add(graph, "matmul", {x, addState(graph, "first", {3, 4})})});
    HamKaasValue scores =
        test::add(graph, "matmul", {hidden, addState(graph, "last", {4, 3})});
    HamKaasValue loss = test::add(graph, "cross_entropy", {scores, labels});
    HamKaasGraphTrainingStep step = {};
    step.structSize = sizeof(step);
    step.loss = loss;
    step.optimizer = "adam:lr=0.1";
    step.file = "net.c";
    step.line = 7;
    EXPECT_EQ(takeText(HamKaasGraphAddTrainingStep(graph.get(), &step)), "");
    EXPECT_EQ(setOutput(graph, loss, "loss"), "");
    model = compileGraph(graph);
    emulate();
  }

  static HamKaasValue addState(const OwnedGraph &graph, const char *name,
                               const Shape &shape) {
    static constexpr float half = 0.5;
    HamKaasGraphTensor tensor = makeTensor(name, shape);
    tensor.data = &half;
    tensor.bytes = sizeof(half);
    HamKaasValue state = 0;
    EXPECT_EQ(takeText(HamKaasGraphAddState(graph.get(), &tensor, &state)), "");
    return state;
  }

  /// Makes the instance on the emulated GPU.
  void emulate() {
    HamKaasWriteOptions options = {};
    options.structSize = sizeof(options);
    options.target = "cuda-emulation";
    std::string path = folder.path("step.so");
    ASSERT_EQ(takeText(HamKaasModelWrite(model.get(), path.c_str(), &options)),
              "");
    auto loaded = LoadedProgram::fromSharedLibrary(path);
    ASSERT_TRUE(bool(loaded)) << llvm::toString(loaded.takeError());
    library = std::move(*loaded);
    auto created = EmulatedProgram::create(library->program());
    ASSERT_TRUE(bool(created)) << llvm::toString(created.takeError());
    program = std::move(*created);
    HamKaasInstanceOptions instanceOptions = {};
    instanceOptions.structSize = sizeof(instanceOptions);
    HamKaasInstance *instance = nullptr;
    ASSERT_EQ(
        takeText(rt::createInstance(
                     program->program(), instanceOptions,
                     program->createDevice(emulation::ThreadOrder()), instance)
                     .release()),
        "");
    onGpu.reset(instance);
  }

  /// Returns the error, if there is one.
  std::string run(const OwnedInstance &instance,
                  const std::vector<int64_t> &labels) {
    const std::vector<float> x = {1, -1, 2, 0.5, 3, -2};
    const void *inputs[] = {x.data(), labels.data()};
    void *outputs[] = {&loss};
    return takeText(HamKaasInstanceRun(instance.get(), inputs, outputs));
  }

  /// The bytes of all states.
  std::vector<std::vector<char>> readStates() {
    std::vector<std::vector<char>> states;
    const HamKaasProgram &tables = program->program();
    for (int32_t i = 0; i < tables.stateCount; ++i) {
      states.emplace_back(tables.states[i].bytes);
      EXPECT_EQ(takeText(HamKaasInstanceReadState(
                    onGpu.get(), tables.states[i].name, states.back().data(),
                    states.back().size())),
                "");
    }
    return states;
  }

  TemporaryFolder folder;
  OwnedModel model;
  std::unique_ptr<LoadedProgram> library;
  std::unique_ptr<EmulatedProgram> program;
  OwnedInstance onGpu;
  float loss = 0;
};

TEST_F(EmulatedTrainingTest, ALabelOutOfRangeChangesNoState) {
  ASSERT_EQ(run(onGpu, {2, 0}), "");
  std::vector<std::vector<char>> before = readStates();
  EXPECT_EQ(before.size(), 7U); // The step, and two moments of each parameter.
  for (int64_t wrong : {-1, 3}) {
    EXPECT_THAT(run(onGpu, {0, wrong}),
                HasSubstr("got " + std::to_string(wrong)));
    EXPECT_EQ(readStates(), before);
  }
  ASSERT_EQ(run(onGpu, {2, 0}), "");
  EXPECT_NE(readStates(), before);

  // As if there had been no wrong labels.
  float expected = loss;
  OwnedInstance onCpu = instantiate(model, "cpu");
  for (int step = 0; step < 2; ++step)
    ASSERT_EQ(run(onCpu, {2, 0}), "");
  EXPECT_NEAR(loss, expected, 1e-5);
}

} // namespace
