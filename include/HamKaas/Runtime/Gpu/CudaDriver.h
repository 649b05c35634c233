//===- CudaDriver.h - The driver of NVIDIA GPUs -----------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The part of the driver's interface that the runtime uses, as cuda.h of
// version 12.0 declares it. Declared here once more because neither building
// nor running needs NVIDIA's software until the first use of a GPU; a test
// compares the two.
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_RUNTIME_GPU_CUDADRIVER_H
#define HAMKAAS_RUNTIME_GPU_CUDADRIVER_H

#include "HamKaas/Runtime/Core/Error.h"

#include <cstddef>
#include <cstdint>

namespace hamkaas::rt {

/// The names of cuda.h.
namespace cuda {

using CUdevice = int;
using CUdeviceptr = unsigned long long;
using CUcontext = struct CUctx_st *;
using CUmodule = struct CUmod_st *;
using CUfunction = struct CUfunc_st *;
using CUkernel = struct CUkern_st *;
using CUstream = struct CUstream_st *;
using CUevent = struct CUevent_st *;
using CUgraph = struct CUgraph_st *;
using CUgraphNode = struct CUgraphNode_st *;
using CUgraphExec = struct CUgraphExec_st *;
using CUarray = struct CUarray_st *;

// Enumerations are passed as integers of their size.
using CUresult = int;
using CUdevice_attribute = int;
using CUfunction_attribute = int;
using CUjit_option = int;
using CUmemorytype = int;
using CUpointer_attribute = int;
using CUdriverProcAddressQueryResult = int;
using CUstreamCaptureMode = int;
using CUgraphDependencyType = int;

inline constexpr CUresult CUDA_SUCCESS = 0;

inline constexpr CUdevice_attribute
    CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR = 75,
    CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR = 76;

inline constexpr CUfunction_attribute
    CU_FUNC_ATTRIBUTE_PTX_VERSION = 5,
    CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES = 8,
    CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT = 9;

inline constexpr CUjit_option CU_JIT_ERROR_LOG_BUFFER = 5,
                              CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES = 6;

inline constexpr CUmemorytype CU_MEMORYTYPE_HOST = 1, CU_MEMORYTYPE_DEVICE = 2;

inline constexpr CUpointer_attribute CU_POINTER_ATTRIBUTE_MEMORY_TYPE = 2,
                                     CU_POINTER_ATTRIBUTE_IS_MANAGED = 8,
                                     CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL = 9;

inline constexpr unsigned CU_STREAM_NON_BLOCKING = 1;

inline constexpr CUstreamCaptureMode CU_STREAM_CAPTURE_MODE_RELAXED = 2;

inline constexpr unsigned char CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC = 1;

inline constexpr CUgraphDependencyType CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC =
    1;

struct CUgraphEdgeData {
  unsigned char from_port, to_port;
  unsigned char type; // a CUgraphDependencyType
  unsigned char reserved[5];
};

struct CUDA_KERNEL_NODE_PARAMS {
  CUfunction func;
  unsigned gridDimX, gridDimY, gridDimZ;
  unsigned blockDimX, blockDimY, blockDimZ;
  unsigned sharedMemBytes;
  void **kernelParams;
  void **extra;
  CUkernel kern;
  CUcontext ctx;
};

struct CUDA_MEMCPY3D {
  size_t srcXInBytes, srcY, srcZ, srcLOD;
  CUmemorytype srcMemoryType;
  const void *srcHost;
  CUdeviceptr srcDevice;
  CUarray srcArray;
  void *reserved0;
  size_t srcPitch, srcHeight;
  size_t dstXInBytes, dstY, dstZ, dstLOD;
  CUmemorytype dstMemoryType;
  void *dstHost;
  CUdeviceptr dstDevice;
  CUarray dstArray;
  void *reserved1;
  size_t dstPitch, dstHeight;
  size_t WidthInBytes, Height, Depth;
};

struct CUDA_MEMSET_NODE_PARAMS {
  CUdeviceptr dst;
  size_t pitch;
  unsigned value;
  unsigned elementSize;
  size_t width, height;
};

} // namespace cuda

/// F(name, since, parameters) for each function that is used; `since` is
/// that of the driver's interface, as in cudaTypedefs.h, in which it got these
/// parameters.
#define HAMKAAS_CUDA_FUNCTIONS(F)                                              \
  F(cuInit, 2000, (unsigned))                                                  \
  F(cuDriverGetVersion, 2020, (int *))                                         \
  F(cuGetErrorName, 6000, (CUresult, const char **))                           \
  F(cuGetErrorString, 6000, (CUresult, const char **))                         \
  F(cuDeviceGetCount, 2000, (int *))                                           \
  F(cuDeviceGet, 2000, (CUdevice *, int))                                      \
  F(cuDeviceGetName, 2000, (char *, int, CUdevice))                            \
  F(cuDeviceGetAttribute, 2000, (int *, CUdevice_attribute, CUdevice))         \
  F(cuDevicePrimaryCtxRetain, 7000, (CUcontext *, CUdevice))                   \
  F(cuDevicePrimaryCtxRelease, 11000, (CUdevice))                              \
  F(cuCtxPushCurrent, 4000, (CUcontext))                                       \
  F(cuCtxPopCurrent, 4000, (CUcontext *))                                      \
  F(cuCtxSynchronize, 2000, ())                                                \
  F(cuStreamCreate, 2000, (CUstream *, unsigned))                              \
  F(cuStreamDestroy, 4000, (CUstream))                                         \
  F(cuStreamSynchronize, 2000, (CUstream))                                     \
  F(cuStreamBeginCapture, 10010, (CUstream, CUstreamCaptureMode))              \
  F(cuStreamEndCapture, 10000, (CUstream, CUgraph *))                          \
  F(cuEventCreate, 2000, (CUevent *, unsigned))                                \
  F(cuEventDestroy, 4000, (CUevent))                                           \
  F(cuEventElapsedTime, 2000, (float *, CUevent, CUevent))                     \
  F(cuMemAlloc, 3020, (CUdeviceptr *, size_t))                                 \
  F(cuMemFree, 3020, (CUdeviceptr))                                            \
  F(cuMemAllocHost, 3020, (void **, size_t))                                   \
  F(cuMemFreeHost, 2000, (void *))                                             \
  F(cuMemcpyAsync, 4000, (CUdeviceptr, CUdeviceptr, size_t, CUstream))         \
  F(cuMemsetD8Async, 3020, (CUdeviceptr, unsigned char, size_t, CUstream))     \
  F(cuPointerGetAttributes, 7000,                                              \
    (unsigned, CUpointer_attribute *, void **, CUdeviceptr))                   \
  F(cuModuleLoadDataEx, 2010,                                                  \
    (CUmodule *, const void *, unsigned, CUjit_option *, void **))             \
  F(cuModuleUnload, 2000, (CUmodule))                                          \
  F(cuModuleGetFunction, 2000, (CUfunction *, CUmodule, const char *))         \
  F(cuModuleGetGlobal, 3020,                                                   \
    (CUdeviceptr *, size_t *, CUmodule, const char *))                         \
  F(cuFuncSetAttribute, 9000, (CUfunction, CUfunction_attribute, int))         \
  F(cuFuncGetAttribute, 2020, (int *, CUfunction_attribute, CUfunction))       \
  F(cuLaunchKernel, 4000,                                                      \
    (CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,   \
     unsigned, CUstream, void **, void **))                                    \
  F(cuGraphCreate, 10000, (CUgraph *, unsigned))                               \
  F(cuGraphDestroy, 10000, (CUgraph))                                          \
  F(cuGraphAddKernelNode, 12000,                                               \
    (CUgraphNode *, CUgraph, const CUgraphNode *, size_t,                      \
     const CUDA_KERNEL_NODE_PARAMS *))                                         \
  F(cuGraphAddMemcpyNode, 10000,                                               \
    (CUgraphNode *, CUgraph, const CUgraphNode *, size_t,                      \
     const CUDA_MEMCPY3D *, CUcontext))                                        \
  F(cuGraphAddMemsetNode, 10000,                                               \
    (CUgraphNode *, CUgraph, const CUgraphNode *, size_t,                      \
     const CUDA_MEMSET_NODE_PARAMS *, CUcontext))                              \
  F(cuGraphAddChildGraphNode, 10000,                                           \
    (CUgraphNode *, CUgraph, const CUgraphNode *, size_t, CUgraph))            \
  F(cuGraphAddEventRecordNode, 11010,                                          \
    (CUgraphNode *, CUgraph, const CUgraphNode *, size_t, CUevent))            \
  F(cuGraphInstantiateWithFlags, 11040,                                        \
    (CUgraphExec *, CUgraph, unsigned long long))                              \
  F(cuGraphExecKernelNodeSetParams, 12000,                                     \
    (CUgraphExec, CUgraphNode, const CUDA_KERNEL_NODE_PARAMS *))               \
  F(cuGraphExecMemcpyNodeSetParams, 10020,                                     \
    (CUgraphExec, CUgraphNode, const CUDA_MEMCPY3D *, CUcontext))              \
  F(cuGraphExecChildGraphNodeSetParams, 11010,                                 \
    (CUgraphExec, CUgraphNode, CUgraph))                                       \
  F(cuGraphUpload, 11010, (CUgraphExec, CUstream))                             \
  F(cuGraphLaunch, 10000, (CUgraphExec, CUstream))                             \
  F(cuGraphExecDestroy, 10000, (CUgraphExec))

/// The same for functions that a driver may lack.
#define HAMKAAS_CUDA_NEWER_FUNCTIONS(F)                                        \
  F(cuGraphAddDependencies, 12030,                                             \
    (CUgraph, const CUgraphNode *, const CUgraphNode *,                        \
     const CUgraphEdgeData *, size_t))

namespace cuda {
#define HAMKAAS_DECLARE(name, since, parameters)                               \
  using PFN_##name = CUresult(*) parameters;
HAMKAAS_CUDA_FUNCTIONS(HAMKAAS_DECLARE)
HAMKAAS_CUDA_NEWER_FUNCTIONS(HAMKAAS_DECLARE)
#undef HAMKAAS_DECLARE
} // namespace cuda

/// The functions of a loaded driver. The newer ones are null if it is older.
struct CudaDriver {
  /// Lowest version of the driver's interface that is used, 12.0.
  static constexpr int version = 12000;

#define HAMKAAS_DECLARE(name, since, parameters) cuda::PFN_##name name;
  HAMKAAS_CUDA_FUNCTIONS(HAMKAAS_DECLARE)
  HAMKAAS_CUDA_NEWER_FUNCTIONS(HAMKAAS_DECLARE)
#undef HAMKAAS_DECLARE
};

/// Appends what the driver says about `result`: "out of memory
/// (CUDA_ERROR_OUT_OF_MEMORY)".
void appendCudaError(TextBuilder &text, const CudaDriver &driver,
                     cuda::CUresult result);

/// Opens a driver's library and finds its functions, but calls none of them.
/// `driver` lives in the library, which is never closed: its threads run on.
Error loadCudaDriver(const char *library, CudaDriver &driver /* out */);

/// The driver of this process, loaded and initialised by the first call that
/// succeeds. Not for a child that was forked after that: there it is an error.
Error findCudaDriver(const CudaDriver *&driver /* out */);

/// Returns whether this is a child that was forked after its parent had found
/// the driver; there no function of the driver may be called.
bool isForkedFromCuda();

} // namespace hamkaas::rt

#endif // HAMKAAS_RUNTIME_GPU_CUDADRIVER_H
