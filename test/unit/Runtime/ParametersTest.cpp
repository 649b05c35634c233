//===- ParametersTest.cpp - Where parameters come from --------------------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Allocations.h"
#include "FakeProgram.h"
#include "GgufContents.h"
#include "HamKaas/Runtime/Files/Digest.h"
#include "SafetensorsContents.h"
#include "TemporaryFolder.h"
#include "Text.h"

#include <cstring>
#include <gtest/gtest.h>
#include <string>

using namespace hamkaas::test;

namespace {
struct Parameters : ::testing::Test {
  Parameters() {
    options.structSize = sizeof(options);
    options.threads = 1;
    options.parameters = given.named;
  }
  ~Parameters() override { HamKaasInstanceDestroy(instance); }

  std::string create() {
    HamKaasInstanceDestroy(instance);
    return takeText(HamKaasInstanceCreate(&fake.program, &options, &instance));
  }

  /// y[i] of a first run: 2 * scale[i] + bias.
  float resultAt(int64_t i) {
    FakeRun run(instance);
    EXPECT_EQ(takeText(run()), "");
    return run.y[i];
  }

  /// A file of both parameters, with bias `bias`. `padding` bytes of spaces
  /// decide how the data is aligned.
  std::string writeWeights(const char *name, float bias, size_t padding = 0) {
    std::string data(4004, '\0');
    memcpy(data.data(), &bias, 4);
    memcpy(data.data() + 4, given.scale, 4000);
    return folder.write(
        name,
        safetensorsOf(
            R"({"bias":{"dtype":"F32","shape":[1,1],"data_offsets":[0,4]},)"
            R"("scale":{"dtype":"F32","shape":[1000],)"
            R"("data_offsets":[4,4004]}})" +
                std::string(padding, ' '),
            data));
  }

  /// Makes the file at `path` the program's own, as the compiler does.
  void nameWeights(const std::string &path) {
    hamkaas::rt::Digest digest;
    ASSERT_FALSE(hamkaas::rt::computeFileDigest(path.c_str(), 1, digest,
                                                fake.program.weightsBytes));
    memcpy(fake.program.weightsDigest, digest.bytes, sizeof(digest.bytes));
    fake.program.weightsFile = path.c_str();
  }

  std::string digestOf(const std::string &path) {
    hamkaas::rt::Digest digest = {};
    uint64_t bytes;
    EXPECT_FALSE(
        hamkaas::rt::computeFileDigest(path.c_str(), 1, digest, bytes));
    return hamkaas::rt::DigestText(digest).c_str();
  }

  TemporaryFolder folder;
  FakeProgram fake;
  FakeParameters given;
  HamKaasInstanceOptions options = {};
  HamKaasInstance *instance = nullptr;
};
} // namespace

TEST_F(Parameters, ComeFromGgufFiles) {
  GgufContents contents;
  contents.addTensor("bias", {1, 1}, /*F32*/ 0, 0)
      .addTensor("scale", {1000}, /*F32*/ 0, 32);
  contents.data = bytesOf(7.0f);
  contents.data.resize(32);
  contents.data.append(reinterpret_cast<const char *>(given.scale), 4000);
  std::string path = folder.write("w.gguf", contents.make());
  options.weightsFile = path.c_str();
  ASSERT_EQ(create(), "");
  EXPECT_EQ(resultAt(3), 2 * given.scale[3] + 7);
}

TEST_F(Parameters, BlocksOfGgufFilesAreBytes) {
  GgufContents contents;
  contents.addTensor("bias", {1, 1}, /*F32*/ 0, 0)
      .addTensor("scale", {64}, /*Q8_0*/ 8, 32)
      .addTensor("more", {1}, /*F32*/ 0, 128)
      .addData(132);
  std::string path = folder.write("w.gguf", contents.make());
  options.weightsFile = path.c_str();
  EXPECT_EQ(create(), path + ": model 'fake' has no parameters named 'more'\n" +
                          path +
                          ": tensor 'scale': expected float32 [1000], got "
                          "uint8 [68]");
}

TEST_F(Parameters, MissingOnesAreAllNamed) {
  EXPECT_EQ(create(), "model 'fake': missing parameters 'scale' (float32 "
                      "[1000]), 'bias' (float32 [1, 1])");
  options.parameterCount = 1;
  EXPECT_EQ(create(),
            "model 'fake': missing parameters 'bias' (float32 [1, 1])");
}

TEST_F(Parameters, WrongOnesAreAllNamed) {
  options.parameterCount = 2;
  given.named[0].bytes = 12;
  given.named[1].name = "bais";
  EXPECT_EQ(create(),
            "parameter 'scale': expected 4000 bytes for float32 [1000], got "
            "12\n"
            "model 'fake' has no parameter 'bais', which was given\n"
            "model 'fake': missing parameters 'scale' (float32 [1000]), 'bias' "
            "(float32 [1, 1])");
  given.named[0].data = nullptr;
  given.named[1].name = nullptr;
  std::string text = create();
  EXPECT_EQ(text.find("given parameter number 0 has no data\n"
                      "given parameter number 1 has no name\n"),
            0u);
}

TEST_F(Parameters, AParameterGivenTwiceIsAnError) {
  options.parameterCount = 2;
  given.named[1] = given.named[0];
  fake.parameters[1].data = given.bias;
  EXPECT_EQ(create(), "parameter 'scale' is given twice");
}

TEST_F(Parameters, EmbeddedOnesAreTheDefault) {
  fake.parameters[0].data = given.scale;
  fake.parameters[1].data = given.bias;
  ASSERT_EQ(create(), "");
  EXPECT_EQ(resultAt(3), 6.5f);
  float bias = 10;
  given.named[0] = {"bias", &bias, 4};
  options.parameterCount = 1;
  ASSERT_EQ(create(), "");
  EXPECT_EQ(resultAt(3), 16.0f);
}

TEST_F(Parameters, ComeFromTheProgramsFile) {
  std::string path = writeWeights("w.safetensors", 2);
  fake.program.weightsFile = path.c_str();
  ASSERT_EQ(create(), "");
  EXPECT_EQ(resultAt(3), 8.0f);
}

TEST_F(Parameters, OwnFileMustHaveTheDigest) {
  std::string path = writeWeights("w.safetensors", 2);
  nameWeights(path);
  ASSERT_EQ(create(), "");
  EXPECT_EQ(resultAt(3), 8.0f);
  // Any bit of it: of the header, of the data, the last one.
  std::string expected = digestOf(path);
  std::string contents = folder.read("w.safetensors");
  for (size_t at :
       {size_t{0}, size_t{40}, contents.size() - 4004, contents.size() - 1}) {
    std::string changed = contents;
    changed[at] ^= 1;
    folder.write("w.safetensors", changed);
    EXPECT_EQ(create(), "model 'fake': expected a file of weights of " +
                            std::to_string(contents.size()) +
                            " bytes with digest " + expected + ", got\n  '" +
                            path + "': " + std::to_string(contents.size()) +
                            " bytes with digest " + digestOf(path));
  }
}

TEST_F(Parameters, OwnFileMustHaveTheSize) {
  std::string path = writeWeights("w.safetensors", 2);
  nameWeights(path);
  std::string expected = "model 'fake': expected a file of weights of " +
                         std::to_string(fake.program.weightsBytes) +
                         " bytes with digest " + digestOf(path) + ", got\n  ";
  std::string contents = folder.read("w.safetensors");
  for (std::string changed :
       {contents + '\0', contents.substr(0, contents.size() - 1),
        std::string()}) {
    folder.write("w.safetensors", changed);
    std::string found = expected + "'" + path +
                        "': " + std::to_string(changed.size()) + " bytes";
    EXPECT_EQ(create(), found);
    // The size costs nothing.
    options.unverified = 1;
    EXPECT_EQ(create(), found);
    options.unverified = 0;
  }
  std::filesystem::remove(path);
  EXPECT_EQ(create(),
            expected + "cannot read '" + path + "': No such file or directory");
}

TEST_F(Parameters, DigestIsNotComputedUnverified) {
  std::string path = writeWeights("w.safetensors", 2);
  nameWeights(path);
  writeWeights("w.safetensors", 5);
  EXPECT_NE(create(), "");
  options.unverified = 1;
  ASSERT_EQ(create(), "");
  EXPECT_EQ(resultAt(3), 11.0f);
}

TEST_F(Parameters, CallersFileIsNotCompared) {
  std::string path = writeWeights("w.safetensors", 2);
  std::string other = writeWeights("other.safetensors", 3, 8);
  nameWeights(path);
  options.weightsFile = other.c_str();
  ASSERT_EQ(create(), "");
  EXPECT_EQ(resultAt(3), 9.0f);
}

TEST_F(Parameters, ComeFromTheCallersFileFirst) {
  std::string path = writeWeights("w.safetensors", 2);
  std::string other = writeWeights("other.safetensors", 3);
  fake.program.weightsFile = path.c_str();
  options.weightsFile = other.c_str();
  fake.parameters[1].data = given.bias;
  ASSERT_EQ(create(), "");
  EXPECT_EQ(resultAt(3), 9.0f);
  // And a pointer before any file.
  options.parameters = &given.named[1];
  options.parameterCount = 1;
  ASSERT_EQ(create(), "");
  EXPECT_EQ(resultAt(3), 6.5f);
}

TEST_F(Parameters, FilesMayBeMisaligned) {
  for (size_t padding = 0; padding < 8; ++padding) {
    std::string path = writeWeights("w.safetensors", 2, padding);
    options.weightsFile = path.c_str();
    ASSERT_EQ(create(), "");
    EXPECT_EQ(resultAt(3), 8.0f);
  }
}

TEST_F(Parameters, TheProgramsFileIsReadOnlyWhenNeeded) {
  fake.program.weightsFile = "/no/such/file";
  EXPECT_EQ(create(), "cannot read '/no/such/file': No such file or directory");
  options.parameterCount = 2;
  EXPECT_EQ(create(), "");
  options.weightsFile = "/none/here";
  EXPECT_EQ(create(), "cannot read '/none/here': No such file or directory");
}

TEST_F(Parameters, AFileMustFitTheModel) {
  std::string path = folder.write(
      "w.safetensors",
      safetensorsOf(R"({"bias":{"dtype":"F16","shape":[2],)"
                    R"("data_offsets":[0,4]},)"
                    R"("x":{"dtype":"U8","shape":[1],"data_offsets":[4,5]},)"
                    R"("y":{"dtype":"U8","shape":[1],"data_offsets":[5,6]}})",
                    "123456"));
  std::string expected =
      path + ": model 'fake' has no parameters named 'x', 'y'\n" + path +
      ": tensor 'bias': expected float32 [1, 1], got float16 [2]\n" +
      "model 'fake': missing parameters 'scale' (float32 [1000])";
  options.weightsFile = path.c_str();
  EXPECT_EQ(create(), expected);
  options.weightsFile = nullptr;
  fake.program.weightsFile = path.c_str();
  EXPECT_EQ(create(), expected);
}

TEST_F(Parameters, AFilesShapeMustFit) {
  std::string path = writeWeights("w.safetensors", 2);
  options.weightsFile = path.c_str();
  fake.vectorShape[0] = 500;
  EXPECT_EQ(create(), path + ": tensor 'scale': expected float32 [500], got "
                             "float32 [1000]");
}

TEST_F(Parameters, AMalformedFileIsAnError) {
  std::string path = folder.write("w.safetensors", "short");
  options.weightsFile = path.c_str();
  EXPECT_EQ(create(), path + ": truncated: expected at least 8 bytes, got 5");
}

// Whichever allocation fails while the file is read, there is an error, no
// crash, and nothing lost (which the sanitizers see).
TEST_F(Parameters, ReadingSurvivesEachFailedAllocation) {
  std::string path = writeWeights("w.safetensors", 2, 1);
  options.weightsFile = path.c_str();
  bool created = false;
  for (int64_t passing = 0; passing < 100 && !created; ++passing) {
    failAllocationAfter(passing);
    HamKaasError error =
        HamKaasInstanceCreate(&fake.program, &options, &instance);
    failAllocationAfter(-1);
    created = error == nullptr;
    EXPECT_EQ(created, instance != nullptr);
    HamKaasErrorFree(error);
  }
  EXPECT_TRUE(created);
}
