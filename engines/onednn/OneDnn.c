/*===- OneDnn.c - Convolutions and products of matrices by oneDNN -----------===
 *
 * Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===------------------------------------------------------------------------===
 *
 * The result is cut into tiles whose size does not depend on the number of
 * threads; each is one primitive on one of the host's threads. So bits do not
 * depend on their number either, and oneDNN starts no threads.
 */

#include "Plan.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

dnnl_engine_t cpu;

/* Why the last call of this thread failed. */
static __thread char problem[64] = "";

static const char *lastError(void) { return problem; }

static int32_t fail(dnnl_status_t status) {
  if (status == dnnl_out_of_memory)
    strcpy(problem, "out of memory");
  else
    snprintf(problem, sizeof problem, "status %d of oneDNN", (int)status);
  return HamKaasEngineFailed;
}

static int32_t applies(const HamKaasEngineGroup *group, double *seconds) {
  Product product;
  *seconds = 0;
  return matchProduct(group, &product) ? HamKaasEngineOk
                                       : HamKaasEngineNotApplicable;
}

/*===------------------------------------------------------------------------===
 * Plans
 *===------------------------------------------------------------------------===
 */

static Options readOptions(const HamKaasEngineSetting *settings) {
  Options options;
  options.isBlocked = strcmp(settings[0].text, "blocked") == 0;
  options.allowsWinograd = strcmp(settings[1].text, "on") == 0;
  options.tiles = settings[2].integer;
  return options;
}

/* As many of the first steps as oneDNN computes with our semantics: its relu
   makes NaN 0. */
static int32_t countGivenSteps(const Product *product) {
  int32_t count = 0;
  while (count < product->stepCount && product->steps[count].kind != ReluStep)
    ++count;
  return count;
}

/* Returns whether the steps from `from` on can be computed after oneDNN's
   primitive. */
static int canFinish(const Product *product, int32_t from) {
  for (int32_t i = from; i < product->stepCount; ++i)
    if (product->steps[i].kind == EltwiseStep)
      return 0;
  return 1;
}

static dnnl_status_t tryPlan(const Product *product, Options options,
                             int32_t givenSteps, Plan **made) {
  Plan *plan = calloc(1, sizeof(Plan));
  if (!plan)
    return dnnl_out_of_memory;
  plan->product = *product;
  plan->options = options;
  plan->givenSteps = givenSteps;
  plan->hasBias = givenSteps > 0 && product->steps[0].kind == AddStep &&
                  product->steps[0].isRow;
  dnnl_status_t status = makePlan(plan);
  if (status)
    freePlan(plan);
  else
    *made = plan;
  return status;
}

/* A step needs the right side as it was given, not reordered. */
static int isOperandOfStep(const Product *product, int32_t input) {
  for (int32_t i = 0; i < product->stepCount; ++i)
    if (product->steps[i].kind <= MultiplyStep &&
        product->steps[i].input == input)
      return 1;
  return 0;
}

/* A run does not get constant inputs of a plan that packs. Returns the bytes of
   all that is packed. */
static uint64_t placeConstants(const HamKaasEngineGroup *group, Plan *plan) {
  uint64_t bytes = plan->blockBytes;
  plan->packs = plan->product.isRightConstant && plan->blockBytes > 0;
  plan->inputCount = group->inputCount;
  for (int32_t i = 0; plan->packs && i < group->inputCount; ++i) {
    const HamKaasEngineTensor *tensor = &group->values[i];
    int isReordered =
        i == plan->product.right && !isOperandOfStep(&plan->product, i);
    if (!tensor->isConstant || isReordered)
      continue;
    plan->copies[i].place = bytes;
    plan->copies[i].bytes =
        (uint64_t)multiplyAll(tensor->shape, tensor->rank) * sizeof(float);
    bytes += alignBytes(plan->copies[i].bytes);
  }
  return plan->packs ? bytes : 0;
}

static int32_t plan(const HamKaasEngineGroup *group,
                    const HamKaasEngineSetting *settings,
                    HamKaasEnginePlan *plan) {
  Product product;
  if (!matchProduct(group, &product))
    return HamKaasEngineNotApplicable;
  Plan *made = NULL;
  int threads = useOneThread();
  dnnl_status_t status = dnnl_unimplemented;
  for (int32_t given = countGivenSteps(&product);
       status == dnnl_unimplemented && given >= 0 && canFinish(&product, given);
       --given)
    status = tryPlan(&product, readOptions(settings), given, &made);
  restoreThreads(threads);
  if (status == dnnl_unimplemented)
    return HamKaasEngineNotApplicable;
  if (status)
    return fail(status);
  plan->data = made;
  plan->workspaceBytes = (uint64_t)made->tileCount * countTileBytes(made);
  plan->packedBytes = placeConstants(group, made);
  if (!made->packs)
    plan->workspaceBytes += made->blockBytes;
  return HamKaasEngineOk;
}

static void destroy(HamKaasEnginePlan *plan) { freePlan(plan->data); }

/*===------------------------------------------------------------------------===
 * Runs
 *===------------------------------------------------------------------------===
 */

static int32_t prepare(const HamKaasEnginePlan *plan, const void *const *inputs,
                       void *packed) {
  const Plan *made = plan->data;
  int threads = useOneThread();
  dnnl_status_t status =
      reorderBlocks(made, inputs[made->product.right], packed);
  restoreThreads(threads);
  for (int32_t i = 0; i < made->inputCount; ++i)
    if (made->copies[i].bytes > 0)
      memcpy((char *)packed + made->copies[i].place, inputs[i],
             made->copies[i].bytes);
  return status ? fail(status) : HamKaasEngineOk;
}

static void computeTiles(void *context, int64_t begin, int64_t end) {
  Work *work = context;
  int threads = useOneThread();
  dnnl_stream_t stream = NULL;
  dnnl_status_t status =
      dnnl_stream_create(&stream, cpu, dnnl_stream_default_flags);
  for (int64_t tile = begin; !status && tile < end; ++tile)
    status = computeTile(work, tile, stream);
  dnnl_stream_destroy(stream);
  restoreThreads(threads);
  if (status)
    __atomic_store_n(&work->status, status, __ATOMIC_RELAXED);
}

static int32_t run(const HamKaasEnginePlan *plan, const HamKaasEngineRun *run) {
  const Plan *made = plan->data;
  Work work = {.plan = made,
               .blocks = run->packed,
               .result = run->result,
               .workspace = run->workspace};
  for (int32_t i = 0; i < made->inputCount; ++i)
    work.inputs[i] = made->copies[i].bytes > 0
                         ? (const char *)run->packed + made->copies[i].place
                         : run->inputs[i];
  if (!made->packs && made->blockBytes > 0) {
    int threads = useOneThread();
    work.status =
        reorderBlocks(made, work.inputs[made->product.right], run->workspace);
    restoreThreads(threads);
    work.blocks = run->workspace;
    work.workspace += made->blockBytes;
  }
  if (!work.status)
    run->threads.parallelFor(run->threads.threads, computeTiles, &work,
                             made->tileCount);
  return work.status ? fail(work.status) : HamKaasEngineOk;
}

/*===------------------------------------------------------------------------===
 * The tables
 *===------------------------------------------------------------------------===
 */

static const char *const layouts[] = {"plain", "blocked"};
static const char *const switches[] = {"off", "on"};

static const HamKaasEngineKnob knobs[] = {
    {.id = "layout",
     .description = "layout of images: channels last, or what oneDNN prefers",
     .kind = HamKaasEngineText,
     .choiceCount = 2,
     .text = "plain",
     .choices = layouts},
    {.id = "winograd",
     .description = "Winograd's method where oneDNN has it; less exact",
     .kind = HamKaasEngineText,
     .choiceCount = 2,
     .text = "off",
     .choices = switches},
    {.id = "tiles",
     .description = "parts of a group that threads take, about as many",
     .kind = HamKaasEngineInteger,
     .integer = 32,
     .minimum = 1,
     .maximum = 1 << 16},
};

static const HamKaasEngine productEngine = {
    .structSize = sizeof(HamKaasEngine),
    .id = "onednn",
    .hash = 0xb145285d407dc7d9, /* FNV-1a of the id */
    .description = "float32 conv and matmul with sums, relu, tanh and others",
    .needs = "libdnnl.so.2",
    .notes = HamKaasEngineBitExact | HamKaasEngineAllocates |
             HamKaasEngineNeedsLibrary,
    .devices = HamKaasEngineCpu,
    .elementTypes = 1 << HamKaasFloat32,
    .knobCount = sizeof knobs / sizeof *knobs,
    .knobs = knobs,
    .applies = applies,
    .plan = plan,
    .prepare = prepare,
    .run = run,
    .destroy = destroy,
};

static const HamKaasEngine *const engines[] = {&productEngine};

static char version[32];

static HamKaasEngineLibrary library = {
    .structSize = sizeof(HamKaasEngineLibrary),
    .version = HAMKAAS_ENGINE_VERSION,
    .engineCount = 1,
    .name = "oneDNN",
    .libraryVersion = version,
    .engines = engines,
    .lastError = lastError,
};

static void initialize(void) {
  const dnnl_version_t *linked = dnnl_version();
  snprintf(version, sizeof version, "%d.%d.%d", linked->major, linked->minor,
           linked->patch);
  if (dnnl_engine_create(&cpu, dnnl_cpu, 0) != dnnl_success)
    library.engineCount = 0;
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
