//===- OnnxOptions.h - Options for ONNX models, from their text -*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_DRIVER_ONNXOPTIONS_H
#define HAMKAAS_DRIVER_ONNXOPTIONS_H

#include "HamKaas/Frontend/ONNX/ONNX.h"
#include "llvm/Support/Error.h"

namespace hamkaas {

class ModelFile;

/// Options of the command line for ONNX models.
struct OnnxArguments {
  std::vector<std::string> dims;           ///< "NAME=N"
  std::vector<std::string> constantInputs; ///< "NAME=F.npy"
  std::string externalDataRoot;            ///< Empty for none.
};

/// The options of the import of `file`, which must be ONNX if there are any.
llvm::Expected<OnnxImportOptions> readOnnxOptions(ModelFile &file,
                                                  const OnnxArguments &given);

} // namespace hamkaas

#endif // HAMKAAS_DRIVER_ONNXOPTIONS_H
