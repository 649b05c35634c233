//===- CublasLtEngine.cpp - Products of matrices by cuBLASLt --------------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The library is column-major. So each of our matrices is passed as its own
// transpose, and the library computes `right^T * left^T = (left * right)^T`.
//
// A plan is made without a GPU. When it is started, the library is opened and
// an algorithm chosen, once, so that each run gives the same bits.
//
//===----------------------------------------------------------------------===//

#include "CublasLt.h"
#include "EngineError.h"
#include "Product.h"

#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <new>
#include <pthread.h>

using namespace hamkaas::engine;
using namespace hamkaas::engine::cublas;

// Returns the status of a step if it failed.
#define RETURN_ON_FAILURE(step)                                                \
  if (cublasStatus_t failure = (step))                                         \
  return failure

//===----------------------------------------------------------------------===//
// Handles
//===----------------------------------------------------------------------===//

namespace {

/// That of a GPU, which its plans share.
struct SharedHandle {
  int32_t device;
  int32_t users;
  cublasLtHandle_t handle;
  SharedHandle *next;
};

struct SharedHandles {
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  SharedHandle *first = nullptr;
};

} // namespace

static SharedHandles handles;

static int32_t createHandle(const CublasLt &library, int32_t device,
                            SharedHandle *&created) {
  created = static_cast<SharedHandle *>(calloc(1, sizeof(SharedHandle)));
  if (!created)
    return fail("out of memory for a handle");
  created->device = device;
  cublasStatus_t status = library.cublasLtCreate(&created->handle);
  if (status == CUBLAS_STATUS_SUCCESS)
    return HamKaasEngineOk;
  free(created);
  created = nullptr;
  return fail("cuBLASLt cannot be started: %s (%s); expected a library of "
              "version 12 or 13 that fits the driver, which HAMKAAS_CUBLASLT "
              "may name, got %s",
              library.cublasLtGetStatusString(status),
              library.cublasLtGetStatusName(status), library.path);
}

static int32_t acquireHandle(const CublasLt &library, int32_t device,
                             SharedHandle *&found) {
  pthread_mutex_lock(&handles.mutex);
  found = handles.first;
  while (found && found->device != device)
    found = found->next;
  int32_t status = HamKaasEngineOk;
  if (!found) {
    status = createHandle(library, device, found);
    if (found) {
      found->next = handles.first;
      handles.first = found;
    }
  }
  if (found)
    ++found->users;
  pthread_mutex_unlock(&handles.mutex);
  return status;
}

static void releaseHandle(const CublasLt &library, SharedHandle *handle) {
  pthread_mutex_lock(&handles.mutex);
  if (--handle->users == 0) {
    SharedHandle **place = &handles.first;
    while (*place != handle)
      place = &(*place)->next;
    *place = handle->next;
    library.cublasLtDestroy(handle->handle);
    free(handle);
  }
  pthread_mutex_unlock(&handles.mutex);
}

//===----------------------------------------------------------------------===//
// Plans
//===----------------------------------------------------------------------===//

// Vectors of the library's fastest kernels need the first; all tensors have the
// second.
static constexpr uint32_t alignments[] = {16, sizeof(float)};
static constexpr int32_t alignmentCount = 2;

namespace {

/// A product in the library's descriptors; null ones were not created.
class Plan {
public:
  Plan(const Product &product, cublasComputeType_t computeType,
       uint64_t workspaceBytes)
      : product(product), computeType(computeType),
        workspaceBytes(workspaceBytes) {}
  Plan(const Plan &) = delete;
  Plan &operator=(const Plan &) = delete;
  ~Plan();

  int32_t start(int32_t device);
  int32_t run(const HamKaasEngineRun &run);

private:
  int32_t explain(cublasStatus_t status, const char *what) const;

  cublasStatus_t createDescriptors();
  cublasStatus_t createMatrix(int64_t rows, int64_t columns,
                              cublasLtMatrixLayout_t &layout /* out */) const;
  cublasStatus_t setBias(const void *bias) const;
  cublasStatus_t setPreferences(cublasLtMatmulPreference_t preference,
                                uint32_t alignment) const;
  cublasStatus_t chooseAlgorithm(int32_t number);
  /// Of the tensors of a run; -1 for none.
  int32_t findAlgorithm(const HamKaasEngineRun &run) const;
  cublasStatus_t multiply(const HamKaasEngineRun &run, int32_t number) const;

  Product product;
  cublasComputeType_t computeType;
  uint64_t workspaceBytes;
  const CublasLt *library = nullptr;
  SharedHandle *handle = nullptr;
  cublasLtMatmulDesc_t operation = nullptr;
  cublasLtMatrixLayout_t left = nullptr, right = nullptr, result = nullptr;
  /// One for each of `alignments`, if the library has one.
  cublasLtMatmulAlgo_t algorithms[alignmentCount] = {};
  bool hasAlgorithm[alignmentCount] = {};
  /// The address of the bias is in `operation`.
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
};

} // namespace

int32_t Plan::explain(cublasStatus_t status, const char *what) const {
  if (status == CUBLAS_STATUS_SUCCESS)
    return HamKaasEngineOk;
  return fail("cuBLASLt %s %" PRId64 " x [%" PRId64 ", %" PRId64 "] * [%" PRId64
              ", %" PRId64 "]: %s (%s)",
              what, product.batches, product.rows, product.depth, product.depth,
              product.columns, library->cublasLtGetStatusString(status),
              library->cublasLtGetStatusName(status));
}

// A row-major matrix is a transposed one for the library.
cublasStatus_t Plan::createMatrix(int64_t rows, int64_t columns,
                                  cublasLtMatrixLayout_t &layout) const {
  auto size = [](int64_t count) { return static_cast<uint64_t>(count); };
  RETURN_ON_FAILURE(library->cublasLtMatrixLayoutCreate(
      &layout, CUDA_R_32F, size(columns), size(rows), columns));
  auto batches = static_cast<int32_t>(product.batches);
  int64_t stride = rows * columns;
  RETURN_ON_FAILURE(library->cublasLtMatrixLayoutSetAttribute(
      layout, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &batches, sizeof(batches)));
  return library->cublasLtMatrixLayoutSetAttribute(
      layout, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, &stride,
      sizeof(stride));
}

static uint32_t chooseEpilogue(const Product &product) {
  uint32_t epilogue =
      product.activation == Activation::Relu       ? CUBLASLT_EPILOGUE_RELU
      : product.activation == Activation::GeluTanh ? CUBLASLT_EPILOGUE_GELU
                                                   : CUBLASLT_EPILOGUE_DEFAULT;
  if (product.bias < 0)
    return epilogue;
  return product.activation == Activation::None
             ? CUBLASLT_EPILOGUE_BIAS
             : epilogue | CUBLASLT_EPILOGUE_BIAS;
}

cublasStatus_t Plan::createDescriptors() {
  RETURN_ON_FAILURE(
      library->cublasLtMatmulDescCreate(&operation, computeType, CUDA_R_32F));
  uint32_t epilogue = chooseEpilogue(product);
  RETURN_ON_FAILURE(library->cublasLtMatmulDescSetAttribute(
      operation, CUBLASLT_MATMUL_DESC_EPILOGUE, &epilogue, sizeof(epilogue)));
  RETURN_ON_FAILURE(createMatrix(product.rows, product.depth, left));
  RETURN_ON_FAILURE(createMatrix(product.depth, product.columns, right));
  return createMatrix(product.rows, product.columns, result);
}

cublasStatus_t Plan::setBias(const void *bias) const {
  return library->cublasLtMatmulDescSetAttribute(
      operation, CUBLASLT_MATMUL_DESC_BIAS_POINTER, &bias, sizeof(bias));
}

cublasStatus_t Plan::setPreferences(cublasLtMatmulPreference_t preference,
                                    uint32_t alignment) const {
  RETURN_ON_FAILURE(library->cublasLtMatmulPreferenceSetAttribute(
      preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &workspaceBytes,
      sizeof(workspaceBytes)));
  for (cublasLtMatmulPreferenceAttributes_t matrix :
       {CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES,
        CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES,
        CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES,
        CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES})
    RETURN_ON_FAILURE(library->cublasLtMatmulPreferenceSetAttribute(
        preference, matrix, &alignment, sizeof(alignment)));
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t Plan::chooseAlgorithm(int32_t number) {
  uint32_t alignment = alignments[number];
  // Only its alignment matters until there is one.
  if (product.bias >= 0)
    RETURN_ON_FAILURE(setBias(
        reinterpret_cast<const void *>(static_cast<uintptr_t>(alignment))));
  cublasLtMatmulPreference_t preference = nullptr;
  RETURN_ON_FAILURE(library->cublasLtMatmulPreferenceCreate(&preference));
  cublasLtMatmulHeuristicResult_t best = {};
  int found = 0;
  cublasStatus_t status = setPreferences(preference, alignment);
  if (status == CUBLAS_STATUS_SUCCESS)
    status = library->cublasLtMatmulAlgoGetHeuristic(
        handle->handle, operation, right, left, result, result, preference, 1,
        &best, &found);
  library->cublasLtMatmulPreferenceDestroy(preference);
  if (status == CUBLAS_STATUS_SUCCESS)
    status = found == 0 ? CUBLAS_STATUS_NOT_SUPPORTED : best.state;
  hasAlgorithm[number] = status == CUBLAS_STATUS_SUCCESS;
  algorithms[number] = best.algo;
  return status;
}

// With NVIDIA_TF32_OVERRIDE=1 the library may round the factors of exact
// products, too.
static int32_t checkOverride(cublasComputeType_t computeType) {
  const char *value = getenv("NVIDIA_TF32_OVERRIDE");
  if (computeType != CUBLAS_COMPUTE_32F || !value || strcmp(value, "1") != 0)
    return HamKaasEngineOk;
  return fail("expected no NVIDIA_TF32_OVERRIDE=1, with which cuBLASLt rounds "
              "factors that the model has exact: unset it, or compile the "
              "model with the precision tf32");
}

int32_t Plan::start(int32_t device) {
  if (int32_t status = checkOverride(computeType))
    return status;
  if (int32_t status = findCublasLt(library))
    return status;
  if (int32_t status = acquireHandle(*library, device, handle))
    return status;
  if (int32_t status =
          explain(createDescriptors(), "cannot describe the product"))
    return status;
  for (int32_t i = 0; i < alignmentCount; ++i) {
    cublasStatus_t status = chooseAlgorithm(i);
    // Few programs have tensors that are aligned as floats only.
    if (i > 0 && status == CUBLAS_STATUS_NOT_SUPPORTED)
      continue;
    if (int32_t failure = explain(status, "has no algorithm for the product"))
      return failure;
  }
  return HamKaasEngineOk;
}

Plan::~Plan() {
  if (operation)
    library->cublasLtMatmulDescDestroy(operation);
  for (cublasLtMatrixLayout_t layout : {left, right, result})
    if (layout)
      library->cublasLtMatrixLayoutDestroy(layout);
  if (handle)
    releaseHandle(*library, handle);
}

//===----------------------------------------------------------------------===//
// Runs
//===----------------------------------------------------------------------===//

int32_t Plan::findAlgorithm(const HamKaasEngineRun &run) const {
  auto address = [&](int32_t input) {
    return input < 0 ? 0 : reinterpret_cast<uintptr_t>(run.inputs[input]);
  };
  // The program decides these bits: it places its tensors relative to regions
  // and buffers that are aligned to more.
  uintptr_t all = address(product.left) | address(product.right) |
                  address(product.bias) | address(product.addend) |
                  reinterpret_cast<uintptr_t>(run.result);
  for (int32_t i = 0; i < alignmentCount; ++i)
    if (hasAlgorithm[i] && all % alignments[i] == 0)
      return i;
  return -1;
}

cublasStatus_t Plan::multiply(const HamKaasEngineRun &run,
                              int32_t number) const {
  if (product.bias >= 0)
    RETURN_ON_FAILURE(setBias(run.inputs[product.bias]));
  float one = 1, addendFactor = product.addend >= 0 ? 1 : 0;
  const void *addend =
      product.addend >= 0 ? run.inputs[product.addend] : run.result;
  return library->cublasLtMatmul(
      handle->handle, operation, &one, run.inputs[product.right], right,
      run.inputs[product.left], left, &addendFactor, addend, result, run.result,
      result, &algorithms[number], run.workspace, workspaceBytes,
      static_cast<CUstream>(run.stream));
}

int32_t Plan::run(const HamKaasEngineRun &run) {
  int32_t number = findAlgorithm(run);
  if (number < 0)
    return explain(CUBLAS_STATUS_NOT_SUPPORTED,
                   "has no algorithm for addresses that are no multiples of 16 "
                   "in the product");
  pthread_mutex_lock(&mutex);
  cublasStatus_t status = multiply(run, number);
  pthread_mutex_unlock(&mutex);
  return explain(status, "cannot compute the product");
}

//===----------------------------------------------------------------------===//
// The engine
//===----------------------------------------------------------------------===//

static int32_t applies(const HamKaasEngineGroup *group, double *seconds) {
  Product product;
  *seconds = 0;
  return matchProduct(*group, product) ? HamKaasEngineOk
                                       : HamKaasEngineNotApplicable;
}

// Returns false for 3xtf32: cuBLASLt has no such mode.
static bool chooseComputeType(const char *precision,
                              cublasComputeType_t &computeType) {
  if (strcmp(precision, "3xtf32") == 0)
    return false;
  computeType = strcmp(precision, "tf32") == 0   ? CUBLAS_COMPUTE_32F_FAST_TF32
                : strcmp(precision, "bf16") == 0 ? CUBLAS_COMPUTE_32F_FAST_16BF
                                                 : CUBLAS_COMPUTE_32F;
  return true;
}

static int32_t plan(const HamKaasEngineGroup *group,
                    const HamKaasEngineSetting *settings,
                    HamKaasEnginePlan *plan) {
  Product product;
  const char *precision = settings[0].text;
  if (strcmp(precision, "model") == 0)
    precision = group->precision;
  cublasComputeType_t computeType = CUBLAS_COMPUTE_32F;
  if (!matchProduct(*group, product) ||
      !chooseComputeType(precision, computeType))
    return HamKaasEngineNotApplicable;
  uint64_t workspaceBytes = static_cast<uint64_t>(settings[1].integer) << 20;
  void *memory = malloc(sizeof(Plan));
  if (!memory)
    return fail("out of memory for a plan");
  plan->data = new (memory) Plan(product, computeType, workspaceBytes);
  plan->workspaceBytes = workspaceBytes;
  return HamKaasEngineOk;
}

static int32_t start(HamKaasEnginePlan *plan, int32_t device) {
  return static_cast<Plan *>(plan->data)->start(device);
}

static int32_t run(const HamKaasEnginePlan *plan, const HamKaasEngineRun *run) {
  return static_cast<Plan *>(plan->data)->run(*run);
}

static void destroy(HamKaasEnginePlan *plan) {
  static_cast<Plan *>(plan->data)->~Plan();
  free(plan->data);
}

static constexpr const char *precisions[] = {"model", "exact", "tf32", "bf16"};

// NVIDIA's recommendation for its newest GPUs, enough for all algorithms.
static constexpr int64_t usualMebibytes = 32;

static const HamKaasEngineKnob knobs[] = {
    {.id = "precision",
     .description = "how factors are rounded; model: as --precision says",
     .kind = HamKaasEngineText,
     .choiceCount = 4,
     .integer = 0,
     .minimum = 0,
     .maximum = 0,
     .number = 0,
     .leastNumber = 0,
     .greatestNumber = 0,
     .text = "model",
     .choices = precisions},
    {.id = "workspace",
     .description = "MiB that an algorithm may use",
     .kind = HamKaasEngineInteger,
     .choiceCount = 0,
     .integer = usualMebibytes,
     .minimum = 0,
     .maximum = 4096,
     .number = 0,
     .leastNumber = 0,
     .greatestNumber = 0,
     .text = nullptr,
     .choices = nullptr},
};

static const HamKaasEngine matmulEngine = {
    .structSize = sizeof(HamKaasEngine),
    .id = "cublaslt",
    .hash = 0x5695e37fe7b970af, // FNV-1a of the id
    .description = "float32 matmul on a GPU with sums, then relu or gelu",
    .needs = "libcublasLt.so.13 or .12 when a program is loaded",
    .notes = HamKaasEngineBitExact | HamKaasEngineNeedsLibrary,
    .devices = HamKaasEngineCuda,
    .elementTypes = 1 << HamKaasFloat32,
    .knobCount = 2,
    .knobs = knobs,
    .applies = applies,
    .plan = plan,
    .prepare = nullptr,
    .run = run,
    .destroy = destroy,
    .start = start,
};

static const HamKaasEngine *const engines[] = {&matmulEngine};

static const HamKaasEngineLibrary library = {
    .structSize = sizeof(HamKaasEngineLibrary),
    .version = HAMKAAS_ENGINE_VERSION,
    .engineCount = 1,
    .name = "cuBLASLt",
    .libraryVersion = "12 or 13",
    .engines = engines,
    .lastError = lastError,
    .setLog = nullptr,
};

extern "C" __attribute__((visibility("default"))) const HamKaasEngineLibrary *
hamkaasEngineGet(uint32_t hostVersion) {
  return hostVersion == HAMKAAS_ENGINE_VERSION ? &library : nullptr;
}
