//===- StateTest.cpp - Read, write, save and load state -------------------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Allocations.h"
#include "CountingDevice.h"
#include "FakeProgram.h"
#include "HamKaas/Runtime/Instance/CreateInstance.h"
#include "SafetensorsContents.h"
#include "TemporaryFolder.h"
#include "Text.h"

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <gtest/gtest.h>
#include <numeric>
#include <string>
#include <sys/resource.h>
#include <vector>

using namespace hamkaas::rt;
using namespace hamkaas::test;

namespace {
/// A program with the states runs, keys (3 x 5) and empty (0), on a device that
/// counts.
struct State : ::testing::Test {
  void SetUp() override {
    states[0] = fake.states[0];
    states[1] = {"keys", HamKaasFloat32, 2, keysShape, 60, 256, nullptr};
    states[2] = {"empty", HamKaasFloat32, 1, emptyShape, 0, 512, nullptr};
    fake.program.states = states;
    fake.program.stateCount = 3;
    fake.program.stateBytes = 512;
    options.structSize = sizeof(options);
    options.parameters = parameters.named;
    options.parameterCount = 2;
    instance = create();
    for (int64_t i = 0; i < 15; ++i)
      keys[i] = static_cast<float>(i) / 7;
  }
  ~State() override { HamKaasInstanceDestroy(instance); }

  HamKaasInstance *create() {
    HamKaasInstance *created = nullptr;
    EXPECT_EQ(textOf(createInstance(fake.program, options,
                                    makeCountingDevice(counts), created)),
              "");
    return created;
  }

  std::string read(const char *name, void *data, uint64_t bytes) {
    return takeText(HamKaasInstanceReadState(instance, name, data, bytes));
  }
  std::string write(const char *name, const void *data, uint64_t bytes) {
    return takeText(HamKaasInstanceWriteState(instance, name, data, bytes));
  }
  std::string save(const std::string &path) {
    return takeText(HamKaasInstanceSaveState(instance, path.c_str()));
  }
  std::string load(const std::string &path) {
    return takeText(HamKaasInstanceLoadState(instance, path.c_str()));
  }
  /// Loads a file of this header and data.
  std::string loadContents(const std::string &header, size_t bytes) {
    return load(
        folder.write("given", safetensorsOf(header, std::string(bytes, '\1'))));
  }

  /// Gives the states values that are not zero.
  void fill() {
    int64_t runs = 41;
    EXPECT_EQ(write("runs", &runs, 8), "");
    EXPECT_EQ(write("keys", keys, sizeof(keys)), "");
  }
  /// True if they have these values.
  bool isFilled() {
    int64_t runs = 0;
    float found[15] = {};
    EXPECT_EQ(read("runs", &runs, 8), "");
    EXPECT_EQ(read("keys", found, sizeof(found)), "");
    return runs == 41 && memcmp(found, keys, sizeof(keys)) == 0;
  }

  TemporaryFolder folder;
  FakeProgram fake;
  FakeParameters parameters;
  int64_t keysShape[2] = {3, 5};
  int64_t emptyShape[1] = {0};
  HamKaasTensorInfo states[3];
  HamKaasInstanceOptions options = {};
  DeviceCounts counts;
  HamKaasInstance *instance = nullptr;
  float keys[15];
};
} // namespace

//===----------------------------------------------------------------------===//
// One state
//===----------------------------------------------------------------------===//

TEST_F(State, IsReadAndWritten) {
  FakeRun run(instance);
  EXPECT_EQ(takeText(run()), "");
  int64_t runs = 0;
  EXPECT_EQ(read("runs", &runs, 8), "");
  EXPECT_EQ(runs, 1);
  fill();
  EXPECT_TRUE(isFilled());
  EXPECT_EQ(takeText(run()), "");
  EXPECT_EQ(run.runs, 42);
  EXPECT_EQ(counts.copies, 2);
  EXPECT_EQ(counts.copiesToCaller, 3);

  EXPECT_EQ(takeText(HamKaasInstanceResetState(instance)), "");
  float found[15];
  EXPECT_EQ(read("keys", found, sizeof(found)), "");
  EXPECT_EQ(std::accumulate(found, found + 15, 0.0f), 0);
}

/// Nine bytes of constants, repeated, and the first eight as they are.
TEST_F(State, BeginsWithItsContents) {
  HamKaasInitialState initial[] = {{4, 9, 1, 0}, {4, 8, 0, 0}};
  fake.program.initialStates = initial;
  fake.program.initialStateCount = 2;
  HamKaasInstanceDestroy(instance);
  instance = create();
  std::string expected;
  for (int64_t i = 0; i < 15; ++i)
    expected +=
        std::string(reinterpret_cast<const char *>(&parameters.scale[1]), 9);
  auto check = [&] {
    std::string runs(8, '\0'), keys(60, '\0');
    EXPECT_EQ(read("runs", runs.data(), 8), "");
    EXPECT_EQ(read("keys", keys.data(), 60), "");
    EXPECT_EQ(runs, expected.substr(0, 8));
    EXPECT_EQ(keys, expected.substr(0, 60));
  };
  check();
  fill();
  EXPECT_TRUE(isFilled());
  int64_t allocations = allocationCount();
  HamKaasError error = HamKaasInstanceResetState(instance);
  EXPECT_EQ(allocationCount(), allocations);
  EXPECT_EQ(takeText(error), "");
  check();

  // One that shares constants has the same; a state that is shared stays.
  fill();
  HamKaasInstanceOptions shared = {};
  shared.structSize = sizeof(shared);
  shared.constantsOf = instance;
  HamKaasInstance *first = instance;
  auto share = [&] {
    return textOf(createInstance(fake.program, shared,
                                 makeCountingDevice(counts), instance));
  };
  ASSERT_EQ(share(), "");
  check();
  HamKaasInstanceDestroy(instance);
  shared.stateOf = first;
  ASSERT_EQ(share(), "");
  EXPECT_TRUE(isFilled());
  HamKaasInstanceDestroy(first);
}

TEST_F(State, WithoutElementsNeedsNoAddress) {
  EXPECT_EQ(read("empty", nullptr, 0), "");
  EXPECT_EQ(write("empty", nullptr, 0), "");
}

TEST_F(State, WrongArgumentsAreErrors) {
  char data[64];
  for (auto access : {&HamKaasInstanceReadState,
                      +[](HamKaasInstance *instance, const char *name,
                          void *data, uint64_t bytes) {
                        return HamKaasInstanceWriteState(instance, name, data,
                                                         bytes);
                      }}) {
    EXPECT_EQ(takeText(access(nullptr, "runs", data, 8)),
              "expected an instance, got null");
    EXPECT_EQ(takeText(access(instance, nullptr, data, 8)),
              "expected the name of a state, got null");
    EXPECT_EQ(takeText(access(instance, "rums", data, 8)),
              "model 'fake' has no state 'rums'");
    EXPECT_EQ(takeText(access(instance, "keys", data, 64)),
              "state 'keys': expected 60 bytes for float32 [3, 5], got 64");
    EXPECT_EQ(takeText(access(instance, "empty", data, UINT64_MAX)),
              "state 'empty': expected 0 bytes for float32 [0], got "
              "18446744073709551615");
    EXPECT_EQ(takeText(access(instance, "runs", nullptr, 8)),
              "state 'runs': expected an address, got null");
  }
  for (auto access : {HamKaasInstanceSaveState, HamKaasInstanceLoadState}) {
    EXPECT_EQ(takeText(access(nullptr, "x")), "expected an instance, got null");
    EXPECT_EQ(takeText(access(instance, nullptr)),
              "expected the path of a file, got null");
  }
}

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

TEST_F(State, IsSavedAndLoaded) {
  fill();
  std::string path = folder.path("s.safetensors");
  ASSERT_EQ(save(path), "");
  EXPECT_EQ(folder.fileCount(), 1u);
  EXPECT_TRUE(isFilled());
  EXPECT_EQ(takeText(HamKaasInstanceResetState(instance)), "");
  EXPECT_FALSE(isFilled());
  ASSERT_EQ(load(path), "");
  EXPECT_TRUE(isFilled());

  // In another instance, and again into the same file.
  HamKaasInstanceDestroy(instance);
  instance = create();
  ASSERT_EQ(load(path), "");
  EXPECT_TRUE(isFilled());
  std::string contents = folder.read("s.safetensors");
  ASSERT_EQ(save(path), "");
  EXPECT_EQ(folder.read("s.safetensors"), contents);
}

TEST_F(State, LargerThanABufferIsSavedAndLoaded) {
  keysShape[0] = 100003;
  states[1].bytes = 100003 * 5 * 4;
  fake.program.stateBytes = 256 + states[1].bytes;
  HamKaasInstanceDestroy(instance);
  instance = create();
  std::vector<float> large(100003 * 5), found(large.size());
  std::iota(large.begin(), large.end(), 1.0f);
  ASSERT_EQ(write("keys", large.data(), states[1].bytes), "");
  ASSERT_EQ(save(folder.path("s")), "");
  ASSERT_EQ(takeText(HamKaasInstanceResetState(instance)), "");
  ASSERT_EQ(load(folder.path("s")), "");
  ASSERT_EQ(read("keys", found.data(), states[1].bytes), "");
  EXPECT_EQ(found, large);
}

TEST_F(State, AProgramWithoutStateHasAnEmptyFile) {
  fake.program.stateCount = 0;
  fake.program.stateBytes = 0;
  fake.program.run = [](HamKaasExecution *, const void *const *, void *const *,
                        const void *, void *, void *) -> int32_t { return 0; };
  HamKaasInstanceDestroy(instance);
  instance = create();
  ASSERT_EQ(save(folder.path("s")), "");
  EXPECT_EQ(load(folder.path("s")), "");
}

TEST_F(State, LoadingListsAllProblemsAndChangesNothing) {
  fill();
  // runs has a wrong type, keys a wrong shape, empty is missing.
  EXPECT_EQ(
      loadContents(R"({"runs":{"dtype":"F64","shape":[1],)"
                   R"("data_offsets":[0,8]},)"
                   R"("keys":{"dtype":"F32","shape":[5,3],)"
                   R"("data_offsets":[8,68]},)"
                   R"("values":{"dtype":"F32","shape":[],)"
                   R"("data_offsets":[68,72]},)"
                   R"("more":{"dtype":"I8","shape":[1],)"
                   R"("data_offsets":[72,73]}})",
                   73),
      folder.path("given") +
          ": model 'fake' has no states named 'values', 'more'\n" +
          folder.path("given") +
          ": tensor 'runs': expected int64 [1], got float64 [1]\n" +
          folder.path("given") +
          ": tensor 'keys': expected float32 [3, 5], got float32 [5, 3]\n" +
          folder.path("given") + ": missing states 'empty' (float32 [0])");
  EXPECT_TRUE(isFilled());
}

TEST_F(State, AFileMustHaveAllStates) {
  fill();
  EXPECT_EQ(loadContents("{}", 0),
            folder.path("given") +
                ": missing states 'runs' (int64 [1]), 'keys' (float32 [3, 5]), "
                "'empty' (float32 [0])");
  EXPECT_TRUE(isFilled());
}

TEST_F(State, BrokenFilesAreErrorsAndChangeNothing) {
  fill();
  ASSERT_EQ(save(folder.path("s")), "");
  std::string contents = folder.read("s");
  for (size_t size = 0; size < contents.size(); size += 7)
    EXPECT_NE(load(folder.write("cut", contents.substr(0, size))), "");
  EXPECT_EQ(load(folder.path("none")).find("cannot read '"), 0u);
  EXPECT_EQ(load("/"), "cannot read '/': not a regular file");
  EXPECT_TRUE(isFilled());
}

TEST_F(State, SavingToWhereNothingGoesIsAnError) {
  EXPECT_EQ(save(folder.path("none/s")).find("cannot write '"), 0u);
  EXPECT_EQ(save("/dev/full"), "cannot write '/dev/full': No space left on "
                               "device");
  EXPECT_EQ(folder.fileCount(), 0u);
}

// As on a disk that gets full: at each size the old file stays.
TEST_F(State, AFullDiskLeavesTheOldFile) {
  fill();
  std::string path = folder.path("s");
  ASSERT_EQ(save(path), "");
  std::string old = folder.read("s");
  EXPECT_EQ(takeText(HamKaasInstanceResetState(instance)), "");
  rlimit former = {};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &former), 0);
  auto handler = signal(SIGXFSZ, SIG_IGN);
  for (size_t size = 0; size < old.size(); size += 11) {
    rlimit limit = {size, former.rlim_max};
    ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &limit), 0);
    std::string text = save(path);
    ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &former), 0);
    EXPECT_EQ(text, "cannot write '" + path + "': File too large");
    EXPECT_EQ(folder.read("s"), old);
    EXPECT_EQ(folder.fileCount(), 1u);
  }
  signal(SIGXFSZ, handler);
  ASSERT_EQ(load(path), "");
  EXPECT_TRUE(isFilled());
}

TEST_F(State, ASnapshotHoldsMore) {
  fill();
  int64_t position[3] = {7, 1, 12}, found[3] = {};
  int64_t shape[] = {3}, wrong[] = {1, 3};
  HamKaasTensorInfo extra = {"extra.position", HamKaasInt64, 1, shape, 24, 0,
                             position};
  std::string path = folder.path("s");
  auto saveMore = [&](const HamKaasTensorInfo *given, int32_t count) {
    return takeText(
        HamKaasInstanceSaveSnapshot(instance, path.c_str(), given, count));
  };
  auto read = [&] {
    void *to[] = {found};
    return takeText(HamKaasSnapshotRead(path.c_str(), &extra, to, 1));
  };
  ASSERT_EQ(saveMore(&extra, 1), "");
  EXPECT_EQ(takeText(HamKaasInstanceResetState(instance)), "");
  ASSERT_EQ(load(path), "");
  EXPECT_TRUE(isFilled());
  extra.data = nullptr;
  ASSERT_EQ(read(), "");
  EXPECT_EQ(memcmp(found, position, 24), 0);

  EXPECT_EQ(saveMore(&extra, 1),
            path + ": tensor 'extra.position' has no data");
  EXPECT_EQ(saveMore(nullptr, 1),
            path + ": expected the 1 tensors beside the states, got null");
  extra.shape = wrong;
  extra.rank = 2;
  EXPECT_EQ(read(), path + ": tensor 'extra.position': expected int64 [1, 3], "
                           "got int64 [3]");
  extra.name = "extra.more";
  EXPECT_EQ(read(),
            path + ": missing extra tensors 'extra.more' (int64 [1, 3])");
  extra.name = "position";
  EXPECT_EQ(read(), path + ": expected the name of tensor 0 beside the states "
                           "to begin with 'extra.', got 'position'");
  ASSERT_EQ(save(path), "");
  extra.name = "extra.position";
  EXPECT_EQ(read(),
            path + ": missing extra tensors 'extra.position' (int64 [1, 3])");
}

// No file is better than one that cannot be loaded.
TEST_F(State, ANameThatCannotBeReadIsNotWritten) {
  states[1].name = "key\ns";
  EXPECT_EQ(save(folder.path("s")),
            folder.path("s") + ": the name of tensor number 1 is not UTF-8 "
                               "text without control characters");
  EXPECT_EQ(folder.fileCount(), 0u);
}

TEST_F(State, SurvivesEachFailedAllocation) {
  fill();
  std::string path = folder.path("s");
  ASSERT_EQ(save(path), "");
  for (auto access : {HamKaasInstanceSaveState, HamKaasInstanceLoadState}) {
    bool done = false;
    for (int64_t passing = 0; passing < 100 && !done; ++passing) {
      failAllocationAfter(passing);
      HamKaasError error = access(instance, path.c_str());
      failAllocationAfter(-1);
      done = error == nullptr;
      HamKaasErrorFree(error);
      EXPECT_TRUE(isFilled());
      EXPECT_EQ(folder.fileCount(), 1u);
    }
    EXPECT_TRUE(done);
  }
}

//===----------------------------------------------------------------------===//
// The Python package
//===----------------------------------------------------------------------===//

// Reads the states with the package of the format's authors, checks them, and
// writes others.
static constexpr char script[] = R"(
import sys
import numpy as np
from safetensors.numpy import load_file, save_file

states = load_file(sys.argv[1])
assert sorted(states) == ["empty", 'ke"y\\s\u00e9', "runs"], states
assert states["runs"].dtype == np.int64 and states["runs"].tolist() == [41]
keys = states['ke"y\\s\u00e9']
assert keys.dtype == np.float32 and keys.shape == (3, 5)
assert (keys == np.arange(15, dtype=np.float32).reshape(3, 5) / 7).all()
assert states["empty"].shape == (0,)
states["runs"] += 1
save_file(states, sys.argv[2])
)";

TEST_F(State, PythonReadsAndWritesTheSame) {
  if (std::system("python3 -c 'import safetensors.numpy' 2>/dev/null") != 0)
    GTEST_SKIP() << "no python3 with the package safetensors on the PATH";
  fill();
  states[1].name = "ke\"y\\s\xC3\xA9";
  ASSERT_EQ(save(folder.path("ours")), "");
  std::string command = "python3 " + folder.write("check.py", script) + " " +
                        folder.path("ours") + " " + folder.path("theirs");
  ASSERT_EQ(std::system(command.c_str()), 0);
  ASSERT_EQ(load(folder.path("theirs")), "");
  int64_t runs = 0;
  EXPECT_EQ(read("runs", &runs, 8), "");
  EXPECT_EQ(runs, 42);
}
