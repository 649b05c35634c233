//===- Buffer.h - Memory of a benchmark -------------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_BENCHMARKS_KERNELS_BUFFER_H
#define HAMKAAS_BENCHMARKS_KERNELS_BUFFER_H

#include <cstddef>
#include <memory>

namespace hamkaas::benchmarks {

struct FreeBuffer {
  void operator()(void *memory) const;
};
using Buffer = std::unique_ptr<void, FreeBuffer>;

/// Memory of the runtime's CPU device, so that the limits are measured in pages
/// of the size that programs get. All bytes are zero.
Buffer allocateBuffer(size_t bytes);

} // namespace hamkaas::benchmarks

#endif // HAMKAAS_BENCHMARKS_KERNELS_BUFFER_H
