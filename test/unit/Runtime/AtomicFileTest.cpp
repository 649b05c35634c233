//===- AtomicFileTest.cpp - Replacing files -------------------------------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Runtime/Files/AtomicFile.h"
#include "TemporaryFolder.h"
#include "Text.h"

#include <cerrno>
#include <filesystem>
#include <gtest/gtest.h>
#include <string>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

using namespace hamkaas::rt;
using namespace hamkaas::test;

// One entry for each call of fsync, and the number of the call that fails.
static std::vector<bool> synchronisedFolders;
static size_t failingCall = SIZE_MAX;

extern "C" {
int __real_fsync(int descriptor);

int __wrap_fsync(int descriptor) {
  struct stat status = {};
  if (fstat(descriptor, &status) != 0)
    return -1;
  synchronisedFolders.push_back(S_ISDIR(status.st_mode));
  if (synchronisedFolders.size() - 1 != failingCall)
    return __real_fsync(descriptor);
  errno = EIO;
  return -1;
}
}

static std::string replaceFile(const std::string &path) {
  AtomicFile file;
  std::string text = textOf(file.open(path.c_str()));
  if (text.empty())
    text = textOf(file.write("new", 3));
  return text.empty() ? textOf(file.commit()) : text;
}

static mode_t modeOf(const std::string &path) {
  struct stat status = {};
  EXPECT_EQ(stat(path.c_str(), &status), 0);
  return status.st_mode & 0777;
}

namespace {

// The superuser may write everything; any other user will do.
class OrdinaryUser {
public:
  OrdinaryUser() : former(geteuid()) {
    if (former == 0) {
      EXPECT_EQ(seteuid(65534), 0);
    }
  }
  OrdinaryUser(const OrdinaryUser &) = delete;
  ~OrdinaryUser() { EXPECT_EQ(seteuid(former), 0); }

private:
  uid_t former;
};

} // namespace

TEST(AtomicFile, KeepsTheModeOfTheOldFile) {
  TemporaryFolder folder;
  std::string path = folder.write("x", "old");
  for (mode_t mode : {0600, 0755}) {
    ASSERT_EQ(chmod(path.c_str(), mode), 0);
    EXPECT_EQ(replaceFile(path), "");
    EXPECT_EQ(modeOf(path), mode);
    EXPECT_EQ(folder.read("x"), "new");
  }
}

TEST(AtomicFile, DoesNotReplaceAReadOnlyFile) {
  TemporaryFolder folder;
  std::string path = folder.write("x", "old");
  ASSERT_EQ(chmod(path.c_str(), 0444), 0);
  ASSERT_EQ(chmod(folder.path("").c_str(), 0777), 0);
  {
    OrdinaryUser user;
    EXPECT_EQ(replaceFile(path),
              "cannot write '" + path + "': Permission denied");
  }
  EXPECT_EQ(folder.read("x"), "old");
  EXPECT_EQ(modeOf(path), 0444u);
  EXPECT_EQ(folder.fileCount(), 1u);
}

TEST(AtomicFile, WritesThroughLinks) {
  TemporaryFolder folder;
  folder.write("x", "old");
  std::string link = folder.path("link");
  std::filesystem::create_symlink("x", link);
  EXPECT_EQ(replaceFile(link), "");
  EXPECT_TRUE(std::filesystem::is_symlink(link));
  EXPECT_EQ(folder.read("x"), "new");
  EXPECT_EQ(folder.fileCount(), 2u);
}

TEST(AtomicFile, MakesWhatALinkLeadsTo) {
  TemporaryFolder folder;
  std::string link = folder.path("link");
  std::filesystem::create_symlink("x", link);
  {
    AtomicFile given;
    EXPECT_EQ(textOf(given.open(link.c_str())), "");
    EXPECT_EQ(textOf(given.write("new", 3)), "");
  }
  EXPECT_EQ(folder.fileCount(), 1u);
  EXPECT_EQ(replaceFile(link), "");
  EXPECT_TRUE(std::filesystem::is_symlink(link));
  EXPECT_EQ(folder.read("x"), "new");
  EXPECT_EQ(folder.fileCount(), 2u);
}

TEST(AtomicFile, LeavesTheOldFileWithoutACommit) {
  TemporaryFolder folder;
  std::string path = folder.write("x", "old");
  {
    AtomicFile file;
    ASSERT_EQ(textOf(file.open(path.c_str())), "");
    EXPECT_EQ(textOf(file.write("new", 3)), "");
  }
  EXPECT_EQ(folder.read("x"), "old");
  EXPECT_EQ(folder.fileCount(), 1u);
}

TEST(AtomicFile, TakesPercentSignsAsTheyAre) {
  TemporaryFolder folder;
  std::filesystem::create_directory(folder.path("100%%"));
  EXPECT_EQ(replaceFile(folder.path("100%%/x%y")), "");
  EXPECT_EQ(folder.read("100%%/x%y"), "new");
}

TEST(AtomicFile, WritesADeviceItself) {
  EXPECT_EQ(replaceFile("/dev/null"), "");
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
  EXPECT_EQ(replaceFile("/dev/full"),
            "cannot write '/dev/full': No space left on device");
}

static std::string replaceDurably(const std::string &path, size_t failing) {
  synchronisedFolders.clear();
  failingCall = failing;
  AtomicFile file;
  std::string text = textOf(file.open(path.c_str()));
  if (text.empty())
    text = textOf(file.write("new", 3));
  text = text.empty() ? textOf(file.commitDurably()) : text;
  failingCall = SIZE_MAX;
  return text;
}

// The contents before the name that leads to them.
TEST(AtomicFile, SynchronisesFileAndFolder) {
  TemporaryFolder folder;
  std::string path = folder.path("x");
  EXPECT_EQ(replaceDurably(path, SIZE_MAX), "");
  EXPECT_EQ(synchronisedFolders, (std::vector<bool>{false, true}));
  EXPECT_EQ(folder.read("x"), "new");
  EXPECT_EQ(replaceDurably("/dev/null", SIZE_MAX), "");
  EXPECT_EQ(synchronisedFolders, (std::vector<bool>{false}));
}

TEST(AtomicFile, LeavesTheOldFileIfTheDiskFails) {
  TemporaryFolder folder;
  std::string path = folder.write("x", "old");
  std::string failure = "cannot write '" + path + "': Input/output error";
  EXPECT_EQ(replaceDurably(path, 0), failure);
  EXPECT_EQ(folder.read("x"), "old");
  EXPECT_EQ(folder.fileCount(), 1u);
  EXPECT_EQ(replaceDurably(path, 1), failure);
  EXPECT_EQ(folder.fileCount(), 1u);
}
