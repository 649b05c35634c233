//===- OnnxOptions.h - Options for ONNX models, from their text -*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_DRIVER_ONNXOPTIONS_H
#define HAMKAAS_DRIVER_ONNXOPTIONS_H

#include "HamKaas/Frontend/ONNX/ONNX.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Error.h"

namespace hamkaas {

class ModelFile;

/// What the command line says about an ONNX model.
struct OnnxArguments {
  std::vector<std::string> dims;           ///< "NAME=N"
  std::vector<std::string> constantInputs; ///< "NAME=F.npy"
  std::string externalDataRoot;            ///< Empty for none.
};

/// The options of a tool for ONNX models.
struct OnnxCommandLine {
  explicit OnnxCommandLine(llvm::cl::OptionCategory &category)
      : dims("dim", llvm::cl::desc("ONNX: size of a dimension that has a name"),
             llvm::cl::value_desc("NAME=N"), llvm::cl::cat(category)),
        constantInputs(
            "const-input",
            llvm::cl::desc("ONNX: make an input a constant of the model"),
            llvm::cl::value_desc("NAME=F.npy"), llvm::cl::cat(category)),
        externalDataRoot(
            "external-data-root",
            llvm::cl::desc("ONNX: folder that symbolic links of external data "
                           "may lead to"),
            llvm::cl::value_desc("folder"), llvm::cl::cat(category)) {}

  OnnxArguments get() { return {dims, constantInputs, externalDataRoot}; }

  llvm::cl::list<std::string> dims, constantInputs;
  llvm::cl::opt<std::string> externalDataRoot;
};

/// The options of the import of `file`, which must be ONNX if there are any.
llvm::Expected<OnnxImportOptions> readOnnxOptions(ModelFile &file,
                                                  const OnnxArguments &given);

} // namespace hamkaas

#endif // HAMKAAS_DRIVER_ONNXOPTIONS_H
