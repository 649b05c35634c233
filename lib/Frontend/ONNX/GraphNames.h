//===- GraphNames.h - The builder in the importer's namespace ---*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_FRONTEND_ONNX_GRAPHNAMES_H
#define HAMKAAS_LIB_FRONTEND_ONNX_GRAPHNAMES_H

#include "HamKaas/Frontend/Builder/GraphBuilder.h"

namespace hamkaas::onnx {

/// Operators are written in the vocabulary of the graph builder.
using namespace graph;

} // namespace hamkaas::onnx

#endif // HAMKAAS_LIB_FRONTEND_ONNX_GRAPHNAMES_H
