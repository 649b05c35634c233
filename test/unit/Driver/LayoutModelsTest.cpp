//===- LayoutModelsTest.cpp - Which operations work in any layout ---------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Dialect/HamKaas/Graph/PermutableOps.h"
#include "HamKaas/Dialect/HamKaas/IR/HamKaas.h"
#include "HamKaas/Driver/Registration.h"
#include "mlir/IR/MLIRContext.h"
#include "gtest/gtest.h"
#include <map>

using namespace mlir;
using namespace hamkaas;

/// Operations that hamkaas-move-layouts does not move permutes through.
static const std::map<std::string, const char *> fixedLayouts = {
    {"hamkaas.argsort", "it sorts the last dimension"},
    {"hamkaas.attention", "its dimensions are heads, rows and columns"},
    {"hamkaas.check_nan", "it is made after layouts are chosen"},
    {"hamkaas.conv", "its kernels want the channels last"},
    {"hamkaas.dequantize_blocks", "rows of bytes are its meaning"},
    {"hamkaas.dequantize_panels", "it is made after layouts are chosen"},
    {"hamkaas.dequantize_rows", "it is made after layouts are chosen"},
    {"hamkaas.flatten_indices", "indices are the rows of its operand"},
    {"hamkaas.iota", "it has no operand"},
    {"hamkaas.matmul", "its dimensions are batches, rows and columns"},
    {"hamkaas.permute", "it is what moves"},
    {"hamkaas.pool", "its kernels want the channels last"},
    {"hamkaas.random_bits", "its operand has no dimension of the result"},
    {"hamkaas.replace_slice", "it writes rows of storage in place"},
    {"hamkaas.reshape", "the order of elements is its meaning"},
    {"hamkaas.scatter", "it writes into storage in place"},
    {"hamkaas.slice", "rows of the first dimension are a view, others a copy"},
    {"hamkaas.winograd_gradient", "it is made after layouts are chosen"},
    {"hamkaas.winograd_input", "it is made after layouts are chosen"},
    {"hamkaas.winograd_output", "it is made after layouts are chosen"},
};

/// Returns whether operations of this name are pointwise for all operands.
static bool isPointwise(RegisteredOperationName name) {
  OperationState state(UnknownLoc::get(name.getContext()), name);
  Operation *op = Operation::create(state);
  bool result = cast<KernelOpInterface>(op).isPointwise();
  op->destroy();
  return result;
}

TEST(LayoutModels, EveryOperationHasOneOrAReason) {
  DialectRegistry registry;
  registerDialects(registry);
  MLIRContext context(registry);
  context.loadDialect<HamKaasDialect>();
  for (RegisteredOperationName name :
       context.getRegisteredOperationsByDialect("hamkaas")) {
    if (!name.hasInterface<KernelOpInterface>())
      continue;
    bool hasModel =
        isPointwise(name) || name.hasInterface<PermutableOpInterface>();
    bool hasReason = fixedLayouts.count(name.getStringRef().str());
    EXPECT_NE(hasModel, hasReason)
        << name.getStringRef().str()
        << (hasModel ? ": has a layout model and a reason for none"
                     : ": attach a PermutableOpInterface in PermutableOps.cpp, "
                       "or say here why there is none");
  }
}
