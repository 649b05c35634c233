//===- ModelTest.cpp - Handles of models, and their instances ---*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Models.h"

using namespace hamkaas::test;
using ::testing::HasSubstr;
using ::testing::StartsWith;

//===----------------------------------------------------------------------===//
// Handles
//===----------------------------------------------------------------------===//

namespace {

/// The error of all functions that take a model, about `handle`.
std::string errorOf(HamKaasModel *handle) {
  const HamKaasProgram *program = nullptr;
  std::string error = takeText(HamKaasModelGetProgram(handle, &program));
  HamKaasInstance *instance = nullptr;
  EXPECT_EQ(takeText(HamKaasModelCreateInstance(handle, nullptr, &instance)),
            error);
  char *text = nullptr;
  EXPECT_EQ(takeText(HamKaasModelDescribe(handle, 0, &text)), error);
  EXPECT_EQ(takeText(HamKaasModelWrite(handle, "x.so", nullptr)), error);
  EXPECT_EQ(program, nullptr);
  EXPECT_EQ(instance, nullptr);
  EXPECT_EQ(text, nullptr);
  if (handle)
    EXPECT_EQ(takeText(HamKaasModelDestroy(handle)), error);
  return error;
}

} // namespace

TEST(ModelHandle, Null) {
  EXPECT_EQ(errorOf(nullptr), "expected a model, got null");
}

TEST(ModelHandle, Destroyed) {
  HamKaasModel *model = compile(addScript).release();
  EXPECT_EQ(takeText(HamKaasModelDestroy(model)), "");
  EXPECT_EQ(errorOf(model),
            "expected a model, got a handle that was destroyed");
  // Also when another model has come to its place.
  OwnedModel other = compile(addScript);
  EXPECT_EQ(errorOf(model),
            "expected a model, got a handle that was destroyed");
}

TEST(ModelHandle, NoHandle) {
  int onStack = 0;
  for (void *address :
       {static_cast<void *>(&onStack), reinterpret_cast<void *>(1),
        reinterpret_cast<void *>(-1)})
    EXPECT_EQ(errorOf(static_cast<HamKaasModel *>(address)),
              "expected a model, got an address that is no handle");
}

TEST(ModelHandle, OfAnotherKind) {
  OwnedModel model = compile(addScript);
  OwnedInstance instance = createAdder(model.get());
  EXPECT_EQ(errorOf(reinterpret_cast<HamKaasModel *>(instance.get())),
            "expected a model, got a handle of another kind");
  EXPECT_THAT(takeText(HamKaasInstanceResetState(
                  reinterpret_cast<HamKaasInstance *>(model.get()))),
              StartsWith("expected an instance, got "));
  // Neither did harm.
  EXPECT_EQ(runAdder(instance.get()), adderResult);
}

TEST(ModelHandle, NoPlaces) {
  OwnedModel model = compile(addScript);
  EXPECT_EQ(takeText(HamKaasModelGetProgram(model.get(), nullptr)),
            "expected a place for the program, got null");
  EXPECT_EQ(takeText(HamKaasModelCreateInstance(model.get(), nullptr, nullptr)),
            "expected a place for the instance, got null");
}

//===----------------------------------------------------------------------===//
// Instances
//===----------------------------------------------------------------------===//

TEST(ModelInstance, Tables) {
  OwnedModel model = compile(stateScript);
  const HamKaasProgram *program = nullptr;
  ASSERT_EQ(takeText(HamKaasModelGetProgram(model.get(), &program)), "");
  EXPECT_EQ(program->inputCount, 3);
  EXPECT_EQ(program->outputCount, 1);
  EXPECT_EQ(program->parameterCount, 0);
  ASSERT_EQ(program->stateCount, 1);
  EXPECT_EQ(program->states[0].bytes, 16u);
}

TEST(ModelInstance, Runs) {
  OwnedModel model = compile(addScript);
  OwnedInstance instance = createAdder(model.get());
  EXPECT_EQ(runAdder(instance.get()), adderResult);
}

TEST(ModelInstance, OutlivesTheModel) {
  OwnedModel model = compile(addScript);
  OwnedInstance first = createAdder(model.get());
  OwnedInstance second = createAdder(model.get());
  model.reset();
  EXPECT_EQ(runAdder(first.get()), adderResult);
  first.reset();
  EXPECT_EQ(runAdder(second.get()), adderResult);
}

TEST(ModelInstance, WrongParameters) {
  OwnedModel model = compile(addScript);
  const float bias[4] = {};
  auto errorOf = [&](std::vector<HamKaasNamedData> parameters) {
    HamKaasInstanceOptions options = {};
    options.structSize = sizeof(options);
    options.parameters = parameters.data();
    options.parameterCount = int32_t(parameters.size());
    HamKaasInstance *instance = nullptr;
    std::string error =
        takeText(HamKaasModelCreateInstance(model.get(), &options, &instance));
    EXPECT_EQ(instance, nullptr);
    return error;
  };
  EXPECT_THAT(errorOf({}), HasSubstr("missing parameters 'bias'"));
  EXPECT_THAT(errorOf({{"bias", bias, 15}}), HasSubstr("15"));
  EXPECT_THAT(errorOf({{"bias", nullptr, 16}}), HasSubstr("has no data"));
  EXPECT_THAT(errorOf({{nullptr, bias, 16}}), HasSubstr("has no name"));
  EXPECT_THAT(errorOf({{"bias", bias, 16}, {"bias", bias, 16}}),
              HasSubstr("bias"));
  EXPECT_THAT(errorOf({{"bias", bias, 16}, {"b", bias, 16}}), HasSubstr("'b'"));
}

TEST(ModelInstance, StateIsItsOwn) {
  OwnedModel model = compile(stateScript);
  HamKaasInstance *handles[2] = {};
  for (HamKaasInstance *&handle : handles)
    ASSERT_EQ(
        takeText(HamKaasModelCreateInstance(model.get(), nullptr, &handle)),
        "");
  OwnedInstance first(handles[0]), second(handles[1]);
  float x[2] = {1, 2}, result[4];
  int64_t start = 2, end = 4;
  const void *inputs[] = {x, &start, &end};
  void *outputs[] = {result};
  ASSERT_EQ(takeText(HamKaasInstanceRun(first.get(), inputs, outputs)), "");
  EXPECT_THAT(result, ::testing::ElementsAre(0, 0, 1, 2));
  start = 0, end = 2;
  ASSERT_EQ(takeText(HamKaasInstanceRun(second.get(), inputs, outputs)), "");
  EXPECT_THAT(result, ::testing::ElementsAre(1, 2, 0, 0));
}

//===----------------------------------------------------------------------===//
// Devices
//===----------------------------------------------------------------------===//

TEST(ModelInstance, Devices) {
  OwnedModel model = compile(addScript);
  for (const char *device : {"cpu", "best", "reference"})
    EXPECT_EQ(runAdder(createAdder(model.get(), device).get()), adderResult);
  HamKaasInstanceOptions options = {};
  options.structSize = sizeof(options);
  options.device = "abacus";
  HamKaasInstance *instance = nullptr;
  EXPECT_THAT(
      takeText(HamKaasModelCreateInstance(model.get(), &options, &instance)),
      HasSubstr("'abacus'"));
}

TEST(ModelInstance, ReferenceOutlivesTheModel) {
  OwnedModel model = compile(addScript);
  OwnedInstance first = createAdder(model.get(), "reference");
  OwnedInstance second = createAdder(model.get(), "reference");
  model.reset();
  EXPECT_EQ(runAdder(first.get()), adderResult);
  first.reset();
  EXPECT_EQ(runAdder(second.get()), adderResult);
}

// Both devices keep state and make the same checks.
TEST(ModelInstance, ReferenceState) {
  OwnedModel model = compile(stateScript);
  HamKaasInstanceOptions options = {};
  options.structSize = sizeof(options);
  options.device = "reference";
  HamKaasInstance *instance = nullptr;
  ASSERT_EQ(
      takeText(HamKaasModelCreateInstance(model.get(), &options, &instance)),
      "");
  OwnedInstance owned(instance);
  float x[2] = {1, 2}, result[4], state[4];
  int64_t start = 2, end = 4;
  const void *inputs[] = {x, &start, &end};
  void *outputs[] = {result};
  ASSERT_EQ(takeText(HamKaasInstanceRun(instance, inputs, outputs)), "");
  EXPECT_THAT(result, ::testing::ElementsAre(0, 0, 1, 2));
  end = 5;
  EXPECT_THAT(takeText(HamKaasInstanceRun(instance, inputs, outputs)),
              StartsWith("model:5:1: error: expected "));
  const HamKaasProgram *program = nullptr;
  ASSERT_EQ(takeText(HamKaasModelGetProgram(model.get(), &program)), "");
  ASSERT_EQ(takeText(HamKaasInstanceReadState(instance, program->states[0].name,
                                              state, sizeof(state))),
            "");
  EXPECT_THAT(state, ::testing::ElementsAre(0, 0, 1, 2));
}
