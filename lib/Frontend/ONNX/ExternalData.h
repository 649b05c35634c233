//===- ExternalData.h - Tensors in files beside a model ---------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_FRONTEND_ONNX_EXTERNALDATA_H
#define HAMKAAS_LIB_FRONTEND_ONNX_EXTERNALDATA_H

#include "ExternalFile.h"
#include "HamKaas/Frontend/Builder/Diagnostics.h"
#include "Proto.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringMap.h"

namespace hamkaas::onnx {

/// The files with the external data of a model, mapped as long as this object
/// lives: regular files with one name (see openExternalFile for their places).
class ExternalData {
public:
  explicit ExternalData(DataPlaces places) : places(std::move(places)) {}
  ExternalData(const ExternalData &) = delete;
  ~ExternalData();

  /// The `expected` bytes of a tensor; none after a failure.
  std::optional<llvm::ArrayRef<char>> read(const TensorProto &tensor,
                                           int64_t expected,
                                           graph::Diagnostics &diagnostics);

private:
  struct File {
    const char *data = nullptr;
    int64_t size = 0;
  };

  const File *open(llvm::StringRef location, graph::Diagnostics &diagnostics);

  DataPlaces places;
  llvm::StringMap<File> files;
};

} // namespace hamkaas::onnx

#endif // HAMKAAS_LIB_FRONTEND_ONNX_EXTERNALDATA_H
