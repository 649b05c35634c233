/*===- Plan.c - How the result of a product is cut --------------------------===
 *
 * Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===------------------------------------------------------------------------===
 */

#include "Plan.h"

#include <stdlib.h>
#include <string.h>

static int64_t divideUp(int64_t a, int64_t b) { return (a + b - 1) / b; }
static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t largest(int64_t a, int64_t b) { return a > b ? a : b; }

/*===------------------------------------------------------------------------===
 * Tiles
 *===------------------------------------------------------------------------===
 */

/* How a result is cut. It depends on the product alone, so that the bits do. */
typedef struct Cut {
  int64_t images, rows, columns; /* of a tile, at most */
} Cut;

/* The input rows of output rows [begin, end) of an image, and the padding
   before and after them. */
static void findRows(const Product *product, int64_t begin, int64_t end,
                     TileShape *shape, int64_t *firstRow) {
  int64_t all = product->spatial > 0 ? product->out[0] : product->rows;
  shape->outRows = end - begin;
  *firstRow = begin;
  if (product->spatial == 0)
    return;
  int64_t first = begin * product->stride[0] - product->low[0];
  int64_t last = (end - 1) * product->stride[0] +
                 (product->window[0] - 1) * product->dilation[0] + 1 -
                 product->low[0];
  shape->low = largest(0, -first);
  shape->high = largest(0, last - product->in[0]);
  *firstRow = largest(0, first);
  shape->inRows = least(last, product->in[0]) - *firstRow;
  /* Images lie one behind the other. */
  if (shape->outRows == all) {
    shape->low = product->low[0];
    shape->inRows = product->in[0];
    *firstRow = 0;
  }
}

/* A tile in the padding would have no input. */
static int haveInput(const Product *product, int64_t rowsOfTile) {
  for (int64_t row = 0; row < product->out[0]; row += rowsOfTile) {
    TileShape shape = {0};
    int64_t first;
    findRows(product, row, least(row + rowsOfTile, product->out[0]), &shape,
             &first);
    if (shape.inRows < 1)
      return 0;
  }
  return 1;
}

static Cut chooseCut(const Plan *plan) {
  /* Fewer would not pay for a call. */
  enum { flopsOfTile = 1 << 19, rowsOfMatrix = 16, columnsOfMatrix = 64 };
  const Product *product = &plan->product;
  double worth = countFlops(product) / flopsOfTile + 1;
  int64_t wanted = worth < (double)plan->options.tiles ? (int64_t)worth
                                                       : plan->options.tiles;
  int64_t all = product->spatial > 0 ? product->out[0] : product->rows;
  Cut cut = {divideUp(product->batches, wanted), all, product->columns};
  int64_t ofImage = divideUp(wanted, product->batches);
  if (ofImage == 1)
    return cut;
  cut.rows = divideUp(all, ofImage);
  if (product->spatial > 0) {
    if (!haveInput(product, cut.rows))
      cut.rows = all;
    return cut;
  }
  cut.rows = least(all, largest(cut.rows, rowsOfMatrix));
  int64_t across = divideUp(ofImage, divideUp(all, cut.rows));
  if (across > 1 && product->batches == 1)
    cut.columns =
        divideUp(divideUp(product->columns, across), columnsOfMatrix) *
        columnsOfMatrix;
  return cut;
}

static int32_t findPart(Plan *plan, const TileShape *shape) {
  int32_t i = 0;
  while (i < plan->partCount &&
         memcmp(&plan->parts[i].shape, shape, sizeof *shape) != 0)
    ++i;
  if (i == plan->partCount)
    plan->parts[plan->partCount++].shape = *shape;
  return i;
}

static void addTile(Plan *plan, const Cut *cut, int64_t image, int64_t row,
                    int64_t column) {
  const Product *product = &plan->product;
  int64_t all = product->spatial > 0 ? product->out[0] : product->rows;
  TileShape shape = {0};
  int64_t firstRow;
  shape.images = least(cut->images, product->batches - image);
  shape.columns = least(cut->columns, product->columns - column);
  findRows(product, row, least(row + cut->rows, all), &shape, &firstRow);
  Tile *tile = &plan->tiles[plan->tileCount++];
  tile->part = findPart(plan, &shape);
  tile->block = (int32_t)(column / cut->columns);
  plan->blocks[tile->block].column = column;
  int64_t inRows = product->spatial > 0 ? product->in[0] : product->rows;
  int32_t inner = product->spatial > 1 ? product->spatial - 1 : 0;
  tile->left = (image * inRows + firstRow) *
               multiplyAll(product->in + 1, inner) * product->depth;
  tile->right = product->spatial > 0
                    ? 0
                    : image * product->depth * product->columns + column;
  tile->result = (image * all + row) * multiplyAll(product->out + 1, inner) *
                     product->columns +
                 column;
}

static dnnl_status_t makeTiles(Plan *plan) {
  const Product *product = &plan->product;
  Cut cut = chooseCut(plan);
  int64_t all = product->spatial > 0 ? product->out[0] : product->rows;
  int64_t down = divideUp(all, cut.rows);
  int64_t across = divideUp(product->columns, cut.columns);
  int64_t count = divideUp(product->batches, cut.images) * down * across;
  plan->blockCount = (int32_t)across;
  plan->tiles = calloc((size_t)count, sizeof(Tile));
  plan->parts = calloc((size_t)count, sizeof(Part));
  plan->blocks = calloc((size_t)across, sizeof(Block));
  if (!plan->tiles || !plan->parts || !plan->blocks)
    return dnnl_out_of_memory;
  for (int64_t image = 0; image < product->batches; image += cut.images)
    for (int64_t row = 0; row < all; row += cut.rows)
      for (int64_t column = 0; column < product->columns; column += cut.columns)
        addTile(plan, &cut, image, row, column);
  return dnnl_success;
}

/*===------------------------------------------------------------------------===
 * Plans
 *===------------------------------------------------------------------------===
 */

static uint64_t countBytes(const dnnl_memory_desc_t *desc) {
  return alignBytes(dnnl_memory_desc_get_size(desc));
}

static uint64_t countReorderBytes(const Reorder *reorder) {
  return reorder->primitive ? countBytes(&reorder->scratch) : 0;
}

static void measurePart(Plan *plan, const Part *part) {
  if (part->leftReorder.primitive &&
      countBytes(&part->takenLeft) > plan->leftBytes)
    plan->leftBytes = countBytes(&part->takenLeft);
  if (part->resultReorder.primitive &&
      countBytes(&part->takenResult) > plan->resultBytes)
    plan->resultBytes = countBytes(&part->takenResult);
  const uint64_t needs[] = {countBytes(&part->scratch),
                            countReorderBytes(&part->leftReorder),
                            countReorderBytes(&part->resultReorder)};
  for (size_t i = 0; i < sizeof needs / sizeof *needs; ++i)
    if (needs[i] > plan->scratchBytes)
      plan->scratchBytes = needs[i];
}

static dnnl_status_t createParts(Plan *plan) {
  for (int64_t i = 0; i < plan->tileCount; ++i) {
    Part *part = &plan->parts[plan->tiles[i].part];
    Block *block = &plan->blocks[plan->tiles[i].block];
    if (!part->primitive) {
      dnnl_status_t status = createPart(plan, part, block);
      if (status)
        return status;
      part->block = plan->tiles[i].block;
      measurePart(plan, part);
    } else if (!block->isKnown) {
      /* Blocks of one width have one layout. */
      int64_t column = block->column;
      *block = plan->blocks[part->block];
      block->column = column;
      block->isCopy = 1;
    }
  }
  return dnnl_success;
}

dnnl_status_t makePlan(Plan *plan) {
  dnnl_status_t status = makeTiles(plan);
  if (!status)
    status = createParts(plan);
  if (status)
    return status;
  uint64_t scratch = 0;
  for (int32_t i = 0; i < plan->blockCount; ++i) {
    Block *block = &plan->blocks[i];
    if (!block->reorder.primitive)
      continue;
    block->place = plan->blockBytes;
    plan->blockBytes += countBytes(&block->taken);
    if (countReorderBytes(&block->reorder) > scratch)
      scratch = countReorderBytes(&block->reorder);
  }
  plan->scratchPlace = plan->blockBytes;
  plan->blockBytes += scratch;
  return dnnl_success;
}

static void freeReorder(Reorder *reorder) {
  dnnl_primitive_destroy(reorder->primitive);
}

void freePlan(Plan *plan) {
  for (int32_t i = 0; i < plan->partCount; ++i) {
    dnnl_primitive_destroy(plan->parts[i].primitive);
    freeReorder(&plan->parts[i].leftReorder);
    freeReorder(&plan->parts[i].resultReorder);
  }
  for (int32_t i = 0; plan->blocks && i < plan->blockCount; ++i)
    if (!plan->blocks[i].isCopy)
      freeReorder(&plan->blocks[i].reorder);
  free(plan->tiles);
  free(plan->parts);
  free(plan->blocks);
  free(plan);
}
