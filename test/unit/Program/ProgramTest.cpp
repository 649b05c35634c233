//===- ProgramTest.cpp - Compiling, linking and loading ---------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExampleProgram.h"
#include "HamKaas/Program/Aot.h"
#include "HamKaas/Program/Jit.h"
#include "hamkaas-c/Runtime.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "gtest/gtest.h"
#include <array>
#include <thread>

using namespace hamkaas;
using namespace llvm;

namespace {

/// A directory that is removed with what is in it.
class ProgramTest : public ::testing::Test {
protected:
  void SetUp() override {
    ASSERT_FALSE(sys::fs::createUniqueDirectory("hamkaas-test", directory));
  }
  void TearDown() override { sys::fs::remove_directories(directory); }

  std::string file(StringRef name) const {
    SmallString<128> path(directory);
    sys::path::append(path, name);
    return path.str().str();
  }
  int filesInDirectory() const {
    int count = 0;
    std::error_code code;
    for (sys::fs::directory_iterator it(directory, code), end; it != end;
         it.increment(code))
      ++count;
    return count;
  }

  Error write(StringRef path, const DescriptorOptions &descriptor,
              ArrayRef<ArrayRef<char>> parameters) {
    auto objects = test::exampleObjects(info, descriptor);
    if (!objects)
      return objects.takeError();
    AotOptions options;
    options.output = path.str();
    options.descriptor = descriptor;
    options.parameters = parameters;
    return writeProgram(info, *objects, options);
  }
  Error writeEmbedded(StringRef path) {
    DescriptorOptions descriptor;
    descriptor.embedParameters = true;
    return write(path, descriptor, test::exampleBias());
  }

  ProgramInfo info = test::exampleInfo("example");
  SmallString<128> directory;
};

using Floats = std::array<float, 4>;

/// The result of the run number `runs` (from 1) on fixed inputs.
Floats runExample(const HamKaasProgram &program,
                  const HamKaasInstanceOptions *options, int runs) {
  HamKaasInstance *instance = nullptr;
  HamKaasError error = HamKaasInstanceCreate(&program, options, &instance);
  EXPECT_EQ(error, nullptr) << error;
  Floats x = {1, 2, 3, 4}, y = {0.5, 0.5, 0.5, 0.5}, sum = {};
  const void *inputs[] = {x.data(), y.data()};
  void *outputs[] = {sum.data()};
  for (int i = 0; i < runs && instance; ++i)
    EXPECT_EQ(HamKaasInstanceRun(instance, inputs, outputs), nullptr);
  HamKaasInstanceDestroy(instance);
  return sum;
}

constexpr Floats firstRun = {11.5, 22.5, 33.5, 44.5};
constexpr Floats secondRun = {12.5, 23.5, 34.5, 45.5};

} // namespace

TEST_F(ProgramTest, DescribesItself) {
  info.calls[0].check = "expected {0} below {1}";
  DescriptorOptions options;
  options.weightsFile = "/weights.safetensors";
  auto jit = JitProgram::load(cantFail(test::exampleObjects(info, options)));
  ASSERT_TRUE(bool(jit)) << toString(jit.takeError());
  const HamKaasProgram &program = (*jit)->program();
  EXPECT_EQ(program.structSize, offsetof(HamKaasProgram, function));
  EXPECT_EQ(program.version, uint32_t(HAMKAAS_PROGRAM_VERSION));
  EXPECT_EQ(program.isaLevel, HamKaasIsaX86_64_V1);
  EXPECT_STREQ(program.name, "example");
  EXPECT_STREQ(program.targetCpu, "x86-64");
  EXPECT_EQ(StringRef(program.compiler), compilerVersion());
  EXPECT_EQ(ArrayRef<uint8_t>(program.digest), ArrayRef(info.digest));
  ASSERT_EQ(program.inputCount, 2);
  EXPECT_STREQ(program.inputs[0].name, "x");
  ASSERT_EQ(program.inputs[0].rank, 2);
  EXPECT_EQ(program.inputs[0].shape[0], 2);
  EXPECT_EQ(program.inputs[0].bytes, 16u);
  EXPECT_STREQ(program.inputs[1].name, "y");
  ASSERT_EQ(program.outputCount, 1);
  EXPECT_STREQ(program.outputs[0].name, "sum");
  ASSERT_EQ(program.parameterCount, 1);
  EXPECT_EQ(program.parameters[0].data, nullptr);
  ASSERT_EQ(program.stateCount, 1);
  ASSERT_EQ(program.callCount, 1);
  EXPECT_STREQ(program.calls[0].location, "example.hk:1:1");
  EXPECT_STREQ(program.calls[0].check, "expected {0} below {1}");
  EXPECT_EQ(program.constantsBytes, 256u);
  EXPECT_EQ(program.stateBytes, 256u);
  EXPECT_STREQ(program.weightsFile, "/weights.safetensors");
}

TEST_F(ProgramTest, DigestIsBlake3) {
  // Of the empty text, from the specification.
  std::array<uint8_t, 32> digest = sourceDigest("");
  EXPECT_EQ(digest[0], 0xaf);
  EXPECT_EQ(digest[31], 0x62);
}

TEST_F(ProgramTest, NeedsARunFunction) {
  LLVMContext context;
  Module module("empty", context);
  EXPECT_EQ(toString(addProgramDescriptor(module, info)),
            "the module has no hamkaas_run");
}

TEST_F(ProgramTest, CompilesToEqualBytes) {
  auto first = cantFail(test::exampleObjects(info, {}));
  auto second = cantFail(test::exampleObjects(info, {}));
  EXPECT_EQ(first.front()->getBuffer(), second.front()->getBuffer());
}

TEST_F(ProgramTest, RunsJustInTime) {
  auto jit = JitProgram::load(cantFail(test::exampleObjects(info, {})));
  ASSERT_TRUE(bool(jit)) << toString(jit.takeError());
  HamKaasNamedData bias = {"bias", test::exampleBias().data(), 16};
  HamKaasInstanceOptions options = {};
  options.structSize = sizeof(options);
  options.threads = 1;
  options.parameters = &bias;
  options.parameterCount = 1;
  EXPECT_EQ(runExample((*jit)->program(), &options, 2), secondRun);
}

TEST_F(ProgramTest, RunsJustInTimeWithEmbeddedParameters) {
  DescriptorOptions options;
  options.embedParameters = true;
  EmbeddedData data[] = {{parameterSymbol(0), test::exampleBias()}};
  auto jit =
      JitProgram::load(cantFail(test::exampleObjects(info, options)), data);
  ASSERT_TRUE(bool(jit)) << toString(jit.takeError());
  EXPECT_EQ(runExample((*jit)->program(), nullptr, 1), firstRun);
}

TEST_F(ProgramTest, RefusesWhatIsNoProgram) {
  ProgramObjects objects;
  objects.push_back(MemoryBuffer::getMemBuffer("garbage"));
  auto garbage = JitProgram::load(std::move(objects));
  ASSERT_FALSE(bool(garbage));
  consumeError(garbage.takeError());
}

TEST_F(ProgramTest, RunsFromASharedLibrary) {
  ASSERT_EQ(toString(writeEmbedded(file("model.so"))), "");
  auto loaded = LoadedProgram::fromSharedLibrary(file("model.so"));
  ASSERT_TRUE(bool(loaded)) << toString(loaded.takeError());
  EXPECT_EQ(runExample((*loaded)->program(), nullptr, 2), secondRun);
  EXPECT_EQ(filesInDirectory(), 2) << "expected model.so and model.h only";
}

TEST_F(ProgramTest, WritesEqualFiles) {
  for (StringRef name : {"model.so", "model.o", "model.a"}) {
    auto contents = [&] {
      EXPECT_EQ(toString(writeEmbedded(file(name))), "");
      return cantFail(errorOrToExpected(MemoryBuffer::getFile(file(name))));
    };
    std::unique_ptr<MemoryBuffer> first = contents(), second = contents();
    EXPECT_TRUE(first->getBuffer() == second->getBuffer()) << name.str();
  }
}

TEST_F(ProgramTest, RefusesOtherSharedLibraries) {
  auto missing = LoadedProgram::fromSharedLibrary(file("missing.so"));
  ASSERT_FALSE(bool(missing));
  EXPECT_NE(toString(missing.takeError()).find("No such file"),
            std::string::npos);
  // A library of the system, so without a descriptor.
  auto other = LoadedProgram::fromSharedLibrary("/lib64/ld-linux-x86-64.so.2");
  ASSERT_FALSE(bool(other));
  EXPECT_NE(toString(other.takeError()).find("is not a compiled model"),
            std::string::npos);
}

TEST_F(ProgramTest, NamesAnOutputItCannotWrite) {
  EXPECT_EQ(toString(writeEmbedded("/nowhere/model.so")),
            "cannot write '/nowhere/model.so': No such file or directory");
  EXPECT_EQ(toString(writeEmbedded(directory.str().str() + "/model.exe")),
            "expected an output that ends in .so, .o or .a, got '" +
                file("model.exe") + "'");
  EXPECT_EQ(filesInDirectory(), 0);
}

TEST_F(ProgramTest, LeavesNoHalfProgram) {
  DescriptorOptions descriptor;
  descriptor.embedParameters = true;
  // The data of the parameter is missing, so the linker fails.
  std::string error = toString(write(file("model.so"), descriptor, {}));
  EXPECT_NE(error.find("cannot link the program"), std::string::npos) << error;
  EXPECT_NE(error.find("hamkaas_parameter_0"), std::string::npos) << error;
  EXPECT_EQ(filesInDirectory(), 0);
  // The linker works again afterwards.
  EXPECT_EQ(toString(writeEmbedded(file("model.so"))), "");
}

// Names that LLVM's templates for temporary names, or the linker's command
// line, would read otherwise.
TEST_F(ProgramTest, TakesAnyPath) {
  ASSERT_FALSE(sys::fs::create_directory(file("100%")));
  for (StringRef name : {"100%/50%.so", "@model.so", "-o.so", "a b.so"}) {
    EXPECT_EQ(toString(writeEmbedded(file(name))), "") << name.str();
    EXPECT_TRUE(sys::fs::exists(file(name))) << name.str();
  }
}

TEST_F(ProgramTest, LinksFromSeveralThreads) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&, path = file(std::to_string(i) + ".so")] {
      EXPECT_EQ(toString(writeEmbedded(path)), "");
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(filesInDirectory(), 8);
}
