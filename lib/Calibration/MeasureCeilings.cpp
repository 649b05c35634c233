//===- MeasureCeilings.cpp - Measures what the machine can do ---*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Calibration/Ceilings.h"
#include "HamKaas/Calibration/Loops.h"
#include "HamKaas/Runtime/Core/Device.h"
#include "HamKaas/Runtime/Cpu/Isa.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <array>
#include <atomic>
#include <barrier>
#include <chrono>
#include <functional>
#include <memory>
#include <pthread.h>

using namespace hamkaas;

/// The best of so many tries counts, because other processes only make it
/// slower.
static constexpr int tries = 5;

/// Some milliseconds.
static constexpr long multiplyAddSteps = 1000000;
static constexpr uint64_t bytesOfTry = 256 << 20;

/// Least part of a working set that a thread has.
static constexpr uint64_t leastBytesOfThread = 4096;

static constexpr uint64_t workingSets[] = {
    32 << 10, 128 << 10, 512 << 10, 1 << 20,  3 << 19,   2 << 20,   4 << 20,
    8 << 20,  16 << 20,  32 << 20,  64 << 20, 128 << 20, 256 << 20, 512 << 20};

//===----------------------------------------------------------------------===//
// A group of threads
//===----------------------------------------------------------------------===//

namespace {

using Clock = std::chrono::steady_clock;
using Work = std::function<void()>;

/// Threads that do the same at the same time.
class ThreadGroup {
public:
  /// `prepare` runs in each thread and returns what is timed, or null where
  /// there is no memory.
  ThreadGroup(int threads, const std::function<Work()> &prepare)
      : prepare(prepare), barrier(threads), members(threads) {
    for (Member &member : members)
      member.group = this;
  }

  /// Returns the seconds that the group takes for one piece of work each.
  llvm::Expected<double> measure();

private:
  struct Member {
    ThreadGroup *group = nullptr;
    pthread_t thread;
    std::array<Clock::time_point, tries> begins, ends;
  };

  static void *main(void *member) {
    auto *self = static_cast<Member *>(member);
    self->group->run(*self);
    return nullptr;
  }
  void run(Member &member);
  double getSeconds(int attempt) const;

  const std::function<Work()> &prepare;
  std::barrier<> barrier;
  std::vector<Member> members;
  std::atomic<bool> isOutOfMemory = false;
};

} // namespace

void ThreadGroup::run(Member &member) {
  Work work = prepare();
  if (!work)
    isOutOfMemory = true;
  barrier.arrive_and_wait();
  if (isOutOfMemory)
    return;
  for (int attempt = 0; attempt < tries; ++attempt) {
    barrier.arrive_and_wait();
    member.begins[attempt] = Clock::now();
    work();
    member.ends[attempt] = Clock::now();
  }
}

double ThreadGroup::getSeconds(int attempt) const {
  Clock::time_point begin = members.front().begins[attempt];
  Clock::time_point end = members.front().ends[attempt];
  for (const Member &member : members) {
    begin = std::min(begin, member.begins[attempt]);
    end = std::max(end, member.ends[attempt]);
  }
  return std::chrono::duration<double>(end - begin).count();
}

llvm::Expected<double> ThreadGroup::measure() {
  size_t created = 0;
  while (created < members.size() &&
         pthread_create(&members[created].thread, nullptr, main,
                        &members[created]) == 0)
    ++created;
  if (created < members.size()) {
    // Those that were created must not wait for the others.
    isOutOfMemory = true;
    for (size_t i = created; i < members.size(); ++i)
      barrier.arrive_and_drop();
  }
  for (size_t i = 0; i < created; ++i)
    pthread_join(members[i].thread, nullptr);
  if (created < members.size())
    return llvm::createStringError("cannot create " +
                                   llvm::Twine(members.size()) + " threads");
  if (isOutOfMemory)
    return llvm::createStringError("out of memory for measuring bandwidth");
  double best = getSeconds(0);
  for (int attempt = 1; attempt < tries; ++attempt)
    best = std::min(best, getSeconds(attempt));
  return best;
}

//===----------------------------------------------------------------------===//
// Measurements
//===----------------------------------------------------------------------===//

namespace {

/// The runtime's CPU device, so that pages are of the size that programs get.
class Memory {
public:
  static llvm::Expected<Memory> create();
  ~Memory() {
    if (device)
      device->destroy(device->context);
  }
  Memory(Memory &&) = default;

  /// Returns zeros, or null.
  std::shared_ptr<float> allocate(uint64_t bytes) const;

private:
  explicit Memory(const rt::Device &device)
      : device(std::make_unique<rt::Device>(device)) {}
  std::unique_ptr<rt::Device> device;
};

} // namespace

llvm::Expected<Memory> Memory::create() {
  rt::Device device;
  if (rt::createCpuDevice(/*threads=*/1, device))
    return llvm::createStringError("out of memory for a device");
  return Memory(device);
}

std::shared_ptr<float> Memory::allocate(uint64_t bytes) const {
  rt::Error reason;
  void *memory = device->allocate(device->context, bytes, reason);
  if (!memory)
    return nullptr;
  // Cannot fail on the processor.
  (void)device->zero(device->context, memory, bytes);
  return std::shared_ptr<float>(static_cast<float *>(memory),
                                [device = device.get()](float *memory) {
                                  device->release(device->context, memory);
                                });
}

static llvm::Expected<double> measureGigaflops(const Loops &loops,
                                               int threads) {
  double flops = loops.multiplyAdd(1) * multiplyAddSteps * threads;
  auto seconds = ThreadGroup(threads, [&]() -> Work {
                   return [&] { loops.multiplyAdd(multiplyAddSteps); };
                 }).measure();
  if (!seconds)
    return seconds.takeError();
  return flops / *seconds * 1e-9;
}

/// The part of a working set that each of `buffers` buffers of a thread has.
static uint64_t getBytesOfBuffer(uint64_t workingSet, int threads,
                                 int buffers) {
  uint64_t unit = 4 * loopBytes;
  return workingSet / threads / buffers / unit * unit;
}

/// GB/s of `move`, which moves all buffers of a thread once.
static llvm::Expected<double>
measureBandwidth(int threads, uint64_t bytesOfThread,
                 const std::function<Work()> &prepare) {
  long passes = std::max<uint64_t>(1, bytesOfTry / threads / bytesOfThread);
  auto seconds = ThreadGroup(threads, [&]() -> Work {
                   Work move = prepare();
                   if (!move)
                     return nullptr;
                   move(); // The first finds nothing in the caches.
                   return [move, passes] {
                     for (long pass = 0; pass < passes; ++pass)
                       move();
                   };
                 }).measure();
  if (!seconds)
    return seconds.takeError();
  return 1e-9 * bytesOfThread * passes * threads / *seconds;
}

static llvm::Error measureRead(const Loops &loops, const Memory &memory,
                               uint64_t workingSet, ThreadCeilings &ceilings) {
  uint64_t bytes = getBytesOfBuffer(workingSet, ceilings.threads, 1);
  double best = 0;
  for (auto *loop : {loops.read, loops.readStreams}) {
    auto bandwidth = measureBandwidth(ceilings.threads, bytes, [&]() -> Work {
      auto from = memory.allocate(bytes);
      if (!from)
        return nullptr;
      return [=] { loop(from.get(), bytes); };
    });
    if (!bandwidth)
      return bandwidth.takeError();
    best = std::max(best, *bandwidth);
  }
  ceilings.read.push_back({workingSet, best});
  return llvm::Error::success();
}

static llvm::Error measureCopy(const Loops &loops, const Memory &memory,
                               uint64_t workingSet, ThreadCeilings &ceilings) {
  uint64_t bytes = getBytesOfBuffer(workingSet, ceilings.threads, 2);
  double best = 0;
  for (auto *loop : {loops.copy, loops.copyPastCaches}) {
    auto bandwidth =
        measureBandwidth(ceilings.threads, 2 * bytes, [&]() -> Work {
          auto from = memory.allocate(bytes), to = memory.allocate(bytes);
          if (!from || !to)
            return nullptr;
          return [=] { loop(from.get(), to.get(), bytes); };
        });
    if (!bandwidth)
      return bandwidth.takeError();
    best = std::max(best, *bandwidth);
  }
  ceilings.copy.push_back({workingSet, best});
  return llvm::Error::success();
}

static llvm::Error measureThreads(const Loops &loops, const Memory &memory,
                                  ThreadCeilings &ceilings) {
  if (llvm::Error error = measureGigaflops(loops, ceilings.threads)
                              .moveInto(ceilings.gigaflops))
    return error;
  for (uint64_t workingSet : workingSets) {
    if (workingSet / ceilings.threads < leastBytesOfThread)
      continue;
    if (llvm::Error error = measureRead(loops, memory, workingSet, ceilings))
      return error;
    if (llvm::Error error = measureCopy(loops, memory, workingSet, ceilings))
      return error;
  }
  return llvm::Error::success();
}

llvm::Expected<Ceilings> hamkaas::measureCeilings() {
  auto memory = Memory::create();
  if (!memory)
    return memory.takeError();
  const Loops &loops = getLoops(rt::isaLevelOf(rt::readCpuid()));
  Ceilings ceilings;
  ceilings.cpu = getProcessorName();
  int all = getProcessorCount();
  for (int threads = 1;; threads = std::min(2 * threads, all)) {
    ThreadCeilings &measured = ceilings.threads.emplace_back();
    measured.threads = threads;
    if (llvm::Error error = measureThreads(loops, *memory, measured))
      return std::move(error);
    if (threads == all)
      return ceilings;
  }
}
