//===- ThreadsTest.cpp - Many threads in the C interface --------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Models.h"

#include <atomic>
#include <csignal>
#include <functional>
#include <thread>

using namespace hamkaas::test;

namespace {

void runThreads(int count, const std::function<void(int)> &body) {
  std::vector<std::thread> threads;
  for (int i = 0; i < count; ++i)
    threads.emplace_back(body, i);
  for (std::thread &thread : threads)
    thread.join();
}

} // namespace

TEST(Threads, CompileRunAndDestroy) {
  runThreads(20, [](int) {
    for (int i = 0; i < 3; ++i) {
      OwnedModel model = compile(addScript);
      OwnedInstance instance = createAdder(model.get());
      model.reset();
      EXPECT_EQ(runAdder(instance.get()), adderResult);
    }
  });
}

TEST(Threads, ShareAModel) {
  OwnedModel model = compile(addScript);
  runThreads(20, [&](int) {
    for (int i = 0; i < 20; ++i) {
      OwnedInstance instance = createAdder(model.get());
      EXPECT_EQ(runAdder(instance.get()), adderResult);
      EXPECT_EQ(describe(model.get(), HamKaasDescribeScript), addScript);
    }
  });
}

// Who comes too late gets an error; one of the calls that destroy succeeds.
TEST(Threads, DestroyAModelInUse) {
  for (int round = 0; round < 20; ++round) {
    HamKaasModel *model = compile(addScript).release();
    std::atomic<int> destroyed{0};
    runThreads(8, [&](int thread) {
      if (thread % 2) {
        const HamKaasProgram *program = nullptr;
        EXPECT_NE(describe(model, HamKaasDescribeReport), "");
        HamKaasErrorFree(HamKaasModelGetProgram(model, &program));
        HamKaasInstance *instance = nullptr;
        HamKaasErrorFree(HamKaasModelCreateInstance(model, nullptr, &instance));
        HamKaasInstanceDestroy(instance);
      } else if (takeText(HamKaasModelDestroy(model)).empty()) {
        ++destroyed;
      }
    });
    EXPECT_EQ(destroyed, 1);
  }
}

// LLVM takes over signals, and their stack, when a process writes a file first;
// NOTE: so this comes before all tests that write.
TEST(Threads, KeepTheirSignalStack) {
  TemporaryFolder folder;
  OwnedModel model = compile(addScript);
  std::thread([&] {
    std::vector<char> memory(static_cast<size_t>(MINSIGSTKSZ));
    stack_t own = {}, before = {}, after = {};
    own.ss_sp = memory.data();
    own.ss_size = memory.size();
    ASSERT_EQ(sigaltstack(&own, &before), 0);
    std::string path = folder.path("adder.so");
    EXPECT_EQ(takeText(HamKaasModelWrite(model.get(), path.c_str(), nullptr)),
              "");
    ASSERT_EQ(sigaltstack(&before, &after), 0);
    EXPECT_EQ(after.ss_sp, own.ss_sp);
    EXPECT_EQ(after.ss_size, own.ss_size);
  }).join();
}

// The linker has global state, which neither it nor the compiler may disturb.
TEST(Threads, WriteAndCompileAtOnce) {
  TemporaryFolder folder;
  OwnedModel model = compile(addScript);
  runThreads(8, [&](int thread) {
    if (thread % 2) {
      for (int i = 0; i < 5; ++i)
        EXPECT_EQ(compileError(stateScript), "");
      return;
    }
    std::string path = folder.path("adder" + std::to_string(thread) + ".so");
    EXPECT_EQ(takeText(HamKaasModelWrite(model.get(), path.c_str(), nullptr)),
              "");
    OwnedModel loaded = load(path);
    EXPECT_EQ(runAdder(createAdder(loaded.get()).get()), adderResult);
  });
}
