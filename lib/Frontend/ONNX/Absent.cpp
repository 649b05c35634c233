//===- Absent.cpp - The importer of a build without ONNX --------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Frontend/ONNX/ONNX.h"
#include "mlir/IR/Diagnostics.h"

using namespace mlir;
using namespace hamkaas;

OnnxModel hamkaas::importOnnx(StringRef content, StringRef name,
                              MLIRContext *context,
                              const OnnxImportOptions &options) {
  emitError(FileLineColLoc::get(context, name, 0, 0))
      << "expected a script or MLIR, got an ONNX model, which this build of "
         "HamKaas does not read; 'make build' adds ONNX";
  OnnxModel result;
  result.summary.failure = OnnxFailure::Unsupported;
  return result;
}
