//===- DnnEmulatedTest.cpp - Graphs of nodes on a GPU -----------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The kernels of a GPU, run by the emulator, compute what those of the CPU do.
//
//===----------------------------------------------------------------------===//

#include "DnnTest.h"
#include "HamKaas/Frontend/Dnn/LowerGraph.h"
#include "HamKaas/Program/LoadedProgram.h"
#include "HamKaas/Run/EmulatedProgram.h"
#include "HamKaas/Runtime/Instance/CreateInstance.h"
#include "mlir/IR/MLIRContext.h"
#include <filesystem>
#include <fstream>
#include <unistd.h>

using namespace hamkaas;
using namespace hamkaas::test;
using namespace hamkaas::dnn;

namespace {

/// Writes the lowered graph as a program of the emulated GPU.
std::string writeProgram(const std::string &json, const std::string &path,
                         std::shared_ptr<const ParameterContents> &parameters) {
  auto graph = nodes::readGraph(json);
  if (!graph)
    return toString(graph.takeError());
  if (llvm::Error error = prepareGraph(*graph))
    return toString(std::move(error));
  mlir::MLIRContext context(nodes::getLoweringRegistry());
  auto lowered = lowerGraph(*graph, &context);
  if (!lowered)
    return toString(lowered.takeError());
  parameters = lowered->parameters;
  std::string text;
  llvm::raw_string_ostream stream(text);
  lowered->module->print(stream);
  HamKaasModel *model = nullptr;
  HamKaasWriteOptions options = {};
  options.structSize = sizeof(options);
  options.target = "cuda-emulation";
  HamKaasError error =
      HamKaasModelCompile(text.data(), text.size(), nullptr, &model);
  if (!error)
    error = HamKaasModelWrite(model, path.c_str(), &options);
  std::string message = error ? error : "";
  HamKaasErrorFree(error);
  HamKaasErrorFree(HamKaasModelDestroy(model));
  return message;
}

/// Runs a graph on the emulated GPU. `find` has the memory of each tensor.
void emulate(const std::string &json,
             llvm::function_ref<void *(int64_t uid, bool isResult)> find) {
  std::string path =
      ::testing::TempDir() + "/dnn-gpu-" + std::to_string(getpid()) + ".so";
  std::shared_ptr<const ParameterContents> parameters;
  ASSERT_EQ(writeProgram(json, path, parameters), "");
  auto loaded = LoadedProgram::fromSharedLibrary(path);
  ASSERT_TRUE(bool(loaded)) << llvm::toString(loaded.takeError());
  auto created = EmulatedProgram::create((*loaded)->program());
  ASSERT_TRUE(bool(created)) << llvm::toString(created.takeError());
  HamKaasInstanceOptions options = {};
  options.structSize = sizeof(options);
  const HamKaasProgram &program = (*created)->program();
  std::vector<HamKaasNamedData> constants;
  for (int32_t i = 0; i < program.parameterCount; ++i) {
    const char *name = program.parameters[i].name;
    constants.push_back({name, parameters->lookup(name).data(),
                         parameters->lookup(name).size()});
  }
  options.parameters = constants.data();
  options.parameterCount = int32_t(constants.size());
  HamKaasInstance *instance = nullptr;
  rt::Error failure = rt::createInstance(
      (*created)->program(), options,
      (*created)->createDevice(emulation::ThreadOrder()), instance);
  ASSERT_EQ(failure.message(), nullptr) << failure.message();
  auto getUid = [](const HamKaasTensorInfo &info) {
    auto known = nodes::decodeName(info.name);
    return known ? known->uid : -1;
  };
  std::vector<const void *> inputs;
  std::vector<void *> outputs;
  for (int32_t i = 0; i < program.inputCount; ++i)
    inputs.push_back(find(getUid(program.inputs[i]), /*isResult=*/false));
  for (int32_t i = 0; i < program.outputCount; ++i)
    outputs.push_back(find(getUid(program.outputs[i]), /*isResult=*/true));
  HamKaasError error =
      HamKaasInstanceRun(instance, inputs.data(), outputs.data());
  EXPECT_EQ(error, nullptr) << error;
  HamKaasErrorFree(error);
  HamKaasInstanceDestroy(instance);
  std::remove(path.c_str());
  std::remove((path.substr(0, path.size() - 2) + "h").c_str());
}

/// Runs a graph that has run on the CPU on the emulated GPU, too, and compares.
void emulate(TestGraph &test) {
  ASSERT_EQ(test.run(), "");
  std::string json;
  ASSERT_EQ(explain(test.graph.to_json(json)), "");
  std::map<int64_t, Operand> results;
  emulate(json, [&](int64_t uid, bool isResult) {
    TensorPointer tensor = test.graph.query_tensor(uid);
    return isResult ? results.emplace(uid, Operand(tensor)).first->second.data()
                    : test.operand(tensor).data();
  });
  for (const auto &[uid, result] : results)
    expectClose(result, test.result(test.graph.query_tensor(uid)).get(), 4e-6);
}

std::string readFile(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file.good()) << path;
  return std::string(std::istreambuf_iterator<char>(file), {});
}

/// Runs a graph of a sample, which the sample has run on the CPU.
void emulateSample(const std::string &path) {
  std::string stem = path.substr(0, path.size() - 4); // With the full stop.
  std::string json = readFile(path);
  Graph graph;
  ASSERT_EQ(explain(graph.from_json(json)), "");
  std::map<int64_t, Operand> operands, results;
  emulate(json, [&](int64_t uid, bool isResult) {
    Operand operand(graph.query_tensor(uid));
    std::string data = readFile(stem + std::to_string(uid) + ".bin");
    EXPECT_EQ(data.size(), operand.bytes());
    if (!isResult)
      std::memcpy(operand.data(), data.data(), data.size());
    auto &kept = isResult ? results : operands;
    return kept.emplace(uid, std::move(operand)).first->second.data();
  });
  EXPECT_FALSE(results.empty());
  for (auto &[uid, result] : results) {
    Operand exact(graph.query_tensor(uid));
    std::string data = readFile(stem + std::to_string(uid) + ".bin");
    std::memcpy(exact.data(), data.data(), data.size());
    expectClose(result, exact.get(), 4e-6);
    std::ofstream(stem + std::to_string(uid) + ".emulated.bin",
                  std::ios::binary)
        .write(static_cast<const char *>(result.data()),
               std::streamsize(result.bytes()));
  }
}

} // namespace

TEST(DnnEmulatedTest, ConvBiasRelu) {
  for (bool channelsLast : {false, true}) {
    TestGraph test;
    Operand &x = test.add({2, 4, 6, 5}, DataType::FLOAT, channelsLast);
    Operand &w = test.add({8, 4, 3, 3}, DataType::FLOAT, channelsLast);
    TensorPointer y = test.graph.conv_fprop(x.tensor, w.tensor,
                                            ConvFpropAttributes()
                                                .set_padding({1, 1})
                                                .set_stride({2, 1})
                                                .set_dilation({1, 1}));
    y = test.graph.pointwise(
        y, test.add({1, 8, 1, 1}).tensor,
        PointwiseAttributes().set_mode(PointwiseMode::ADD));
    test.output(test.graph.pointwise(
        y, PointwiseAttributes().set_mode(PointwiseMode::RELU_FWD)));
    emulate(test);
  }
}

TEST(DnnEmulatedTest, BatchNormTraining) {
  TestGraph test;
  Operand &x = test.add({3, 4, 5, 2}), &dy = test.add({3, 4, 5, 2});
  Operand &scale = test.add({4}), &bias = test.add({4}), &old = test.add({4});
  auto forward =
      test.graph.batchnorm(x.tensor, scale.tensor, bias.tensor,
                           BatchnormAttributes()
                               .set_epsilon(test.number(1e-3))
                               .set_previous_running_stats(
                                   old.tensor, old.tensor, test.number(0.1)));
  auto backward = test.graph.batchnorm_backward(
      dy.tensor, x.tensor, scale.tensor,
      BatchnormBackwardAttributes().set_saved_mean_and_inv_variance(
          forward[1], forward[2]));
  for (const TensorPointer &each : forward)
    test.output(each);
  for (const TensorPointer &each : backward)
    test.output(each);
  emulate(test);
}

TEST(DnnEmulatedTest, Attention) {
  TestGraph test;
  Shape dims = {2, 2, 9, 8};
  Operand &q = test.add(dims), &k = test.add(dims), &v = test.add(dims);
  Operand &g = test.add(dims);
  auto forward = test.graph.sdpa(
      q.tensor, k.tensor, v.tensor,
      SdpaAttributes().set_causal_mask(true).set_generate_stats(true));
  auto backward = test.graph.sdpa_backward(
      q.tensor, k.tensor, v.tensor, forward[0], g.tensor, forward[1],
      SdpaBackwardAttributes().set_causal_mask(true));
  for (const TensorPointer &each : forward)
    test.output(each);
  for (const TensorPointer &each : backward)
    test.output(each);
  emulate(test);
}

// With an operand that has holes between its rows.
TEST(DnnEmulatedTest, FusedChain) {
  TestGraph test;
  Operand &a = test.add({17, 24}, {30, 1}, DataType::FLOAT);
  Operand &b = test.add({24, 33}), &bias = test.add({1, 33});
  Operand &residual = test.add({17, 33});
  PointwiseAttributes add, gelu;
  add.set_mode(PointwiseMode::ADD);
  gelu.set_mode(PointwiseMode::GELU_FWD);
  TensorPointer y = test.graph.matmul(a.tensor, b.tensor, MatmulAttributes());
  y = test.graph.pointwise(y, bias.tensor, add);
  y = test.graph.pointwise(y, gelu);
  test.output(test.graph.pointwise(y, residual.tensor, add));
  emulate(test);
}

// test/Examples/dnn.test lets the samples write what they compute.
TEST(DnnEmulatedTest, DISABLED_Samples) {
  const char *folder = std::getenv("HAMKAAS_DNN_SAMPLES");
  ASSERT_NE(folder, nullptr);
  size_t count = 0;
  for (const auto &entry : std::filesystem::directory_iterator(folder))
    if (entry.path().extension() == ".json") {
      SCOPED_TRACE(entry.path().string());
      emulateSample(entry.path().string());
      ++count;
    }
  EXPECT_EQ(count, 4u);
}
