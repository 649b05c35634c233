//===- EmulatorTest.cpp - Tests of the emulator of GPUs -------------------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The kernels here are written by hand as `hamkaas-gpu-emulate` would make
// them.
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Emulation/Emulator.h"
#include "gtest/gtest.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <vector>

namespace hamkaas::emulation {
namespace {

constexpr uint32_t allLanes = 0xffffffff;

using Data = std::vector<int32_t>;

/// Loads and stores that are checked.
int32_t load(EmulatedThread *thread, const int32_t *from, const char *place) {
  thread->functions->access(thread, from, 4, 4, AccessRead, place);
  return *from;
}

void store(EmulatedThread *thread, int32_t *to, int32_t value,
           const char *place) {
  thread->functions->access(thread, to, 4, 4, AccessWrite, place);
  *to = value;
}

int32_t *getArgument(const uint64_t *arguments, int i) {
  return reinterpret_cast<int32_t *>(arguments[i]);
}

int32_t *getShared(EmulatedThread *thread) {
  return reinterpret_cast<int32_t *>(thread->shared);
}

/// Each test runs in each of these.
const ThreadOrder orders[] = {{ThreadOrder::Forward},
                              {ThreadOrder::Backward},
                              {ThreadOrder::Shuffled, 1},
                              {ThreadOrder::Shuffled, 2}};

struct Launch {
  EmulatedFunction function;
  int64_t blocks = 1, threads = 32;
  uint32_t sharedBytes = 0;

  std::string run(ThreadOrder order, std::vector<Data *> data) const {
    Emulator emulator(order);
    return run(emulator, std::move(data));
  }
  std::string run(Emulator &emulator, std::vector<Data *> data) const {
    std::vector<int64_t> bytes;
    std::vector<uint64_t> arguments;
    for (Data *argument : data) {
      bytes.push_back(static_cast<int64_t>(4 * argument->size()));
      arguments.push_back(reinterpret_cast<uint64_t>(argument->data()));
    }
    EmulatedKernel kernel = {"k", function, bytes.data(),
                             static_cast<int32_t>(bytes.size()), sharedBytes};
    return emulator.launch(kernel, {blocks, threads, 0}, arguments.data());
  }
};

//===----------------------------------------------------------------------===//
// Threads and blocks
//===----------------------------------------------------------------------===//

void numberThreads(const uint64_t *arguments, EmulatedThread *thread) {
  int64_t i = thread->block * thread->threads + thread->thread;
  store(thread, getArgument(arguments, 0) + i, static_cast<int32_t>(i),
        "store");
}

TEST(Emulator, RunsEachThreadOfEachBlock) {
  for (ThreadOrder order : orders) {
    Data data(3 * 70, -1), expected(3 * 70);
    std::iota(expected.begin(), expected.end(), 0);
    EXPECT_EQ((Launch{numberThreads, 3, 70}).run(order, {&data}), "");
    EXPECT_EQ(data, expected);
  }
}

void noteOrder(const uint64_t *arguments, EmulatedThread *thread) {
  int32_t *next = getArgument(arguments, 1);
  getArgument(arguments, 0)[(*next)++] =
      static_cast<int32_t>(thread->block * thread->threads + thread->thread);
}

TEST(Emulator, RunsThreadsInTheOrderAskedFor) {
  auto getOrder = [](ThreadOrder order) {
    Data seen(2 * 100), next(1);
    EXPECT_EQ((Launch{noteOrder, 2, 100}).run(order, {&seen, &next}), "");
    return seen;
  };
  Data forward(200);
  std::iota(forward.begin(), forward.end(), 0);
  EXPECT_EQ(getOrder({ThreadOrder::Forward}), forward);
  EXPECT_EQ(getOrder({ThreadOrder::Backward}),
            Data(forward.rbegin(), forward.rend()));
  Data one = getOrder({ThreadOrder::Shuffled, 1});
  EXPECT_NE(one, forward);
  EXPECT_NE(one, getOrder({ThreadOrder::Shuffled, 2}));
  EXPECT_EQ(one, getOrder({ThreadOrder::Shuffled, 1}));
  std::sort(one.begin(), one.end());
  EXPECT_EQ(one, forward);
}

TEST(Emulator, ChecksTheSizeOfABlock) {
  Data data(1);
  EXPECT_EQ((Launch{numberThreads, 1, 1025}).run(orders[0], {&data}),
            "kernel 'k': expected 1 to 1024 threads in a block, got 1025");
}

//===----------------------------------------------------------------------===//
// Barriers
//===----------------------------------------------------------------------===//

/// Each block reverses its elements.
template <bool hasBarrier>
void reverse(const uint64_t *arguments, EmulatedThread *thread) {
  int32_t *data = getArgument(arguments, 0) + thread->block * thread->threads;
  int32_t *shared = getShared(thread);
  store(thread, shared + thread->thread,
        load(thread, data + thread->thread, "load"), "to shared");
  if (hasBarrier)
    thread->functions->barrier(thread, "barrier");
  int64_t other = thread->threads - 1 - thread->thread;
  store(thread, data + thread->thread,
        load(thread, shared + other, "from shared"), "store");
}

TEST(Emulator, BarriersLetThreadsReadWhatOthersWrote) {
  for (ThreadOrder order : orders) {
    Data data(3 * 70), expected(3 * 70);
    for (int i = 0; i < 3 * 70; ++i) {
      data[i] = i;
      expected[i] = i / 70 * 70 + 69 - i % 70;
    }
    EXPECT_EQ((Launch{reverse<true>, 3, 70, 280}).run(order, {&data}), "");
    EXPECT_EQ(data, expected);
  }
}

TEST(Emulator, FindsMissingBarriers) {
  for (ThreadOrder order : orders) {
    Data data(70);
    std::string error =
        (Launch{reverse<false>, 1, 70, 280}).run(order, {&data});
    EXPECT_NE(error.find("with no synchronization in between"),
              std::string::npos)
        << error;
  }
  Data data(70);
  EXPECT_EQ((Launch{reverse<false>, 1, 70, 280}).run(orders[0], {&data}),
            "kernel 'k', block 0: thread 35 writes 4 bytes at to shared: what "
            "thread 34 read at from shared, with no synchronization in "
            "between");
}

/// Without a check the result is wrong in some order.
void reverseUnchecked(const uint64_t *arguments, EmulatedThread *thread) {
  int32_t *data = getArgument(arguments, 0);
  getShared(thread)[thread->thread] = data[thread->thread];
  data[thread->thread] = getShared(thread)[69 - thread->thread];
}

TEST(Emulator, MissingBarriersGiveOtherResults) {
  Data results[2];
  for (int i = 0; i < 2; ++i) {
    results[i].assign(70, 5);
    EXPECT_EQ(
        (Launch{reverseUnchecked, 1, 70, 280}).run(orders[i], {&results[i]}),
        "");
  }
  EXPECT_NE(results[0], results[1]);
  // Shared memory holds nothing of use at first.
  EXPECT_EQ(results[0][0], -1);
}

void leaveBeforeBarrier(const uint64_t *, EmulatedThread *thread) {
  if (thread->thread >= 40 && thread->thread < 50)
    return;
  thread->functions->barrier(thread, "a barrier");
}

TEST(Emulator, FindsBarriersThatNotAllReach) {
  for (ThreadOrder order : orders)
    EXPECT_EQ((Launch{leaveBeforeBarrier, 1, 64}).run(order, {}),
              "kernel 'k', block 0: a synchronization is not reached by all "
              "threads: threads 0 to 39 wait at a barrier; threads 40 to 49 "
              "have returned; threads 50 to 63 wait at a barrier");
}

void twoBarriers(const uint64_t *, EmulatedThread *thread) {
  thread->functions->barrier(thread, thread->thread < 3 ? "one" : "another");
}

TEST(Emulator, FindsThreadsAtDifferentBarriers) {
  EXPECT_EQ((Launch{twoBarriers}).run(orders[0], {}),
            "kernel 'k', block 0: the threads are at different barriers: "
            "thread 0 at one, thread 3 at another");
}

//===----------------------------------------------------------------------===//
// Warps
//===----------------------------------------------------------------------===//

/// Adds up the lanes of each warp.
void addLanes(const uint64_t *arguments, EmulatedThread *thread) {
  int32_t *data = getArgument(arguments, 0) + thread->thread;
  int32_t sum = load(thread, data, "load");
  for (uint32_t offset = 16; offset > 0; offset /= 2)
    sum += static_cast<int32_t>(thread->functions->shuffle(
        thread, static_cast<uint64_t>(sum), ShuffleXor, allLanes, offset, 31,
        "shuffle"));
  store(thread, data, sum, "store");
}

TEST(Emulator, ReducesByShuffles) {
  for (ThreadOrder order : orders) {
    Data data(96);
    std::iota(data.begin(), data.end(), 0);
    EXPECT_EQ((Launch{addLanes, 1, 96}).run(order, {&data}), "");
    for (int i = 0; i < 96; ++i)
      EXPECT_EQ(data[i], 32 * 31 / 2 + 1024 * (i / 32));
  }
}

/// Writes the value and the predicate of a shuffle that the arguments describe.
void shuffleOnce(const uint64_t *arguments, EmulatedThread *thread) {
  const int32_t *how = getArgument(arguments, 1);
  int32_t *to = getArgument(arguments, 0) + 2 * thread->thread;
  to[0] = static_cast<int32_t>(thread->functions->shuffle(
      thread, static_cast<uint64_t>(thread->thread), how[0], allLanes,
      static_cast<uint32_t>(how[1]), static_cast<uint32_t>(how[2]), "shuffle"));
  to[1] = thread->isShuffleValid;
}

TEST(Emulator, ShufflesAsPtxSays) {
  auto shuffle = [](int32_t kind, int32_t operand, int32_t clamp) {
    Data how = {kind, operand, clamp}, data(64);
    EXPECT_EQ((Launch{shuffleOnce}).run(orders[2], {&data, &how}), "");
    return data;
  };
  for (int lane = 0; lane < 32; ++lane) {
    auto expect = [&](const Data &data, int value, int valid) {
      EXPECT_EQ(data[2 * lane], value) << "lane " << lane;
      EXPECT_EQ(data[2 * lane + 1], valid) << "lane " << lane;
    };
    expect(shuffle(ShuffleXor, 5, 31), lane ^ 5, 1);
    expect(shuffle(ShuffleIndex, 7, 31), 7, 1);
    expect(shuffle(ShuffleUp, 3, 0), lane < 3 ? lane : lane - 3, lane >= 3);
    expect(shuffle(ShuffleDown, 3, 31), lane > 28 ? lane : lane + 3,
           lane <= 28);
    // In segments of 8 lanes: 0x1800 is the mask of what a segment has in
    // common.
    expect(shuffle(ShuffleIndex, 2, 0x1807), lane / 8 * 8 + 2, 1);
    expect(shuffle(ShuffleDown, 6, 0x1807), lane % 8 > 1 ? lane : lane + 6,
           lane % 8 <= 1);
  }
}

void shuffleTwoHalves(const uint64_t *arguments, EmulatedThread *thread) {
  bool isUpper = thread->thread >= 16;
  uint64_t mask = isUpper ? 0xffff0000 : 0xffff;
  getArgument(arguments, 0)[thread->thread] =
      static_cast<int32_t>(thread->functions->shuffle(
          thread, static_cast<uint64_t>(thread->thread), ShuffleXor,
          static_cast<uint32_t>(mask), isUpper ? 1 : 2, 31,
          isUpper ? "upper" : "lower"));
}

TEST(Emulator, HalvesOfAWarpShuffleByThemselves) {
  for (ThreadOrder order : orders) {
    Data data(32);
    EXPECT_EQ((Launch{shuffleTwoHalves}).run(order, {&data}), "");
    for (int i = 0; i < 32; ++i)
      EXPECT_EQ(data[i], i ^ (i < 16 ? 2 : 1));
  }
}

void readOutsideOfMask(const uint64_t *, EmulatedThread *thread) {
  if (thread->thread < 16)
    thread->functions->shuffle(thread, 0, ShuffleXor, 0xffff, 16, 31,
                               "shuffle");
}

TEST(Emulator, FindsShufflesFromLanesThatTakeNoPart) {
  EXPECT_EQ((Launch{readOutsideOfMask}).run(orders[0], {}),
            "kernel 'k', block 0: lane 0 of warp 0 reads from lane 16, which "
            "takes no part in shuffle");
}

void callOutsideOfMask(const uint64_t *, EmulatedThread *thread) {
  thread->functions->syncWarp(thread, 0xffff, "sync");
}

TEST(Emulator, FindsLanesThatAreNotInTheMask) {
  EXPECT_EQ((Launch{callOutsideOfMask}).run(orders[0], {}),
            "kernel 'k', block 0: lane 16 of warp 0 is not in the mask of "
            "sync");
}

void shuffleInBranch(const uint64_t *, EmulatedThread *thread) {
  if (thread->thread % 2 == 0)
    thread->functions->shuffle(thread, 0, ShuffleXor, allLanes, 2, 31,
                               "shuffle");
}

TEST(Emulator, FindsShufflesThatNotAllLanesReach) {
  std::string error = (Launch{shuffleInBranch}).run(orders[0], {});
  EXPECT_EQ(error.find("kernel 'k', block 0: a synchronization is not reached "
                       "by all threads: thread 0 waits at shuffle; thread 1 "
                       "has returned; "),
            0u)
      << error;
}

/// One lane writes what the others of its warp read.
template <bool hasSync>
void publish(const uint64_t *arguments, EmulatedThread *thread) {
  int64_t warp = thread->thread / 32;
  int32_t *data = getArgument(arguments, 0);
  if (thread->thread % 32 == 0)
    store(thread, getShared(thread) + warp, static_cast<int32_t>(warp + 7),
          "write");
  if (hasSync)
    thread->functions->syncWarp(thread, allLanes, "sync");
  store(thread, data + thread->thread,
        load(thread, getShared(thread) + warp, "read"), "result");
}

TEST(Emulator, LanesReadWhatOthersWroteBeforeASync) {
  for (ThreadOrder order : orders) {
    Data data(70);
    EXPECT_EQ((Launch{publish<true>, 1, 70, 12}).run(order, {&data}), "");
    for (int i = 0; i < 70; ++i)
      EXPECT_EQ(data[i], i / 32 + 7);
  }
}

TEST(Emulator, FindsMissingSyncsOfWarps) {
  Data data(70);
  EXPECT_EQ((Launch{publish<false>, 1, 70, 12}).run(orders[0], {&data}),
            "kernel 'k', block 0: thread 1 reads 4 bytes at read: what thread "
            "0 wrote at write, with no synchronization in between");
  // The reads come first in this order.
  EXPECT_EQ((Launch{publish<false>, 1, 70, 12}).run(orders[1], {&data}),
            "kernel 'k', block 0: thread 64 writes 4 bytes at write: what "
            "several threads read at read, with no synchronization in between");
}

/// A shuffle is no synchronization of memory.
void publishByShuffle(const uint64_t *, EmulatedThread *thread) {
  if (thread->thread == 0)
    store(thread, getShared(thread), 1, "write");
  thread->functions->shuffle(thread, 0, ShuffleXor, allLanes, 1, 31, "shuffle");
  load(thread, getShared(thread), "read");
}

TEST(Emulator, ShufflesPutNoMemoryInOrder) {
  EXPECT_EQ((Launch{publishByShuffle, 1, 32, 4}).run(orders[0], {}),
            "kernel 'k', block 0: thread 1 reads 4 bytes at read: what thread "
            "0 wrote at write, with no synchronization in between");
}

/// The sync of a warp is none with another one.
void publishToOtherWarp(const uint64_t *, EmulatedThread *thread) {
  if (thread->thread == 0)
    store(thread, getShared(thread), 1, "write");
  thread->functions->syncWarp(thread, allLanes, "sync");
  if (thread->thread == 32)
    load(thread, getShared(thread), "read");
}

TEST(Emulator, SyncsOfWarpsAreNotBarriers) {
  EXPECT_NE((Launch{publishToOtherWarp, 1, 64, 4}).run(orders[0], {}), "");
}

//===----------------------------------------------------------------------===//
// Products of matrices
//===----------------------------------------------------------------------===//

/// Each thread has its registers in the argument.
void multiplyOnce(const uint64_t *arguments, EmulatedThread *thread) {
  auto *registers = reinterpret_cast<uint32_t *>(getArgument(arguments, 0)) +
                    productRegisters * thread->thread;
  thread->functions->addProduct(thread, *getArgument(arguments, 1), registers,
                                "product");
}

uint32_t getBits(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return bits;
}

float getFloat(int32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

/// Factors and sums, in the layouts that PTX has for `mma.sync`: tables of the
/// elements of each thread.
struct Matrices {
  ProductKind kind;
  int depth;
  float left[16][16] = {}, right[16][8] = {}, sums[16][8] = {};

  explicit Matrices(ProductKind kind)
      : kind(kind), depth(kind == ProductTF32 ? 8 : 16) {
    for (int i = 0; i < 16; ++i)
      for (int k = 0; k < depth; ++k)
        left[i][k] = static_cast<float>(3 * i - 5 * k);
    for (int k = 0; k < depth; ++k)
      for (int j = 0; j < 8; ++j)
        right[k][j] = static_cast<float>(k * k - 7 * j);
    for (int i = 0; i < 16; ++i)
      for (int j = 0; j < 8; ++j)
        sums[i][j] = static_cast<float>(100 * i + j);
  }

  /// One register of neighbours along the depth.
  template <typename Get> uint32_t pack(int group, Get get) const {
    if (kind == ProductTF32)
      return getBits(get(group));
    return getBits(get(2 * group)) >> 16 | getBits(get(2 * group + 1));
  }
  Data registers() const {
    Data data;
    for (int lane = 0; lane < 32; ++lane) {
      int group = lane / 4, member = lane % 4;
      auto addLeft = [&](int row, int place) {
        data.push_back(static_cast<int32_t>(
            pack(place, [&](int k) { return left[row][k]; })));
      };
      addLeft(group, member);
      addLeft(group + 8, member);
      addLeft(group, member + 4);
      addLeft(group + 8, member + 4);
      for (int place : {member, member + 4})
        data.push_back(static_cast<int32_t>(
            pack(place, [&](int k) { return right[k][group]; })));
      for (int row : {group, group + 8})
        for (int column : {2 * member, 2 * member + 1})
          data.push_back(static_cast<int32_t>(getBits(sums[row][column])));
    }
    return data;
  }
  float expected(int row, int column) const {
    float sum = sums[row][column];
    for (int k = 0; k < depth; ++k)
      sum += left[row][k] * right[k][column];
    return sum;
  }
};

TEST(Emulator, MultipliesMatricesAsPtxSays) {
  for (ThreadOrder order : orders)
    for (ProductKind kind : {ProductTF32, ProductBF16}) {
      Matrices matrices(kind);
      Data data = matrices.registers(), how = {kind};
      EXPECT_EQ((Launch{multiplyOnce}).run(order, {&data, &how}), "");
      for (int lane = 0; lane < 32; ++lane)
        for (int i = 0; i < 4; ++i)
          EXPECT_EQ(
              getFloat(data[productRegisters * lane + firstSumRegister + i]),
              matrices.expected(lane / 4 + i / 2 * 8, lane % 4 * 2 + i % 2))
              << "lane " << lane << ", sum " << i;
    }
}

// A tf32 has 10 bits behind the point; the others are whatever they are.
TEST(Emulator, LowerBitsOfTF32MeanNothing) {
  Matrices matrices(ProductTF32);
  Data exact = matrices.registers(), noisy = exact, how = {ProductTF32};
  for (size_t i = 0; i < noisy.size(); ++i)
    if (i % productRegisters < firstSumRegister)
      noisy[i] |= 0x1fff;
  EXPECT_EQ((Launch{multiplyOnce}).run(orders[0], {&exact, &how}), "");
  EXPECT_EQ((Launch{multiplyOnce}).run(orders[0], {&noisy, &how}), "");
  for (size_t i = 0; i < noisy.size(); ++i)
    if (i % productRegisters >= firstSumRegister)
      EXPECT_EQ(noisy[i], exact[i]);
}

TEST(Emulator, ProductsTakeAllLanesOfAWarp) {
  Data data(64 * productRegisters), how = {ProductTF32};
  EXPECT_EQ((Launch{multiplyOnce, 1, 40}).run(orders[1], {&data, &how}),
            "kernel 'k', block 0: a product of matrices takes all lanes of a "
            "warp, of which warp 1 at product has 8");
}

void multiplyInBranch(const uint64_t *arguments, EmulatedThread *thread) {
  if (thread->thread % 2 == 0)
    multiplyOnce(arguments, thread);
}

TEST(Emulator, FindsProductsThatNotAllLanesReach) {
  Data data(32 * productRegisters), how = {ProductTF32};
  std::string error = (Launch{multiplyInBranch}).run(orders[0], {&data, &how});
  EXPECT_EQ(error.find("kernel 'k', block 0: a synchronization is not reached "
                       "by all threads: thread 0 waits at product; thread 1 "
                       "has returned; "),
            0u)
      << error;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

void writeAsOthers(const uint64_t *arguments, EmulatedThread *thread) {
  store(thread, getArgument(arguments, 0) + thread->thread, 1, "store");
}

TEST(Emulator, FindsBlocksThatWriteTheSame) {
  Data data(32);
  EXPECT_EQ((Launch{writeAsOthers, 2}).run(orders[0], {&data}),
            "kernel 'k', block 1: thread 0 writes 4 bytes at store: what "
            "thread 0 of block 0 wrote at store, with no synchronization in "
            "between");
}

TEST(Emulator, LaunchesComeOneAfterTheOther) {
  Data data(32);
  Emulator emulator(orders[0]);
  EXPECT_EQ((Launch{writeAsOthers}).run(emulator, {&data}), "");
  EXPECT_EQ((Launch{writeAsOthers}).run(emulator, {&data}), "");
}

TEST(Emulator, FindsAccessesOutsideOfArguments) {
  Data data(31);
  EXPECT_EQ((Launch{writeAsOthers}).run(orders[0], {&data}),
            "kernel 'k', block 0: thread 31 writes 4 bytes at store: offset "
            "124 of argument 0, which has 124 bytes");
}

void writeShared(const uint64_t *, EmulatedThread *thread) {
  store(thread, getShared(thread) + thread->thread, 1, "store");
}

TEST(Emulator, FindsAccessesOutsideOfSharedMemory) {
  EXPECT_EQ((Launch{writeShared, 1, 32, 64}).run(orders[0], {}),
            "kernel 'k', block 0: thread 16 writes 4 bytes at store: offset "
            "64 of shared memory, which has 64 bytes");
}

void readVector(const uint64_t *arguments, EmulatedThread *thread) {
  thread->functions->access(thread, getArgument(arguments, 0) + 1, 16, 16,
                            AccessRead, "load");
}

// The device ends a launch for it.
TEST(Emulator, FindsVectorsThatAreNotAligned) {
  Data data(8);
  std::string error = (Launch{readVector, 1, 1}).run(orders[0], {&data});
  EXPECT_EQ(error, "kernel 'k', block 0: thread 0 reads 16 bytes at load: "
                   "expected a multiple of 16, got offset 4 of argument 0, "
                   "which has 32 bytes");
}

int32_t table[4] = {1, 2, 3, 4};

void useTable(const uint64_t *arguments, EmulatedThread *thread) {
  if (*getArgument(arguments, 0))
    store(thread, table, 1, "store");
  else
    *getArgument(arguments, 0) = load(thread, table + 3, "load");
}

TEST(Emulator, ConstantsAreOnlyRead) {
  EmulatedConstant constant = {"table", table, sizeof(table)};
  EmulatedImage image = {nullptr, 0, &constant, 1};
  Emulator emulator(orders[0]);
  emulator.addConstants(image);
  Data data(1);
  EXPECT_EQ((Launch{useTable, 1, 1}).run(emulator, {&data}), "");
  EXPECT_EQ(data[0], 4);
  EXPECT_EQ((Launch{useTable, 1, 1}).run(emulator, {&data}),
            "kernel 'k', block 0: thread 0 writes 4 bytes at store: offset "
            "0 of table, which has 16 bytes and is constant");
}

/// Neighbouring bytes of several threads are no conflict, the same ones are.
template <int64_t stride>
void writeBytes(const uint64_t *arguments, EmulatedThread *thread) {
  auto *bytes = reinterpret_cast<char *>(arguments[0]);
  // Words first: the cells are divided by the bytes that follow.
  if (thread->thread == 0)
    store(thread, getArgument(arguments, 0) + 15, 1, "word");
  thread->functions->access(thread, bytes + thread->thread / stride, 1, 1,
                            AccessWrite, "byte");
}

TEST(Emulator, TellsBytesApart) {
  Data data(16);
  EXPECT_EQ((Launch{writeBytes<1>}).run(orders[0], {&data}), "");
  EXPECT_NE((Launch{writeBytes<2>}).run(orders[0], {&data}), "");
}

template <int32_t second>
void count(const uint64_t *arguments, EmulatedThread *thread) {
  int32_t *counter = getArgument(arguments, 0);
  thread->functions->access(thread, counter, 4, 4,
                            thread->thread == 1 ? second : AccessAtomic, "add");
  ++*counter;
}

TEST(Emulator, AtomicAccessesAreNoRace) {
  Data data(1);
  EXPECT_EQ((Launch{count<AccessAtomic>, 4}).run(orders[0], {&data}), "");
  EXPECT_EQ(data[0], 128);
  EXPECT_NE((Launch{count<AccessWrite>}).run(orders[0], {&data}), "");
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

/// Each thread copies its element to shared memory and reads that of another.
template <bool waits, bool hasBarrier>
void copyAndReverse(const uint64_t *arguments, EmulatedThread *thread) {
  const EmulatedFunctions &functions = *thread->functions;
  int32_t *data = getArgument(arguments, 0);
  int32_t *shared = getShared(thread);
  functions.copyLater(thread, shared + thread->thread, 4, data + thread->thread,
                      thread->thread == 3 ? 0 : 4, "copy");
  functions.commitCopies(thread);
  functions.waitForCopies(thread, waits ? 0 : 1);
  if (hasBarrier)
    functions.barrier(thread, "barrier");
  getArgument(arguments, 1)[thread->thread] =
      load(thread, shared + thread->threads - 1 - thread->thread, "load");
}

TEST(Emulator, CopiesAreThereAfterTheWait) {
  for (ThreadOrder order : orders) {
    Data data(64), result(64);
    std::iota(data.begin(), data.end(), 10);
    EXPECT_EQ((Launch{copyAndReverse<true, true>, 1, 64, 256})
                  .run(order, {&data, &result}),
              "");
    for (int i = 0; i < 64; ++i)
      EXPECT_EQ(result[63 - i], i == 3 ? 0 : 10 + i);
  }
}

TEST(Emulator, CopiesAreNotThereBefore) {
  Data data(64, 5), result(64);
  EXPECT_EQ((Launch{copyAndReverse<false, true>, 1, 64, 256})
                .run(orders[0], {&data, &result}),
            "");
  EXPECT_EQ(result, Data(64, -1));
}

TEST(Emulator, FindsCopiesThatOthersReadTooSoon) {
  Data data(64), result(64);
  EXPECT_NE((Launch{copyAndReverse<true, false>, 1, 64, 256})
                .run(orders[0], {&data, &result}),
            "");
}

} // namespace
} // namespace hamkaas::emulation
