// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/* An engine library that breaks the contract in one way, which TEST_PROBLEM
   names; or none. It computes groups of one `relu` of float32: with a
   workspace, and with a packed second input if there is one (`add` of a
   constant). */

#include "hamkaas-c/Engine.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
  NoProblem,
  WrongVersion,
  ShortTable,
  NoTable,
  WrongHash,
  NoRun,
  CrashInLoad,
  CrashInApplies,
  CrashInPlan,
  CrashInRun,
  ExitInPlan,
  HangInPlan,
  AbsurdWorkspace,
  WrongStatus,
  FailInPlan,
  FailInRun,
  WrongKnob,
  NegativeEstimate,
  /* From the second load of the library on. */
  PacksOtherwise,
  OnlyCuda
};

#ifndef TEST_PROBLEM
#define TEST_PROBLEM NoProblem
#endif
#ifndef TEST_ID
#define TEST_ID "test"
#define TEST_HASH 0xf9e6e6ef197c2b25
#endif

static const char *lastError(void) { return "it was asked to fail"; }

static HamKaasEngineLog writeLog;
static void *logContext;

static void setLog(HamKaasEngineLog log, void *context) {
  writeLog = log;
  logContext = context;
}

static void crash(void) {
  volatile int *nowhere = NULL;
  *nowhere = 1;
}

static int matches(const HamKaasEngineGroup *group) {
  const HamKaasEngineNode *node = &group->nodes[0];
  return group->nodeCount == 1 &&
         (strcmp(node->operation, "relu") == 0 ||
          (strcmp(node->operation, "add") == 0 &&
           group->values[node->operands[1]].isConstant));
}

static int32_t applies(const HamKaasEngineGroup *group, double *seconds) {
  if (TEST_PROBLEM == CrashInApplies)
    crash();
  *seconds = TEST_PROBLEM == NegativeEstimate ? -1 : 1e-6;
  return matches(group) ? HamKaasEngineOk : HamKaasEngineNotApplicable;
}

typedef struct Plan {
  int64_t count;
  int isSum;
} Plan;

static int32_t plan(const HamKaasEngineGroup *group,
                    const HamKaasEngineSetting *settings,
                    HamKaasEnginePlan *plan) {
  (void)settings;
  if (!matches(group))
    return HamKaasEngineNotApplicable;
  if (TEST_PROBLEM == CrashInPlan)
    crash();
  if (TEST_PROBLEM == ExitInPlan)
    exit(3);
  if (TEST_PROBLEM == FailInPlan)
    return HamKaasEngineFailed;
  if (TEST_PROBLEM == WrongStatus)
    return 77;
  while (TEST_PROBLEM == HangInPlan)
    sleep(1);
  Plan *made = malloc(sizeof(Plan));
  made->count = 1;
  for (int32_t i = 0; i < group->values[0].rank; ++i)
    made->count *= group->values[0].shape[i];
  made->isSum = strcmp(group->nodes[0].operation, "add") == 0;
  plan->data = made;
  if (writeLog)
    writeLog(logContext, HamKaasEngineInfo, "planned");
  plan->workspaceBytes = TEST_PROBLEM == AbsurdWorkspace
                             ? UINT64_MAX - 100
                             : (uint64_t)made->count * sizeof(float);
  if (made->isSum)
    plan->packedBytes = (uint64_t)made->count * sizeof(double);
  if (TEST_PROBLEM == PacksOtherwise && getenv("TEST_PACKS_OTHERWISE"))
    plan->packedBytes += 8;
  return HamKaasEngineOk;
}

/* As doubles, which no other code would read as they are. */
static int32_t prepare(const HamKaasEnginePlan *plan, const void *const *inputs,
                       void *packed) {
  const Plan *made = plan->data;
  if (inputs[0])
    return HamKaasEngineFailed;
  for (int64_t i = 0; i < made->count; ++i)
    ((double *)packed)[i] = ((const float *)inputs[1])[i];
  return HamKaasEngineOk;
}

static int32_t run(const HamKaasEnginePlan *plan, const HamKaasEngineRun *run) {
  const Plan *made = plan->data;
  if (TEST_PROBLEM == FailInRun || (made->isSum && run->inputs[1]))
    return HamKaasEngineFailed;
  if (TEST_PROBLEM == CrashInRun)
    crash();
  float *workspace = run->workspace;
  for (int64_t i = 0; i < made->count; ++i)
    workspace[i] = ((const float *)run->inputs[0])[i];
  for (int64_t i = 0; i < made->count; ++i) {
    float x = workspace[i];
    ((float *)run->result)[i] =
        made->isSum ? (float)(x + ((const double *)run->packed)[i])
                    : (x > 0 ? x : 0);
  }
  return HamKaasEngineOk;
}

static void destroy(HamKaasEnginePlan *plan) { free(plan->data); }

static const HamKaasEngineKnob knobs[] = {
    {.id = "kind",
     .description = "does nothing",
     .kind = HamKaasEngineText,
     .text = TEST_PROBLEM == WrongKnob ? "other" : "fast",
     .choiceCount = 2,
     .choices = (const char *const[]){"fast", "exact"}},
    {.id = "share",
     .description = "does nothing",
     .kind = HamKaasEngineNumber,
     .number = 0.5,
     .leastNumber = 0,
     .greatestNumber = 1},
};

static const HamKaasEngine engine = {
    .structSize = sizeof(HamKaasEngine),
    .id = TEST_ID,
    .hash = TEST_PROBLEM == WrongHash ? 1 : TEST_HASH,
    .description = "relu and sums with constants",
    .devices = TEST_PROBLEM == OnlyCuda ? HamKaasEngineCuda : HamKaasEngineCpu,
    .elementTypes = 1 << HamKaasFloat32,
    .knobCount = 2,
    .knobs = knobs,
    .applies = applies,
    .plan = plan,
    .prepare = prepare,
    .run = TEST_PROBLEM == NoRun ? NULL : run,
    .destroy = destroy,
};

static const HamKaasEngine *const engines[] = {&engine};

static const HamKaasEngineLibrary library = {
    .structSize = TEST_PROBLEM == ShortTable ? 8 : sizeof(HamKaasEngineLibrary),
    .version = TEST_PROBLEM == WrongVersion ? 9999 : HAMKAAS_ENGINE_VERSION,
    .engineCount = 1,
    .name = "test",
    .libraryVersion = "7",
    .engines = engines,
    .lastError = lastError,
    .setLog = setLog,
};

const HamKaasEngineLibrary *hamkaasEngineGet(uint32_t hostVersion);

const HamKaasEngineLibrary *hamkaasEngineGet(uint32_t hostVersion) {
  (void)hostVersion;
  if (TEST_PROBLEM == CrashInLoad)
    crash();
  return TEST_PROBLEM == NoTable ? NULL : &library;
}
