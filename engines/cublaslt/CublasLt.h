//===- CublasLt.h - NVIDIA's products of matrices ---------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The part of cuBLASLt that the engine uses, as cublasLt.h of version 12 and 13
// declares it. Declared here once more, so that building it needs no CUDA
// toolkit; a test compares the two.
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_ENGINES_CUBLASLT_CUBLASLT_H
#define HAMKAAS_ENGINES_CUBLASLT_CUBLASLT_H

#include <cstddef>
#include <cstdint>

namespace hamkaas::engine {

/// The names of cublasLt.h.
namespace cublas {

using CUstream = struct CUstream_st *;
using cublasLtHandle_t = struct cublasLtContext *;
using cublasLtMatmulDesc_t = struct MatmulDesc *;
using cublasLtMatrixLayout_t = struct MatrixLayout *;
using cublasLtMatmulPreference_t = struct MatmulPreference *;

// Enumerations are passed as integers of their size.
using cublasStatus_t = int;
using cublasComputeType_t = int;
using cudaDataType = int;
using cublasLtMatmulDescAttributes_t = int;
using cublasLtMatrixLayoutAttribute_t = int;
using cublasLtMatmulPreferenceAttributes_t = int;

inline constexpr cublasStatus_t CUBLAS_STATUS_SUCCESS = 0;
inline constexpr cublasStatus_t CUBLAS_STATUS_NOT_SUPPORTED = 15;
inline constexpr cublasComputeType_t CUBLAS_COMPUTE_32F = 68,
                                     CUBLAS_COMPUTE_32F_FAST_16BF = 75,
                                     CUBLAS_COMPUTE_32F_FAST_TF32 = 77;
inline constexpr cudaDataType CUDA_R_32F = 0;

inline constexpr cublasLtMatmulDescAttributes_t
    CUBLASLT_MATMUL_DESC_EPILOGUE = 7,
    CUBLASLT_MATMUL_DESC_BIAS_POINTER = 8;

inline constexpr uint32_t CUBLASLT_EPILOGUE_DEFAULT = 1,
                          CUBLASLT_EPILOGUE_RELU = 2,
                          CUBLASLT_EPILOGUE_BIAS = 4,
                          CUBLASLT_EPILOGUE_RELU_BIAS = 6,
                          CUBLASLT_EPILOGUE_GELU = 32,
                          CUBLASLT_EPILOGUE_GELU_BIAS = 36;

inline constexpr cublasLtMatrixLayoutAttribute_t
    CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT = 5,
    CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET = 6;

inline constexpr cublasLtMatmulPreferenceAttributes_t
    CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES = 1,
    CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES = 5,
    CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES = 6,
    CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES = 7,
    CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES = 8;

struct cublasLtMatmulAlgo_t {
  uint64_t data[8];
};

struct cublasLtMatmulHeuristicResult_t {
  cublasLtMatmulAlgo_t algo;
  size_t workspaceSize;
  cublasStatus_t state;
  float wavesCount;
  int reserved[4];
};

} // namespace cublas

/// F(name, result, parameters) for each function that is used.
#define HAMKAAS_CUBLASLT_FUNCTIONS(F)                                          \
  F(cublasLtGetVersion, size_t, ())                                            \
  F(cublasLtGetStatusName, const char *, (cublasStatus_t))                     \
  F(cublasLtGetStatusString, const char *, (cublasStatus_t))                   \
  F(cublasLtCreate, cublasStatus_t, (cublasLtHandle_t *))                      \
  F(cublasLtDestroy, cublasStatus_t, (cublasLtHandle_t))                       \
  F(cublasLtMatmulDescCreate, cublasStatus_t,                                  \
    (cublasLtMatmulDesc_t *, cublasComputeType_t, cudaDataType))               \
  F(cublasLtMatmulDescDestroy, cublasStatus_t, (cublasLtMatmulDesc_t))         \
  F(cublasLtMatmulDescSetAttribute, cublasStatus_t,                            \
    (cublasLtMatmulDesc_t, cublasLtMatmulDescAttributes_t, const void *,       \
     size_t))                                                                  \
  F(cublasLtMatrixLayoutCreate, cublasStatus_t,                                \
    (cublasLtMatrixLayout_t *, cudaDataType, uint64_t, uint64_t, int64_t))     \
  F(cublasLtMatrixLayoutDestroy, cublasStatus_t, (cublasLtMatrixLayout_t))     \
  F(cublasLtMatrixLayoutSetAttribute, cublasStatus_t,                          \
    (cublasLtMatrixLayout_t, cublasLtMatrixLayoutAttribute_t, const void *,    \
     size_t))                                                                  \
  F(cublasLtMatmulPreferenceCreate, cublasStatus_t,                            \
    (cublasLtMatmulPreference_t *))                                            \
  F(cublasLtMatmulPreferenceDestroy, cublasStatus_t,                           \
    (cublasLtMatmulPreference_t))                                              \
  F(cublasLtMatmulPreferenceSetAttribute, cublasStatus_t,                      \
    (cublasLtMatmulPreference_t, cublasLtMatmulPreferenceAttributes_t,         \
     const void *, size_t))                                                    \
  F(cublasLtMatmulAlgoGetHeuristic, cublasStatus_t,                            \
    (cublasLtHandle_t, cublasLtMatmulDesc_t, cublasLtMatrixLayout_t,           \
     cublasLtMatrixLayout_t, cublasLtMatrixLayout_t, cublasLtMatrixLayout_t,   \
     cublasLtMatmulPreference_t, int, cublasLtMatmulHeuristicResult_t *,       \
     int *))                                                                   \
  F(cublasLtMatmul, cublasStatus_t,                                            \
    (cublasLtHandle_t, cublasLtMatmulDesc_t, const void *, const void *,       \
     cublasLtMatrixLayout_t, const void *, cublasLtMatrixLayout_t,             \
     const void *, const void *, cublasLtMatrixLayout_t, void *,               \
     cublasLtMatrixLayout_t, const cublasLtMatmulAlgo_t *, void *, size_t,     \
     CUstream))

namespace cublas {
#define HAMKAAS_DECLARE(name, result, parameters)                              \
  using PFN_##name = result(*) parameters;
HAMKAAS_CUBLASLT_FUNCTIONS(HAMKAAS_DECLARE)
#undef HAMKAAS_DECLARE
} // namespace cublas

/// The functions of the library.
struct CublasLt {
#define HAMKAAS_DECLARE(name, result, parameters) cublas::PFN_##name name;
  HAMKAAS_CUBLASLT_FUNCTIONS(HAMKAAS_DECLARE)
#undef HAMKAAS_DECLARE
  /// Of its file, as the system found it.
  const char *path;
};

/// Opens the library and finds its functions, but calls none of them. It is
/// never closed. Returns a HamKaasEngineStatus; lastError has the
/// reason of a failure.
int32_t loadCublasLt(const char *path, CublasLt &library /* out */);

/// Opens the first library of a list of paths or names that ends with null. The
/// error tells what is wrong with each.
int32_t loadFirstCublasLt(const char *const *places,
                          CublasLt &library /* out */);

/// That of this process, loaded by the first call that succeeds: the file that
/// the environment variable HAMKAAS_CUBLASLT names, or else the first one that
/// is found in the usual places. The error says which they are.
int32_t findCublasLt(const CublasLt *&library /* out */);

} // namespace hamkaas::engine

#endif // HAMKAAS_ENGINES_CUBLASLT_CUBLASLT_H
