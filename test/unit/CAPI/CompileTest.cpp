//===- CompileTest.cpp - Compiling and loading models from C ----*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Models.h"

#include <climits>

using namespace hamkaas::test;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;
//===----------------------------------------------------------------------===//
// Versions
//===----------------------------------------------------------------------===//

TEST(Versions, AreThoseOfTheHeader) {
  EXPECT_EQ(HamKaasInterfaceVersion(),
            1000 * HAMKAAS_C_VERSION_MAJOR + HAMKAAS_C_VERSION_MINOR);
  EXPECT_THAT(HamKaasCompilerVersion(), StartsWith("HamKaas "));
}

//===----------------------------------------------------------------------===//
// Sources
//===----------------------------------------------------------------------===//

TEST(Compile, Null) {
  HamKaasModel *model = nullptr;
  EXPECT_EQ(takeText(HamKaasModelCompile(nullptr, 3, nullptr, &model)),
            "expected the text of a model, got null");
  EXPECT_EQ(takeText(HamKaasModelCompile("x", 1, nullptr, nullptr)),
            "expected a place for the model, got null");
  EXPECT_EQ(takeText(HamKaasModelLoad(nullptr, nullptr, &model)),
            "expected a path, got null");
  EXPECT_EQ(takeText(HamKaasModelLoad("x", nullptr, nullptr)),
            "expected a place for the model, got null");
  EXPECT_EQ(takeText(HamKaasModelDestroy(nullptr)), "");
  HamKaasErrorFree(nullptr);
  HamKaasTextFree(nullptr);
}

TEST(Compile, FailureClearsTheModel) {
  auto *model = reinterpret_cast<HamKaasModel *>(&errno);
  EXPECT_NE(takeText(HamKaasModelCompile("x", 1, nullptr, &model)), "");
  EXPECT_EQ(model, nullptr);
}

TEST(Compile, SourcesWithoutAModel) {
  EXPECT_EQ(compileError(""), "expected the text of a model, got 0 bytes");
  EXPECT_EQ(compileError("\xEF\xBB\xBF"),
            "expected the text of a model, got 3 bytes");
  EXPECT_EQ(compileError(std::string("$1\0", 3)),
            "model:1:3: error: expected text in UTF-8, got the byte 0x00");
  EXPECT_EQ(compileError("\x7f"
                         "ELF..."),
            "model: error: expected a script, MLIR text, an ONNX or a GGUF "
            "model, got an ELF file, such as a library");
  EXPECT_THAT(compileError("\n\n"), HasSubstr("expected 'result"));
  EXPECT_THAT(compileError("module {}"),
              HasSubstr("expected a function @main"));
  EXPECT_EQ(compileError("$1 = InputTensor(\xff, float32, [2]);\n"),
            "model:1:18: error: expected text in UTF-8, got the byte 0xff");
}

// The size is not believed before it is possible.
TEST(Compile, HugeSizes) {
  HamKaasModel *model = nullptr;
  for (uint64_t bytes :
       {uint64_t{INT32_MAX} + 1, uint64_t{INT64_MAX}, UINT64_MAX})
    EXPECT_EQ(
        takeText(HamKaasModelCompile("$1", bytes, nullptr, &model)),
        "expected the text of a model with at most 2147483647 bytes, got " +
            std::to_string(bytes));
}

TEST(Compile, ReadsNoMoreThanItsBytes) {
  std::string source = addScript;
  std::vector<char> exact(source.begin(), source.end());
  HamKaasModel *model = nullptr;
  ASSERT_EQ(takeText(HamKaasModelCompile(exact.data(), exact.size(), nullptr,
                                         &model)),
            "");
  OwnedModel owned(model);
}

TEST(Compile, ByteOrderMark) {
  EXPECT_EQ(compileError(std::string("\xEF\xBB\xBF") + addScript), "");
}

TEST(Compile, NestedMlir) {
  auto nest = [](const std::string &begin, const std::string &open,
                 const std::string &middle, const std::string &close,
                 const std::string &end) {
    std::string text = begin;
    for (int i = 0; i < 100000; ++i)
      text += open;
    text += middle;
    for (int i = 0; i < 100000; ++i)
      text += close;
    return text + end;
  };
  for (const std::string &source :
       {nest("module attributes {a = ", "[", "", "]", "} {}"),
        nest("#map = affine_map<(d0) -> (", "(", "d0", ")", ")>\nmodule {}"),
        nest("#map = affine_map<(d0) -> (d0", " + d0", "", "", ")>\nmodule {}"),
        nest("#map = affine_map<(d0) -> (", "-", "d0", "", ")>\nmodule {}"),
        nest("", "module {", "", "}", ""),
        nest("module attributes {a = ", "tuple<", "i32", ">", "} {}")}) {
    std::string error = compileError(source);
    EXPECT_THAT(error, StartsWith("model:"));
    EXPECT_THAT(error, EndsWith("got MLIR that nests too deep"));
  }
}

TEST(Compile, NestedMlirAliases) {
  auto nested = [](int depth) {
    std::string text = "#a0 = []\n";
    for (int i = 1; i <= depth; ++i)
      text +=
          "#a" + std::to_string(i) + " = [#a" + std::to_string(i - 1) + "]\n";
    return text + "module attributes {test.a = #a" + std::to_string(depth) +
           ", test.b = #a" + std::to_string(depth) + "} {}\n";
  };
  EXPECT_EQ(compileError(nested(200)),
            "model:202:1: error: expected a function @main");
  EXPECT_EQ(compileError(nested(50000)),
            "model:258:10: error: expected a model, got MLIR that nests too "
            "deep");
}

TEST(Compile, HundredThousandStatements) {
  std::string source = "$1 = InputTensor(x, float32, [2]);\n";
  constexpr int statements = 100000;
  for (int i = 2; i <= statements; ++i)
    source += "$" + std::to_string(i) + " = ReLUNode($" +
              std::to_string(i - 1) + ");\n";
  source += "result = $" + std::to_string(statements) + ";\n";
  EXPECT_EQ(compileError(source), "");
  EXPECT_THAT(compileError(source + "$1 = ;"),
              StartsWith("model:100002:1: error: "));
}

//===----------------------------------------------------------------------===//
// Options
//===----------------------------------------------------------------------===//

TEST(CompileOptions, Sizes) {
  HamKaasCompileOptions options = compileOptions();
  std::string expected = "expected the size of HamKaasCompileOptions, " +
                         std::to_string(sizeof(options)) +
                         ", in structSize, got ";
  constexpr size_t oldest = offsetof(HamKaasCompileOptions, dimensions);
  for (size_t size : {size_t{0}, size_t{1}, sizeof(size_t), oldest - 1,
                      size_t{4097}, SIZE_MAX}) {
    options.structSize = size;
    EXPECT_EQ(compileError(addScript, &options),
              expected + std::to_string(size));
  }
}

// Fields that a caller of version 1.0 does not know are not read.
TEST(CompileOptions, OlderCallers) {
  HamKaasCompileOptions options = compileOptions();
  options.structSize = offsetof(HamKaasCompileOptions, dimensions);
  options.constantInputCount = -1;
  options.failure = reinterpret_cast<int32_t *>(1);
  options.summary = reinterpret_cast<char **>(1);
  EXPECT_EQ(compileError(addScript, &options), "");
  EXPECT_THAT(compileError("$1", &options), HasSubstr("error: "));
}

// A model that is trained is another program than the model itself.
TEST(CompileOptions, Train) {
  HamKaasCompileOptions options = compileOptions();
  options.loss = "mse";
  EXPECT_EQ(compileError(addScript, &options), ".loss: expected .train, too");
  options.loss = "";
  options.train = 1;
  EXPECT_THAT(compileError(addScript, &options),
              StartsWith(".train: expected .loss, too, one of cross_entropy,"));
  options.loss = "mse";
  options.optimizer = "sgd:lr=2";
  OwnedModel model = compile(addScript, &options), plain = compile(addScript);
  const HamKaasProgram *program = nullptr, *other = nullptr;
  ASSERT_EQ(takeText(HamKaasModelGetProgram(model.get(), &program)), "");
  ASSERT_EQ(takeText(HamKaasModelGetProgram(plain.get(), &other)), "");
  EXPECT_NE(memcmp(program->digest, other->digest, sizeof(other->digest)), 0);
  ASSERT_EQ(HamKaasProgramFindFunction(program, "train_step"), 0);

  // The mean of 4 squares: a step of 2 with half of the distance.
  OwnedInstance instance = createAdder(model.get());
  float x[] = {1, 1, 1, 1}, labels[] = {3, 3, 3, 3}, loss = 0, bias[4];
  const void *inputs[] = {x, labels};
  void *outputs[] = {&loss};
  ASSERT_EQ(
      takeText(HamKaasInstanceRunFunction(instance.get(), 0, inputs, outputs)),
      "");
  // The sums are 2, 3, 4 and -3, the last of which is cut off.
  EXPECT_EQ(loss, (1 + 0 + 1 + 9) / 4.0f);
  ASSERT_EQ(takeText(HamKaasInstanceReadState(instance.get(), "bias", bias,
                                              sizeof(bias))),
            "");
  EXPECT_THAT(bias, ::testing::ElementsAre(2, 2, 2, -4));
}

// A newer caller's structure is longer; what this library does not know must
// not be asked for.
TEST(CompileOptions, NewerCallers) {
  struct {
    HamKaasCompileOptions options = compileOptions();
    int64_t more = 0;
  } newer;
  newer.options.structSize = sizeof(newer);
  EXPECT_EQ(compileError(addScript, &newer.options), "");
  newer.more = 1;
  EXPECT_EQ(compileError(addScript, &newer.options),
            "HamKaasCompileOptions asks for what this library, version 1.13, "
            "does not know");
}

TEST(CompileOptions, Name) {
  HamKaasCompileOptions options = compileOptions();
  options.name = "my-net.v2";
  EXPECT_THAT(compileError("$1", &options),
              StartsWith("my-net.v2:1:3: error:"));
  OwnedModel model = compile(addScript, &options);
  const HamKaasProgram *program = nullptr;
  ASSERT_EQ(takeText(HamKaasModelGetProgram(model.get(), &program)), "");
  EXPECT_STREQ(program->name, "my_net_v2");
}

TEST(CompileOptions, Targets) {
  HamKaasCompileOptions options = compileOptions();
  options.target = "cuda";
  OwnedModel model = compile(addScript, &options);
  const HamKaasProgram *program = nullptr;
  ASSERT_EQ(takeText(HamKaasModelGetProgram(model.get(), &program)), "");
  EXPECT_EQ(program->run, nullptr);
  ASSERT_NE(program->deviceCode, nullptr);
  EXPECT_STREQ(program->deviceCode->architecture, "sm_80");
  EXPECT_STREQ(program->deviceCode->precision, "exact");
  HamKaasInstance *instance = nullptr;
  EXPECT_THAT(
      takeText(HamKaasModelCreateInstance(model.get(), nullptr, &instance)),
      HasSubstr("has no code for it"));
  options.target = "tpu";
  EXPECT_THAT(compileError(addScript, &options), HasSubstr("'tpu'"));
  options.target = "\xff";
  EXPECT_EQ(compileError(addScript, &options),
            ".target: expected UTF-8, got the byte 0xff at offset 0");
  options.target = "cuda";
  options.gpuArch = "\xff";
  EXPECT_EQ(compileError(addScript, &options),
            ".gpuArch: expected UTF-8, got the byte 0xff at offset 0");
  // Also where no GPU has use for it.
  for (const char *target : {"cuda", "cpu", "cuda-emulation"}) {
    options.target = target;
    options.gpuArch = "sm_20";
    EXPECT_THAT(compileError(addScript, &options),
                StartsWith(".gpuArch: expected one of sm_80, "));
  }
  options.target = "cuda";
  options.gpuArch = nullptr;
  options.precision = "\xff";
  EXPECT_EQ(compileError(addScript, &options),
            ".precision: expected UTF-8, got the byte 0xff at offset 0");
  options.precision = "half";
  EXPECT_THAT(compileError(addScript, &options), HasSubstr("'half'"));
  options.precision = "tf32";
  model = compile(addScript, &options);
  ASSERT_EQ(takeText(HamKaasModelGetProgram(model.get(), &program)), "");
  EXPECT_STREQ(program->deviceCode->precision, "tf32");
}

TEST(CompileOptions, Engines) {
  static constexpr const char *script = "$1 = InputTensor(x, float32, [4, 8]);"
                                        "$2 = InputTensor(w, float32, [8, 2]);"
                                        "$3 = MatMulNode($1, $2);"
                                        "result = $3;";
  HamKaasCompileOptions options = compileOptions();
  options.engine = "cublaslt";
  EXPECT_THAT(compileError(script, &options),
              HasSubstr("expected a program for GPUs"));
  options.target = "cuda";
  OwnedModel model = compile(script, &options);
  const HamKaasProgram *program = nullptr;
  ASSERT_EQ(takeText(HamKaasModelGetProgram(model.get(), &program)), "");
  EXPECT_STREQ(program->calls[0].engine, "cublaslt");
  EXPECT_EQ(program->deviceCode->kernelCount, 0);
  ASSERT_EQ(program->engineCallCount, 1);
  EXPECT_STREQ(program->engineCalls[0].engine, "cublaslt");
  EXPECT_EQ(program->engineCalls[0].workspaceBytes, 32u << 20);
  EXPECT_THAT(program->engineCalls[0].group,
              HasSubstr("node matmul 0 1 : float32 4 2"));
  options.engine = "cudnn";
  EXPECT_THAT(compileError(script, &options), HasSubstr("'cudnn'"));
  options.engine = "\xff";
  EXPECT_EQ(compileError(script, &options),
            ".engine: expected UTF-8, got the byte 0xff at offset 0");
}

TEST(CompileOptions, TargetsOfDevices) {
  EXPECT_STREQ(HamKaasDeviceTarget("cpu", nullptr), "cpu");
  EXPECT_STREQ(HamKaasDeviceTarget("reference", nullptr), "cpu");
  EXPECT_STREQ(HamKaasDeviceTarget("cuda:7", nullptr), "cuda");
  EXPECT_NE(HamKaasDeviceTarget("best", "sm_80,sm_90"), nullptr);
  EXPECT_EQ(HamKaasDeviceTarget("tpu", nullptr), nullptr);
  EXPECT_EQ(HamKaasDeviceTarget(nullptr, nullptr), nullptr);
}

TEST(CompileOptions, InvalidTexts) {
  HamKaasCompileOptions options = compileOptions();
  options.name = "a\xff";
  EXPECT_EQ(compileError(addScript, &options),
            "expected a name of the model in UTF-8, got the byte 0xff at "
            "offset 1");
  options = compileOptions();
  options.targetCpu = "\xc3";
  EXPECT_EQ(compileError(addScript, &options),
            ".targetCpu: expected UTF-8, got the byte 0xc3 at offset 0");
  options.targetCpu = "z80";
  EXPECT_THAT(compileError(addScript, &options), HasSubstr("'z80'"));
  EXPECT_EQ(loadError("/\xff"), "expected a path in UTF-8, got the byte 0xff "
                                "at offset 1");
}

TEST(CompileOptions, Values) {
  HamKaasCompileOptions options = compileOptions();
  options.targetCpu = "x86-64";
  OwnedModel model = compile(addScript, &options);
  const HamKaasProgram *program = nullptr;
  ASSERT_EQ(takeText(HamKaasModelGetProgram(model.get(), &program)), "");
  EXPECT_EQ(program->isaLevel, HamKaasIsaX86_64_V1);

  options.maxWorkspace = 1024;
  EXPECT_THAT(compileError("$1 = InputTensor(x, float32, [64, 64]);\n"
                           "$2 = InputTensor(y, float32, [64, 64]);\n"
                           "$3 = MatMulNode($1, $2);\n"
                           "$4 = MatMulNode($3, $2);\n"
                           "result = $4;\n",
                           &options),
              HasSubstr("expected a workspace of at most 1024 bytes"));
}

TEST(CompileOptions, Optimizations) {
  HamKaasCompileOptions options = compileOptions();
  options.noOptimize = "raise,simplify";
  options.winogradError = 3e-5;
  options.graphPasses = "canonicalize,cse";
  options.checkEachPass = 1;
  EXPECT_EQ(compileError(addScript, &options), "");
  options.noOptimize = "raise,speed";
  EXPECT_THAT(compileError(addScript, &options), HasSubstr("got 'speed'"));
  options.noOptimize = nullptr;
  options.winogradError = -1;
  EXPECT_THAT(compileError(addScript, &options),
              HasSubstr(".winogradError: expected 0 or more, got -1"));
  options.winogradError = 0;
  options.graphPasses = "make-it-fast";
  EXPECT_THAT(compileError(addScript, &options), HasSubstr("make-it-fast"));
  options.graphPasses = nullptr;
  options.optionNames = 7;
  EXPECT_EQ(compileError(addScript, &options),
            ".optionNames: expected a HamKaasOptionNames, got 7");
  options.optionNames = HamKaasNamesOfPython;
  options.compileThreads = -1;
  EXPECT_EQ(compileError(addScript, &options),
            "compile_threads: expected 0 or more, got -1");
}

TEST(CompileOptions, UncheckedLeavesChecksOut) {
  HamKaasCompileOptions options = compileOptions();
  options.unchecked = 1;
  for (const HamKaasCompileOptions *given :
       {static_cast<const HamKaasCompileOptions *>(nullptr),
        static_cast<const HamKaasCompileOptions *>(&options)}) {
    OwnedModel model = compile(stateScript, given);
    const HamKaasProgram *program = nullptr;
    ASSERT_EQ(takeText(HamKaasModelGetProgram(model.get(), &program)), "");
    bool checked = false;
    for (int32_t i = 0; i < program->callCount; ++i)
      checked |= program->calls[i].check != nullptr;
    EXPECT_EQ(checked, given == nullptr);
  }
}

TEST(CompileOptions, Threads) {
  HamKaasCompileOptions options = compileOptions();
  options.compileThreads = 3;
  EXPECT_EQ(compileError(addScript, &options), "");
  options.compileThreads = -1;
  EXPECT_EQ(compileError(addScript, &options),
            ".compileThreads: expected 0 or more, got -1");
  options.compileThreads = INT_MAX;
  EXPECT_EQ(compileError(addScript, &options),
            ".compileThreads: expected 0 to 4096, got 2147483647");
}

namespace {

/// The cache of compiled code in a folder of its own.
class CodeCacheTest : public ::testing::Test {
protected:
  CodeCacheTest() {
    setenv("HAMKAAS_CACHE_DIR", folder.path("cache").c_str(), 1);
  }
  ~CodeCacheTest() override { setenv("HAMKAAS_CACHE_DIR", "", 1); }

  static bool isCached(HamKaasModel *model) {
    return describe(model, HamKaasDescribeReportJson)
               .find("\"cached\": true") != std::string::npos;
  }

  TemporaryFolder folder;
};

} // namespace

TEST_F(CodeCacheTest, IsUsedUnlessTold) {
  EXPECT_FALSE(isCached(compile(addScript).get()));
  OwnedModel cached = compile(addScript);
  EXPECT_TRUE(isCached(cached.get()));
  EXPECT_EQ(runAdder(createAdder(cached.get()).get()), adderResult);
  HamKaasCompileOptions options = compileOptions();
  options.noCache = 1;
  EXPECT_FALSE(isCached(compile(addScript, &options).get()));
}

TEST_F(CodeCacheTest, KeepsNoFailures) {
  std::string failure = compileError("$1 = InputTensor(x, float32, [2]);\n"
                                     "result = $2;\n");
  EXPECT_NE(failure, "");
  EXPECT_EQ(compileError("$1 = InputTensor(x, float32, [2]);\n"
                         "result = $2;\n"),
            failure);
}

TEST_F(CodeCacheTest, SaysWhatIsWrongWithItsSize) {
  setenv("HAMKAAS_CACHE_SIZE", "-1", 1);
  EXPECT_EQ(compileError(addScript),
            "HAMKAAS_CACHE_SIZE: expected a number of bytes such as 4096, 64KB "
            "or 2MB, got '-1'");
  unsetenv("HAMKAAS_CACHE_SIZE");
}

//===----------------------------------------------------------------------===//
// Lines
//===----------------------------------------------------------------------===//

namespace {

const HamKaasSourceLine pythonLines[] = {{"net.py", 10},   {"net.py", 20},
                                         {"", 0},          {"net.py", 40},
                                         {"other.py", 50}, {"net.py", 60}};

HamKaasCompileOptions withLines() {
  HamKaasCompileOptions options = compileOptions();
  options.lines = pythonLines;
  options.lineCount = std::size(pythonLines);
  return options;
}

} // namespace

TEST(Lines, Invalid) {
  HamKaasCompileOptions options = compileOptions();
  options.lineCount = -1;
  EXPECT_EQ(compileError(addScript, &options),
            "expected a lineCount of at least 0, got -1");
  options.lineCount = INT_MAX;
  EXPECT_EQ(compileError(addScript, &options),
            "expected 2147483647 lines, got null");
  options.lineCount = 1;
  auto errorOf = [&](HamKaasSourceLine line) {
    options.lines = &line;
    return compileError(addScript, &options);
  };
  EXPECT_EQ(errorOf({nullptr, 1}), "expected the file of line 0, got null");
  EXPECT_EQ(errorOf({"\xff", 1}), "expected the file of line 0 in UTF-8, got "
                                  "the byte 0xff at offset 0");
  std::string expected = "expected a line number of 1 to 2^32 - 1, got ";
  EXPECT_THAT(errorOf({"a.py", 0}), StartsWith(expected + "0"));
  EXPECT_THAT(errorOf({"a.py", -1}), StartsWith(expected + "-1"));
  EXPECT_THAT(errorOf({"", -1}), StartsWith(expected + "-1"));
  EXPECT_THAT(errorOf({"a.py", INT64_MAX}), StartsWith(expected));
  EXPECT_EQ(errorOf({"a.py", UINT32_MAX}), "");
}

TEST(Lines, InErrors) {
  HamKaasCompileOptions options = withLines();
  std::string begin = "$1 = InputTensor(x, float32, [2]);\n";
  EXPECT_THAT(compileError(begin + "$2 = SumNode($1, $7);", &options),
              StartsWith("net.py:20: error: "));
  // The third line is its own, and so are those behind the last.
  EXPECT_THAT(compileError(begin + "\n$2 = SumNode($1, $7);", &options),
              StartsWith("model:3:"));
  EXPECT_THAT(compileError(begin + "\n\n\n\n\n$2 = SumNode($1, $7);", &options),
              StartsWith("model:7:"));
}

TEST(Lines, InReports) {
  HamKaasCompileOptions options = withLines();
  OwnedModel model = compile(addScript, &options);
  const HamKaasProgram *program = nullptr;
  ASSERT_EQ(takeText(HamKaasModelGetProgram(model.get(), &program)), "");
  ASSERT_EQ(program->callCount, 1);
  // The third line is its own.
  EXPECT_STREQ(program->calls[0].location, "model:3:1, net.py:40");
  EXPECT_THAT(describe(model.get(), HamKaasDescribeReport),
              HasSubstr("net.py:40"));
}

TEST(Lines, InChecksOfARun) {
  HamKaasCompileOptions options = withLines();
  OwnedModel model = compile(stateScript, &options);
  HamKaasInstance *instance = nullptr;
  ASSERT_EQ(
      takeText(HamKaasModelCreateInstance(model.get(), nullptr, &instance)),
      "");
  OwnedInstance owned(instance);
  float x[2] = {}, result[4];
  int64_t start = 3, end = 5;
  const void *inputs[] = {x, &start, &end};
  void *outputs[] = {result};
  EXPECT_THAT(takeText(HamKaasInstanceRun(instance, inputs, outputs)),
              StartsWith("other.py:50: "));
}

//===----------------------------------------------------------------------===//
// Progress
//===----------------------------------------------------------------------===//

namespace {

struct Steps {
  std::vector<std::string> seen;
  size_t stopAt = SIZE_MAX;
};

int32_t record(void *context, const char *step, int32_t done, int32_t total) {
  Steps &steps = *static_cast<Steps *>(context);
  EXPECT_EQ(done, int32_t(steps.seen.size()));
  EXPECT_EQ(total, 5);
  steps.seen.push_back(step);
  return steps.seen.size() == steps.stopAt ? -7 : 0;
}

const std::vector<std::string> allSteps = {"graph", "kernels", "memory plan",
                                           "code", "machine code"};

} // namespace

TEST(Progress, StepsInOrder) {
  Steps steps;
  HamKaasCompileOptions options = compileOptions();
  options.progress = record;
  options.progressContext = &steps;
  EXPECT_EQ(compileError(addScript, &options), "");
  EXPECT_EQ(steps.seen, allSteps);
}

TEST(Progress, StopsAtEachStep) {
  for (size_t stopAt = 1; stopAt <= allSteps.size(); ++stopAt) {
    Steps steps;
    steps.stopAt = stopAt;
    HamKaasCompileOptions options = compileOptions();
    options.progress = record;
    options.progressContext = &steps;
    EXPECT_EQ(compileError(addScript, &options),
              "the compilation was stopped before its step '" +
                  allSteps[stopAt - 1] + "'");
    EXPECT_EQ(steps.seen.size(), stopAt);
  }
}

TEST(Progress, MayUseTheLibrary) {
  auto compileAnother = [](void *context, const char *, int32_t, int32_t) {
    EXPECT_EQ(compileError(stateScript), "");
    ++*static_cast<int *>(context);
    return int32_t(0);
  };
  int calls = 0;
  HamKaasCompileOptions options = compileOptions();
  options.progress = compileAnother;
  options.progressContext = &calls;
  EXPECT_EQ(compileError(addScript, &options), "");
  EXPECT_EQ(calls, 5);
}

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

TEST(Load, MissingFilesAndFolders) {
  TemporaryFolder folder;
  EXPECT_EQ(loadError(folder.path("none")), "cannot read '" +
                                                folder.path("none") +
                                                "': No such file or directory");
  EXPECT_EQ(loadError(folder.path("")),
            "cannot read '" + folder.path("") + "': Is a directory");
  EXPECT_THAT(loadError(""), StartsWith("cannot read ''"));
  EXPECT_EQ(loadError("/dev/zero"), "cannot read '/dev/zero': it is a device");
  std::string empty = folder.write("empty.hk", "");
  EXPECT_EQ(loadError(empty),
            "expected a model in '" + empty + "', the file is empty");
}

TEST(Load, NamesTheFileAndTheModel) {
  TemporaryFolder folder;
  std::string path = folder.write("my-net.hk", addScript);
  OwnedModel model = load(path);
  const HamKaasProgram *program = nullptr;
  ASSERT_EQ(takeText(HamKaasModelGetProgram(model.get(), &program)), "");
  EXPECT_STREQ(program->name, "my_net");
  EXPECT_EQ(std::string(program->calls[0].location), path + ":3:1, 4:1");

  path = folder.write("wrong.hk", "\n$1 = $7;\n");
  HamKaasCompileOptions options = compileOptions();
  options.name = "other";
  EXPECT_THAT(loadError(path, &options), StartsWith(path + ":2:6: error: "));
}

TEST(Load, Mlir) {
  TemporaryFolder folder;
  EXPECT_EQ(loadError(folder.write("two.mlir", twoResults)), "");
}
