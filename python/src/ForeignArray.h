//===- ForeignArray.h - Arrays that numpy cannot show -----------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_PYTHON_FOREIGNARRAY_H
#define HAMKAAS_PYTHON_FOREIGNARRAY_H

#include "Error.h"
#include <vector>

namespace hamkaas::python {

/// An array in the memory of a GPU, or one that comes as a capsule of DLPack.
struct ForeignArray {
  /// The owner of the elements, kept alive.
  nb::object owner;
  void *address = nullptr;
  /// A HamKaasElementType, or -1 for another type.
  int32_t elementType = -1;
  std::vector<int64_t> shape;
  /// The elements are row-major and contiguous.
  bool isDense = false;
  /// The CPU can read them.
  bool isOnHost = false;
  /// They are in the memory of an NVIDIA GPU.
  bool isOnGpu = false;
  /// "cuda:0" or another device of DLPack; empty for the host.
  std::string device;

  /// "float32 [2, 3] on cuda:0".
  std::string describe() const;
};

/// Reads a capsule of DLPack, which stays the caller's; false if it is none.
bool readCapsule(nb::handle value, ForeignArray &array /* out */);

/// Reads what hamkaas.arrays.as_gpu_array has returned.
ForeignArray readGpuArray(nb::handle value);

} // namespace hamkaas::python

#endif // HAMKAAS_PYTHON_FOREIGNARRAY_H
