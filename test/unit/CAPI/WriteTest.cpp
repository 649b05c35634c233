//===- WriteTest.cpp - Programs of their own from C -------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Models.h"

using namespace hamkaas::test;
using ::testing::HasSubstr;
using ::testing::StartsWith;

namespace {

const float bias[] = {1, 2, 3, -4};

class Write : public ::testing::Test {
protected:
  std::string write(const std::string &name,
                    std::vector<HamKaasNamedData> parameters = {},
                    const char *weightsFile = nullptr) {
    HamKaasWriteOptions options = {};
    options.structSize = sizeof(options);
    options.parameters = parameters.data();
    options.parameterCount = int32_t(parameters.size());
    options.weightsFile = weightsFile;
    return takeText(
        HamKaasModelWrite(model.get(), folder.path(name).c_str(), &options));
  }

  TemporaryFolder folder;
  OwnedModel model = compile(addScript);
};

} // namespace

TEST_F(Write, EmbeddedParameters) {
  ASSERT_EQ(write("adder.so", {{"bias", bias, sizeof(bias)}}), "");
  EXPECT_THAT(folder.read("adder.h"), HasSubstr("adder_run("));
  OwnedModel loaded = load(folder.path("adder.so"));
  HamKaasInstance *instance = nullptr;
  ASSERT_EQ(
      takeText(HamKaasModelCreateInstance(loaded.get(), nullptr, &instance)),
      "");
  OwnedInstance owned(instance);
  // The code stays as long as the instance does, whatever becomes of the model
  // and of the file.
  loaded.reset();
  std::filesystem::remove(folder.path("adder.so"));
  EXPECT_EQ(runAdder(instance), adderResult);
}

TEST_F(Write, ParametersOfTheCaller) {
  ASSERT_EQ(write("adder.so"), "");
  OwnedModel loaded = load(folder.path("adder.so"));
  OwnedInstance instance = createAdder(loaded.get());
  EXPECT_EQ(runAdder(instance.get()), adderResult);
}

TEST_F(Write, Kinds) {
  EXPECT_EQ(write("adder.o"), "");
  EXPECT_EQ(write("adder.a"), "");
  EXPECT_GT(folder.read("adder.o").size(), 0u);
  EXPECT_GT(folder.read("adder.a").size(), 0u);
  EXPECT_EQ(write("adder.exe"), "expected a path that ends in .so, .o or .a, "
                                "got '" +
                                    folder.path("adder.exe") + "'");
}

TEST_F(Write, Null) {
  EXPECT_EQ(takeText(HamKaasModelWrite(model.get(), nullptr, nullptr)),
            "expected a path, got null");
  EXPECT_EQ(takeText(HamKaasModelWrite(model.get(), "\xff.so", nullptr)),
            "expected a path in UTF-8, got the byte 0xff at offset 0");
}

TEST_F(Write, Sizes) {
  HamKaasWriteOptions options = {};
  constexpr size_t oldest = offsetof(HamKaasWriteOptions, target);
  for (size_t size : {size_t{0}, oldest - 1, SIZE_MAX}) {
    options.structSize = size;
    EXPECT_EQ(takeText(HamKaasModelWrite(model.get(), "x.so", &options)),
              "expected the size of HamKaasWriteOptions, " +
                  std::to_string(sizeof(options)) + ", in structSize, got " +
                  std::to_string(size));
  }
}

// Fields that a caller of version 1.2 does not know are not read.
TEST_F(Write, OlderCallers) {
  HamKaasWriteOptions options = {};
  options.structSize = offsetof(HamKaasWriteOptions, target);
  options.target = options.gpuArch = "\xff";
  std::string path = folder.path("older.so");
  EXPECT_EQ(takeText(HamKaasModelWrite(model.get(), path.c_str(), &options)),
            "");
}

TEST_F(Write, Targets) {
  HamKaasWriteOptions options = {};
  options.structSize = sizeof(options);
  std::string path = folder.path("adder.so");
  auto write = [&] {
    return takeText(HamKaasModelWrite(model.get(), path.c_str(), &options));
  };
  options.target = "\xff";
  EXPECT_EQ(write(), ".target: expected UTF-8, got the byte 0xff at "
                     "offset 0");
  options.target = "tpu";
  EXPECT_THAT(write(), HasSubstr("'tpu'"));
  options.target = "cpu,cuda";
  options.gpuArch = "sm_20";
  EXPECT_THAT(write(), HasSubstr("'sm_20'"));
  options.target = nullptr;
  EXPECT_THAT(write(), HasSubstr("'sm_20'"));
  options.target = "cpu,cuda";
  EXPECT_EQ(folder.fileCount(), 0u);
  options.gpuArch = "compute_90";
  options.precision = "\xff";
  EXPECT_EQ(write(), ".precision: expected UTF-8, got the byte 0xff at "
                     "offset 0");
  options.precision = "3xtf32";
  options.engine = "\xff";
  EXPECT_EQ(write(), ".engine: expected UTF-8, got the byte 0xff at "
                     "offset 0");
  options.engine = "cublaslt";
  ASSERT_EQ(write(), "");
  OwnedModel loaded = load(path);
  const HamKaasProgram *program = nullptr;
  ASSERT_EQ(takeText(HamKaasModelGetProgram(loaded.get(), &program)), "");
  EXPECT_NE(program->run, nullptr);
  ASSERT_NE(program->deviceCode, nullptr);
  EXPECT_STREQ(program->deviceCode->architecture, "sm_90");
  EXPECT_STREQ(program->deviceCode->precision, "3xtf32");
}

TEST_F(Write, Counts) {
  HamKaasWriteOptions options = {};
  options.structSize = sizeof(options);
  options.parameterCount = -1;
  EXPECT_EQ(takeText(HamKaasModelWrite(model.get(), "x.so", &options)),
            "expected a parameterCount of at least 0, got -1");
  options.parameterCount = INT32_MAX;
  EXPECT_EQ(takeText(HamKaasModelWrite(model.get(), "x.so", &options)),
            "expected 2147483647 parameters, got null");
}

TEST_F(Write, WrongParameters) {
  EXPECT_EQ(write("x.so", {{"bias", bias, 15}}),
            "parameter 'bias': expected 16 bytes, got 15");
  EXPECT_EQ(write("x.so", {{"bias", nullptr, 16}}),
            "parameter 'bias': expected data, got null");
  EXPECT_EQ(write("x.so", {{nullptr, bias, 16}}),
            "expected a name of a parameter, got null");
  EXPECT_EQ(write("x.so", {{"bias", bias, 16}, {"bias", bias, 16}}),
            "parameter 'bias' is given twice");
  EXPECT_EQ(write("x.so", {{"b", bias, 16}}), "parameter 'bias' is missing\n"
                                              "model 'x' has no parameter 'b'");
  EXPECT_EQ(write("x.so", {{"bias", bias, 16}}, "w.safetensors"),
            "expected parameters or a weightsFile, got both");
  EXPECT_THAT(write("x.so", {}, "/none.safetensors"),
              HasSubstr("/none.safetensors"));
  EXPECT_EQ(folder.fileCount(), 0u);
}

TEST_F(Write, TargetCpu) {
  HamKaasWriteOptions options = {};
  options.structSize = sizeof(options);
  options.targetCpu = "x86-64";
  std::string path = folder.path("adder.so");
  ASSERT_EQ(takeText(HamKaasModelWrite(model.get(), path.c_str(), &options)),
            "");
  OwnedModel loaded = load(path);
  const HamKaasProgram *program = nullptr;
  ASSERT_EQ(takeText(HamKaasModelGetProgram(loaded.get(), &program)), "");
  EXPECT_EQ(program->isaLevel, HamKaasIsaX86_64_V1);
  options.targetCpu = "z80";
  EXPECT_THAT(takeText(HamKaasModelWrite(model.get(), path.c_str(), &options)),
              HasSubstr("'z80'"));
}

TEST_F(Write, UnwritableOutputs) {
  std::filesystem::create_directory(folder.path("folder.so"));
  EXPECT_EQ(write("none/x.so"), "cannot write '" + folder.path("none/x.so") +
                                    "': No such file or directory");
  EXPECT_EQ(write("folder.so"),
            "cannot write '" + folder.path("folder.so") + "': Is a directory");
  std::filesystem::create_symlink("/dev/full", folder.path("full.so"));
  EXPECT_EQ(write("full.so"), "cannot write '" + folder.path("full.so") +
                                  "': No space left on device");
  EXPECT_EQ(folder.fileCount(), 2u);
}

TEST_F(Write, LoadedLibrariesSayLess) {
  ASSERT_EQ(write("adder.so"), "");
  OwnedModel loaded = load(folder.path("adder.so"));
  EXPECT_EQ(takeText(HamKaasModelWrite(loaded.get(), "x.so", nullptr)),
            "a model that was loaded from a library is written already");
  EXPECT_THAT(describe(loaded.get(), HamKaasDescribeReport),
              StartsWith("adder for "));
  EXPECT_THAT(describe(loaded.get(), HamKaasDescribeReportJson),
              HasSubstr("\"bias\""));
  EXPECT_EQ(describe(loaded.get(), HamKaasDescribePlanSvg),
            "a compiled library does not say how its workspace is used, so "
            "there is no drawing");
  for (int32_t description :
       {HamKaasDescribeGraphSvg, HamKaasDescribeGraph, HamKaasDescribeScript,
        HamKaasDescribeUnfoldedGraphSvg})
    EXPECT_EQ(describe(loaded.get(), description),
              "a compiled library has no graph any more");
}

TEST_F(Write, LoadedLibrariesHaveNoReference) {
  ASSERT_EQ(write("adder.so"), "");
  OwnedModel loaded = load(folder.path("adder.so"));
  HamKaasInstanceOptions options = {};
  options.structSize = sizeof(options);
  options.device = "reference";
  HamKaasInstance *instance = nullptr;
  EXPECT_EQ(
      takeText(HamKaasModelCreateInstance(loaded.get(), &options, &instance)),
      "device 'reference' interprets a graph, and a compiled library has none "
      "any more");
}

TEST_F(Write, LoadedLibrariesTakeNoOptions) {
  ASSERT_EQ(write("adder.so"), "");
  std::string path = folder.path("adder.so");
  HamKaasCompileOptions options = compileOptions();
  EXPECT_EQ(loadError(path, &options), "");
  options.unchecked = 1;
  EXPECT_EQ(
      loadError(path, &options),
      ".unchecked: expected a model to compile, got the compiled model '" +
          path + "'");
}

// A library that ends early is an error at every length, not a crash.
TEST_F(Write, CutLibraries) {
  ASSERT_EQ(write("adder.so", {{"bias", bias, sizeof(bias)}}), "");
  std::string whole = folder.read("adder.so");
  // NOTE: names that differ, because a library of a name is loaded once.
  size_t step = whole.size() / 40;
  for (size_t size = 4; size + 1 < whole.size(); size += step) {
    std::string path = folder.write("cut" + std::to_string(size) + ".so",
                                    whole.substr(0, size));
    // The tables at the end are for linkers and debuggers: without them the
    // library still runs.
    std::string error = loadError(path);
    if (size < whole.size() / 2)
      EXPECT_THAT(error, StartsWith("cannot load '" + path + "': "));
  }
}

// ELF files that are no models.
TEST_F(Write, OtherLibraries) {
  EXPECT_THAT(loadError("/proc/self/exe"),
              StartsWith("cannot load '/proc/self/exe': "));
  ASSERT_EQ(write("adder.o"), "");
  std::string object = folder.path("adder.o");
  EXPECT_THAT(loadError(object), StartsWith("cannot load '" + object + "': "));
}
