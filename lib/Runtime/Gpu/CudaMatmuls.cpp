//===- CudaMatmuls.cpp - Products that cuBLASLt computes ------------------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CudaMatmuls.h"

#include <cinttypes>
#include <cstdlib>
#include <cstring>
#include <initializer_list>

using namespace hamkaas::rt;
using namespace hamkaas::rt::cublas;

// "CUBLAS_STATUS_..." of a step, or the steps after it.
#define RETURN_ON_FAILURE(step)                                                \
  if (cublasStatus_t failure = (step))                                         \
  return failure

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

// The library's error for a call.
Error CudaMatmuls::check(cublasStatus_t status, const char *what,
                         const HamKaasMatmul *matmul) const {
  if (status == CUBLAS_STATUS_SUCCESS)
    return Error();
  TextBuilder text;
  text.append("cuBLASLt %s", what);
  if (matmul)
    text.append(" %" PRId64 " x [%" PRId64 ", %" PRId64 "] * [%" PRId64
                ", %" PRId64 "]",
                matmul->batches, matmul->rows, matmul->depth, matmul->depth,
                matmul->columns);
  text.append(": %s (%s)", library->cublasLtGetStatusString(status),
              library->cublasLtGetStatusName(status));
  return Error::adopt(text.release());
}

//===----------------------------------------------------------------------===//
// Descriptions
//===----------------------------------------------------------------------===//

// A row-major matrix is a transposed one for the library.
cublasStatus_t
CudaMatmuls::describeMatrix(const HamKaasMatmul &matmul, int64_t rows,
                            int64_t columns,
                            cublasLtMatrixLayout_t &layout) const {
  auto size = [](int64_t count) { return static_cast<uint64_t>(count); };
  RETURN_ON_FAILURE(library->cublasLtMatrixLayoutCreate(
      &layout, CUDA_R_32F, size(columns), size(rows), columns));
  auto batches = static_cast<int32_t>(matmul.batches);
  int64_t stride = rows * columns;
  RETURN_ON_FAILURE(library->cublasLtMatrixLayoutSetAttribute(
      layout, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &batches, sizeof(batches)));
  return library->cublasLtMatrixLayoutSetAttribute(
      layout, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, &stride,
      sizeof(stride));
}

// The precision of rounded factors, by HamKaasDeviceCode::precision.
static cublasComputeType_t chooseComputeType(const char *precision) {
  if (precision && strcmp(precision, "tf32") == 0)
    return CUBLAS_COMPUTE_32F_FAST_TF32;
  if (precision && strcmp(precision, "bf16") == 0)
    return CUBLAS_COMPUTE_32F_FAST_16BF;
  return CUBLAS_COMPUTE_32F;
}

// With NVIDIA_TF32_OVERRIDE=1 the library may round the factors of exact
// products, too.
static Error checkOverride(const HamKaasProgram &program,
                           cublasComputeType_t computeType) {
  const char *value = getenv("NVIDIA_TF32_OVERRIDE");
  if (computeType != CUBLAS_COMPUTE_32F || !value || strcmp(value, "1") != 0)
    return Error();
  return Error::format(
      "model '%s': expected no NVIDIA_TF32_OVERRIDE=1, with which cuBLASLt "
      "rounds factors that the model has exact: unset it, or compile the model "
      "with the precision tf32",
      program.name);
}

static uint32_t chooseEpilogue(const HamKaasMatmul &matmul) {
  uint32_t epilogue = matmul.activation == HamKaasRelu ? CUBLASLT_EPILOGUE_RELU
                      : matmul.activation == HamKaasGeluTanh
                          ? CUBLASLT_EPILOGUE_GELU
                          : CUBLASLT_EPILOGUE_DEFAULT;
  if (matmul.bias < 0)
    return epilogue;
  return matmul.activation == HamKaasNoActivation
             ? CUBLASLT_EPILOGUE_BIAS
             : epilogue | CUBLASLT_EPILOGUE_BIAS;
}

cublasStatus_t CudaMatmuls::setBias(const Product &product,
                                    const void *bias) const {
  return library->cublasLtMatmulDescSetAttribute(
      product.operation, CUBLASLT_MATMUL_DESC_BIAS_POINTER, &bias,
      sizeof(bias));
}

cublasStatus_t CudaMatmuls::describe(const HamKaasMatmul &matmul,
                                     Product &product) const {
  RETURN_ON_FAILURE(library->cublasLtMatmulDescCreate(&product.operation,
                                                      computeType, CUDA_R_32F));
  uint32_t epilogue = chooseEpilogue(matmul);
  RETURN_ON_FAILURE(library->cublasLtMatmulDescSetAttribute(
      product.operation, CUBLASLT_MATMUL_DESC_EPILOGUE, &epilogue,
      sizeof(epilogue)));
  // Only its alignment matters until there is one.
  if (matmul.bias >= 0)
    RETURN_ON_FAILURE(
        setBias(product, reinterpret_cast<const void *>(
                             static_cast<uintptr_t>(matmul.alignment))));
  RETURN_ON_FAILURE(
      describeMatrix(matmul, matmul.rows, matmul.depth, product.left));
  RETURN_ON_FAILURE(
      describeMatrix(matmul, matmul.depth, matmul.columns, product.right));
  return describeMatrix(matmul, matmul.rows, matmul.columns, product.result);
}

//===----------------------------------------------------------------------===//
// Algorithms
//===----------------------------------------------------------------------===//

cublasStatus_t
CudaMatmuls::setPreferences(const HamKaasMatmul &matmul,
                            cublasLtMatmulPreference_t preference) const {
  RETURN_ON_FAILURE(library->cublasLtMatmulPreferenceSetAttribute(
      preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &workspaceBytes,
      sizeof(workspaceBytes)));
  auto alignment = static_cast<uint32_t>(matmul.alignment);
  for (cublasLtMatmulPreferenceAttributes_t matrix :
       {CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES,
        CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES,
        CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES,
        CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES})
    RETURN_ON_FAILURE(library->cublasLtMatmulPreferenceSetAttribute(
        preference, matrix, &alignment, sizeof(alignment)));
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t CudaMatmuls::chooseAlgorithm(const HamKaasMatmul &matmul,
                                            Product &product) const {
  cublasLtMatmulPreference_t preference = nullptr;
  RETURN_ON_FAILURE(library->cublasLtMatmulPreferenceCreate(&preference));
  cublasLtMatmulHeuristicResult_t best = {};
  int found = 0;
  cublasStatus_t status = setPreferences(matmul, preference);
  if (status == CUBLAS_STATUS_SUCCESS)
    status = library->cublasLtMatmulAlgoGetHeuristic(
        handle, product.operation, product.right, product.left, product.result,
        product.result, preference, 1, &best, &found);
  library->cublasLtMatmulPreferenceDestroy(preference);
  RETURN_ON_FAILURE(status);
  if (found == 0)
    return CUBLAS_STATUS_NOT_SUPPORTED;
  product.algorithm = best.algo;
  return best.state;
}

//===----------------------------------------------------------------------===//
// The products of a program
//===----------------------------------------------------------------------===//

Error CudaMatmuls::createProduct(const HamKaasMatmul &matmul,
                                 Product &product) const {
  product.matmul = &matmul;
  if (Error error = check(describe(matmul, product),
                          "cannot describe the product", &matmul))
    return error;
  return check(chooseAlgorithm(matmul, product),
               "has no algorithm for the product", &matmul);
}

Error CudaMatmuls::start(CudaContext &context, const HamKaasProgram &program) {
  const HamKaasDeviceCode &code = *program.deviceCode;
  if (code.matmulCount == 0)
    return Error();
  computeType = chooseComputeType(code.precision);
  if (Error error = checkOverride(program, computeType))
    return error;
  if (Error error = findCublasLt(library))
    return Error::format("device '%s': model '%s' needs a library: %s",
                         context.name(), program.name, error.message());
  if (Error error =
          check(library->cublasLtCreate(&handle), "cannot be started", nullptr))
    return context.explain(Error::format(
        "%s; expected a library of version 12 or 13 that fits the driver, "
        "which HAMKAAS_CUBLASLT may name, got %s",
        error.message(), library->path));
  workspaceBytes = code.matmulWorkspaceBytes;
  if (Error error = workspace.allocate(context, workspaceBytes,
                                       "the workspace of cuBLASLt"))
    return error;
  products = static_cast<Product *>(
      calloc(static_cast<size_t>(code.matmulCount), sizeof(Product)));
  if (!products)
    return Error::format("out of memory for %d products", code.matmulCount);
  while (count < code.matmulCount) {
    int32_t number = count++;
    if (Error error = createProduct(code.matmuls[number], products[number]))
      return context.explain(error);
  }
  return Error();
}

void CudaMatmuls::release(CudaContext &context) {
  for (int32_t i = 0; i < count; ++i) {
    const Product &product = products[i];
    if (product.operation)
      library->cublasLtMatmulDescDestroy(product.operation);
    for (cublasLtMatrixLayout_t layout :
         {product.left, product.right, product.result})
      if (layout)
        library->cublasLtMatrixLayoutDestroy(layout);
  }
  count = 0;
  if (handle)
    library->cublasLtDestroy(handle);
  handle = nullptr;
  workspace.release(context);
}

CudaMatmuls::~CudaMatmuls() { free(products); }

Error CudaMatmuls::multiply(cuda::CUstream stream, int32_t number,
                            const void *const *arguments) const {
  const Product &product = products[number];
  const HamKaasMatmul &matmul = *product.matmul;
  if (matmul.bias >= 0)
    if (Error error = check(setBias(product, arguments[matmul.bias]),
                            "cannot add a bias to the product", &matmul))
      return error;
  float one = 1, addendFactor = matmul.addend >= 0 ? 1 : 0;
  void *result = const_cast<void *>(arguments[matmul.result]);
  const void *addend = matmul.addend >= 0 ? arguments[matmul.addend] : result;
  return check(library->cublasLtMatmul(
                   handle, product.operation, &one, arguments[matmul.right],
                   product.right, arguments[matmul.left], product.left,
                   &addendFactor, addend, product.result, result,
                   product.result, &product.algorithm,
                   reinterpret_cast<void *>(workspace.address()),
                   workspaceBytes, stream),
               "cannot compute the product", &matmul);
}
