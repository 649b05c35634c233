//===- Plugin.cpp - The dialect as a plug-in of mlir-opt --------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Conversion/HamKaasToLinalg/HamKaasToLinalg.h"
#include "HamKaas/Dialect/HamKaas/Graph/Passes.h"
#include "HamKaas/Dialect/HamKaas/Graph/PermutableOps.h"
#include "HamKaas/Dialect/HamKaas/IR/HamKaas.h"
#include "HamKaas/Dialect/HamKaas/Kernels/Passes.h"
#include "HamKaas/Dialect/HamKaas/Plan/Passes.h"
#include "mlir/Tools/Plugins/DialectPlugin.h"
#include "mlir/Tools/Plugins/PassPlugin.h"

using namespace mlir;

extern "C" LLVM_ATTRIBUTE_WEAK DialectPluginLibraryInfo
mlirGetDialectPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "HamKaas", LLVM_VERSION_STRING,
          [](DialectRegistry *registry) {
            registry->insert<hamkaas::HamKaasDialect>();
            hamkaas::registerLinalgLowerings(*registry);
            hamkaas::registerPermutableOps(*registry);
          }};
}

extern "C" LLVM_ATTRIBUTE_WEAK PassPluginLibraryInfo mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "HamKaas", LLVM_VERSION_STRING, [] {
            hamkaas::registerHamKaasGraphPasses();
            hamkaas::registerHamKaasKernelsPasses();
            hamkaas::registerHamKaasPlanPasses();
          }};
}
