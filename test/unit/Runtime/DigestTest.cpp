//===- DigestTest.cpp - BLAKE3 of memory ----------------------------------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Runtime/Files/Digest.h"

#include "TemporaryFolder.h"
#include "Text.h"
#include "hamkaas-c/Runtime.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

using namespace hamkaas::rt;
using namespace hamkaas::test;

namespace {

struct Vector {
  size_t size;
  const char *digest;
};

// Byte i of an input is i % 251, as in the vectors of the specification.
constexpr Vector vectors[] = {
    {0, "af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262"},
    {1, "2d3adedff11b61f14c886e35afa036736dcd87a74d27b5c1510225d0f592e213"},
    {64, "4eed7141ea4a5cd4b788606bd23f46e212af9cacebacdc7d1f4c6dc7f2511b98"},
    {65, "de1e5fa0be70df6d2be8fffd0e99ceaa8eb6e8c93a63f2d8d1c30ecb6b263dee"},
    {1023, "10108970eeda3eb932baac1428c7a2163b0e924c9a9e25b35bba72b28f70bd11"},
    {1024, "42214739f095a406f3fc83deb889744ac00df831c10daa55189b5d121c855af7"},
    {1025, "d00278ae47eb27b34faecf67b4fe263f82d5412916c1ffd97c8cb7fb814b8444"},
    {2048, "e776b6028c7cd22a4d0ba182a8bf62205d2ef576467e838ed6f2529b85fba24a"},
    {2049, "5f4d72f40d7a5f82b15ca2b2e44b1de3c2ef86c426c95c1af0b6879522563030"},
    {3072, "b98cb0ff3623be03326b373de6b9095218513e64f1ee2edd2525c7ad1e5cffd2"},
    {31744, "62b6960e1a44bcc1eb1a611a8d6235b6b4b78f32e7abc4fb4c6cdcce94895c47"},
    {262144,
     "d57dc906e20d3fd326ffaa85535500486f46a0979f5a323f028dcabfd381fd4a"},
    {262145,
     "531c319935cf78f34869faebd865e5748266b1799039103bfb851a680d9ed30c"},
    {1000000,
     "5e82c663d164c54e4fcdfcd70e3ca464662228bdbad45cce2e0c2bff999064ef"},
};

std::vector<uint8_t> inputOf(size_t size) {
  std::vector<uint8_t> input(size);
  for (size_t i = 0; i < size; ++i)
    input[i] = static_cast<uint8_t>(i % 251);
  return input;
}

std::string digestOf(const std::vector<uint8_t> &input, int32_t threads,
                     HamKaasIsaLevel level = ownIsaLevel()) {
  Digest digest;
  Error error =
      computeDigest(input.data(), input.size(), threads, digest, level);
  return error ? error.message() : DigestText(digest).c_str();
}

} // namespace

TEST(Digest, IsThatOfTheSpecificationOnAllLevelsAndThreads) {
  for (const Vector &vector : vectors) {
    std::vector<uint8_t> input = inputOf(vector.size);
    for (int level = HamKaasIsaX86_64_V1; level <= ownIsaLevel(); ++level)
      for (int32_t threads : {1, 2, 3})
        EXPECT_EQ(digestOf(input, threads, HamKaasIsaLevel(level)),
                  vector.digest)
            << vector.size << " bytes, level " << level << ", " << threads
            << " threads";
  }
}

TEST(Digest, DependsOnEachBitAndOnTheLength) {
  std::vector<uint8_t> input = inputOf(300000);
  std::string digest = digestOf(input, 1);
  for (size_t at : {size_t{0}, size_t{1023}, size_t{1024}, size_t{262143},
                    size_t{262144}, size_t{299999}}) {
    input[at] ^= 16;
    EXPECT_NE(digestOf(input, 1), digest) << at;
    input[at] ^= 16;
  }
  input.push_back(0);
  EXPECT_NE(digestOf(input, 1), digest);
}

TEST(Digest, HasACFunction) {
  uint8_t digest[32];
  EXPECT_EQ(takeText(HamKaasDigest(nullptr, 0, 1, digest)), "");
  EXPECT_EQ(digest[0], 0xaf);
  EXPECT_EQ(digest[31], 0x62);
  EXPECT_EQ(takeText(HamKaasDigest(nullptr, 1, 1, digest)),
            "expected data, got null");
  EXPECT_EQ(takeText(HamKaasDigest("", 0, 1, nullptr)),
            "expected a place for the digest, got null");
  // More than one thread's share.
  std::vector<uint8_t> input = inputOf(300000);
  EXPECT_EQ(takeText(HamKaasDigest(input.data(), input.size(), -1, digest)),
            "expected 0 to 4096 threads, got -1");
}

TEST(Digest, OfAFileComesWithItsSize) {
  TemporaryFolder folder;
  Digest digest;
  uint64_t bytes = 0;
  std::string path = folder.write("empty", "");
  ASSERT_FALSE(computeFileDigest(path.c_str(), 1, digest, bytes));
  EXPECT_EQ(bytes, 0u);
  EXPECT_STREQ(DigestText(digest).c_str(), vectors[0].digest);
  Error error =
      computeFileDigest(folder.path("none").c_str(), 1, digest, bytes);
  EXPECT_EQ(std::string(error.message()), "cannot read '" +
                                              folder.path("none") +
                                              "': No such file or directory");
}
