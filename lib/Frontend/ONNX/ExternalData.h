//===- ExternalData.h - Tensors in files beside a model ---------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_FRONTEND_ONNX_EXTERNALDATA_H
#define HAMKAAS_LIB_FRONTEND_ONNX_EXTERNALDATA_H

#include "Proto.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringMap.h"

namespace hamkaas::onnx {

/// The files with the external data of a model, mapped as long as this object
/// lives. A file of somebody else must not make us read one that is not beside
/// it: only regular files below the model's folder are opened, by relative
/// paths without "..", no component of which is a symbolic link, and which have
/// no other name.
class ExternalData {
public:
  /// `model` is the path of the model, empty if it is not a file.
  explicit ExternalData(llvm::StringRef model) : model(model) {}
  ExternalData(const ExternalData &) = delete;
  ~ExternalData();

  /// The `expected` bytes of a tensor; empty with the reason otherwise.
  llvm::ArrayRef<char> read(const TensorProto &tensor, int64_t expected,
                            std::string &problem);

private:
  struct File {
    const char *data = nullptr;
    int64_t size = 0;
  };

  const File *open(llvm::StringRef location, std::string &problem);
  int openBelowFolder(llvm::StringRef location, std::string &problem);

  std::string model;
  llvm::StringMap<File> files;
};

} // namespace hamkaas::onnx

#endif // HAMKAAS_LIB_FRONTEND_ONNX_EXTERNALDATA_H
