//===- FakeCublasLt.cpp - A cuBLASLt for tests ----------------------------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FakeCublasLt.h"

#include "CublasLt.h"
#include "FakeCuda.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <set>

using namespace hamkaas::engine::cublas;
using namespace hamkaas::test;
using hamkaas::test::cublas::Product;

//===----------------------------------------------------------------------===//
// State
//===----------------------------------------------------------------------===//

static constexpr cublasStatus_t invalidValue = 7, executionFailed = 13;

namespace {

struct Layout {
  uint64_t rows, columns;
  int64_t columnStride;
  int32_t batches = 1;
  int64_t batchStride = 0;
};

struct Operation {
  cublasComputeType_t computeType;
  uint32_t epilogue = CUBLASLT_EPILOGUE_DEFAULT;
  const float *bias = nullptr;
};

struct Preference {
  uint64_t workspaceBytes = 0;
  std::map<int, uint32_t> alignments;
};

struct Fake {
  std::recursive_mutex mutex;
  cublas::Settings settings;
  int64_t calls = 0;
  std::string failedFunction;
  std::vector<Product> products;
  std::set<const void *> held;
};

} // namespace

// Never destroyed: the runtime may call until the process ends.
static Fake &fake() {
  static Fake *fake = new Fake;
  return *fake;
}

using Lock = std::lock_guard<std::recursive_mutex>;

static cublasStatus_t enter(const char *function) {
  if (fake().calls++ != fake().settings.failingCall)
    return CUBLAS_STATUS_SUCCESS;
  fake().failedFunction = function;
  return executionFailed;
}

#define ENTER                                                                  \
  Lock lock(fake().mutex);                                                     \
  if (cublasStatus_t entering = enter(__func__))                               \
    return entering;

#define EXPORTED extern "C" __attribute__((visibility("default")))

template <typename T, typename Handle> static T &at(Handle handle) {
  return *reinterpret_cast<T *>(handle);
}

template <typename T, typename Handle>
static cublasStatus_t create(Handle *handle, T value) {
  auto *created = new T(value);
  fake().held.insert(created);
  *handle = reinterpret_cast<Handle>(created);
  return CUBLAS_STATUS_SUCCESS;
}

template <typename T, typename Handle>
static cublasStatus_t destroy(Handle handle) {
  if (!fake().held.erase(handle))
    return invalidValue;
  delete reinterpret_cast<T *>(handle);
  return CUBLAS_STATUS_SUCCESS;
}

template <typename T>
static cublasStatus_t set(T &value, const void *given, size_t bytes) {
  if (bytes != sizeof(T))
    return invalidValue;
  memcpy(&value, given, bytes);
  return CUBLAS_STATUS_SUCCESS;
}

//===----------------------------------------------------------------------===//
// Handles and descriptions
//===----------------------------------------------------------------------===//

EXPORTED size_t cublasLtGetVersion() { return 130000; }

EXPORTED const char *cublasLtGetStatusName(cublasStatus_t status) {
  return status == executionFailed ? "CUBLAS_STATUS_EXECUTION_FAILED"
         : status == CUBLAS_STATUS_NOT_SUPPORTED
             ? "CUBLAS_STATUS_NOT_SUPPORTED"
             : "CUBLAS_STATUS_INVALID_VALUE";
}

EXPORTED const char *cublasLtGetStatusString(cublasStatus_t status) {
  return status == executionFailed ? "the function failed to launch on the GPU"
         : status == CUBLAS_STATUS_NOT_SUPPORTED
             ? "the requested functionality is not supported"
             : "an unsupported value or parameter was passed to the function";
}

EXPORTED cublasStatus_t cublasLtCreate(cublasLtHandle_t *handle) {
  ENTER
  return create(handle, 0);
}

EXPORTED cublasStatus_t cublasLtDestroy(cublasLtHandle_t handle) {
  Lock lock(fake().mutex);
  return destroy<int>(handle);
}

EXPORTED cublasStatus_t cublasLtMatmulDescCreate(
    cublasLtMatmulDesc_t *operation, cublasComputeType_t computeType,
    cudaDataType scaleType) {
  ENTER
  bool isKnown = computeType == CUBLAS_COMPUTE_32F ||
                 computeType == CUBLAS_COMPUTE_32F_FAST_TF32 ||
                 computeType == CUBLAS_COMPUTE_32F_FAST_16BF;
  if (!isKnown || scaleType != CUDA_R_32F)
    return invalidValue;
  return create(operation, Operation{computeType});
}

EXPORTED cublasStatus_t
cublasLtMatmulDescDestroy(cublasLtMatmulDesc_t operation) {
  Lock lock(fake().mutex);
  return destroy<Operation>(operation);
}

EXPORTED cublasStatus_t cublasLtMatmulDescSetAttribute(
    cublasLtMatmulDesc_t handle, cublasLtMatmulDescAttributes_t attribute,
    const void *value, size_t bytes) {
  ENTER
  auto &operation = at<Operation>(handle);
  if (attribute == CUBLASLT_MATMUL_DESC_EPILOGUE)
    return set(operation.epilogue, value, bytes);
  return attribute == CUBLASLT_MATMUL_DESC_BIAS_POINTER
             ? set(operation.bias, value, bytes)
             : invalidValue;
}

EXPORTED cublasStatus_t cublasLtMatrixLayoutCreate(
    cublasLtMatrixLayout_t *layout, cudaDataType type, uint64_t rows,
    uint64_t columns, int64_t columnStride) {
  ENTER
  if (type != CUDA_R_32F || columnStride < static_cast<int64_t>(rows))
    return invalidValue;
  return create(layout, Layout{rows, columns, columnStride});
}

EXPORTED cublasStatus_t
cublasLtMatrixLayoutDestroy(cublasLtMatrixLayout_t layout) {
  Lock lock(fake().mutex);
  return destroy<Layout>(layout);
}

EXPORTED cublasStatus_t cublasLtMatrixLayoutSetAttribute(
    cublasLtMatrixLayout_t handle, cublasLtMatrixLayoutAttribute_t attribute,
    const void *value, size_t bytes) {
  ENTER
  auto &layout = at<Layout>(handle);
  if (attribute == CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT)
    return set(layout.batches, value, bytes);
  return attribute == CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET
             ? set(layout.batchStride, value, bytes)
             : invalidValue;
}

EXPORTED cublasStatus_t
cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t *preference) {
  ENTER
  return create(preference, Preference());
}

EXPORTED cublasStatus_t
cublasLtMatmulPreferenceDestroy(cublasLtMatmulPreference_t preference) {
  Lock lock(fake().mutex);
  return destroy<Preference>(preference);
}

EXPORTED cublasStatus_t cublasLtMatmulPreferenceSetAttribute(
    cublasLtMatmulPreference_t handle,
    cublasLtMatmulPreferenceAttributes_t attribute, const void *value,
    size_t bytes) {
  ENTER
  auto &preference = at<Preference>(handle);
  if (attribute == CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES)
    return set(preference.workspaceBytes, value, bytes);
  return set(preference.alignments[attribute], value, bytes);
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

// Each algorithm takes a part of the workspace.
static constexpr size_t algorithmBytes = 1 << 20;

static bool fit(const Layout &a, const Layout &b, const Layout &c,
                const Layout &d) {
  for (const Layout *layout : {&b, &c, &d})
    if (layout->batches != a.batches)
      return false;
  return a.columns == b.rows && a.rows == d.rows && b.columns == d.columns &&
         c.rows == d.rows && c.columns == d.columns;
}

// Identifies the problem that an algorithm is for.
static uint64_t hash(const Operation &operation, const Layout &a,
                     const Layout &d) {
  return operation.epilogue + 64 * a.rows + 4096 * a.columns +
         262144 * d.columns;
}

EXPORTED cublasStatus_t cublasLtMatmulAlgoGetHeuristic(
    cublasLtHandle_t handle, cublasLtMatmulDesc_t operationHandle,
    cublasLtMatrixLayout_t aHandle, cublasLtMatrixLayout_t bHandle,
    cublasLtMatrixLayout_t cHandle, cublasLtMatrixLayout_t dHandle,
    cublasLtMatmulPreference_t preferenceHandle, int wanted,
    cublasLtMatmulHeuristicResult_t *results, int *found) {
  ENTER
  auto &operation = at<Operation>(operationHandle);
  auto &preference = at<Preference>(preferenceHandle);
  auto &a = at<Layout>(aHandle), &b = at<Layout>(bHandle);
  auto &d = at<Layout>(dHandle);
  *found = 0;
  if (!fake().held.count(handle) || wanted < 1 ||
      !fit(a, b, at<Layout>(cHandle), d) ||
      preference.workspaceBytes < algorithmBytes)
    return invalidValue;
  uint32_t alignment =
      preference.alignments[CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES];
  bool hasBias = operation.epilogue & CUBLASLT_EPILOGUE_BIAS;
  if (hasBias && reinterpret_cast<uintptr_t>(operation.bias) % alignment != 0)
    return invalidValue;
  if (fake().settings.hasNoAlgorithms)
    return CUBLAS_STATUS_SUCCESS;
  fake().products.push_back({a.rows, b.columns, a.columns, a.batches,
                             operation.epilogue, alignment,
                             preference.workspaceBytes, operation.computeType});
  results[0] = {};
  results[0].algo.data[0] = hash(operation, a, d);
  results[0].algo.data[1] = alignment;
  results[0].workspaceSize = algorithmBytes;
  *found = 1;
  return CUBLAS_STATUS_SUCCESS;
}

static float activate(uint32_t epilogue, float x) {
  if (epilogue & CUBLASLT_EPILOGUE_GELU)
    return 0.5f * x *
           (1 + std::tanh(std::sqrt(2 / 3.14159265f) *
                          (x + 0.044715f * x * x * x)));
  return epilogue & CUBLASLT_EPILOGUE_RELU ? std::max(x, 0.0f) : x;
}

namespace {
/// D = epilogue(alpha * A * B + beta * C), all by columns.
struct Multiplication {
  Operation operation;
  Layout a, b, c, d;
  const float *aData, *bData, *cData;
  float *dData;
  float alpha, beta;

  static size_t place(const Layout &layout, int64_t batch, uint64_t row,
                      uint64_t column) {
    return static_cast<size_t>(batch * layout.batchStride) + row +
           column * static_cast<size_t>(layout.columnStride);
  }

  float sum(int64_t batch, uint64_t row, uint64_t column) const {
    float sum = 0;
    for (uint64_t i = 0; i < a.columns; ++i)
      sum += aData[place(a, batch, row, i)] * bData[place(b, batch, i, column)];
    sum *= alpha;
    if (beta != 0)
      sum += beta * cData[place(c, batch, row, column)];
    // One number for each row.
    if (operation.epilogue & CUBLASLT_EPILOGUE_BIAS)
      sum += operation.bias[row];
    return activate(operation.epilogue, sum);
  }

  void operator()() const {
    for (int64_t batch = 0; batch < d.batches; ++batch)
      for (uint64_t column = 0; column < d.columns; ++column)
        for (uint64_t row = 0; row < d.rows; ++row)
          dData[place(d, batch, row, column)] = sum(batch, row, column);
  }
};
} // namespace

static cuda::Piece pieceOf(const Layout &layout, const void *data) {
  size_t last = Multiplication::place(layout, layout.batches - 1,
                                      layout.rows - 1, layout.columns - 1);
  return {data, (last + 1) * sizeof(float)};
}

EXPORTED cublasStatus_t cublasLtMatmul(
    cublasLtHandle_t handle, cublasLtMatmulDesc_t operationHandle,
    const void *alpha, const void *aData, cublasLtMatrixLayout_t aHandle,
    const void *bData, cublasLtMatrixLayout_t bHandle, const void *beta,
    const void *cData, cublasLtMatrixLayout_t cHandle, void *dData,
    cublasLtMatrixLayout_t dHandle, const cublasLtMatmulAlgo_t *algorithm,
    void *workspace, size_t workspaceBytes, CUstream stream) {
  ENTER
  Multiplication product = {at<Operation>(operationHandle),
                            at<Layout>(aHandle),
                            at<Layout>(bHandle),
                            at<Layout>(cHandle),
                            at<Layout>(dHandle),
                            static_cast<const float *>(aData),
                            static_cast<const float *>(bData),
                            static_cast<const float *>(cData),
                            static_cast<float *>(dData),
                            *static_cast<const float *>(alpha),
                            *static_cast<const float *>(beta)};
  if (!fake().held.count(handle) || !algorithm ||
      algorithm->data[0] != hash(product.operation, product.a, product.d) ||
      workspaceBytes < algorithmBytes)
    return invalidValue;
  for (const void *address : {aData, bData, cData, (const void *)dData})
    if (reinterpret_cast<uintptr_t>(address) % algorithm->data[1] != 0)
      return invalidValue;
  std::vector<cuda::Piece> pieces = {pieceOf(product.a, aData),
                                     pieceOf(product.b, bData),
                                     pieceOf(product.c, cData),
                                     pieceOf(product.d, dData),
                                     {workspace, algorithmBytes}};
  if (product.operation.epilogue & CUBLASLT_EPILOGUE_BIAS)
    pieces.push_back({product.operation.bias, product.d.rows * sizeof(float)});
  return cuda::putOnStream(stream, "cublasLtMatmul", pieces, product)
             ? CUBLAS_STATUS_SUCCESS
             : executionFailed;
}

//===----------------------------------------------------------------------===//
// For tests
//===----------------------------------------------------------------------===//

__attribute__((constructor)) static void readEnvironment() {
  if (const char *text = getenv("HAMKAAS_FAKE_CUBLASLT_FAIL"))
    fake().settings.failingCall = atoi(text);
}

namespace hamkaas::test::cublas {

void configure(const Settings &settings) {
  Lock lock(fake().mutex);
  fake().settings = settings;
  fake().calls = 0;
  fake().products.clear();
  fake().failedFunction.clear();
}

int64_t callCount() {
  Lock lock(fake().mutex);
  return fake().calls;
}

std::vector<Product> products() {
  Lock lock(fake().mutex);
  return fake().products;
}

int64_t held() {
  Lock lock(fake().mutex);
  return static_cast<int64_t>(fake().held.size());
}

std::string failedFunction() {
  Lock lock(fake().mutex);
  return fake().failedFunction;
}

} // namespace hamkaas::test::cublas
