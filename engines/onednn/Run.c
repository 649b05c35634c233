/*===- Run.c - Runs of tiles ------------------------------------------------===
 *
 * Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===------------------------------------------------------------------------===
 */

#include "Plan.h"

/* Of the OpenMP that oneDNN was built with, if any. */
extern int omp_get_max_threads(void) __attribute__((weak));
extern void omp_set_num_threads(int count) __attribute__((weak));

int useOneThread(void) {
  if (!omp_get_max_threads || !omp_set_num_threads)
    return 1;
  int threads = omp_get_max_threads();
  omp_set_num_threads(1);
  return threads;
}

void restoreThreads(int threads) {
  if (omp_set_num_threads)
    omp_set_num_threads(threads);
}

/*===------------------------------------------------------------------------===
 * Calls of primitives
 *===------------------------------------------------------------------------===
 */

typedef struct Arguments {
  dnnl_exec_arg_t list[6 + mostSteps];
  int count;
  dnnl_status_t status;
} Arguments;

static void addArgument(Arguments *arguments, int argument,
                        const dnnl_memory_desc_t *desc, const void *address) {
  dnnl_exec_arg_t *added = &arguments->list[arguments->count];
  if (arguments->status)
    return;
  added->arg = argument;
  arguments->status =
      dnnl_memory_create(&added->memory, desc, cpu, (void *)address);
  if (!arguments->status)
    ++arguments->count;
}

/* Frees the arguments, too. */
static dnnl_status_t execute(dnnl_primitive_t primitive, dnnl_stream_t stream,
                             Arguments *arguments) {
  if (!arguments->status)
    arguments->status = dnnl_primitive_execute(
        primitive, stream, arguments->count, arguments->list);
  for (int i = 0; i < arguments->count; ++i)
    dnnl_memory_destroy(arguments->list[i].memory);
  return arguments->status;
}

static dnnl_status_t runReorder(const Reorder *reorder, dnnl_stream_t stream,
                                const void *from, void *to, void *scratch) {
  Arguments arguments = {.count = 0};
  addArgument(&arguments, DNNL_ARG_FROM, &reorder->from, from);
  addArgument(&arguments, DNNL_ARG_TO, &reorder->to, to);
  addArgument(&arguments, DNNL_ARG_SCRATCHPAD, &reorder->scratch, scratch);
  return execute(reorder->primitive, stream, &arguments);
}

dnnl_status_t reorderBlocks(const Plan *plan, const float *right, char *place) {
  dnnl_stream_t stream = NULL;
  dnnl_status_t status =
      dnnl_stream_create(&stream, cpu, dnnl_stream_default_flags);
  for (int32_t i = 0; !status && i < plan->blockCount; ++i) {
    const Block *block = &plan->blocks[i];
    if (block->reorder.primitive)
      status = runReorder(&block->reorder, stream, right + block->column,
                          place + block->place, place + plan->scratchPlace);
  }
  dnnl_stream_destroy(stream);
  return status;
}

/*===------------------------------------------------------------------------===
 * Tiles
 *===------------------------------------------------------------------------===
 */

/* The other operand of a step, for a tile. */
static const float *findOther(const Work *work, const Tile *tile,
                              const Step *step) {
  return (const float *)work->inputs[step->input] +
         (step->isRow ? work->plan->blocks[tile->block].column : tile->result);
}

static void finishRow(const Step *step, const float *other, float *result,
                      int64_t count) {
  switch (step->kind) {
  case AddStep:
    for (int64_t i = 0; i < count; ++i)
      result[i] += other[i];
    break;
  case MultiplyStep:
    for (int64_t i = 0; i < count; ++i)
      result[i] *= other[i];
    break;
  default: /* relu: NaN and -0 stay as they are */
    for (int64_t i = 0; i < count; ++i)
      result[i] = result[i] < 0 ? 0 : result[i];
  }
}

/* The steps that are not the primitive's. */
static void finish(const Work *work, const Tile *tile) {
  const Plan *plan = work->plan;
  const Product *product = &plan->product;
  const TileShape *shape = &plan->parts[tile->part].shape;
  int64_t rows = shape->images * shape->outRows;
  for (int32_t i = 1; i < product->spatial; ++i)
    rows *= product->out[i];
  for (int64_t row = 0; row < rows; ++row)
    for (int32_t i = plan->givenSteps; i < product->stepCount; ++i) {
      const Step *step = &product->steps[i];
      int isBinary = step->kind <= MultiplyStep;
      const float *other = isBinary ? findOther(work, tile, step) : NULL;
      if (isBinary && !step->isRow)
        other += row * product->columns;
      finishRow(step, other,
                work->result + tile->result + row * product->columns,
                shape->columns);
    }
}

dnnl_status_t computeTile(const Work *work, int64_t number,
                          dnnl_stream_t stream) {
  const Plan *plan = work->plan;
  const Tile *tile = &plan->tiles[number];
  const Part *part = &plan->parts[tile->part];
  const Block *block = &plan->blocks[tile->block];
  char *space = work->workspace + (uint64_t)number * countTileBytes(plan);
  char *blockedResult = space + plan->leftBytes;
  char *scratch = blockedResult + plan->resultBytes;
  const void *left =
      (const float *)work->inputs[plan->product.left] + tile->left;
  void *result = work->result + tile->result;
  if (part->leftReorder.primitive) {
    dnnl_status_t status =
        runReorder(&part->leftReorder, stream, left, space, scratch);
    if (status)
      return status;
    left = space;
  }
  Arguments arguments = {.count = 0};
  const float *right = work->inputs[plan->product.right];
  addArgument(&arguments, DNNL_ARG_SRC, &part->takenLeft, left);
  addArgument(&arguments, DNNL_ARG_WEIGHTS, &part->right,
              block->reorder.primitive
                  ? (const void *)(work->blocks + block->place)
                  : right + tile->right);
  addArgument(&arguments, DNNL_ARG_DST, &part->takenResult,
              part->resultReorder.primitive ? blockedResult : result);
  addArgument(&arguments, DNNL_ARG_SCRATCHPAD, &part->scratch, scratch);
  for (int32_t i = 0; i < plan->givenSteps; ++i) {
    const Step *step = &plan->product.steps[i];
    if (step->kind > MultiplyStep)
      continue;
    int isBias = i == 0 && plan->hasBias;
    addArgument(&arguments,
                isBias ? DNNL_ARG_BIAS
                       : DNNL_ARG_ATTR_MULTIPLE_POST_OP(i - plan->hasBias) |
                             DNNL_ARG_SRC_1,
                isBias ? &part->bias : &part->others[i],
                findOther(work, tile, step));
  }
  dnnl_status_t status = execute(part->primitive, stream, &arguments);
  if (!status && part->resultReorder.primitive)
    status = runReorder(&part->resultReorder, stream, blockedResult, result,
                        scratch);
  if (!status)
    finish(work, tile);
  return status;
}
