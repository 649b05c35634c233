/*===- OpenBlas.c - Products of matrices by OpenBLAS ------------------------===
 *
 * Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===------------------------------------------------------------------------===
 *
 * Float32 matmuls with what follows them: sums with a row (a bias) or a whole
 * matrix (a residual), and relu. The result is cut into tiles whose size does
 * not depend on the number of threads; each is one sgemm on one thread.
 */

#include "hamkaas-c/Engine.h"

#include <cblas-openblas.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *lastError(void) { return "out of memory"; }

/*===------------------------------------------------------------------------===
 * Matching
 *===------------------------------------------------------------------------===
 */

enum { mostSteps = 8 };

/* What is done to each element of a tile after the product. */
typedef struct Step {
  enum { AddRow, AddMatrix, Relu } kind;
  int32_t input;
} Step;

typedef struct Product {
  int64_t batches, rows, columns, depth;
  int32_t left, right;
  int32_t stepCount;
  Step steps[mostSteps];
  int64_t tileRows, tileColumns;
} Product;

static int64_t countElements(const HamKaasEngineTensor *tensor) {
  int64_t count = 1;
  for (int32_t i = 0; i < tensor->rank; ++i)
    count *= tensor->shape[i];
  return count;
}

static int addSum(const HamKaasEngineGroup *group,
                  const HamKaasEngineNode *node, int32_t value,
                  Product *product) {
  int32_t other = node->operands[node->operands[0] == value ? 1 : 0];
  if (other >= group->inputCount)
    return 0;
  const HamKaasEngineTensor *tensor = &group->values[other];
  int64_t count = countElements(tensor);
  Step *step = &product->steps[product->stepCount++];
  step->input = other;
  if (count == product->batches * product->rows * product->columns)
    step->kind = AddMatrix;
  else if (count == product->columns && tensor->rank > 0 &&
           tensor->shape[tensor->rank - 1] == product->columns)
    step->kind = AddRow;
  else
    return 0;
  return 1;
}

/* Each node takes the result of the one before. */
static int addStep(const HamKaasEngineGroup *group,
                   const HamKaasEngineNode *node, Product *product) {
  int32_t value = node->result - 1;
  if (product->stepCount == mostSteps)
    return 0;
  if (strcmp(node->operation, "relu") == 0 && node->operands[0] == value) {
    product->steps[product->stepCount++].kind = Relu;
    return 1;
  }
  return strcmp(node->operation, "add") == 0 &&
         (node->operands[0] == value) != (node->operands[1] == value) &&
         addSum(group, node, value, product);
}

static int match(const HamKaasEngineGroup *group, Product *product) {
  const HamKaasEngineNode *matmul = &group->nodes[0];
  if (strcmp(matmul->operation, "matmul") != 0)
    return 0;
  product->left = matmul->operands[0];
  product->right = matmul->operands[1];
  const HamKaasEngineTensor *left = &group->values[product->left];
  const HamKaasEngineTensor *result = &group->values[matmul->result];
  product->columns = result->shape[result->rank - 1];
  product->rows = result->rank > 1 ? result->shape[result->rank - 2] : 1;
  product->batches = countElements(result) / (product->rows * product->columns);
  product->depth = left->shape[left->rank - 1];
  for (int32_t i = 1; i < group->nodeCount; ++i)
    if (!addStep(group, &group->nodes[i], product))
      return 0;
  /* The sizes of a call are ints. */
  return product->rows <= INT32_MAX && product->columns <= INT32_MAX &&
         product->depth <= INT32_MAX;
}

static int32_t applies(const HamKaasEngineGroup *group, double *seconds) {
  Product product = {0};
  *seconds = 0;
  return match(group, &product) ? HamKaasEngineOk : HamKaasEngineNotApplicable;
}

/*===------------------------------------------------------------------------===
 * Plans
 *===------------------------------------------------------------------------===
 */

static int32_t plan(const HamKaasEngineGroup *group,
                    const HamKaasEngineSetting *settings,
                    HamKaasEnginePlan *plan) {
  Product matched = {0};
  if (!match(group, &matched))
    return HamKaasEngineNotApplicable;
  matched.tileRows = settings[0].integer;
  matched.tileColumns = settings[1].integer;
  Product *product = malloc(sizeof(Product));
  if (!product)
    return HamKaasEngineFailed;
  *product = matched;
  plan->data = product;
  return HamKaasEngineOk;
}

static void destroy(HamKaasEnginePlan *plan) { free(plan->data); }

/*===------------------------------------------------------------------------===
 * Runs
 *===------------------------------------------------------------------------===
 */

static int64_t divideUp(int64_t a, int64_t b) { return (a + b - 1) / b; }
static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

typedef struct Work {
  const Product *product;
  const void *const *inputs;
  float *result;
} Work;

static void finishRow(const Work *work, int64_t row, int64_t column,
                      int64_t count) {
  const Product *product = work->product;
  int64_t start = row * product->columns + column;
  float *result = work->result + start;
  for (int32_t i = 0; i < product->stepCount; ++i) {
    const Step *step = &product->steps[i];
    if (step->kind == Relu) {
      /* NaN stays NaN. */
      for (int64_t k = 0; k < count; ++k)
        result[k] = result[k] < 0 ? 0 : result[k];
      continue;
    }
    const float *other = (const float *)work->inputs[step->input] +
                         (step->kind == AddRow ? column : start);
    for (int64_t k = 0; k < count; ++k)
      result[k] += other[k];
  }
}

static void computeTile(const Work *work, int64_t batch, int64_t row,
                        int64_t column) {
  const Product *product = work->product;
  int64_t rows = least(product->tileRows, product->rows - row);
  int64_t columns = least(product->tileColumns, product->columns - column);
  const float *left = (const float *)work->inputs[product->left] +
                      (batch * product->rows + row) * product->depth;
  const float *right = (const float *)work->inputs[product->right] +
                       batch * product->depth * product->columns + column;
  int64_t firstRow = batch * product->rows + row;
  float *result = work->result + firstRow * product->columns + column;
  cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)rows,
              (int)columns, (int)product->depth, 1, left, (int)product->depth,
              right, (int)product->columns, 0, result, (int)product->columns);
  for (int64_t i = 0; i < rows; ++i)
    finishRow(work, firstRow + i, column, columns);
}

static void computeTiles(void *context, int64_t begin, int64_t end) {
  const Work *work = context;
  const Product *product = work->product;
  int64_t across = divideUp(product->columns, product->tileColumns);
  int64_t down = divideUp(product->rows, product->tileRows);
  for (int64_t tile = begin; tile < end; ++tile)
    computeTile(work, tile / across / down,
                tile / across % down * product->tileRows,
                tile % across * product->tileColumns);
}

static int32_t run(const HamKaasEnginePlan *plan, const HamKaasEngineRun *run) {
  const Product *product = plan->data;
  Work work = {product, run->inputs, run->result};
  int64_t tiles = product->batches *
                  divideUp(product->rows, product->tileRows) *
                  divideUp(product->columns, product->tileColumns);
  run->threads.parallelFor(run->threads.threads, computeTiles, &work, tiles);
  return HamKaasEngineOk;
}

/*===------------------------------------------------------------------------===
 * The tables
 *===------------------------------------------------------------------------===
 */

static const HamKaasEngineKnob knobs[] = {
    {.id = "rows",
     .description = "rows of a tile",
     .kind = HamKaasEngineInteger,
     .integer = 192,
     .minimum = 1,
     .maximum = INT32_MAX},
    {.id = "columns",
     .description = "columns of a tile",
     .kind = HamKaasEngineInteger,
     .integer = 512,
     .minimum = 1,
     .maximum = INT32_MAX},
};

static const HamKaasEngine sgemmEngine = {
    .structSize = sizeof(HamKaasEngine),
    .id = "openblas",
    .hash = 0x829cef7504349113, /* FNV-1a of the id */
    .description = "float32 matmul with sums and relu",
    .needs = "libopenblas.so.0",
    .notes = HamKaasEngineBitExact | HamKaasEngineAllocates |
             HamKaasEngineNeedsLibrary,
    .devices = HamKaasEngineCpu,
    .elementTypes = 1 << HamKaasFloat32,
    .knobCount = 2,
    .knobs = knobs,
    .applies = applies,
    .plan = plan,
    .run = run,
    .destroy = destroy,
};

static const HamKaasEngine *const engines[] = {&sgemmEngine};

static char version[32] = "unknown";

static HamKaasEngineLibrary library = {
    .structSize = sizeof(HamKaasEngineLibrary),
    .version = HAMKAAS_ENGINE_VERSION,
    .engineCount = 1,
    .name = "OpenBLAS",
    .libraryVersion = version,
    .engines = engines,
    .lastError = lastError,
};

/* The threads are the host's. "OpenBLAS 0.3.21 NO_AFFINITY ..." */
static void initialize(void) {
  openblas_set_num_threads(1);
  sscanf(openblas_get_config(), "OpenBLAS %31s", version);
}

__attribute__((visibility("default"))) const HamKaasEngineLibrary *
hamkaasEngineGet(uint32_t hostVersion);

const HamKaasEngineLibrary *hamkaasEngineGet(uint32_t hostVersion) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  if (hostVersion != HAMKAAS_ENGINE_VERSION)
    return NULL;
  pthread_once(&once, initialize);
  return &library;
}
