//===- LibraryDigestTest.cpp - What the digest of a library sees ----------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Runtime/Files/LibraryDigest.h"
#include "ExampleProgram.h"
#include "HamKaas/Program/Aot.h"
#include "HamKaas/Program/LoadedProgram.h"
#include "hamkaas-c/Runtime.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Object/ELF.h"
#include "llvm/Support/BLAKE3.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include <cstring>
#include <gtest/gtest.h>
#include <random>

using namespace llvm;
using namespace hamkaas;

namespace {

class LibraryDigestTest : public ::testing::Test {
protected:
  void SetUp() override {
    ASSERT_FALSE(sys::fs::createUniqueDirectory("hamkaas", folder));
    path = (folder + "/example.so").str();
    ProgramInfo info = test::exampleInfo("example");
    ArrayRef<char> parameters[] = {test::exampleBias()};
    AotOptions options;
    options.output = path;
    options.descriptor.embedParameters = true;
    options.parameters = parameters;
    auto objects = cantFail(test::exampleObjects(info, options.descriptor));
    Error error = writeProgram(info, objects, options);
    ASSERT_FALSE(bool(error)) << toString(std::move(error));
    contents = cantFail(errorOrToExpected(MemoryBuffer::getFile(path)))
                   ->getBuffer()
                   .str();
  }
  void TearDown() override { sys::fs::remove_directories(folder); }

  /// The error about the library `bytes`, empty if it is intact.
  static std::string check(const std::string &bytes) {
    rt::LibraryDigest digest;
    if (rt::Error error = rt::readLibraryDigest(bytes.data(), bytes.size(),
                                                "example.so", 1, digest))
      return error.message();
    return digest.stored == digest.computed ? "" : "changed";
  }

  /// The end of what the system loads.
  size_t loadedEnd() const {
    auto file = cantFail(object::ELFFile<object::ELF64LE>::create(contents));
    size_t end = 0;
    for (const auto &segment : cantFail(file.program_headers()))
      if (segment.p_type == ELF::PT_LOAD)
        end = std::max<size_t>(end, segment.p_offset + segment.p_filesz);
    return end;
  }

  SmallString<128> folder;
  std::string path, contents;
};

/// Where the ELF header tells of sections, which `strip` changes.
bool isAboutSections(size_t at) {
  return (at >= offsetof(ELF::Elf64_Ehdr, e_shoff) &&
          at < offsetof(ELF::Elf64_Ehdr, e_flags)) ||
         (at >= offsetof(ELF::Elf64_Ehdr, e_shentsize) &&
          at < sizeof(ELF::Elf64_Ehdr));
}

} // namespace

TEST_F(LibraryDigestTest, SeesEachBitOfWhatIsLoaded) {
  EXPECT_EQ(check(contents), "");
  size_t end = loadedEnd();
  ASSERT_LE(end, contents.size());
  std::mt19937 generator(1);
  auto flip = [&](size_t at) {
    std::string changed = contents;
    changed[at] ^= 1 << generator() % 8;
    EXPECT_EQ(check(changed).empty(), isAboutSections(at)) << "offset " << at;
  };
  for (size_t at = 0; at < 704; ++at)
    flip(at);
  for (int i = 0; i < 400; ++i)
    flip(generator() % end);
  flip(end - 1);
}

TEST_F(LibraryDigestTest, SeesTruncationAnywhere) {
  size_t end = loadedEnd();
  for (size_t size = 0; size < end; size += 97)
    EXPECT_NE(check(contents.substr(0, size)), "") << size;
  EXPECT_NE(check(contents.substr(0, end - 1)), "");
  // Bytes behind the end are not loaded.
  EXPECT_EQ(check(contents.substr(0, end)), "");
  EXPECT_EQ(check(contents + "grown"), "");
}

// As docs/CInterface.md describes it, by LLVM's implementation.
TEST_F(LibraryDigestTest, IsThatOfTheDocumentation) {
  rt::LibraryDigest digest;
  ASSERT_FALSE(rt::readLibraryDigest(contents.data(), contents.size(),
                                     "example.so", 2, digest));
  StringRef all(contents);
  BLAKE3 outer;
  for (auto [begin, end] : {std::pair<size_t, size_t>(0, 40),
                            {48, 58},
                            {64, digest.offset},
                            {digest.offset + 32, loadedEnd()}})
    outer.update(
        BLAKE3::hash<32>(arrayRefFromStringRef(all.slice(begin, end))));
  EXPECT_EQ(ArrayRef<uint8_t>(digest.stored.bytes),
            ArrayRef<uint8_t>(outer.final<32>()));
}

TEST_F(LibraryDigestTest, RefusesWhatHasNone) {
  EXPECT_EQ(check(""), "'example.so' is not a compiled model: expected a "
                       "shared library for x86-64");
  std::string noNote = contents;
  size_t owner = noNote.find(StringRef("HamKaas\0", 8));
  ASSERT_NE(owner, std::string::npos);
  while (owner != std::string::npos) {
    noNote[owner] = 'X';
    owner = noNote.find(StringRef("HamKaas\0", 8));
  }
  EXPECT_EQ(check(noNote), "'example.so' has no digest: expected a library "
                           "that hamkaas-compile has linked");
}

// Each segment may be as large as the file, and a file may have 65535 of them:
// what they hold is read once in all.
TEST_F(LibraryDigestTest, ReadsNotesThatOverlapOnce) {
  std::string hostile = contents;
  ELF::Elf64_Ehdr header;
  memcpy(&header, hostile.data(), sizeof(header));
  ELF::Elf64_Phdr everything = {};
  everything.p_type = ELF::PT_NOTE;
  everything.p_filesz = contents.size();
  std::vector<ELF::Elf64_Phdr> segments(2, everything);
  auto file = cantFail(object::ELFFile<object::ELF64LE>::create(contents));
  for (const auto &segment : cantFail(file.program_headers())) {
    segments.emplace_back();
    memcpy(&segments.back(), &segment, sizeof(segment));
  }
  header.e_phoff = hostile.size();
  header.e_phnum = segments.size();
  memcpy(hostile.data(), &header, sizeof(header));
  hostile.append(reinterpret_cast<const char *>(segments.data()),
                 segments.size() * sizeof(segments.front()));
  EXPECT_EQ(check(hostile), "'example.so' has no digest: expected a library "
                            "that hamkaas-compile has linked");
}

// Bytes that were a library once are read within their bounds; the sanitizers
// tell if not.
TEST_F(LibraryDigestTest, SurvivesHostileFiles) {
  std::mt19937 generator(2);
  for (int i = 0; i < 5000; ++i) {
    std::string changed = contents.substr(0, 1 + generator() % 4096);
    for (int j = 0; j < 8; ++j)
      changed[generator() % std::min<size_t>(changed.size(), 512)] =
          generator();
    EXPECT_NE(check(changed), "");
  }
}

TEST_F(LibraryDigestTest, IsCheckedBeforeLoading) {
  EXPECT_EQ(HamKaasLibraryVerify(path.c_str(), 0), nullptr);
  EXPECT_TRUE(bool(LoadedProgram::fromSharedLibrary(path, /*verify=*/true)));
  std::error_code code;
  std::string changed = contents;
  changed[loadedEnd() - 1] ^= 1;
  raw_fd_ostream(path, code) << changed;
  std::string expected =
      "'" + path + "' was damaged or changed: expected digest ";
  HamKaasError error = HamKaasLibraryVerify(path.c_str(), 0);
  ASSERT_NE(error, nullptr);
  EXPECT_EQ(StringRef(error).take_front(expected.size()), expected);
  HamKaasErrorFree(error);
  auto loaded = LoadedProgram::fromSharedLibrary(path, /*verify=*/true);
  EXPECT_TRUE(StringRef(toString(loaded.takeError())).starts_with(expected));
  error = HamKaasLibraryVerify(nullptr, 0);
  EXPECT_STREQ(error, "expected a path, got null");
  HamKaasErrorFree(error);
}
