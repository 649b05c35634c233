//===- CodeCacheTest.cpp - Compiled code that is kept on disk ---*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Program/CodeCache.h"
#include "HamKaas/Support/OutputFile.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "gtest/gtest.h"
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace hamkaas;
using namespace llvm;

namespace {

/// The header of an entry, in bytes.
constexpr uint64_t headerSize = 80;

class CodeCacheTest : public ::testing::Test {
protected:
  void SetUp() override {
    ASSERT_FALSE(sys::fs::createUniqueDirectory("hamkaas-cache", folder));
    options.directory = (folder + "/missing/cache").str();
  }
  void TearDown() override { sys::fs::remove_directories(folder); }

  CodeCache open() const {
    std::optional<CodeCache> cache = CodeCache::open(options);
    EXPECT_TRUE(cache);
    return std::move(*cache);
  }
  static CodeCache::Key key(uint8_t number) { return {number}; }
  std::string path(uint8_t number) const {
    return options.directory + "/" + toHex(key(number), /*LowerCase=*/true) +
           ".code";
  }
  std::string lookup(uint8_t number) const {
    auto entry = open().lookup(key(number));
    return entry ? entry->getBuffer().str() : "none";
  }
  /// Says that the entry was last used so many seconds after 1970.
  void setUse(uint8_t number, time_t seconds) const {
    struct timespec times[] = {{seconds, 0}, {seconds, 0}};
    EXPECT_EQ(utimensat(AT_FDCWD, path(number).c_str(), times, 0), 0);
  }
  /// Stores and looks up entries that others store and drop, too. Returns how
  /// many of those it found were damaged.
  int storeAndLookup(char letter) const {
    CodeCache cache = open();
    int damaged = 0;
    for (int i = 0; i < 200; ++i) {
      CodeCache::Key shared = key(i % 40);
      cache.store(shared, std::string(1000, letter));
      if (auto entry = cache.lookup(shared)) {
        StringRef found = entry->getBuffer();
        damaged += found.size() != 1000 ||
                   found.find_first_not_of(found.front()) != StringRef::npos;
      }
    }
    return damaged;
  }
  void rewrite(uint8_t number, StringRef contents) const {
    ASSERT_EQ(toString(writeOutputFile(path(number), contents)), "");
  }

  SmallString<128> folder;
  CodeCacheOptions options;
};

} // namespace

TEST_F(CodeCacheTest, FindsWhatWasStored) {
  EXPECT_EQ(lookup(1), "none");
  open().store(key(1), "one");
  open().store(key(2), "");
  EXPECT_EQ(lookup(1), "one");
  EXPECT_EQ(lookup(2), "");
  EXPECT_EQ(lookup(3), "none");
  open().store(key(1), "another");
  EXPECT_EQ(lookup(1), "another");
}

TEST_F(CodeCacheTest, IsPrivate) {
  open().store(key(1), "one");
  sys::fs::file_status status;
  ASSERT_FALSE(sys::fs::status(options.directory, status));
  EXPECT_EQ(status.permissions(), sys::fs::owner_all);
  ASSERT_FALSE(sys::fs::status(path(1), status));
  EXPECT_EQ(status.permissions(), sys::fs::owner_read | sys::fs::owner_write);
}

TEST_F(CodeCacheTest, IsNotUsedWhereOthersMayWrite) {
  open().store(key(1), "one");
  ASSERT_EQ(chmod(options.directory.c_str(), 0720), 0);
  EXPECT_FALSE(CodeCache::open(options));
  ASSERT_EQ(chmod(options.directory.c_str(), 0702), 0);
  EXPECT_FALSE(CodeCache::open(options));
  ASSERT_EQ(chmod(options.directory.c_str(), 0755), 0);
  EXPECT_EQ(lookup(1), "one");
  ASSERT_EQ(chmod(path(1).c_str(), 0620), 0);
  EXPECT_EQ(lookup(1), "none");
}

TEST_F(CodeCacheTest, NeedsADirectory) {
  options.directory = "";
  EXPECT_FALSE(CodeCache::open(options));
  options.directory = "/dev/null";
  EXPECT_FALSE(CodeCache::open(options));
  options.directory = "/dev/null/cache";
  EXPECT_FALSE(CodeCache::open(options));
}

TEST_F(CodeCacheTest, RemovesDamagedEntries) {
  open().store(key(1), "contents");
  std::string entry =
      cantFail(errorOrToExpected(MemoryBuffer::getFile(path(1))))
          ->getBuffer()
          .str();
  ASSERT_EQ(entry.size(), headerSize + 8);
  auto expectNone = [&](StringRef damaged) {
    rewrite(1, damaged);
    EXPECT_EQ(lookup(1), "none");
    EXPECT_FALSE(sys::fs::exists(path(1)));
  };
  for (size_t size = 0; size < entry.size(); ++size)
    expectNone(StringRef(entry).take_front(size));
  for (size_t i = 0; i < entry.size(); ++i) {
    std::string damaged = entry;
    damaged[i] ^= 1;
    expectNone(damaged);
  }
  expectNone(entry + "x");
  // Of another key.
  rewrite(2, entry);
  EXPECT_EQ(lookup(2), "none");
  rewrite(1, entry);
  EXPECT_EQ(lookup(1), "contents");
}

TEST_F(CodeCacheTest, FollowsNoLinksAndReadsNoPipes) {
  open().store(key(1), "contents");
  ASSERT_EQ(symlink(path(1).c_str(), path(2).c_str()), 0);
  EXPECT_EQ(lookup(2), "none");
  ASSERT_EQ(mkfifo(path(3).c_str(), 0600), 0);
  EXPECT_EQ(lookup(3), "none");
  ASSERT_EQ(mkdir(path(4).c_str(), 0700), 0);
  EXPECT_EQ(lookup(4), "none");
  open().store(key(4), "four");
  EXPECT_EQ(lookup(4), "none");
}

TEST_F(CodeCacheTest, DropsWhatWasNotUsedForLongest) {
  options.maxBytes = 3 * (headerSize + 100);
  std::string contents(100, 'x');
  for (uint8_t number : {1, 2, 3}) {
    open().store(key(number), contents);
    setUse(number, number);
  }
  // A use makes it the newest.
  EXPECT_EQ(lookup(1), contents);
  open().store(key(4), contents);
  EXPECT_EQ(lookup(2), "none");
  for (uint8_t number : {1, 3, 4})
    EXPECT_EQ(lookup(number), contents);
  // An entry larger than the cache is not kept, and evicts nothing.
  open().store(key(5), std::string(3 * (headerSize + 100), 'x'));
  EXPECT_EQ(lookup(5), "none");
  EXPECT_EQ(lookup(4), contents);
}

TEST_F(CodeCacheTest, LeavesOtherFilesAlone) {
  options.maxBytes = 1000;
  open();
  std::string own = options.directory + "/thesis.code";
  std::string recent = options.directory + "/.hamkaas-1-1";
  std::string old = options.directory + "/.hamkaas-1-2";
  for (const std::string &file : {own, recent, old})
    ASSERT_EQ(toString(writeOutputFile(file, std::string(5000, 'x'))), "");
  struct timespec times[] = {{1, 0}, {1, 0}};
  ASSERT_EQ(utimensat(AT_FDCWD, old.c_str(), times, 0), 0);
  ASSERT_EQ(utimensat(AT_FDCWD, own.c_str(), times, 0), 0);
  open().store(key(1), "one");
  EXPECT_TRUE(sys::fs::exists(own));
  EXPECT_TRUE(sys::fs::exists(recent)) << "somebody may be writing it";
  EXPECT_FALSE(sys::fs::exists(old));
  EXPECT_EQ(lookup(1), "one");
}

TEST_F(CodeCacheTest, IsUsedByThreadsAtOnce) {
  options.maxBytes = 20 * (headerSize + 1000);
  std::vector<int> damaged(3, -1);
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i)
    threads.emplace_back([&, i] { damaged[i] = storeAndLookup('a' + i); });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(damaged, std::vector<int>(3, 0));
}

TEST_F(CodeCacheTest, IsUsedByProcessesAtOnce) {
  options.maxBytes = 20 * (headerSize + 1000);
  std::vector<pid_t> children;
  for (char letter : {'a', 'b', 'c'}) {
    pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0)
      _exit(storeAndLookup(letter) == 0 ? 0 : 1);
    children.push_back(child);
  }
  EXPECT_EQ(storeAndLookup('d'), 0);
  for (pid_t child : children) {
    int status = -1;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0) << "a process ended with an error or saw a damaged "
                            "entry";
  }
}

TEST(ByteCount, HasUnits) {
  EXPECT_EQ(parseByteCount("0"), 0u);
  EXPECT_EQ(parseByteCount("4096"), 4096u);
  EXPECT_EQ(parseByteCount("2kb"), 2048u);
  EXPECT_EQ(parseByteCount("1GB"), 1u << 30);
  EXPECT_EQ(parseByteCount("8589934591GB"), 8589934591ull << 30);
  for (StringRef text : {"", "MB", "-1", "1TB", "1 MB", "8589934592GB"})
    EXPECT_FALSE(parseByteCount(text)) << text.str();
}
