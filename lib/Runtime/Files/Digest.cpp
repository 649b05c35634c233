//===- Digest.cpp - BLAKE3 of memory --------------------------------------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Runtime/Files/Digest.h"

#include "DigestLanes.h"
#include "HamKaas/Runtime/Cpu/ThreadPool.h"
#include "HamKaas/Runtime/Files/MappedFile.h"

#include <cstdio>
#include <cstdlib>

using namespace hamkaas::rt;
using namespace hamkaas::rt::blake3;

static constexpr size_t chunkBytes = 1024;
// A thread's share: a whole subtree, whose chaining values fit the stack.
static constexpr size_t chunksOfTile = 256;
static constexpr size_t tileBytes = chunksOfTile * chunkBytes;

DigestText::DigestText(const Digest &digest) {
  for (size_t i = 0; i < sizeof(digest.bytes); ++i)
    snprintf(text + 2 * i, 3, "%02x", digest.bytes[i]);
}

//===----------------------------------------------------------------------===//
// Instruction set levels
//===----------------------------------------------------------------------===//

using HashFunction = void (*)(const Inputs &inputs, ChainingValue *values);

static void hashBaseline(const Inputs &inputs, ChainingValue *values) {
  Lanes<Vector4>::hash(inputs, values);
}

[[gnu::target("avx2")]] static void hashAvx2(const Inputs &inputs,
                                             ChainingValue *values) {
  Lanes<Vector8>::hash(inputs, values);
}

[[gnu::target("avx512f,avx512vl,avx512bw,avx512dq")]] static void
hashAvx512(const Inputs &inputs, ChainingValue *values) {
  Lanes<Vector16>::hash(inputs, values);
}

static HashFunction hashFunctionOf(HamKaasIsaLevel level) {
  if (level >= HamKaasIsaX86_64_V4)
    return hashAvx512;
  return level >= HamKaasIsaX86_64_V3 ? hashAvx2 : hashBaseline;
}

//===----------------------------------------------------------------------===//
// The tree
//===----------------------------------------------------------------------===//

// Merges `count` neighbours in place. The left child of each parent has the
// largest power of two of chunks; a node without a neighbour moves up
// unchanged.
static void mergeValues(HashFunction hash, ChainingValue *values, size_t count,
                        bool isRoot) {
  while (count > 1) {
    size_t pairs = count / 2;
    hash({reinterpret_cast<const uint8_t *>(values), 2 * sizeof(values[0]),
          pairs, /*blocks=*/1, /*lastBytes=*/blockBytes, /*areChunks=*/false,
          /*firstChunk=*/0, isRoot && count == 2},
         values);
    if (count % 2)
      memcpy(values[pairs], values[count - 1], sizeof(values[0]));
    count = pairs + count % 2;
  }
}

// A last chunk with fewer bytes, perhaps none.
static void hashShortChunk(HashFunction hash, const uint8_t *data, size_t size,
                           uint64_t number, bool isRoot, ChainingValue *value) {
  uint8_t padded[chunkBytes] = {};
  // memcpy takes no null.
  if (size > 0)
    memcpy(padded, data, size);
  size_t blocks = size == 0 ? 1 : (size + blockBytes - 1) / blockBytes;
  hash({padded, chunkBytes, /*count=*/1, blocks,
        static_cast<uint32_t>(size - (blocks - 1) * blockBytes),
        /*areChunks=*/true, number, isRoot},
       value);
}

// Up to `chunksOfTile` chunks.
static void hashTile(HashFunction hash, const uint8_t *data, size_t size,
                     uint64_t firstChunk, bool isRoot, ChainingValue *value) {
  ChainingValue values[chunksOfTile];
  size_t count = size / chunkBytes;
  bool isOneChunk = size <= chunkBytes;
  if (count > 0)
    hash({data, chunkBytes, count, chunkBytes / blockBytes, blockBytes,
          /*areChunks=*/true, firstChunk, isRoot && isOneChunk},
         values);
  if (size % chunkBytes != 0 || size == 0) {
    hashShortChunk(hash, data + count * chunkBytes, size % chunkBytes,
                   firstChunk + count, isRoot && isOneChunk, &values[count]);
    ++count;
  }
  mergeValues(hash, values, count, isRoot);
  memcpy(value, values, sizeof(*value));
}

//===----------------------------------------------------------------------===//
// Threads
//===----------------------------------------------------------------------===//

namespace {

/// State shared by the tiles of a large input.
struct Job {
  HashFunction hash;
  const uint8_t *data;
  size_t size;
  ChainingValue *values; // one a tile
};

/// The pool of one digest.
struct OwnPool {
  ThreadPool *pool = nullptr;
  ~OwnPool() {
    if (pool)
      ThreadPool::destroy(pool);
  }
};

} // namespace

// A HamKaasKernelFunction.
static int32_t hashTiles(void *const *arguments, int64_t begin, int64_t end,
                         int64_t *) {
  const Job &job = *static_cast<const Job *>(arguments[0]);
  for (size_t tile = static_cast<size_t>(begin);
       tile < static_cast<size_t>(end); ++tile) {
    size_t offset = tile * tileBytes;
    size_t left = job.size - offset;
    hashTile(job.hash, job.data + offset, left < tileBytes ? left : tileBytes,
             tile * chunksOfTile, /*isRoot=*/false, &job.values[tile]);
  }
  return 0;
}

static Error runTiles(Job &job, int64_t tiles, int32_t threads) {
  OwnPool own;
  if (Error error = ThreadPool::create(threads, own.pool))
    return error;
  void *arguments[] = {&job};
  int64_t values[4];
  own.pool->run(hashTiles, arguments, tiles, values);
  return Error();
}

static Error hashLarge(HashFunction hash, const uint8_t *data, size_t size,
                       int32_t threads, ChainingValue &value) {
  size_t tiles = (size + tileBytes - 1) / tileBytes;
  auto *values =
      static_cast<ChainingValue *>(malloc(tiles * sizeof(ChainingValue)));
  if (!values)
    return Error::format("out of memory for the digest of %zu bytes", size);
  Job job = {hash, data, size, values};
  Error error = runTiles(job, static_cast<int64_t>(tiles), threads);
  if (!error) {
    mergeValues(hash, values, tiles, /*isRoot=*/true);
    memcpy(value, values, sizeof(value));
  }
  free(values);
  return error;
}

Error hamkaas::rt::computeDigest(const void *data, size_t size, int32_t threads,
                                 Digest &digest, HamKaasIsaLevel level) {
  HashFunction hash = hashFunctionOf(level);
  const uint8_t *bytes = static_cast<const uint8_t *>(data);
  ChainingValue value;
  if (size <= tileBytes)
    hashTile(hash, bytes, size, /*firstChunk=*/0, /*isRoot=*/true, &value);
  else if (Error error = hashLarge(hash, bytes, size, threads, value))
    return error;
  memcpy(digest.bytes, value, sizeof(digest.bytes));
  return Error();
}

Error hamkaas::rt::computeFileDigest(const char *path, int32_t threads,
                                     Digest &digest, uint64_t &bytes) {
  MappedFile file;
  if (Error error = file.open(path))
    return error;
  bytes = file.size();
  return computeDigest(file.data(), file.size(), threads, digest);
}
