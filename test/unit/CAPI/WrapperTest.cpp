//===- WrapperTest.cpp - libhamkaas.so from C++ -----------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Models.h"
#include "hamkaas-cpp/HamKaas.h"

#include <array>

using namespace hamkaas::test;
using hamkaas::Instance;
using hamkaas::Model;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

namespace {

Model makeModel(const char *script) {
  auto model = Model::compile(script);
  EXPECT_TRUE(bool(model)) << model.error().message();
  return std::move(*model);
}

Instance makeInstance(const Model &model,
                      const hamkaas::InstanceOptions &options = {}) {
  auto instance = model.createInstance(options);
  EXPECT_TRUE(bool(instance)) << instance.error().message();
  return std::move(*instance);
}

/// The error of a result, empty on success.
template <typename T> std::string errorOf(const hamkaas::Result<T> &result) {
  return result ? "" : result.error().message();
}

const std::vector<float> bias = {1, 2, 3, -4};

} // namespace

//===----------------------------------------------------------------------===//
// Models
//===----------------------------------------------------------------------===//

TEST(Wrapper, Tables) {
  Model model = makeModel(stateScript);
  EXPECT_STREQ(model.program().name, "model");
  EXPECT_EQ(model.inputs().size(), 3u);
  EXPECT_EQ(model.outputs().size(), 1u);
  EXPECT_EQ(model.parameters().size(), 0u);
  ASSERT_EQ(model.states().size(), 1u);
  EXPECT_EQ(model.states()[0].bytes, 16u);
}

TEST(Wrapper, CompileOptions) {
  std::vector<std::string> steps;
  hamkaas::CompileOptions options;
  options.name = "net";
  options.lines = {{"net.py", 3}};
  options.progress = [&](std::string_view step, int done, int total) {
    EXPECT_EQ(done, int(steps.size()));
    EXPECT_EQ(total, 5);
    steps.emplace_back(step);
    return step != "code";
  };
  EXPECT_EQ(errorOf(Model::compile(addScript, options)),
            "the compilation was stopped before its step 'code'");
  EXPECT_EQ(steps.size(), 4u);
  EXPECT_THAT(errorOf(Model::compile("$1", options)),
              StartsWith("net.py:3: error: "));
  EXPECT_THAT(errorOf(Model::load("/none")), HasSubstr("'/none'"));
}

TEST(Wrapper, Describe) {
  Model model = makeModel(addScript);
  auto script = model.describe(HamKaasDescribeScript);
  ASSERT_EQ(errorOf(script), "");
  EXPECT_EQ(*script, addScript);
  EXPECT_THAT(errorOf(model.describe(HamKaasDescription(7))),
              HasSubstr("got 7"));
}

TEST(Wrapper, InferResult) {
  auto type = hamkaas::inferResult(addScript);
  ASSERT_EQ(errorOf(type), "");
  EXPECT_EQ(type->rank, 2);
  EXPECT_THAT(errorOf(hamkaas::inferResult("$1")), StartsWith("script:1:3: "));
}

TEST(Wrapper, Write) {
  TemporaryFolder folder;
  Model model = makeModel(addScript);
  hamkaas::WriteOptions options;
  options.parameters = {{"bias", bias}};
  ASSERT_EQ(errorOf(model.write(folder.path("adder.so"), options)), "");
  ASSERT_EQ(errorOf(hamkaas::verifyLibrary(folder.path("adder.so"))), "");
  EXPECT_THAT(
      errorOf(hamkaas::verifyLibrary(folder.path("adder.h"))),
      StartsWith("'" + folder.path("adder.h") + "' is not a compiled model: "));
  hamkaas::CompileOptions whole;
  whole.verify = true;
  auto loaded = Model::load(folder.path("adder.so"), whole);
  ASSERT_EQ(errorOf(loaded), "");
  Instance instance = makeInstance(*loaded);
  EXPECT_EQ(runAdder(instance.handle()), adderResult);
}

//===----------------------------------------------------------------------===//
// Runs
//===----------------------------------------------------------------------===//

TEST(Wrapper, RunByName) {
  Model model = makeModel(addScript);
  hamkaas::InstanceOptions options;
  options.threads = 1;
  options.profile = true;
  options.parameters = {{"bias", bias}};
  Instance instance = makeInstance(model, options);
  const std::array<float, 4> x = {10, 20, 30, -40};
  float result[4] = {};
  ASSERT_EQ(errorOf(instance.run({{"x", x}}, {{"result", result}})), "");
  EXPECT_THAT(result, ElementsAre(11, 22, 33, 0));
  ASSERT_EQ(instance.profile().size(), 1u);
  EXPECT_EQ(instance.profile()[0].runs, 1u);

  const void *inputs[] = {x.data()};
  void *outputs[] = {result};
  ASSERT_EQ(errorOf(instance.run(inputs, outputs)), "");
}

TEST(Wrapper, OutlivesTheModel) {
  auto instance = std::make_unique<Instance>(
      makeInstance(makeModel(addScript), {"", 1, {{"bias", bias}}}));
  EXPECT_EQ(runAdder(instance->handle()), adderResult);
}

TEST(Wrapper, Devices) {
  Model model = makeModel(addScript);
  Instance instance = makeInstance(model, {"reference", 1, {{"bias", bias}}});
  EXPECT_EQ(runAdder(instance.handle()), adderResult);
  EXPECT_THAT(errorOf(model.createInstance({"abacus", 1, {{"bias", bias}}})),
              HasSubstr("'abacus'"));
}

// All problems of a run in one message.
TEST(Wrapper, WrongTensors) {
  Model model = makeModel(addScript);
  Instance instance = makeInstance(model, {"", 1, {{"bias", bias}}});
  std::vector<float> x(4), result(3);
  std::vector<int64_t> numbers(4);
  EXPECT_EQ(errorOf(instance.run({{"y", x}}, {{"result", result}})),
            "the model has no input 'y'\n"
            "input 'x' is missing\n"
            "output 'result': expected 4 float32 elements, got 3 float32 "
            "elements");
  EXPECT_EQ(errorOf(instance.run({{"x", numbers}, {"x", x}}, {})),
            "input 'x': expected 4 float32 elements, got 4 int64 elements\n"
            "input 'x' is given twice\n"
            "output 'result' is missing");
}

TEST(Wrapper, WrongParameters) {
  Model model = makeModel(addScript);
  std::vector<int64_t> numbers(2);
  // It has the right number of bytes.
  EXPECT_EQ(errorOf(model.createInstance({"", 0, {{"bias", numbers}}})),
            "parameter 'bias': expected 4 float32 elements, got 2 int64 "
            "elements");
  EXPECT_THAT(errorOf(model.createInstance()), HasSubstr("'bias'"));
  hamkaas::WriteOptions options;
  options.parameters = {{"bias", numbers}};
  EXPECT_THAT(errorOf(model.write("x.so", options)), HasSubstr("2 int64"));
}

//===----------------------------------------------------------------------===//
// State
//===----------------------------------------------------------------------===//

namespace {

class WrapperState : public ::testing::Test {
protected:
  /// Puts 1, 2 at `start`; the state afterwards.
  std::vector<float> run(Instance &used, int64_t start) {
    std::vector<float> result(4);
    int64_t starts[] = {start}, ends[] = {start + 2};
    EXPECT_EQ(errorOf(used.run({{"x", x}, {"start", starts}, {"end", ends}},
                               {{"result", result}})),
              "");
    return result;
  }

  std::vector<float> x = {1, 2};
  Model model = makeModel(stateScript);
  Instance instance = makeInstance(model);
  std::string name = model.states()[0].name;
};

} // namespace

TEST_F(WrapperState, ReadsAndWrites) {
  run(instance, 1);
  auto values = instance.state().read<float>(name);
  ASSERT_EQ(errorOf(values), "");
  EXPECT_THAT(*values, ElementsAre(0, 1, 2, 0));
  std::vector<float> other = {5, 6, 7, 8};
  ASSERT_EQ(errorOf(instance.state().write(name, other)), "");
  EXPECT_THAT(run(instance, 2), ElementsAre(5, 6, 1, 2));
  ASSERT_EQ(errorOf(instance.state().reset()), "");
  EXPECT_THAT(*instance.state().read<float>(name), ElementsAre(0, 0, 0, 0));
}

TEST_F(WrapperState, Files) {
  TemporaryFolder folder;
  std::string path = folder.path("state.safetensors");
  run(instance, 1);
  ASSERT_EQ(errorOf(instance.state().save(path)), "");
  Instance other = makeInstance(model);
  ASSERT_EQ(errorOf(other.state().load(path)), "");
  EXPECT_THAT(run(other, 2), ElementsAre(0, 1, 1, 2));
  EXPECT_THAT(errorOf(other.state().load(folder.path("none"))),
              HasSubstr("none"));
  EXPECT_THAT(errorOf(other.state().save(folder.path("none/x"))),
              HasSubstr("none/x"));
}

TEST_F(WrapperState, Shared) {
  hamkaas::InstanceOptions options;
  options.stateOf = &instance;
  options.constantsOf = &instance;
  Instance other = makeInstance(model, options);
  run(instance, 0);
  EXPECT_THAT(run(other, 2), ElementsAre(1, 2, 1, 2));
}

TEST_F(WrapperState, WrongTensors) {
  std::vector<float> three(3);
  std::vector<int64_t> numbers(4);
  EXPECT_EQ(errorOf(instance.state().read<float>("none")),
            "the model has no state 'none'");
  EXPECT_EQ(errorOf(instance.state().write("none", three)),
            "the model has no state 'none'");
  std::string begin = "state '" + name + "': expected 4 float32 elements, got ";
  EXPECT_EQ(errorOf(instance.state().read<int64_t>(name)),
            begin + "4 int64 elements");
  EXPECT_EQ(errorOf(instance.state().write(name, three)),
            begin + "3 float32 elements");
  EXPECT_EQ(errorOf(instance.state().write(name, numbers)),
            begin + "4 int64 elements");
}

//===----------------------------------------------------------------------===//
// Element types
//===----------------------------------------------------------------------===//

// Each type of C++ is one of the library's, which has its size.
TEST(Wrapper, ElementTypes) {
  auto describe = [](const hamkaas::Input &input) {
    return hamkaas::detail::describe(input.type, input.elements);
  };
  EXPECT_EQ(describe({"x", std::vector<float>(2)}), "2 float32 elements");
  EXPECT_EQ(describe({"x", std::vector<int64_t>(2)}), "2 int64 elements");
  EXPECT_EQ(describe({"x", std::vector<double>(2)}), "2 float64 elements");
  EXPECT_EQ(describe({"x", std::vector<hamkaas::Float16>(2)}),
            "2 float16 elements");
  EXPECT_EQ(describe({"x", std::vector<hamkaas::BFloat16>(2)}),
            "2 bfloat16 elements");
  EXPECT_EQ(describe({"x", std::vector<int32_t>(2)}), "2 int32 elements");
  EXPECT_EQ(describe({"x", std::vector<int16_t>(2)}), "2 int16 elements");
  EXPECT_EQ(describe({"x", std::vector<int8_t>(2)}), "2 int8 elements");
  EXPECT_EQ(describe({"x", std::vector<uint8_t>(2)}), "2 uint8 elements");
  EXPECT_EQ(describe({"x", std::vector<uint16_t>(2)}), "2 uint16 elements");
  EXPECT_EQ(describe({"x", std::vector<uint32_t>(2)}), "2 uint32 elements");
  EXPECT_EQ(describe({"x", std::vector<uint64_t>(2)}), "2 uint64 elements");
  EXPECT_EQ(describe({"x", std::array<bool, 1>()}), "1 bool element");
}

TEST(Wrapper, ElementTypesHaveTheirSizes) {
#define EXPECT_SIZE(T, type)                                                   \
  EXPECT_EQ(hamkaas::detail::elementTypeInfo(type).size, sizeof(T)) << #T;     \
  EXPECT_EQ(hamkaas::ElementTypeOf<T>::value, type);
  using namespace hamkaas;
  HAMKAAS_CPP_ELEMENT_TYPES(EXPECT_SIZE)
#undef EXPECT_SIZE
}

//===----------------------------------------------------------------------===//
// Entry functions
//===----------------------------------------------------------------------===//

static constexpr const char *functionsGraph = R"(module {
ml_program.global private @bias(#ml_program.extern : tensor<4xf32>) : tensor<4xf32>
ml_program.global private mutable @sum(dense<0.0> : tensor<4xf32>) : tensor<4xf32>
func.func @set(%x: tensor<4xf32> {hamkaas.name = "x"}) -> (tensor<4xf32> {hamkaas.name = "y"}) {
  %b = ml_program.global_load_const @bias : tensor<4xf32>
  %y = hamkaas.add %x, %b : tensor<4xf32>, tensor<4xf32>
  ml_program.global_store @sum = %y : tensor<4xf32>
  return %y : tensor<4xf32>
}
func.func @next() -> (tensor<4xf32> {hamkaas.name = "z"}) {
  %b = ml_program.global_load_const @bias : tensor<4xf32>
  %s = ml_program.global_load @sum : tensor<4xf32>
  %z = hamkaas.add %s, %b : tensor<4xf32>, tensor<4xf32>
  ml_program.global_store @sum = %z : tensor<4xf32>
  return %z : tensor<4xf32>
}
})";

TEST(Wrapper, FunctionTables) {
  Model model = makeModel(functionsGraph);
  EXPECT_THAT(model.functions(), ElementsAre("set", "next"));
  EXPECT_EQ(model.inputs().size(), 1u);
  auto next = model.function("next");
  ASSERT_EQ(errorOf(next), "");
  EXPECT_EQ((*next)->inputCount, 0);
  EXPECT_STREQ((*next)->outputs[0].name, "z");
  EXPECT_EQ(errorOf(model.function("last")),
            "the model has no function 'last'");
  EXPECT_THAT(makeModel(addScript).functions(), ElementsAre("main"));
}

/// One function stores what the other loads, compiled and interpreted.
TEST(Wrapper, FunctionsShareState) {
  Model model = makeModel(functionsGraph);
  for (const char *device : {"cpu", "reference"}) {
    hamkaas::InstanceOptions options;
    options.device = device;
    options.parameters = {{"bias", bias}};
    options.profile = std::string_view(device) == "cpu";
    Instance instance = makeInstance(model, options);
    std::vector<float> x = {10, 20, 30, 40}, y(4), z(4);
    auto next = instance.function("next");
    ASSERT_EQ(errorOf(next), "");
    EXPECT_EQ(next->name(), "next");
    EXPECT_EQ(errorOf(next->run({}, {{"z", z}})), "");
    EXPECT_THAT(z, ElementsAre(1, 2, 3, -4));
    EXPECT_EQ(errorOf(instance.run({{"x", x}}, {{"y", y}})), "");
    EXPECT_THAT(y, ElementsAre(11, 22, 33, 36));
    EXPECT_EQ(errorOf(next->run({}, {{"z", z}})), "");
    EXPECT_THAT(z, ElementsAre(12, 24, 36, 32));
    auto set = instance.function("set");
    ASSERT_EQ(errorOf(set), "");
    EXPECT_EQ(errorOf(set->run({{"x", x}}, {{"y", y}})), "");
    EXPECT_THAT(y, ElementsAre(11, 22, 33, 36));
    EXPECT_EQ(errorOf(next->run({{"x", x}}, {{"z", z}})),
              "the model has no input 'x'");
    EXPECT_EQ(errorOf(instance.function("last")),
              "the model has no function 'last'");
    if (options.profile)
      EXPECT_EQ(next->profile()[0].runs, 2u);
  }
}
