//===- OnnxModel.h - What ONNX models are given and tell --------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_CAPI_ONNXMODEL_H
#define HAMKAAS_LIB_CAPI_ONNXMODEL_H

#include "HamKaas/Frontend/ONNX/ONNX.h"
#include "ModelSource.h"

namespace hamkaas::capi {

/// How a model is imported if it is ONNX.
OnnxImportOptions getOnnxOptions(const ModelSource &source,
                                 mlir::MLIRContext *context);

CompileNotes getNotes(const OnnxSummary &summary);

} // namespace hamkaas::capi

#endif // HAMKAAS_LIB_CAPI_ONNXMODEL_H
