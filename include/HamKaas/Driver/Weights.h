//===- Weights.h - Parameters from a safetensors file -----------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_DRIVER_WEIGHTS_H
#define HAMKAAS_DRIVER_WEIGHTS_H

#include "HamKaas/Driver/ProgramInfo.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <memory>

namespace hamkaas::rt {
class SafetensorsFile;
}

namespace hamkaas {

/// The contents of a model's parameters, mapped while this object lives.
class Weights {
public:
  /// Opens a file that holds exactly `parameters`, in any order. The error
  /// lists all tensors that are missing, unknown or of another type, one
  /// problem a line.
  static llvm::Expected<Weights> open(llvm::StringRef path,
                                      llvm::ArrayRef<TensorInfo> parameters);
  Weights(Weights &&);
  ~Weights();

  /// In the order of `parameters`. The data is not aligned in any way.
  llvm::ArrayRef<llvm::ArrayRef<char>> contents() const { return data; }

private:
  Weights();

  std::unique_ptr<rt::SafetensorsFile> file;
  std::vector<llvm::ArrayRef<char>> data;
};

} // namespace hamkaas

#endif // HAMKAAS_DRIVER_WEIGHTS_H
