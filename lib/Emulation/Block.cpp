//===- Block.cpp - The threads of a block ---------------------------------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Block.h"
#include "MatrixProduct.h"

#include <cstring>

using namespace hamkaas::emulation;

//===----------------------------------------------------------------------===//
// The functions of emulated code
//===----------------------------------------------------------------------===//

static BlockThread &get(EmulatedThread *thread) {
  return *static_cast<BlockThread *>(thread);
}

static const EmulatedFunctions emulatedFunctions = {
    [](EmulatedThread *thread, const char *place) {
      get(thread).owner->barrier(get(thread), place);
    },
    [](EmulatedThread *thread, uint32_t mask, const char *place) {
      get(thread).owner->syncWarp(get(thread), mask, place);
    },
    [](EmulatedThread *thread, uint64_t value, int32_t kind, uint32_t mask,
       uint32_t operand, uint32_t clamp, const char *place) {
      return get(thread).owner->shuffle(get(thread), value, kind, mask, operand,
                                        clamp, place);
    },
    [](EmulatedThread *thread, const void *address, int64_t bytes,
       int64_t alignment, int32_t kind, const char *place) {
      get(thread).owner->access(get(thread), address, bytes, alignment, kind,
                                place);
    },
    [](EmulatedThread *thread, void *to, int64_t bytes, const void *from,
       int64_t fromBytes, const char *place) {
      PendingCopy copy = {static_cast<char *>(to), bytes,
                          static_cast<const char *>(from), fromBytes, place};
      get(thread).owner->checkCopy(get(thread), copy);
      get(thread).copies.push_back(copy);
    },
    [](EmulatedThread *thread) {
      get(thread).copyGroups.push_back(std::move(get(thread).copies));
      get(thread).copies.clear();
    },
    [](EmulatedThread *thread, int64_t pending) {
      get(thread).owner->waitForCopies(get(thread), pending);
    },
    [](EmulatedThread *thread, int32_t kind, uint32_t *registers,
       const char *place) {
      get(thread).owner->addProduct(get(thread), kind, registers, place);
    }};

//===----------------------------------------------------------------------===//
// Which thread goes on
//===----------------------------------------------------------------------===//

Block::Block(ThreadOrder order, ProductSums productSums, AccessChecker &checker)
    : order(order), productSums(productSums), checker(checker),
      stacks(EmulatedLaunch::maxThreads), threads(EmulatedLaunch::maxThreads),
      ready(EmulatedLaunch::maxThreads / 64) {}

/// xorshift64*, which is the same everywhere.
uint64_t Block::random() {
  randomState ^= randomState >> 12;
  randomState ^= randomState << 25;
  randomState ^= randomState >> 27;
  return randomState * 0x2545f4914f6cdd1d;
}

/// The first, or else the last, thread of [from, to) that may go on; `count` if
/// there is none.
size_t Block::findReady(size_t from, size_t to, bool forward) const {
  for (size_t left = to - from; left > 0;) {
    size_t i = forward ? to - left : from + left - 1;
    uint64_t word = ready[i / 64];
    word = forward ? word >> i % 64 : word << (63 - i % 64);
    size_t skipped = forward ? 64 - i % 64 : i % 64 + 1;
    if (word) {
      auto offset = static_cast<size_t>(forward ? __builtin_ctzll(word)
                                                : __builtin_clzll(word));
      return offset < left ? (forward ? i + offset : i - offset) : count;
    }
    left -= skipped < left ? skipped : left;
  }
  return count;
}

/// Null if no thread may go on.
BlockThread *Block::takeNext(size_t after) {
  bool forward = order.kind != ThreadOrder::Backward;
  size_t first = after;
  if (order.kind == ThreadOrder::Shuffled)
    first = random() % count;
  else if (forward)
    first = after + 1;
  size_t found =
      forward ? findReady(first, count, true) : findReady(0, first, false);
  if (found == count)
    found =
        forward ? findReady(0, first, true) : findReady(first, count, false);
  if (found == count)
    return nullptr;
  ready[found / 64] &= ~bit(found);
  return &threads[found];
}

/// Lets other threads go on before `thread` does.
void Block::goOn(BlockThread &thread) {
  BlockThread *next = takeNext(static_cast<size_t>(thread.thread));
  if (!next) {
    error = explainDeadlock();
    abandon(thread);
  }
  if (next != &thread)
    thread.fiber.switchTo(next->fiber);
}

/// Ends the launch for `error`.
/// NOTE: what is on the stack of `thread` is never destroyed.
void Block::abandon(BlockThread &thread) { thread.fiber.leaveTo(caller); }

void Block::runThread(void *argument) {
  BlockThread &thread = *static_cast<BlockThread *>(argument);
  Block &block = *thread.owner;
  block.kernel->function(block.arguments, &thread);
  thread.isDone = true;
  if (--block.running == 0)
    thread.fiber.leaveTo(block.caller);
  BlockThread *next = block.takeNext(static_cast<size_t>(thread.thread));
  if (!next) {
    block.error = block.explainDeadlock();
    block.abandon(thread);
  }
  thread.fiber.leaveTo(next->fiber);
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

/// Pages of its own, and aligned as on a device.
static constexpr size_t sharedPage = 4096;

std::string Block::begin(const EmulatedKernel &launched,
                         const EmulatedLaunch &launch, const uint64_t *given) {
  if (!stacks.isValid())
    return "out of memory for the stacks of threads";
  if (launch.threads < 1 || launch.threads > EmulatedLaunch::maxThreads)
    return "expected 1 to " + std::to_string(EmulatedLaunch::maxThreads) +
           " threads in a block, got " + std::to_string(launch.threads);
  kernel = &launched;
  arguments = given;
  count = static_cast<size_t>(launch.threads);
  sharedBytes = size_t(launched.sharedBytes) + launch.sharedBytes;
  sharedMemory.resize(sharedBytes + 2 * sharedPage);
  auto begin = reinterpret_cast<uintptr_t>(sharedMemory.data());
  char *shared = sharedMemory.data() + (sharedPage - begin % sharedPage);
  for (size_t i = 0; i < count; ++i) {
    BlockThread &thread = threads[i];
    thread.thread = static_cast<int64_t>(i);
    thread.threads = launch.threads;
    thread.blocks = launch.blocks;
    thread.shared = shared;
    thread.functions = &emulatedFunctions;
    thread.owner = this;
  }
  return "";
}

std::string Block::run(int64_t block) {
  error.clear();
  randomState = (order.seed * 0x9e3779b97f4a7c15) ^
                (static_cast<uint64_t>(block) + 0x632be59bd9b4e019);
  std::fill(ready.begin(), ready.end(), 0);
  for (size_t i = 0; i < count; ++i) {
    BlockThread &thread = threads[i];
    thread.block = block;
    thread.isDone = false;
    thread.wait = Wait::None;
    thread.isShuffleValid = 0;
    thread.copyGroups.clear();
    thread.copies.clear();
    thread.fiber.start(stacks.get(i), Stacks::bytes, runThread, &thread);
    setReady(i);
  }
  running = count;
  atBarrier = 0;
  // A real device leaves neither zeros nor the same bytes each time.
  memset(threads[0].shared, 0xff, sharedBytes);
  checker.beginBlock(block, static_cast<int64_t>(count), threads[0].shared,
                     sharedBytes);
  size_t last = order.kind == ThreadOrder::Backward ? 0 : count - 1;
  caller.switchTo(takeNext(last)->fiber);
  return error;
}

//===----------------------------------------------------------------------===//
// Synchronization
//===----------------------------------------------------------------------===//

/// Suspends `thread`; the thread that completes its wait makes it ready.
void Block::stop(BlockThread &thread, Wait wait, const char *place,
                 uint32_t mask) {
  thread.wait = wait;
  thread.place = place;
  thread.mask = mask;
}

void Block::barrier(BlockThread &thread, const char *place) {
  stop(thread, Wait::Barrier, place, 0);
  if (++atBarrier == count)
    wakeBarrier(thread);
  goOn(thread);
}

void Block::wakeBarrier(BlockThread &last) {
  for (size_t i = 0; i < count; ++i)
    if (threads[i].place != threads[0].place) {
      error = "the threads are at different barriers: thread 0 at " +
              std::string(threads[0].place) + ", thread " + std::to_string(i) +
              " at " + threads[i].place;
      abandon(last);
    }
  for (size_t i = 0; i < count; ++i) {
    threads[i].wait = Wait::None;
    setReady(i);
  }
  atBarrier = 0;
  checker.passBarrier();
}

/// The lanes of the warp of `thread` that exist.
static size_t getLanes(const BlockThread &thread) {
  int64_t left = thread.threads - thread.thread / warpSize * warpSize;
  return static_cast<size_t>(left < warpSize ? left : warpSize);
}

static uint32_t getAllLanes(const BlockThread &thread) {
  return static_cast<uint32_t>((uint64_t(1) << getLanes(thread)) - 1);
}

static std::string nameLane(const BlockThread &thread) {
  return "lane " + std::to_string(thread.thread % warpSize) + " of warp " +
         std::to_string(thread.thread / warpSize);
}

/// If all lanes that `thread` waits for wait for the same, they go on.
void Block::wakeWarp(BlockThread &thread) {
  uint32_t lane = uint32_t(1) << thread.thread % warpSize;
  if (!(thread.mask & lane)) {
    error = nameLane(thread) + " is not in the mask of " + thread.place;
    abandon(thread);
  }
  uint32_t mask = thread.mask & getAllLanes(thread);
  BlockThread *warp = &thread - thread.thread % warpSize;
  for (uint32_t rest = mask; rest; rest &= rest - 1) {
    const BlockThread &other = warp[__builtin_ctz(rest)];
    if (other.isDone || other.wait != thread.wait ||
        other.mask != thread.mask || other.place != thread.place)
      return;
  }
  if (thread.wait == Wait::Shuffle)
    exchange(thread);
  else if (thread.wait == Wait::Product)
    multiply(thread);
  else if (mask == getAllLanes(thread))
    checker.passWarpSync(thread.thread / warpSize);
  for (uint32_t rest = mask; rest; rest &= rest - 1) {
    BlockThread &other = warp[__builtin_ctz(rest)];
    other.wait = Wait::None;
    setReady(static_cast<size_t>(other.thread));
  }
}

void Block::syncWarp(BlockThread &thread, uint32_t mask, const char *place) {
  stop(thread, Wait::Warp, place, mask);
  wakeWarp(thread);
  goOn(thread);
}

uint64_t Block::shuffle(BlockThread &thread, uint64_t value, int32_t kind,
                        uint32_t mask, uint32_t operand, uint32_t clamp,
                        const char *place) {
  thread.value = value;
  thread.kind = kind;
  thread.operand = operand;
  thread.clamp = clamp;
  stop(thread, Wait::Shuffle, place, mask);
  wakeWarp(thread);
  goOn(thread);
  return thread.received;
}

void Block::addProduct(BlockThread &thread, int32_t kind, uint32_t *registers,
                       const char *place) {
  if (getLanes(thread) < warpSize) {
    error = "a product of matrices takes all lanes of a warp, of which warp " +
            std::to_string(thread.thread / warpSize) + " at " + place +
            " has " + std::to_string(getLanes(thread));
    abandon(thread);
  }
  thread.kind = kind;
  thread.registers = registers;
  stop(thread, Wait::Product, place, getAllLanes(thread));
  wakeWarp(thread);
  goOn(thread);
}

void Block::multiply(BlockThread &thread) {
  const BlockThread *warp = &thread - thread.thread % warpSize;
  uint32_t *registers[warpSize];
  for (int64_t lane = 0; lane < warpSize; ++lane)
    registers[lane] = warp[lane].registers;
  addMatrixProduct(static_cast<ProductKind>(thread.kind), productSums,
                   registers);
}

/// The lane that `thread` reads, by the formulas of PTX for `shfl.sync`.
static int32_t getSourceLane(BlockThread &thread) {
  auto lane = static_cast<int32_t>(thread.thread % warpSize);
  auto operand = static_cast<int32_t>(thread.operand & 31);
  auto clamp = static_cast<int32_t>(thread.clamp & 31);
  auto segment = static_cast<int32_t>(thread.clamp >> 8 & 31);
  int32_t minLane = lane & segment;
  int32_t maxLane = minLane | (clamp & ~segment);
  int32_t source = lane;
  switch (thread.kind) {
  case ShuffleXor:
    source = lane ^ operand;
    break;
  case ShuffleUp:
    source = lane - operand;
    break;
  case ShuffleDown:
    source = lane + operand;
    break;
  case ShuffleIndex:
    source = minLane | (operand & ~segment);
    break;
  }
  bool isValid =
      thread.kind == ShuffleUp ? source >= maxLane : source <= maxLane;
  thread.isShuffleValid = isValid;
  return isValid ? source : lane;
}

void Block::exchange(BlockThread &thread) {
  uint32_t mask = thread.mask & getAllLanes(thread);
  BlockThread *warp = &thread - thread.thread % warpSize;
  for (uint32_t rest = mask; rest; rest &= rest - 1) {
    BlockThread &other = warp[__builtin_ctz(rest)];
    int32_t source = getSourceLane(other);
    if (!(mask >> source & 1)) {
      error = nameLane(other) + " reads from lane " + std::to_string(source) +
              ", which takes no part in " + other.place;
      abandon(thread);
    }
    other.received = warp[source].value;
  }
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

void Block::access(BlockThread &thread, const void *address, int64_t bytes,
                   int64_t alignment, int32_t kind, const char *place) {
  // Private memory of a thread needs no race check.
  if (thread.fiber.isOnStack(address))
    return;
  error = checker.access(thread.thread, address, bytes, alignment,
                         static_cast<AccessKind>(kind), place);
  if (error.empty())
    return;
  error = "thread " + std::to_string(thread.thread) + " " + error;
  abandon(thread);
}

/// A copy is an access to its target and its source from when it is asked for
/// until it is waited for.
void Block::checkCopy(BlockThread &thread, const PendingCopy &copy) {
  access(thread, copy.from, copy.fromBytes, copy.bytes, AccessRead, copy.place);
  access(thread, copy.to, copy.bytes, copy.bytes, AccessWrite, copy.place);
}

void Block::waitForCopies(BlockThread &thread, int64_t pending) {
  std::vector<std::vector<PendingCopy>> &groups = thread.copyGroups;
  while (static_cast<int64_t>(groups.size()) > pending) {
    for (const PendingCopy &copy : groups.front()) {
      checkCopy(thread, copy);
      memcpy(copy.to, copy.from, static_cast<size_t>(copy.fromBytes));
      memset(copy.to + copy.fromBytes, 0,
             static_cast<size_t>(copy.bytes - copy.fromBytes));
    }
    groups.erase(groups.begin());
  }
}

//===----------------------------------------------------------------------===//
// Deadlocks
//===----------------------------------------------------------------------===//

/// Describes what `thread`, or several like it, wait for in a deadlock.
static std::string describe(const BlockThread &thread, bool isOne) {
  if (thread.isDone)
    return isOne ? "has returned" : "have returned";
  return (isOne ? "waits at " : "wait at ") + std::string(thread.place);
}

std::string Block::explainDeadlock() const {
  std::string text = "a synchronization is not reached by all threads:";
  for (size_t first = 0; first < count;) {
    size_t last = first;
    while (last + 1 < count &&
           threads[last + 1].isDone == threads[first].isDone &&
           (threads[first].isDone ||
            threads[last + 1].place == threads[first].place))
      ++last;
    text += first ? "; " : " ";
    if (first == last)
      text += "thread " + std::to_string(first);
    else
      text +=
          "threads " + std::to_string(first) + " to " + std::to_string(last);
    text += " " + describe(threads[first], first == last);
    first = last + 1;
  }
  return text;
}
