// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/* An engine library that breaks the contract in one way, which TEST_PROBLEM
   names; or none. It computes groups of one `relu` of float32: with a
   workspace, and with a packed second input if there is one (`add` of a
   constant). */

#include "hamkaas-c/Engine.h"

#include <math.h>
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
  OnlyCuda,
  WrongNumbers,
  WritesNaN,
  WritesBefore,
  WritesBeyond,
  WritesFarBeyond,
  WritesBeyondWorkspace,
  WritesBeyondPacked,
  ReadsBeyond,
  LeavesLast,
  ChangesInput,
  ChangesConstant,
  ChangesPacked,
  DependsOnThreads,
  ReadsResult,
  ExitInRun,
  HangInRun,
  CrashInPrepare,
  LosesGroup
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
  /* The second time in a process: when it is verified. */
  static int planned;
  if (TEST_PROBLEM == LosesGroup && planned++ > 0)
    return HamKaasEngineNotApplicable;
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
  if (TEST_PROBLEM == CrashInPrepare)
    crash();
  for (int64_t i = 0; i < made->count; ++i)
    ((double *)packed)[i] = ((const float *)inputs[1])[i];
  if (TEST_PROBLEM == WritesBeyondPacked)
    ((double *)packed)[made->count] = 0;
  if (TEST_PROBLEM == ChangesConstant)
    ((float *)inputs[1])[3] += 1;
  return HamKaasEngineOk;
}

/* What is wrong with a run, after the right result was written. */
static void spoil(const Plan *made, const HamKaasEngineRun *run) {
  float *result = run->result, *workspace = run->workspace;
  float *input = (float *)run->inputs[0];
  switch (TEST_PROBLEM) {
  case WrongNumbers:
    result[2] += 0.25f;
    break;
  case WritesNaN:
    result[7] = NAN;
    break;
  case WritesBefore:
    result[-1] = 0;
    break;
  case WritesBeyond:
    result[made->count] = 0;
    break;
  case WritesFarBeyond:
    result[made->count + 20000] = 0;
    break;
  case WritesBeyondWorkspace:
    workspace[made->count] = 0;
    break;
  case ReadsBeyond:
    workspace[0] = *(volatile float *)&input[made->count];
    break;
  case ChangesInput:
    input[5] = 1;
    break;
  case ChangesPacked:
    ((double *)run->packed)[0] = 1;
    break;
  default:
    break;
  }
}

/* Rounds otherwise where a part begins. */
static void addParts(void *context, int64_t begin, int64_t end) {
  float *result = context;
  for (int64_t i = begin; begin > 0 && i < end; ++i)
    result[i] *= 1.0000002f;
}

static int32_t run(const HamKaasEnginePlan *plan, const HamKaasEngineRun *run) {
  const Plan *made = plan->data;
  if (TEST_PROBLEM == FailInRun || (made->isSum && run->inputs[1]))
    return HamKaasEngineFailed;
  if (TEST_PROBLEM == CrashInRun)
    crash();
  if (TEST_PROBLEM == ExitInRun)
    exit(3);
  while (TEST_PROBLEM == HangInRun)
    sleep(1);
  float *workspace = run->workspace;
  for (int64_t i = 0; i < made->count; ++i)
    workspace[i] = ((const float *)run->inputs[0])[i];
  int64_t count = made->count - (TEST_PROBLEM == LeavesLast);
  for (int64_t i = 0; i < count; ++i) {
    float x = workspace[i];
    if (TEST_PROBLEM == ReadsResult)
      x += ((const float *)run->result)[i];
    ((float *)run->result)[i] =
        made->isSum ? (float)(x + ((const double *)run->packed)[i])
                    : (x > 0 ? x : 0);
  }
  spoil(made, run);
  if (TEST_PROBLEM == DependsOnThreads)
    run->threads.parallelFor(run->threads.threads, addParts, run->result,
                             made->count);
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
    .notes = TEST_PROBLEM == DependsOnThreads ? HamKaasEngineBitExact : 0,
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
