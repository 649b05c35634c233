//===- HandleTableTest.cpp - Valid, destroyed and foreign handles ---------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Runtime/Core/HandleTable.h"
#include "Allocations.h"
#include "Text.h"

#include <atomic>
#include <gtest/gtest.h>
#include <set>
#include <thread>
#include <vector>

using namespace hamkaas::rt;
using namespace hamkaas::test;

static constexpr HandleKind catKind = {1, "a cat"};
static constexpr HandleKind dogKind = {2, "a dog"};

namespace {
/// Counts its releases.
struct Animal {
  static void release(void *animal) { ++static_cast<Animal *>(animal)->dead; }

  std::atomic<int> dead{0};
};
} // namespace

// Tables are static.
static HandleTable table;

static void *add(HandleKind kind, Animal &animal) {
  void *handle = nullptr;
  EXPECT_EQ(textOf(table.add(kind, &animal, Animal::release, handle)), "");
  return handle;
}

static void *offset(void *handle, int64_t difference) {
  return reinterpret_cast<void *>(reinterpret_cast<uintptr_t>(handle) +
                                  static_cast<uint64_t>(difference));
}

TEST(HandleTable, FindsObjectsUntilTheyAreRemoved) {
  Animal cat;
  void *handle = add(catKind, cat);
  EXPECT_EQ(table.pin(handle, catKind), &cat);
  table.unpin(handle);
  EXPECT_EQ(table.pin(handle, catKind), &cat);
  table.unpin(handle);
  EXPECT_EQ(cat.dead, 0);

  EXPECT_TRUE(table.remove(handle, catKind));
  EXPECT_EQ(cat.dead, 1);
  EXPECT_EQ(table.pin(handle, catKind), nullptr);
  EXPECT_EQ(textOf(table.explain(handle, catKind)),
            "expected a cat, got a handle that was destroyed");
  EXPECT_FALSE(table.remove(handle, catKind));
  EXPECT_EQ(cat.dead, 1);
}

TEST(HandleTable, TheLastPinReleasesARemovedObject) {
  Animal cat;
  void *handle = add(catKind, cat);
  ASSERT_EQ(table.pin(handle, catKind), &cat);
  ASSERT_EQ(table.pin(handle, catKind), &cat);
  EXPECT_TRUE(table.remove(handle, catKind));
  EXPECT_FALSE(table.remove(handle, catKind));
  EXPECT_EQ(table.pin(handle, catKind), nullptr);
  EXPECT_EQ(textOf(table.explain(handle, catKind)),
            "expected a cat, got a handle that was destroyed");
  table.unpin(handle);
  EXPECT_EQ(cat.dead, 0);
  table.unpin(handle);
  EXPECT_EQ(cat.dead, 1);
}

TEST(HandleTable, AHandleIsNeverValidAgain) {
  Animal cats[100];
  std::set<void *> handles;
  for (Animal &cat : cats) {
    void *handle = add(catKind, cat);
    EXPECT_TRUE(handles.insert(handle).second);
    for (void *other : handles)
      if (other != handle)
        EXPECT_EQ(table.pin(other, catKind), nullptr);
    EXPECT_TRUE(table.remove(handle, catKind));
  }
}

TEST(HandleTable, RefusesOtherKinds) {
  Animal cat;
  void *handle = add(catKind, cat);
  EXPECT_EQ(table.pin(handle, dogKind), nullptr);
  EXPECT_FALSE(table.remove(handle, dogKind));
  EXPECT_EQ(textOf(table.explain(handle, dogKind)),
            "expected a dog, got a handle of another kind");
  EXPECT_TRUE(table.remove(handle, catKind));
}

TEST(HandleTable, RefusesWhatIsNoHandle) {
  EXPECT_EQ(table.pin(nullptr, catKind), nullptr);
  EXPECT_EQ(textOf(table.explain(nullptr, catKind)),
            "expected a cat, got null");
  Animal cat;
  void *handle = add(catKind, cat);
  std::vector<void *> others = {&cat, &table, handle,
                                reinterpret_cast<void *>(1),
                                reinterpret_cast<void *>(UINTPTR_MAX)};
  others[2] = offset(handle, 1);
  for (int bit = 0; bit < 64; ++bit)
    others.push_back(reinterpret_cast<void *>(
        reinterpret_cast<uintptr_t>(handle) ^ (uint64_t{1} << bit)));
  for (void *other : others) {
    EXPECT_EQ(table.pin(other, catKind), nullptr) << other;
    EXPECT_FALSE(table.remove(other, catKind)) << other;
    EXPECT_EQ(textOf(table.explain(other, catKind)).find("expected a cat, "),
              0u);
  }
  EXPECT_EQ(textOf(table.explain(&cat, catKind)),
            "expected a cat, got an address that is no handle");
  EXPECT_TRUE(table.remove(handle, catKind));
}

TEST(HandleTable, RefusesHandlesOfOtherTables) {
  static HandleTable other;
  Animal cat;
  void *handle = nullptr;
  ASSERT_EQ(textOf(other.add(catKind, &cat, Animal::release, handle)), "");
  void *own = add(catKind, cat);
  EXPECT_EQ(table.pin(handle, catKind), nullptr);
  EXPECT_EQ(other.pin(own, catKind), nullptr);
  EXPECT_TRUE(other.remove(handle, catKind));
  EXPECT_TRUE(table.remove(own, catKind));
}

// A release may use the table, also for what it is about itself.
TEST(HandleTable, AReleaseMayUseTheTable) {
  static Animal cat;
  static void *catHandle, *dogHandle;
  struct Dog {
    static void release(void *) {
      EXPECT_EQ(table.pin(dogHandle, dogKind), nullptr);
      EXPECT_TRUE(table.remove(catHandle, catKind));
    }
  };
  catHandle = add(catKind, cat);
  ASSERT_EQ(textOf(table.add(dogKind, &cat, Dog::release, dogHandle)), "");
  EXPECT_TRUE(table.remove(dogHandle, dogKind));
  EXPECT_EQ(cat.dead, 1);
}

TEST(HandleTable, GrowsToItsLimit) {
  static HandleTable large;
  Animal cat;
  std::vector<void *> handles(HandleTable::maximumObjects);
  for (void *&handle : handles)
    ASSERT_EQ(textOf(large.add(catKind, &cat, Animal::release, handle)), "");
  void *more = nullptr;
  EXPECT_EQ(textOf(large.add(catKind, &cat, Animal::release, more)),
            "cannot make a cat: out of memory, or there are 1048576 objects "
            "already");
  EXPECT_EQ(more, nullptr);
  for (void *handle : handles)
    ASSERT_TRUE(large.remove(handle, catKind));
  EXPECT_EQ(cat.dead, static_cast<int>(HandleTable::maximumObjects));
  ASSERT_EQ(textOf(large.add(catKind, &cat, Animal::release, more)), "");
  EXPECT_EQ(large.pin(handles.back(), catKind), nullptr);
  EXPECT_TRUE(large.remove(more, catKind));
}

TEST(HandleTable, NoMemoryIsAnError) {
  static HandleTable small;
  Animal cat;
  std::vector<void *> handles;
  std::string problem;
  failAllocationAfter(0);
  while (problem.empty() && handles.size() < 1000) {
    void *handle = nullptr;
    problem = textOf(small.add(catKind, &cat, Animal::release, handle));
    if (handle)
      handles.push_back(handle);
  }
  failAllocationAfter(-1);
  EXPECT_NE(problem, "");
  EXPECT_GE(handles.size(), 64u);
  for (void *handle : handles)
    EXPECT_EQ(small.pin(handle, catKind), &cat);
}

// Threads pin what others remove. Whoever gets an object gets a live one.
TEST(HandleTable, ManyThreadsMayUseIt) {
  constexpr int slots = 8, rounds = 20000;
  static std::atomic<void *> published[slots];
  struct Cell {
    static void release(void *cell) {
      static_cast<Cell *>(cell)->alive = 0;
      delete static_cast<Cell *>(cell);
    }
    std::atomic<int> alive{1};
  };
  std::atomic<bool> done{false};
  std::atomic<int64_t> seen{0};
  auto read = [&] {
    while (!done)
      for (std::atomic<void *> &place : published) {
        void *handle = place;
        if (auto *cell = static_cast<Cell *>(table.pin(handle, catKind))) {
          EXPECT_EQ(cell->alive, 1);
          table.unpin(handle);
          ++seen;
        }
      }
  };
  auto write = [&](int first) {
    for (int round = 0; round < rounds || seen == 0; ++round) {
      std::atomic<void *> &place = published[first + round % (slots / 2)];
      table.remove(place, catKind);
      void *handle = nullptr;
      EXPECT_EQ(textOf(table.add(catKind, new Cell, Cell::release, handle)),
                "");
      place = handle;
    }
  };
  std::thread readers[] = {std::thread(read), std::thread(read)};
  std::thread writers[] = {std::thread(write, 0),
                           std::thread(write, slots / 2)};
  for (std::thread &writer : writers)
    writer.join();
  done = true;
  for (std::thread &reader : readers)
    reader.join();
  for (std::atomic<void *> &place : published)
    EXPECT_TRUE(table.remove(place, catKind));
}
