//===- CublasLtHeaderTest.cpp - Our declarations of cuBLASLt and NVIDIA's -===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CublasLt.h"

#include <cstddef>
#include <cublasLt.h>
#include <gtest/gtest.h>
#include <type_traits>

namespace ours = hamkaas::engine::cublas;

//===----------------------------------------------------------------------===//
// Types and numbers
//===----------------------------------------------------------------------===//

#define SAME(name) static_assert(ours::name == name)
SAME(CUBLAS_STATUS_SUCCESS);
SAME(CUBLAS_STATUS_NOT_SUPPORTED);
SAME(CUBLAS_COMPUTE_32F);
SAME(CUBLAS_COMPUTE_32F_FAST_16BF);
SAME(CUBLAS_COMPUTE_32F_FAST_TF32);
SAME(CUDA_R_32F);
SAME(CUBLASLT_MATMUL_DESC_EPILOGUE);
SAME(CUBLASLT_MATMUL_DESC_BIAS_POINTER);
SAME(CUBLASLT_EPILOGUE_DEFAULT);
SAME(CUBLASLT_EPILOGUE_RELU);
SAME(CUBLASLT_EPILOGUE_BIAS);
SAME(CUBLASLT_EPILOGUE_RELU_BIAS);
SAME(CUBLASLT_EPILOGUE_GELU);
SAME(CUBLASLT_EPILOGUE_GELU_BIAS);
SAME(CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT);
SAME(CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET);
SAME(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES);
SAME(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES);
SAME(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES);
SAME(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES);
SAME(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES);
#undef SAME

static_assert(sizeof(ours::cublasLtMatmulAlgo_t) ==
              sizeof(cublasLtMatmulAlgo_t));
static_assert(sizeof(ours::cublasLtMatmulHeuristicResult_t) ==
              sizeof(cublasLtMatmulHeuristicResult_t));
#define SAME(member)                                                           \
  static_assert(offsetof(ours::cublasLtMatmulHeuristicResult_t, member) ==     \
                    offsetof(cublasLtMatmulHeuristicResult_t, member) &&       \
                sizeof(ours::cublasLtMatmulHeuristicResult_t::member) ==       \
                    sizeof(cublasLtMatmulHeuristicResult_t::member))
SAME(algo);
SAME(workspaceSize);
SAME(state);
SAME(wavesCount);
SAME(reserved);
#undef SAME

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

/// Types that are passed alike. Structures are passed by pointers, and were
/// compared above.
template <typename Ours, typename Theirs>
static constexpr bool isSameType =
    sizeof(Ours) == sizeof(Theirs) &&
    std::is_pointer_v<Ours> == std::is_pointer_v<Theirs> &&
    std::is_const_v<std::remove_pointer_t<Ours>> ==
        std::is_const_v<std::remove_pointer_t<Theirs>>;

template <typename Ours, typename Theirs> struct SameFunction {
  static constexpr bool value = false;
};
template <typename OurResult, typename... Ours, typename TheirResult,
          typename... Theirs>
  requires(sizeof...(Ours) == sizeof...(Theirs))
struct SameFunction<OurResult (*)(Ours...), TheirResult (*)(Theirs...)> {
  static constexpr bool value =
      isSameType<OurResult, TheirResult> && (isSameType<Ours, Theirs> && ...);
};

#define SAME(name, result, parameters)                                         \
  static_assert(SameFunction<ours::PFN_##name, decltype(&name)>::value);
HAMKAAS_CUBLASLT_FUNCTIONS(SAME)
#undef SAME

TEST(CublasLtHeader, IsCompared) {
  // The rest is compared when this is compiled.
  EXPECT_GE(CUBLAS_VERSION, 120000);
}
