//===- CudaHeaderTest.cpp - Our declarations of the driver and NVIDIA's ---===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Runtime/Gpu/CudaDriver.h"

// The name is a macro of cuda.h.
static constexpr unsigned char programmaticPort =
    hamkaas::rt::cuda::CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC;

#include <cstddef>
#include <cudaTypedefs.h>
#include <gtest/gtest.h>
#include <type_traits>

namespace ours = hamkaas::rt::cuda;

//===----------------------------------------------------------------------===//
// Types and numbers
//===----------------------------------------------------------------------===//

static_assert(ours::CUDA_SUCCESS == CUDA_SUCCESS);
static_assert(ours::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR ==
              CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
static_assert(ours::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR ==
              CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
static_assert(ours::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES ==
              CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES);
static_assert(ours::CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT ==
              CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT);
static_assert(ours::CU_JIT_ERROR_LOG_BUFFER == CU_JIT_ERROR_LOG_BUFFER);
static_assert(ours::CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES ==
              CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES);
static_assert(ours::CU_MEMORYTYPE_HOST == CU_MEMORYTYPE_HOST);
static_assert(ours::CU_MEMORYTYPE_DEVICE == CU_MEMORYTYPE_DEVICE);
static_assert(ours::CU_POINTER_ATTRIBUTE_MEMORY_TYPE ==
              CU_POINTER_ATTRIBUTE_MEMORY_TYPE);
static_assert(ours::CU_POINTER_ATTRIBUTE_IS_MANAGED ==
              CU_POINTER_ATTRIBUTE_IS_MANAGED);
static_assert(ours::CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL ==
              CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL);
static_assert(ours::CU_STREAM_NON_BLOCKING == CU_STREAM_NON_BLOCKING);
static_assert(ours::CU_STREAM_CAPTURE_MODE_RELAXED ==
              CU_STREAM_CAPTURE_MODE_RELAXED);

static_assert(ours::CU_FUNC_ATTRIBUTE_PTX_VERSION ==
              CU_FUNC_ATTRIBUTE_PTX_VERSION);

#define SAME_MEMBER(type, theirs, member)                                      \
  static_assert(offsetof(ours::type, member) == offsetof(theirs, member) &&    \
                sizeof(ours::type::member) == sizeof(theirs::member))

static_assert(sizeof(ours::CUDA_KERNEL_NODE_PARAMS) ==
              sizeof(CUDA_KERNEL_NODE_PARAMS_v2));
#define SAME(member)                                                           \
  SAME_MEMBER(CUDA_KERNEL_NODE_PARAMS, CUDA_KERNEL_NODE_PARAMS_v2, member)
SAME(func);
SAME(gridDimX);
SAME(gridDimY);
SAME(gridDimZ);
SAME(blockDimX);
SAME(blockDimY);
SAME(blockDimZ);
SAME(sharedMemBytes);
SAME(kernelParams);
SAME(extra);
SAME(kern);
SAME(ctx);
#undef SAME

static_assert(sizeof(ours::CUDA_MEMCPY3D) == sizeof(CUDA_MEMCPY3D_v2));
#define SAME(member) SAME_MEMBER(CUDA_MEMCPY3D, CUDA_MEMCPY3D_v2, member)
SAME(srcXInBytes);
SAME(srcY);
SAME(srcZ);
SAME(srcLOD);
SAME(srcMemoryType);
SAME(srcHost);
SAME(srcDevice);
SAME(srcArray);
SAME(reserved0);
SAME(srcPitch);
SAME(srcHeight);
SAME(dstXInBytes);
SAME(dstY);
SAME(dstZ);
SAME(dstLOD);
SAME(dstMemoryType);
SAME(dstHost);
SAME(dstDevice);
SAME(dstArray);
SAME(reserved1);
SAME(dstPitch);
SAME(dstHeight);
SAME(WidthInBytes);
SAME(Height);
SAME(Depth);
#undef SAME

static_assert(sizeof(ours::CUDA_MEMSET_NODE_PARAMS) ==
              sizeof(CUDA_MEMSET_NODE_PARAMS_v1));
#define SAME(member)                                                           \
  SAME_MEMBER(CUDA_MEMSET_NODE_PARAMS, CUDA_MEMSET_NODE_PARAMS_v1, member)
SAME(dst);
SAME(pitch);
SAME(value);
SAME(elementSize);
SAME(width);
SAME(height);
#undef SAME

#if CUDA_VERSION >= 12030
static_assert(programmaticPort == CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC);
static_assert(ours::CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC ==
              CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC);
static_assert(sizeof(ours::CUgraphEdgeData) == sizeof(CUgraphEdgeData));
#define SAME(member) SAME_MEMBER(CUgraphEdgeData, CUgraphEdgeData, member)
SAME(from_port);
SAME(to_port);
SAME(type);
#undef SAME
#endif

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

/// Types that are passed alike. Structures are passed by pointers, and were
/// compared above.
template <typename Ours, typename Theirs>
static constexpr bool isSameParameter =
    sizeof(Ours) == sizeof(Theirs) &&
    std::is_pointer_v<Ours> == std::is_pointer_v<Theirs> &&
    std::is_const_v<std::remove_pointer_t<Ours>> ==
        std::is_const_v<std::remove_pointer_t<Theirs>>;

template <typename Ours, typename Theirs> struct SameFunction {
  static constexpr bool value = false;
};
template <typename... Ours, typename... Theirs>
  requires(sizeof...(Ours) == sizeof...(Theirs))
struct SameFunction<int (*)(Ours...), CUresult (*)(Theirs...)> {
  static constexpr bool value = (isSameParameter<Ours, Theirs> && ...);
};

#define SAME(name, since, parameters)                                          \
  static_assert(SameFunction<ours::PFN_##name, PFN_##name##_v##since>::value);
HAMKAAS_CUDA_FUNCTIONS(SAME)
#if CUDA_VERSION >= 12030
HAMKAAS_CUDA_NEWER_FUNCTIONS(SAME)
#endif
#undef SAME

TEST(CudaHeader, IsCompared) {
  // The rest is compared when this is compiled.
  EXPECT_LE(hamkaas::rt::CudaDriver::version, CUDA_VERSION);
}
