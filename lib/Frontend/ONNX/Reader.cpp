//===- Reader.cpp - From the bytes of a file to a model ---------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Dialect/HamKaas/IR/HamKaas.h"
#include "HamKaas/Frontend/ONNX/ONNX.h"
#include "Importer.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MLProgram/IR/MLProgram.h"
#include "mlir/IR/Diagnostics.h"

using namespace mlir;
using namespace hamkaas;
using namespace hamkaas::onnx;

OnnxModel hamkaas::importOnnx(StringRef content, StringRef name,
                              MLIRContext *context,
                              const OnnxImportOptions &options) {
  context->loadDialect<HamKaasDialect, arith::ArithDialect, func::FuncDialect,
                       ml_program::MLProgramDialect>();
  OnnxModel result;
  Diagnostics diagnostics(FileLineColLoc::get(context, name, 0, 0));
  std::unique_ptr<ModelProto> model = readModel(content, diagnostics);
  if (!model) {
    diagnostics.reportFailure();
    diagnostics.emitErrors(Certainty::Open);
    result.summary.failure = OnnxFailure::Invalid;
    return result;
  }
  auto parameters = std::make_shared<ParameterContents>();
  Importer importer(*model, name, context, options, *parameters,
                    result.summary);
  result.module = importer.run();
  if (options.training == OnnxTraining::Step)
    result.updates = importer.getUpdates();
  result.parameters = std::move(parameters);
  return result;
}
