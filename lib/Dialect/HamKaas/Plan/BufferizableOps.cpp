//===- BufferizableOps.cpp - What operations do with buffers ----*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Dialect/HamKaas/Plan/BufferizableOps.h"
#include "HamKaas/Dialect/HamKaas/IR/EngineOps.h"
#include "HamKaas/Dialect/HamKaas/IR/ProgramOps.h"
#include "mlir/Dialect/Bufferization/IR/DstBufferizableOpInterfaceImpl.h"
#include "mlir/IR/DialectRegistry.h"

using namespace mlir;
using namespace mlir::bufferization;
using namespace hamkaas;

namespace {

/// An operation whose results lie in its inits, the last operands, which it
/// writes in place.
template <typename ConcreteModel, typename ConcreteOp>
struct BufferizeInPlace
    : DstBufferizableOpInterfaceExternalModel<ConcreteModel, ConcreteOp> {
  LogicalResult bufferize(Operation *op, RewriterBase &rewriter,
                          const BufferizationOptions &options,
                          BufferizationState &state) const {
    SmallVector<Value> buffers;
    for (Value operand : op->getOperands()) {
      FailureOr<Value> buffer = getBuffer(rewriter, operand, options, state);
      if (failed(buffer))
        return failure();
      buffers.push_back(*buffer);
    }
    rewriter.setInsertionPoint(op);
    Operation *created = Operation::create(
        op->getLoc(), op->getName(), TypeRange(), buffers,
        op->getDiscardableAttrDictionary(), op->getPropertiesStorage(),
        BlockRange(), /*numRegions=*/0);
    rewriter.insert(created);
    size_t inits = cast<ConcreteOp>(op).getNumDpsInits();
    replaceOpWithBufferizedValues(rewriter, op,
                                  ArrayRef(buffers).take_back(inits));
    return success();
  }
};

struct BufferizeRepeat : BufferizeInPlace<BufferizeRepeat, RepeatOp> {
  /// All rows of an output are written before anything reads them.
  bool bufferizesToMemoryRead(Operation *op, OpOperand &operand,
                              const AnalysisState &) const {
    auto repeat = cast<RepeatOp>(op);
    return !repeat.isDpsInit(&operand) || !repeat.isRow(operand);
  }
};

struct BufferizeEngineCall
    : BufferizeInPlace<BufferizeEngineCall, EngineCallOp> {
  bool bufferizesToMemoryRead(Operation *op, OpOperand &operand,
                              const AnalysisState &) const {
    return !cast<EngineCallOp>(op).isDpsInit(&operand);
  }
};

} // namespace

void hamkaas::registerBufferizableOps(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, HamKaasDialect *) {
    RepeatOp::attachInterface<BufferizeRepeat>(*context);
    EngineCallOp::attachInterface<BufferizeEngineCall>(*context);
  });
}
