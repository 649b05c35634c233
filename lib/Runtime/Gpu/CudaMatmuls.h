//===- CudaMatmuls.h - Products that cuBLASLt computes ----------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_RUNTIME_GPU_CUDAMATMULS_H
#define HAMKAAS_LIB_RUNTIME_GPU_CUDAMATMULS_H

#include "CudaContext.h"
#include "HamKaas/Runtime/Gpu/CublasLt.h"
#include "hamkaas-c/Program.h"

namespace hamkaas::rt {

/// The matmuls of a program that cuBLASLt computes. Algorithms are chosen once,
/// at load, so that each run gives the same bits.
///
/// The library is column-major. So each of our matrices is passed as its own
/// transpose, and the library computes `right^T * left^T = (left * right)^T`.
class CudaMatmuls {
public:
  CudaMatmuls() = default;
  CudaMatmuls(const CudaMatmuls &) = delete;
  CudaMatmuls &operator=(const CudaMatmuls &) = delete;
  /// `release` was called before, unless the process was forked.
  ~CudaMatmuls();

  /// Opens the library, allocates its workspace and chooses the algorithms.
  /// Does nothing for a program without products. In the scope of the context,
  /// as all the others.
  Error start(CudaContext &context, const HamKaasProgram &program);
  void release(CudaContext &context);

  /// Enqueues matmul `number` on the stream; `arguments` are those of the call.
  /// The error is the library's.
  Error multiply(cuda::CUstream stream, int32_t number,
                 const void *const *arguments) const;

private:
  /// A matmul in the library's descriptors; null ones were not created.
  struct Product {
    const HamKaasMatmul *matmul;
    cublas::cublasLtMatmulDesc_t operation;
    cublas::cublasLtMatrixLayout_t left, right, result;
    cublas::cublasLtMatmulAlgo_t algorithm;
  };

  Error createProduct(const HamKaasMatmul &matmul, Product &product) const;
  cublas::cublasStatus_t describe(const HamKaasMatmul &matmul,
                                  Product &product) const;
  cublas::cublasStatus_t
  describeMatrix(const HamKaasMatmul &matmul, int64_t rows, int64_t columns,
                 cublas::cublasLtMatrixLayout_t &layout /* out */) const;
  cublas::cublasStatus_t setBias(const Product &product,
                                 const void *bias) const;
  cublas::cublasStatus_t chooseAlgorithm(const HamKaasMatmul &matmul,
                                         Product &product) const;
  cublas::cublasStatus_t
  setPreferences(const HamKaasMatmul &matmul,
                 cublas::cublasLtMatmulPreference_t preference) const;
  Error check(cublas::cublasStatus_t status, const char *what,
              const HamKaasMatmul *matmul) const;

  const CublasLt *library = nullptr;
  cublas::cublasLtHandle_t handle = nullptr;
  Product *products = nullptr;
  int32_t count = 0; // of those that were begun
  CudaMemory workspace;
  uint64_t workspaceBytes = 0;
  cublas::cublasComputeType_t computeType = cublas::CUBLAS_COMPUTE_32F;
};

} // namespace hamkaas::rt

#endif // HAMKAAS_LIB_RUNTIME_GPU_CUDAMATMULS_H
