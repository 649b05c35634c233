/*===- Sample.c - An engine library to start from ---------------------------===
 *
 * Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===------------------------------------------------------------------------===
 *
 * One engine, which computes the softmax of rows of float32. docs/Engines.md
 * goes through it.
 */

#include "hamkaas-c/Engine.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Why the last call of this thread failed. */
static __thread const char *problem = "";

static const char *lastError(void) { return problem; }

static int32_t fail(const char *why) {
  problem = why;
  return HamKaasEngineFailed;
}

/*===------------------------------------------------------------------------===
 * Which groups
 *===------------------------------------------------------------------------===
 */

static const HamKaasEngineAttribute *find(const HamKaasEngineNode *node,
                                          const char *name) {
  for (int32_t i = 0; i < node->attributeCount; ++i)
    if (strcmp(node->attributes[i].name, name) == 0)
      return &node->attributes[i];
  return NULL;
}

/* A group of one operation, softmax over whole rows. Its element type is
   float32: the engine says that it takes no others. */
static int32_t applies(const HamKaasEngineGroup *group, double *seconds) {
  const HamKaasEngineNode *node = &group->nodes[0];
  if (group->nodeCount != 1 || strcmp(node->operation, "sliced_softmax") != 0 ||
      node->operandCount != 1)
    return HamKaasEngineNotApplicable;
  const HamKaasEngineTensor *x = &group->values[node->operands[0]];
  const HamKaasEngineAttribute *prefix = find(node, "static_prefix");
  if (!prefix || prefix->integer != x->shape[x->rank - 1])
    return HamKaasEngineNotApplicable;
  *seconds = 0; /* unknown */
  return HamKaasEngineOk;
}

/*===------------------------------------------------------------------------===
 * Plans
 *===------------------------------------------------------------------------===
 */

typedef struct Softmax {
  int64_t rows, columns, rowsOfPart;
} Softmax;

static int32_t plan(const HamKaasEngineGroup *group,
                    const HamKaasEngineSetting *settings,
                    HamKaasEnginePlan *plan) {
  double seconds;
  int32_t status = applies(group, &seconds);
  if (status != HamKaasEngineOk)
    return status;
  Softmax *softmax = calloc(1, sizeof(Softmax));
  if (!softmax)
    return fail("out of memory");
  const HamKaasEngineTensor *x = &group->values[0];
  softmax->rows = 1;
  for (int32_t i = 0; i + 1 < x->rank; ++i)
    softmax->rows *= x->shape[i];
  softmax->columns = x->shape[x->rank - 1];
  softmax->rowsOfPart = settings[0].integer;
  plan->data = softmax; /* no workspace, and nothing is packed */
  return HamKaasEngineOk;
}

static void destroy(HamKaasEnginePlan *plan) { free(plan->data); }

/*===------------------------------------------------------------------------===
 * Runs
 *===------------------------------------------------------------------------===
 */

typedef struct Work {
  const Softmax *softmax;
  const float *x;
  float *result;
} Work;

static void computeRow(const float *x, float *result, int64_t columns) {
  float largest = x[0], sum = 0;
  for (int64_t i = 1; i < columns; ++i)
    largest = fmaxf(largest, x[i]);
  for (int64_t i = 0; i < columns; ++i)
    sum += result[i] = expf(x[i] - largest);
  for (int64_t i = 0; i < columns; ++i)
    result[i] /= sum;
}

/* The parts [begin, end), on one of the host's threads. */
static void computeParts(void *context, int64_t begin, int64_t end) {
  const Work *work = context;
  const Softmax *softmax = work->softmax;
  int64_t last = end * softmax->rowsOfPart;
  if (last > softmax->rows)
    last = softmax->rows;
  for (int64_t row = begin * softmax->rowsOfPart; row < last; ++row)
    computeRow(work->x + row * softmax->columns,
               work->result + row * softmax->columns, softmax->columns);
}

static int32_t run(const HamKaasEnginePlan *plan, const HamKaasEngineRun *run) {
  const Softmax *softmax = plan->data;
  Work work = {softmax, run->inputs[0], run->result};
  int64_t parts =
      (softmax->rows + softmax->rowsOfPart - 1) / softmax->rowsOfPart;
  run->threads.parallelFor(run->threads.threads, computeParts, &work, parts);
  return HamKaasEngineOk;
}

/*===------------------------------------------------------------------------===
 * The tables
 *===------------------------------------------------------------------------===
 */

static const HamKaasEngineKnob knobs[] = {
    {.id = "rows",
     .description = "rows that a thread takes at a time",
     .kind = HamKaasEngineInteger,
     .integer = 16,
     .minimum = 1,
     .maximum = 1 << 20},
};

static const HamKaasEngine softmaxEngine = {
    .structSize = sizeof(HamKaasEngine),
    .id = "sample",
    .hash = 0xf3d802fe7a8ba4c7, /* FNV-1a of the id */
    .description = "softmax of rows in plain C, an example",
    .notes = HamKaasEngineBitExact,
    .devices = HamKaasEngineCpu,
    .elementTypes = 1 << HamKaasFloat32,
    .knobCount = 1,
    .knobs = knobs,
    .applies = applies,
    .plan = plan,
    .run = run,
    .destroy = destroy,
};

static const HamKaasEngine *const engines[] = {&softmaxEngine};

static const HamKaasEngineLibrary library = {
    .structSize = sizeof(HamKaasEngineLibrary),
    .version = HAMKAAS_ENGINE_VERSION,
    .engineCount = 1,
    .name = "sample",
    .libraryVersion = "1.0",
    .engines = engines,
    .lastError = lastError,
};

/* The only symbol that the library exports. */
__attribute__((visibility("default"))) const HamKaasEngineLibrary *
hamkaasEngineGet(uint32_t hostVersion);

const HamKaasEngineLibrary *hamkaasEngineGet(uint32_t hostVersion) {
  return hostVersion == HAMKAAS_ENGINE_VERSION ? &library : NULL;
}
