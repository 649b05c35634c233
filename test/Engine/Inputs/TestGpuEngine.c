// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/* An engine library for GPUs that runs on the fake driver alone: what it puts
   on a stream is a function of this file. It computes groups of one `relu` or
   `add` of a constant, of float32: with a workspace, and the constant packed.
   TEST_PROBLEM names the way in which it fails. */

#include "hamkaas-c/Engine.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

enum { NoProblem, FailInStart, FailInPrepare, FailInRun, CpuOnly };

#ifndef TEST_PROBLEM
#define TEST_PROBLEM NoProblem
#endif

static const char *lastError(void) { return "it was asked to fail"; }

/* hamkaasFakeCudaPutOnStream. */
typedef int (*PutOnStream)(void *stream, const char *name,
                           const void *const *addresses, const size_t *bytes,
                           int count, void (*run)(void *context),
                           void *context);

typedef struct Plan {
  int64_t count;
  int isSum;
  PutOnStream putOnStream;
} Plan;

/* Done when a stream comes to it; never freed, as a captured one is done again.
 */
typedef struct Work {
  int64_t count;
  const float *input;
  const double *packed;
  float *workspace, *result;
} Work;

static int matches(const HamKaasEngineGroup *group) {
  const HamKaasEngineNode *node = &group->nodes[0];
  return group->nodeCount == 1 && group->device == HamKaasEngineCuda &&
         strcmp(group->precision, "exact") == 0 &&
         (strcmp(node->operation, "relu") == 0 ||
          (strcmp(node->operation, "add") == 0 &&
           group->values[node->operands[1]].isConstant));
}

static int32_t applies(const HamKaasEngineGroup *group, double *seconds) {
  *seconds = 0;
  return matches(group) ? HamKaasEngineOk : HamKaasEngineNotApplicable;
}

static int32_t plan(const HamKaasEngineGroup *group,
                    const HamKaasEngineSetting *settings,
                    HamKaasEnginePlan *plan) {
  (void)settings;
  if (!matches(group))
    return HamKaasEngineNotApplicable;
  Plan *made = calloc(1, sizeof(Plan));
  made->count = 1;
  for (int32_t i = 0; i < group->values[0].rank; ++i)
    made->count *= group->values[0].shape[i];
  made->isSum = strcmp(group->nodes[0].operation, "add") == 0;
  plan->data = made;
  plan->workspaceBytes = (uint64_t)made->count * sizeof(float);
  if (made->isSum)
    plan->packedBytes = (uint64_t)made->count * sizeof(double);
  return HamKaasEngineOk;
}

/* The driver is loaded by now. */
static int32_t start(HamKaasEnginePlan *plan, int32_t device) {
  Plan *made = plan->data;
  void *driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
  if (TEST_PROBLEM == FailInStart || !driver || device != 0)
    return HamKaasEngineFailed;
  made->putOnStream = (PutOnStream)dlsym(driver, "hamkaasFakeCudaPutOnStream");
  return made->putOnStream ? HamKaasEngineOk : HamKaasEngineFailed;
}

static int32_t enqueue(const Plan *made, void *stream, const char *name,
                       void (*function)(void *), const Work *work) {
  const void *addresses[] = {work->input, work->packed, work->workspace,
                             work->result};
  size_t bytes[] = {(size_t)made->count * 4, (size_t)made->count * 8,
                    (size_t)made->count * 4, (size_t)made->count * 4};
  int count = 0;
  for (int i = 0; i < 4; ++i) {
    if (!addresses[i])
      continue;
    addresses[count] = addresses[i];
    bytes[count++] = bytes[i];
  }
  Work *kept = malloc(sizeof(Work));
  *kept = *work;
  return made->putOnStream(stream, name, addresses, bytes, count, function,
                           kept)
             ? HamKaasEngineFailed
             : HamKaasEngineOk;
}

/* As doubles, which no other code would read as they are. */
static void pack(void *context) {
  const Work *work = context;
  for (int64_t i = 0; i < work->count; ++i)
    ((double *)work->packed)[i] = work->input[i];
}

static int32_t prepare(const HamKaasEnginePlan *plan, const void *const *inputs,
                       void *packed) {
  const Plan *made = plan->data;
  if (TEST_PROBLEM == FailInPrepare || inputs[0])
    return HamKaasEngineFailed;
  Work work = {made->count, inputs[1], packed, NULL, NULL};
  return enqueue(made, NULL, "pack", pack, &work);
}

static void compute(void *context) {
  const Work *work = context;
  for (int64_t i = 0; i < work->count; ++i)
    work->workspace[i] = work->input[i];
  for (int64_t i = 0; i < work->count; ++i) {
    float x = work->workspace[i];
    work->result[i] =
        work->packed ? (float)(x + work->packed[i]) : (x > 0 ? x : 0);
  }
}

static void countParts(void *context, int64_t begin, int64_t end) {
  *(int64_t *)context += end - begin;
}

static int32_t run(const HamKaasEnginePlan *plan, const HamKaasEngineRun *run) {
  const Plan *made = plan->data;
  int64_t done = 0;
  run->threads.parallelFor(run->threads.threads, countParts, &done, 7);
  if (TEST_PROBLEM == FailInRun || !run->stream || done != 7 ||
      (made->isSum && run->inputs[1]))
    return HamKaasEngineFailed;
  Work work = {made->count, run->inputs[0], run->packed, run->workspace,
               run->result};
  return enqueue(made, run->stream, made->isSum ? "add" : "relu", compute,
                 &work);
}

static void destroy(HamKaasEnginePlan *plan) { free(plan->data); }

static const HamKaasEngine engine = {
    .structSize = sizeof(HamKaasEngine),
    .id = "gpu",
    .hash = 0xd5235618fae1fad5, /* FNV-1a of the id */
    .description = "relu and sums with constants on a GPU",
    .devices = TEST_PROBLEM == CpuOnly ? HamKaasEngineCpu : HamKaasEngineCuda,
    .elementTypes = 1 << HamKaasFloat32,
    .applies = applies,
    .plan = plan,
    .prepare = prepare,
    .run = run,
    .destroy = destroy,
    .start = start,
};

static const HamKaasEngine *const engines[] = {&engine};

static const HamKaasEngineLibrary library = {
    .structSize = sizeof(HamKaasEngineLibrary),
    .version = HAMKAAS_ENGINE_VERSION,
    .engineCount = 1,
    .name = "gpu",
    .libraryVersion = "3",
    .engines = engines,
    .lastError = lastError,
};

const HamKaasEngineLibrary *hamkaasEngineGet(uint32_t hostVersion);

const HamKaasEngineLibrary *hamkaasEngineGet(uint32_t hostVersion) {
  (void)hostVersion;
  return &library;
}
