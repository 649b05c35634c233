//===- Models.h - Models for the tests of the C interface -------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_TEST_UNIT_CAPI_MODELS_H
#define HAMKAAS_TEST_UNIT_CAPI_MODELS_H

#include "../Runtime/TemporaryFolder.h"
#include "../Runtime/Text.h"
#include "hamkaas-c/Compiler.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include <memory>
#include <string>
#include <vector>

namespace hamkaas::test {

/// result[i] = max(0, x[i] + bias[i]); `bias` is a parameter.
inline constexpr char addScript[] =
    "$1 = InputTensor(x, float32, [2, 2]);\n"
    "$2 = ConstantTensor(bias, float32, [2, 2]);\n"
    "$3 = SumNode($1, $2);\n"
    "$4 = ReLUNode($3);\n"
    "result = $4;\n";

/// Rows [start, end) of the state become x; the result is the state.
inline constexpr char stateScript[] = "$1 = BufferTensor(float32, [4]);\n"
                                      "$2 = InputTensor(x, float32, [2]);\n"
                                      "$3 = InputTensor(start, int64, [1]);\n"
                                      "$4 = InputTensor(end, int64, [1]);\n"
                                      "$5 = ReplaceSliceNode($1, $2, $3, $4);\n"
                                      "result = $5;\n";

/// Results x and y, which no script of version 1 or 2 can express.
inline constexpr char twoResults[] =
    "func.func @main(%x: tensor<2xf32> {hamkaas.name = \"x\"},\n"
    "                %y: tensor<2xf32> {hamkaas.name = \"y\"})\n"
    "    -> (tensor<2xf32> {hamkaas.name = \"a\"},\n"
    "        tensor<2xf32> {hamkaas.name = \"b\"}) {\n"
    "  return %x, %y : tensor<2xf32>, tensor<2xf32>\n"
    "}\n";

/// A model that destroys itself.
struct DestroyModel {
  void operator()(HamKaasModel *model) const {
    EXPECT_EQ(takeText(HamKaasModelDestroy(model)), "");
  }
};
using OwnedModel = std::unique_ptr<HamKaasModel, DestroyModel>;

struct DestroyInstance {
  void operator()(HamKaasInstance *instance) const {
    HamKaasInstanceDestroy(instance);
  }
};
using OwnedInstance = std::unique_ptr<HamKaasInstance, DestroyInstance>;

inline HamKaasCompileOptions compileOptions() {
  HamKaasCompileOptions options = {};
  options.structSize = sizeof(options);
  return options;
}

/// The error of HamKaasModelCompile, empty on success.
inline std::string
compileError(const std::string &source,
             const HamKaasCompileOptions *options = nullptr) {
  HamKaasModel *model = nullptr;
  std::string text = takeText(
      HamKaasModelCompile(source.data(), source.size(), options, &model));
  EXPECT_EQ(model == nullptr, !text.empty());
  OwnedModel owned(model);
  return text;
}

inline OwnedModel compile(const std::string &source,
                          const HamKaasCompileOptions *options = nullptr) {
  HamKaasModel *model = nullptr;
  EXPECT_EQ(takeText(HamKaasModelCompile(source.data(), source.size(), options,
                                         &model)),
            "");
  return OwnedModel(model);
}

/// The error of HamKaasModelLoad, empty on success.
inline std::string loadError(const std::string &path,
                             const HamKaasCompileOptions *options = nullptr) {
  HamKaasModel *model = nullptr;
  std::string text = takeText(HamKaasModelLoad(path.c_str(), options, &model));
  EXPECT_EQ(model == nullptr, !text.empty());
  OwnedModel owned(model);
  return text;
}

inline OwnedModel load(const std::string &path) {
  HamKaasModel *model = nullptr;
  EXPECT_EQ(takeText(HamKaasModelLoad(path.c_str(), nullptr, &model)), "");
  return OwnedModel(model);
}

/// The description, or the error.
inline std::string describe(HamKaasModel *model, int32_t description) {
  char *text = nullptr;
  std::string error = takeText(HamKaasModelDescribe(model, description, &text));
  EXPECT_EQ(text == nullptr, !error.empty());
  std::string described = text ? text : error;
  HamKaasTextFree(text);
  return described;
}

/// An instance of addScript.
inline OwnedInstance createAdder(HamKaasModel *model,
                                 const char *device = nullptr) {
  const float bias[] = {1, 2, 3, -4};
  HamKaasNamedData parameter = {"bias", bias, sizeof(bias)};
  HamKaasInstanceOptions options = {};
  options.structSize = sizeof(options);
  options.device = device;
  options.threads = 1;
  options.parameters = &parameter;
  options.parameterCount = 1;
  HamKaasInstance *instance = nullptr;
  EXPECT_EQ(takeText(HamKaasModelCreateInstance(model, &options, &instance)),
            "");
  return OwnedInstance(instance);
}

/// The result of addScript for 10, 20, 30, -40.
inline std::vector<float> runAdder(HamKaasInstance *instance) {
  const float x[] = {10, 20, 30, -40};
  std::vector<float> result(4);
  const void *inputs[] = {x};
  void *outputs[] = {result.data()};
  EXPECT_EQ(takeText(HamKaasInstanceRun(instance, inputs, outputs)), "");
  return result;
}

inline const std::vector<float> adderResult = {11, 22, 33, 0};

} // namespace hamkaas::test

#endif // HAMKAAS_TEST_UNIT_CAPI_MODELS_H
