//===- Plan.h - Products made ready to run ------------------------*- C -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A result is cut into tiles: images, blocks of rows of an image, or blocks of
// a matrix. Each is one call of a primitive on one thread; tiles of one shape
// share it.
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_ENGINES_ONEDNN_PLAN_H
#define HAMKAAS_ENGINES_ONEDNN_PLAN_H

#include "Product.h"

typedef struct Options {
  int64_t tiles;     /* wanted; even cuts may give a few more */
  int32_t isBlocked; /* convolutions on oneDNN's layouts, not on ours */
  int32_t allowsWinograd;
} Options;

/* All of a tile but its place. Compared by memcmp: leave no padding. Rows are
   those of the first spatial dimension, or of a matrix. */
typedef struct TileShape {
  int64_t images, inRows, outRows, low, high, columns;
} TileShape;

/* From one layout to another; without a primitive if they are equal. */
typedef struct Reorder {
  dnnl_primitive_t primitive;
  dnnl_memory_desc_t from, to, scratch;
} Reorder;

/* A part of the columns, with the right side of the product for it in the
   layout that the primitives take. */
typedef struct Block {
  int64_t column;
  int32_t isKnown; /* what follows is set */
  int32_t isCopy;  /* of a block of the same width, which owns the primitive */
  dnnl_memory_desc_t given, taken;
  Reorder reorder;
  uint64_t place; /* of the reordered block, in bytes */
} Block;

/* The primitive of one shape. */
typedef struct Part {
  TileShape shape;
  int32_t block; /* the first */
  dnnl_primitive_t primitive;
  dnnl_memory_desc_t left, result, bias;            /* in our layout */
  dnnl_memory_desc_t takenLeft, right, takenResult; /* in the primitive's */
  Reorder leftReorder, resultReorder;
  dnnl_memory_desc_t others[mostSteps], scratch;
} Part;

/* With the first elements of the left and the right side and of the result. */
typedef struct Tile {
  int32_t part, block;
  int64_t left, right, result;
} Tile;

/* A planned product. The primitive computes the first `givenSteps` steps. */
typedef struct Plan {
  Product product;
  Options options;
  int32_t givenSteps;
  int32_t hasBias; /* which is the first step */
  int32_t partCount, blockCount;
  int64_t tileCount;
  Part *parts;
  Block *blocks;
  Tile *tiles;
  uint64_t leftBytes, resultBytes, scratchBytes; /* of a tile */
  uint64_t blockBytes;   /* of the reordered blocks, and a scratchpad for it */
  uint64_t scratchPlace; /* of that scratchpad */
  int32_t packs; /* the blocks, and copies of the other constant inputs */
  int32_t inputCount;
  struct {
    uint64_t place, bytes; /* 0 bytes if it is not packed */
  } copies[mostInputs];
} Plan;

extern dnnl_engine_t cpu;

/* A multiple of the size of a cache line. */
static inline uint64_t alignBytes(uint64_t bytes) {
  return (bytes + 63) / 64 * 64;
}

static inline uint64_t countTileBytes(const Plan *plan) {
  return plan->leftBytes + plan->resultBytes + plan->scratchBytes;
}

/* Makes tiles and primitives. Returns dnnl_unimplemented if oneDNN has none but
   its reference implementation. The plan must be freed in any case. */
dnnl_status_t makePlan(Plan *plan);
void freePlan(Plan *plan);

/* Makes the primitive of a part. The first one of a block chooses its
   layout. */
dnnl_status_t createPart(const Plan *plan, Part *part, Block *block);

/* oneDNN takes as many threads as OpenMP would start in the calling thread.
   Returns that number, and makes it 1 until it is restored. */
int useOneThread(void);
void restoreThreads(int threads);

/* One run. */
typedef struct Work {
  const Plan *plan;
  const void *inputs[mostInputs];
  const char *blocks; /* reordered; null if there are none */
  float *result;
  char *workspace; /* of the tiles */
  dnnl_status_t status;
} Work;

/* Brings the right side into the layout of the primitives. */
dnnl_status_t reorderBlocks(const Plan *plan, const float *right, char *place);

dnnl_status_t computeTile(const Work *work, int64_t number,
                          dnnl_stream_t stream);

#endif // HAMKAAS_ENGINES_ONEDNN_PLAN_H
