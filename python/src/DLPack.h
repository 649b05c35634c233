//===- DLPack.h - How libraries show each other their arrays ----*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The interface https://dmlc.github.io/dlpack in its first version, which all
// libraries offer.
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_PYTHON_DLPACK_H
#define HAMKAAS_PYTHON_DLPACK_H

#include <cstdint>

namespace hamkaas::python::dlpack {

/// Name of a capsule that nobody has consumed.
inline constexpr const char *capsuleName = "dltensor";

enum DeviceType : int32_t {
  Cpu = 1,
  Cuda = 2,
  CudaHost = 3, // pinned memory of the process
  CudaManaged = 13
};

enum TypeCode : uint8_t { Int = 0, UInt = 1, Float = 2, BFloat = 4, Bool = 6 };

struct Device {
  int32_t type;
  int32_t number;
};

struct Type {
  uint8_t code, bits;
  uint16_t lanes;
};

struct Tensor {
  void *data;
  Device device;
  int32_t rank;
  Type type;
  const int64_t *shape;
  const int64_t *strides; // in elements; null if dense and row-major
  uint64_t byteOffset;
};

/// Begins what the capsule points to.
struct ManagedTensor {
  Tensor tensor;
  void *context;
  void (*release)(ManagedTensor *tensor);
};

} // namespace hamkaas::python::dlpack

#endif // HAMKAAS_PYTHON_DLPACK_H
