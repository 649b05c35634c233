//===- BufferizableOps.cpp - What operations do with buffers ----*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Dialect/HamKaas/Plan/BufferizableOps.h"
#include "HamKaas/Dialect/HamKaas/IR/ProgramOps.h"
#include "mlir/Dialect/Bufferization/IR/DstBufferizableOpInterfaceImpl.h"
#include "mlir/IR/DialectRegistry.h"

using namespace mlir;
using namespace mlir::bufferization;
using namespace hamkaas;

namespace {

/// Its results lie in `carried` and `outputs`, which it writes in place.
struct BufferizeRepeat
    : DstBufferizableOpInterfaceExternalModel<BufferizeRepeat, RepeatOp> {
  /// All rows of an output are written before anything reads them.
  bool bufferizesToMemoryRead(Operation *op, OpOperand &operand,
                              const AnalysisState &) const {
    auto repeat = cast<RepeatOp>(op);
    return !repeat.isDpsInit(&operand) || !repeat.isRow(operand);
  }

  LogicalResult bufferize(Operation *op, RewriterBase &rewriter,
                          const BufferizationOptions &options,
                          BufferizationState &state) const {
    auto repeat = cast<RepeatOp>(op);
    SmallVector<Value> buffers;
    for (Value operand : repeat->getOperands()) {
      FailureOr<Value> buffer = getBuffer(rewriter, operand, options, state);
      if (failed(buffer))
        return failure();
      buffers.push_back(*buffer);
    }
    rewriter.setInsertionPoint(repeat);
    Operation *created = Operation::create(
        repeat.getLoc(), repeat->getName(), TypeRange(), buffers,
        repeat->getDiscardableAttrDictionary(), repeat->getPropertiesStorage(),
        BlockRange(), /*numRegions=*/0);
    rewriter.insert(created);
    size_t inits = repeat.getNumDpsInits();
    replaceOpWithBufferizedValues(rewriter, repeat,
                                  ArrayRef(buffers).take_back(inits));
    return success();
  }
};

} // namespace

void hamkaas::registerBufferizableOps(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, HamKaasDialect *) {
    RepeatOp::attachInterface<BufferizeRepeat>(*context);
  });
}
