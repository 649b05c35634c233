//===- Weights.h - Parameters from a safetensors file -----------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_PROGRAM_WEIGHTS_H
#define HAMKAAS_PROGRAM_WEIGHTS_H

#include "HamKaas/Program/ProgramInfo.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <memory>

namespace hamkaas {

/// The contents of a model's parameters, mapped while this object lives.
class Weights {
public:
  /// Finds the parameters of `model`, whose name and parameters alone are read,
  /// as the runtime does: `path` is a file that holds exactly them, in any
  /// order, or empty if there is none. The error lists all tensors that are
  /// missing, unknown or of another type, one problem a line.
  static llvm::Expected<Weights> open(llvm::StringRef path,
                                      const ProgramInfo &model);
  Weights(Weights &&);
  ~Weights();

  /// In the order of the model, each aligned for its element type.
  llvm::ArrayRef<llvm::ArrayRef<char>> contents() const { return data; }

private:
  struct Source;

  explicit Weights(std::unique_ptr<Source> source);

  std::unique_ptr<Source> source;
  std::vector<llvm::ArrayRef<char>> data;
};

} // namespace hamkaas

#endif // HAMKAAS_PROGRAM_WEIGHTS_H
