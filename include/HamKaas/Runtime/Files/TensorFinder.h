//===- TensorFinder.h - Find the tensors of a table by name -----*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_RUNTIME_FILES_TENSORFINDER_H
#define HAMKAAS_RUNTIME_FILES_TENSORFINDER_H

#include "HamKaas/Runtime/Files/Gguf.h"
#include "HamKaas/Runtime/Files/Safetensors.h"
#include "hamkaas-c/Runtime.h"

namespace hamkaas::rt {

/// Finds data for the tensors of a program's table: what the caller gives by
/// pointer and what files hold. What is found first stays. Collects all
/// problems instead of stopping at the first.
class TensorFinder {
public:
  /// `what` the tensors are called in messages: "parameter" or "state". All
  /// must outlive this object.
  TensorFinder(const char *model, const char *what,
               const HamKaasTensorInfo *tensors, int32_t count)
      : model(model), what(what), tensors(tensors),
        count(static_cast<size_t>(count)) {}
  TensorFinder(const TensorFinder &) = delete;
  TensorFinder &operator=(const TensorFinder &) = delete;
  ~TensorFinder();

  /// Before all else.
  Error allocate();

  /// `position` of the tensor among those that are given is for messages.
  void takeNamedData(const HamKaasNamedData &given, int32_t position);
  /// The file must stay open as long as the addresses are used. Tensors that
  /// are in no table are a problem, unless their names begin with `ignored`.
  void takeFile(const SafetensorsFile &file, const char *path,
                const char *ignored = nullptr);
  /// The same. Tensors in blocks are matrices of their bytes.
  void takeFile(const GgufFile &file, const char *path);

  /// Makes tensors without data a problem: of the file `path`, or of the model
  /// if it is null.
  void reportMissing(const char *path);

  /// The problems so far, one a line.
  Error takeProblems();

  /// One address a tensor in the order of the table, null where none was found
  /// so far.
  const void **addresses() const { return found; }

private:
  const HamKaasTensorInfo *tensorNamed(const char *name) const;
  const void *&addressOf(const HamKaasTensorInfo &tensor) const {
    return found[&tensor - tensors];
  }
  /// `first` of the file until one was reported.
  void reportUnknown(const char *name, const char *path,
                     bool &first /* inout */);
  void takeTensor(const SafetensorsTensor &tensor, const char *path);
  void beginProblem();

  const char *model;
  const char *what;
  const HamKaasTensorInfo *tensors;
  size_t count;

  TextBuilder problems;
  const void **found = nullptr;
  const HamKaasTensorInfo **byName = nullptr; // sorted
};

} // namespace hamkaas::rt

#endif // HAMKAAS_RUNTIME_FILES_TENSORFINDER_H
