//===- NpyTest.cpp - Right and wrong npy files ----------------------------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Runtime/Files/Npy.h"
#include "HamKaas/Runtime/Core/TensorType.h"
#include "TemporaryFolder.h"
#include "Text.h"

#include <cstring>
#include <filesystem>
#include <gtest/gtest.h>
#include <string>
#include <sys/stat.h>
#include <vector>

using namespace hamkaas::rt;
using namespace hamkaas::test;

#define DTYPES                                                                 \
  "'<f4', '<i8', '<f8', '<f2', '<i4', '<i2', '|i1', '|u1', '<u2', '<u4', "     \
  "'<u8', '|b1'"

// An npy file of this dictionary and this data, right or wrong.
static std::string npyOf(const std::string &dictionary, const std::string &data,
                         char version = 1) {
  std::string file = std::string("\x93NUMPY") + version + '\0';
  for (int i = 0; i < (version == 1 ? 2 : 4); ++i)
    file += static_cast<char>(dictionary.size() >> (8 * i));
  return file + dictionary + data;
}

static std::string errorOf(const std::string &contents) {
  NpyFile file;
  return textOf(file.parse(contents.data(), contents.size(), "x"));
}

//===----------------------------------------------------------------------===//
// Good files
//===----------------------------------------------------------------------===//

TEST(Npy, ReadsWhatItWrites) {
  TemporaryFolder folder;
  std::string path = folder.path("x.npy");
  float values[] = {1, 2, 3, 4, 5, 6};
  int64_t shape[] = {2, 1, 3};
  ASSERT_EQ(textOf(writeNpy(path.c_str(), HamKaasFloat32, 3, shape, values)),
            "");
  NpyFile file;
  ASSERT_EQ(textOf(file.open(path.c_str())), "");
  EXPECT_EQ(file.elementType(), HamKaasFloat32);
  ASSERT_EQ(file.rank(), 3);
  EXPECT_EQ(memcmp(file.shape(), shape, sizeof(shape)), 0);
  ASSERT_EQ(file.bytes(), sizeof(values));
  EXPECT_EQ(memcmp(file.data(), values, sizeof(values)), 0);
}

// Byte for byte what numpy.save writes.
TEST(Npy, WritesAsNumpyDoes) {
  TemporaryFolder folder;
  std::string path = folder.path("x.npy");
  int64_t value = 0x0102030405060708, shape[] = {1};
  ASSERT_EQ(textOf(writeNpy(path.c_str(), HamKaasInt64, 1, shape, &value)), "");
  std::string dictionary =
      "{'descr': '<i8', 'fortran_order': False, 'shape': (1,), }";
  dictionary += std::string(128 - 10 - dictionary.size() - 1, ' ') + "\n";
  EXPECT_EQ(folder.read("x.npy"),
            npyOf(dictionary, "\x08\x07\x06\x05\x04\x03\x02\x01"));
}

TEST(Npy, ReadsTheTypesItWrites) {
  TemporaryFolder folder;
  std::string path = folder.path("x.npy");
  const char data[] = "0123456789abcdef";
  int64_t shape[] = {2};
  for (const ElementType &type : elementTypes) {
    if (!type.npy)
      continue;
    ASSERT_EQ(textOf(writeNpy(path.c_str(), type.type, 1, shape, data)), "");
    NpyFile file;
    ASSERT_EQ(textOf(file.open(path.c_str())), "");
    EXPECT_EQ(file.elementType(), type.type);
    ASSERT_EQ(file.bytes(), 2 * type.size);
    EXPECT_EQ(memcmp(file.data(), data, file.bytes()), 0);
  }
}

TEST(Npy, HasNoBFloat16) {
  TemporaryFolder folder;
  std::string path = folder.path("x.npy");
  int64_t shape[] = {1};
  uint16_t one = 0x3F80;
  EXPECT_EQ(textOf(writeNpy(path.c_str(), HamKaasBFloat16, 1, shape, &one)),
            "cannot write '" + path + "': the format npy has no type bfloat16");
  EXPECT_EQ(folder.fileCount(), 0u);
}

TEST(Npy, WritesScalarsAndManyDimensions) {
  TemporaryFolder folder;
  std::string path = folder.path("x.npy");
  std::vector<int64_t> shape(64, 1);
  float value = 7;
  for (int32_t rank : {0, 1, 2, 20, 64}) {
    ASSERT_EQ(textOf(writeNpy(path.c_str(), HamKaasFloat32, rank, shape.data(),
                              &value)),
              "");
    EXPECT_EQ((folder.read("x.npy").size() - 4) % 64, 0u);
    NpyFile file;
    ASSERT_EQ(textOf(file.open(path.c_str())), "");
    EXPECT_EQ(file.rank(), rank);
    EXPECT_EQ(*static_cast<const float *>(file.data()), 7);
  }
}

TEST(Npy, ReadsVersionsAndSpellings) {
  for (char version : {1, 2, 3}) {
    std::string contents =
        npyOf("{\"shape\" :( 2 ,1L), 'fortran_order':False,'descr':'<i8'}\n",
              std::string(16, '\1'), version);
    NpyFile file;
    ASSERT_EQ(textOf(file.parse(contents.data(), contents.size(), "x")), "");
    EXPECT_EQ(file.elementType(), HamKaasInt64);
    EXPECT_EQ(file.rank(), 2);
    EXPECT_EQ(file.shape()[0], 2);
    // The header has a length that leaves the data misaligned.
    EXPECT_EQ(reinterpret_cast<uintptr_t>(file.data()) % 8, 0u);
    EXPECT_EQ(static_cast<const int64_t *>(file.data())[1], 0x0101010101010101);
  }
}

TEST(Npy, ReadsEmptyArrays) {
  EXPECT_EQ(
      errorOf(npyOf("{'descr':'<f4','fortran_order':False,'shape':(3,0)}", "")),
      "");
}

//===----------------------------------------------------------------------===//
// Wrong files
//===----------------------------------------------------------------------===//

namespace {
struct WrongNpy {
  const char *dictionary;
  size_t dataSize;
  const char *error;
};
} // namespace

static const WrongNpy wrongFiles[] = {
    {"", 0, "x: expected '{' at byte 0 of the header, got its end"},
    {"[]", 0, "x: expected '{' at byte 0 of the header, got character 0x5b"},
    {"{}", 0, "x: expected 'descr' in the header, got none"},
    {"{'descr':'<f4'}", 0,
     "x: expected 'fortran_order' in the header, got none"},
    {"{'descr':'<f4','fortran_order':False}", 0,
     "x: expected 'shape' in the header, got none"},
    {"{'descr':'<f4','descr':'<f4'}", 0,
     "x: expected one each of descr, fortran_order and shape in the header, "
     "got a second 'descr'"},
    {"{'order':1}", 0,
     "x: expected one each of descr, fortran_order and shape in the header, "
     "got key 'order'"},
    {"{descr:1}", 0,
     "x: expected a quoted key at byte 1 of the header, got character 0x64"},
    {"{'descr", 0,
     "x: expected a quoted key at byte 1 of the header, got character 0x27"},
    {"{'descr' '<f4'}", 0,
     "x: expected ':' at byte 9 of the header, got character 0x27"},
    {"{'descr':'<f4' 'shape':()}", 0,
     "x: expected ',' or '}' at byte 15 of the header, got character 0x27"},
    {"{'descr':'<f4','fortran_order':False,'shape':()} x", 4,
     "x: expected nothing after '}' at byte 49 of the header, got character "
     "0x78"},
    {"{'descr':'>f4'}", 0,
     "x: expected dtype " DTYPES ", got big-endian '>f4'"},
    {"{'descr':'<c8'}", 0, "x: expected dtype " DTYPES ", got '<c8'"},
    {"{'descr':'|O'}", 0,
     "x: expected numbers, got Python objects; numpy.array with a dtype makes "
     "numbers of them"},
    {"{'descr':'<V2'}", 0,
     "x: expected dtype " DTYPES ", got '<V2', which may be bfloat16; the "
     "format npy has no such type"},
    {"{'descr':[('a','<f4')]}", 0,
     "x: expected dtype " DTYPES ", got one that is not a string"},
    {"{'fortran_order':True}", 0,
     "x: expected elements in C order, got Fortran order; "
     "numpy.ascontiguousarray changes it"},
    {"{'fortran_order':None}", 0,
     "x: expected True or False at byte 17 of the header, got character "
     "0x4e"},
    {"{'shape':3}", 0,
     "x: expected '(' at byte 9 of the header, got character 0x33"},
    {"{'shape':(3", 0,
     "x: expected ',' or ')' at byte 11 of the header, got its end"},
    {"{'shape':(-3,)}", 0,
     "x: expected a dimension from 0 to 2^63 - 1 at byte 10 of the header, "
     "got character 0x2d"},
    {"{'shape':(9223372036854775808,)}", 0,
     "x: expected a dimension from 0 to 2^63 - 1 at byte 28 of the header, "
     "got character 0x38"},
    {"{'shape':(1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,"
     "1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1)}",
     0, "x: expected at most 64 dimensions, got more"},
    {"{'descr':'<f4','fortran_order':False,'shape':(3,)}", 11,
     "x: expected 12 bytes of data, got 11"},
    {"{'descr':'<f4','fortran_order':False,'shape':(3,)}", 13,
     "x: expected 12 bytes of data, got 13"},
    {"{'descr':'<f4','fortran_order':False,'shape':(4611686018427387904,4)}", 0,
     "x: expected more than 9223372036854775807 bytes of data, got 0"},
};

TEST(Npy, WrongHeadersAreErrors) {
  for (const WrongNpy &wrong : wrongFiles)
    EXPECT_EQ(
        errorOf(npyOf(wrong.dictionary, std::string(wrong.dataSize, 'x'))),
        wrong.error)
        << wrong.dictionary;
}

TEST(Npy, WrongBeginningsAreErrors) {
  EXPECT_EQ(errorOf(""), "x: expected an npy file, got a shorter one");
  EXPECT_EQ(errorOf("PK\3\4aaaaaaaaaaaaa"),
            "x: expected an npy file, got a zip file, such as an npz file or "
            "one of torch.save");
  EXPECT_EQ(errorOf("1 2 3\n4 5 6\n"),
            "x: expected an npy file, got other first bytes");
  EXPECT_EQ(errorOf(npyOf("{}", "", 4)),
            "x: expected npy version 1 to 3, got 4.0");
  EXPECT_EQ(errorOf(npyOf("{}", "", 0)),
            "x: expected npy version 1 to 3, got 0.0");
  EXPECT_EQ(errorOf(npyOf("{}", "").substr(0, 11)),
            "x: truncated: expected a header of 2 bytes, got 1");
  EXPECT_EQ(errorOf(npyOf("{}", "", 2).substr(0, 11)),
            "x: truncated: expected a header of 2 bytes, got 0");
}

TEST(Npy, EachTruncationIsAnError) {
  std::string contents = npyOf(
      "{'descr':'<f4','fortran_order':False,'shape':(3,)}", "123412341234", 3);
  for (size_t size = 0; size < contents.size(); ++size) {
    std::vector<char> cut(contents.begin(), contents.begin() + size);
    NpyFile file;
    EXPECT_NE(textOf(file.parse(cut.data(), cut.size(), "x")), "") << size;
  }
}

TEST(Npy, FilesThatCannotBeOpenedAreErrors) {
  NpyFile file;
  EXPECT_EQ(textOf(file.open("/no/such.npy")),
            "cannot read '/no/such.npy': No such file or directory");
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

TEST(Npy, UnwritableFilesAreErrors) {
  TemporaryFolder folder;
  float value = 1;
  int64_t shape[] = {1};
  EXPECT_EQ(
      textOf(writeNpy("/no/such/x.npy", HamKaasFloat32, 1, shape, &value)),
      "cannot write '/no/such/x.npy': No such file or directory");
  std::string path = folder.path("");
  EXPECT_EQ(textOf(writeNpy(path.c_str(), HamKaasFloat32, 1, shape, &value)),
            "cannot write '" + path + "': Is a directory");
  path = folder.path("x.npy");
  EXPECT_EQ(textOf(writeNpy(path.c_str(), HamKaasFloat32, 65, shape, &value)),
            "cannot write '" + path + "': no such tensor type");
  EXPECT_EQ(folder.fileCount(), 0u);
}

TEST(Npy, AFullDiskIsAnError) {
  float value = 1;
  int64_t shape[] = {1};
  EXPECT_EQ(textOf(writeNpy("/dev/full", HamKaasFloat32, 1, shape, &value)),
            "cannot write '/dev/full': No space left on device");
}

TEST(Npy, ReplacesAFileWhole) {
  TemporaryFolder folder;
  std::string path = folder.write("x.npy", std::string(10000, 'x'));
  std::string link = folder.path("link.npy");
  std::filesystem::create_symlink("x.npy", link);
  float value = 1;
  int64_t shape[] = {1};
  ASSERT_EQ(textOf(writeNpy(link.c_str(), HamKaasFloat32, 1, shape, &value)),
            "");
  EXPECT_TRUE(std::filesystem::is_symlink(link));
  EXPECT_EQ(folder.read("x.npy").size(), 132u);
  EXPECT_EQ(folder.fileCount(), 2u);
  struct stat status;
  ASSERT_EQ(stat(path.c_str(), &status), 0);
  mode_t mask = umask(0);
  umask(mask);
  EXPECT_EQ(status.st_mode & 0777, 0666 & ~mask);
}
