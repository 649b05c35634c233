//===- VerifyPlanned.cpp - Checks the form PLANNED --------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Dialect/HamKaas/IR/ProgramOps.h"
#include "HamKaas/Dialect/HamKaas/IR/ProgramSignature.h"
#include "HamKaas/Dialect/HamKaas/IR/ProgramSymbols.h"
#include "HamKaas/Dialect/HamKaas/Kernels/ProgramFunctions.h"
#include "HamKaas/Dialect/HamKaas/Plan/Passes.h"
#include "ProgramBuffers.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"
#include <map>

namespace hamkaas {
#define GEN_PASS_DEF_VERIFYPLANNED
#include "HamKaas/Dialect/HamKaas/Plan/Passes.h.inc"
} // namespace hamkaas

using namespace mlir;
using namespace hamkaas;

namespace {

/// Checks an entry function, `@prepare` or the body of a loop.
class ProgramVerifier {
public:
  ProgramVerifier(func::FuncOp program, const SymbolTable &symbols)
      : program(program), symbols(symbols) {}

  LogicalResult verify();

private:
  LogicalResult verifyArgument(unsigned argument);
  LogicalResult readBuffers();
  LogicalResult startBuffers();
  LogicalResult verifyOp(Operation &op);
  LogicalResult verifyView(memref::ViewOp view) const;
  LogicalResult verifyGlobal(memref::GetGlobalOp get) const;
  LogicalResult verifyStep(Operation &op);
  LogicalResult verifyCallee(func::CallOp call) const;
  LogicalResult verifyCallee(RepeatOp repeat) const;
  LogicalResult verifyOperand(Operation &op, Value operand) const;

  func::FuncOp program;
  const SymbolTable &symbols;
  BlockArgument workspace;
  /// By ascending first step.
  SmallVector<BufferAttr> buffers;
  size_t nextBuffer = 0;
  int64_t step = 0;
  /// The buffers in use, by offset.
  std::map<int64_t, BufferAttr> inUse;
};

} // namespace

//===----------------------------------------------------------------------===//
// Signature and attributes
//===----------------------------------------------------------------------===//

/// The number of bytes of a region, or nothing if `type` is not one's.
static std::optional<int64_t> getRegionBytes(Type type) {
  auto memref = dyn_cast<MemRefType>(type);
  if (!memref || memref.getRank() != 1 || !memref.hasStaticShape() ||
      !memref.getLayout().isIdentity() || !memref.getElementType().isInteger(8))
    return std::nullopt;
  return memref.getDimSize(0);
}

LogicalResult ProgramVerifier::verifyArgument(unsigned argument) {
  auto emit = [&]() {
    return program.emitError("expected argument ")
           << argument << " of @" << program.getSymName() << " ";
  };
  std::optional<int64_t> bytes =
      getRegionBytes(program.getArgumentTypes()[argument]);
  if (!bytes)
    return emit() << "to be bytes, got "
                  << program.getArgumentTypes()[argument];
  std::optional<MemoryRegion> region = getRegion(program, argument);
  if (!region)
    return emit() << "to have a region";
  if (!getProgramSignature(program)->hasTable(*region))
    return success();
  auto type = program.getArgAttrOfType<TypeAttr>(argument,
                                                 HamKaasDialect::typeAttrName);
  if (!type || !program.getArgAttr(argument, HamKaasDialect::nameAttrName))
    return emit() << "to have a name and a type";
  if (getByteCount(type.getValue()) != *bytes)
    return emit() << "to hold " << type.getValue() << ", got " << *bytes
                  << " bytes";
  return success();
}

LogicalResult ProgramVerifier::readBuffers() {
  auto entries =
      program->getAttrOfType<ArrayAttr>(HamKaasDialect::buffersAttrName);
  if (!entries ||
      !program->hasAttrOfType<IntegerAttr>(HamKaasDialect::lowerBoundAttrName))
    return program.emitError("expected @")
           << program.getSymName() << " to have the attributes '"
           << HamKaasDialect::buffersAttrName << "' and '"
           << HamKaasDialect::lowerBoundAttrName << "'";
  int64_t size = *getRegionBytes(workspace.getType());
  for (auto buffer : entries.getAsRange<BufferAttr>()) {
    if (buffer.getBytes() > size ||
        buffer.getOffset() > size - buffer.getBytes())
      return program.emitError("expected a buffer within the workspace of ")
             << size << " bytes, got " << buffer;
    if (buffer.getBytes() > 0)
      buffers.push_back(buffer);
  }
  llvm::sort(buffers, [](BufferAttr a, BufferAttr b) {
    return std::tuple(a.getFirst(), a.getOffset(), a.getLast()) <
           std::tuple(b.getFirst(), b.getOffset(), b.getLast());
  });
  return success();
}

LogicalResult ProgramVerifier::verify() {
  if (failed(verifyStraightLine(program)))
    return failure();
  if (program.getNumResults() != 0 || program.getNumArguments() == 0)
    return program.emitError("expected @")
           << program.getSymName() << " to have arguments and no results";
  for (unsigned i = 0; i < program.getNumArguments(); ++i)
    if (failed(verifyArgument(i)))
      return failure();
  workspace = program.getArguments().back();
  if (getRegion(workspace) != MemoryRegion::Workspace)
    return program.emitError("expected the last argument of @")
           << program.getSymName() << " to be the workspace";
  if (failed(readBuffers()))
    return failure();
  for (Operation &op : program.getBody().front())
    if (failed(verifyOp(op)))
      return failure();
  return success();
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

/// Adds the buffers that `step` uses first.
LogicalResult ProgramVerifier::startBuffers() {
  for (; nextBuffer < buffers.size() && buffers[nextBuffer].getFirst() <= step;
       ++nextBuffer) {
    BufferAttr buffer = buffers[nextBuffer];
    int64_t offset = buffer.getOffset(), end = offset + buffer.getBytes();
    // Buffers in the map are disjoint, those that are dead included: these are
    // removed once their place is taken.
    auto other = inUse.lower_bound(end);
    while (other != inUse.begin()) {
      BufferAttr old = std::prev(other)->second;
      if (old.getOffset() + old.getBytes() <= offset)
        break;
      bool isReplaced =
          old.getLast() == buffer.getFirst() && old.getOffset() == offset;
      if (old.getLast() >= buffer.getFirst() && !isReplaced)
        return program.emitError("expected buffers in use at step ")
               << buffer.getFirst() << " not to overlap, got offsets "
               << old.getOffset() << " and " << offset;
      other = inUse.erase(std::prev(other));
    }
    inUse.emplace(offset, buffer);
  }
  return success();
}

LogicalResult ProgramVerifier::verifyOp(Operation &op) {
  if (auto view = dyn_cast<memref::ViewOp>(op))
    return verifyView(view);
  if (isStep(&op))
    return verifyStep(op);
  if (auto get = dyn_cast<memref::GetGlobalOp>(op))
    return verifyGlobal(get);
  if (isa<func::ReturnOp>(op) || matchPattern(&op, m_Constant()))
    return success();
  return op.emitError("expected a call of a kernel, a loop, a copy or a view "
                      "of a region, "
                      "got ")
         << op.getName();
}

LogicalResult ProgramVerifier::verifyView(memref::ViewOp view) const {
  APInt shift;
  std::optional<int64_t> bytes = getBufferBytes(view.getType());
  if (!isa<BlockArgument>(view.getSource()) || !bytes ||
      !view.getType().getLayout().isIdentity() ||
      !matchPattern(view.getByteShift(), m_ConstantInt(&shift)))
    return view.emitError("expected a dense view of a region at a constant "
                          "offset");
  int64_t offset = shift.getSExtValue();
  int64_t region = *getRegionBytes(view.getSource().getType());
  if (offset < 0 || *bytes > region || offset > region - *bytes)
    return view.emitError("expected a view within the region of ")
           << region << " bytes, got offset " << offset << " and " << *bytes
           << " bytes";
  int64_t elementBytes = view.getType().getElementTypeBitWidth() / 8;
  if (offset % elementBytes != 0)
    return view.emitError("expected an offset that is a multiple of ")
           << elementBytes << ", got " << offset;
  return success();
}

LogicalResult ProgramVerifier::verifyGlobal(memref::GetGlobalOp get) const {
  auto global = symbols.lookup<memref::GlobalOp>(get.getName());
  auto value = global ? global.getInitialValue() : std::nullopt;
  if (!value || !isa<DenseElementsAttr>(*value) ||
      !global.getType().getLayout().isIdentity())
    return get.emitError("expected @")
           << get.getName() << " to be a dense global with its elements";
  return success();
}

LogicalResult ProgramVerifier::verifyStep(Operation &op) {
  if (failed(startBuffers()))
    return failure();
  auto call = dyn_cast<func::CallOp>(op);
  auto repeat = dyn_cast<RepeatOp>(op);
  if ((call && failed(verifyCallee(call))) ||
      (repeat && failed(verifyCallee(repeat))))
    return failure();
  for (Value operand : op.getOperands())
    if (failed(verifyOperand(op, operand)))
      return failure();
  ++step;
  return success();
}

LogicalResult ProgramVerifier::verifyCallee(func::CallOp call) const {
  auto kernel = symbols.lookup<func::FuncOp>(call.getCallee());
  // The body of a kernel may be in the code for a device already.
  bool hasBody =
      kernel && (!kernel.isExternal() ||
                 kernel->hasAttr(HamKaasDialect::deviceKernelAttrName));
  if (hasBody && kernel.getNumResults() == 0 &&
      kernel->hasAttr(HamKaasDialect::kernelAttrName))
    return success();
  return call.emitError("expected @")
         << call.getCallee() << " to be a kernel without results";
}

LogicalResult ProgramVerifier::verifyCallee(RepeatOp repeat) const {
  auto loop = symbols.lookup<func::FuncOp>(repeat.getCallee());
  if (!loop || !loop->hasAttr(HamKaasDialect::loopAttrName))
    return repeat.emitError("expected @")
           << repeat.getCallee() << " to be the body of a loop";
  for (OpOperand &operand : repeat->getOpOperands()) {
    unsigned i = operand.getOperandNumber();
    std::optional<int64_t> bytes =
        getBufferBytes(cast<MemRefType>(operand.get().getType()));
    std::optional<int64_t> expected =
        getRegionBytes(loop.getArgumentTypes()[i]);
    if (bytes && repeat.isRow(operand))
      *bytes /= repeat.getSteps();
    if (!bytes || bytes != expected)
      return repeat.emitError("expected operand ")
             << i << " to have the size of argument " << i << " of @"
             << repeat.getCallee() << ", got " << operand.get().getType();
  }
  return success();
}

LogicalResult ProgramVerifier::verifyOperand(Operation &op,
                                             Value operand) const {
  if (operand.getDefiningOp<memref::GetGlobalOp>())
    return success();
  auto view = operand.getDefiningOp<memref::ViewOp>();
  if (!view)
    return op.emitError("expected the operands to be views of regions");
  if (view.getSource() != workspace)
    return success();
  APInt shift;
  matchPattern(view.getByteShift(), m_ConstantInt(&shift));
  int64_t offset = shift.getSExtValue(),
          bytes = *getBufferBytes(view.getType());
  auto next = inUse.upper_bound(offset);
  if (bytes == 0)
    return success();
  BufferAttr buffer =
      next == inUse.begin() ? BufferAttr() : std::prev(next)->second;
  if (!buffer || buffer.getLast() < step ||
      offset + bytes > buffer.getOffset() + buffer.getBytes())
    return op.emitError("expected bytes ")
           << offset << " to " << offset + bytes
           << " of the workspace to lie in a buffer in use at step " << step;
  return success();
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {

struct VerifyPlanned : hamkaas::impl::VerifyPlannedBase<VerifyPlanned> {
  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    auto entries = findEntryFunctions(getOperation());
    if (failed(entries))
      return signalPassFailure();
    auto prepare = symbols.lookup<func::FuncOp>(prepareName);
    for (auto program : getOperation().getOps<func::FuncOp>())
      if (getProgramSignature(program) &&
          failed(ProgramVerifier(program, symbols).verify()))
        return signalPassFailure();
    for (func::FuncOp entry : *entries)
      if (failed(verifyCallIndices(entry, symbols)))
        return signalPassFailure();
    if (prepare && failed(verifyCallIndices(prepare, symbols)))
      return signalPassFailure();
  }

private:
  /// Checks that the calls of a run are numbered from 0 in order. A loop that
  /// is repeated at two places would need two numbers per call.
  static LogicalResult verifyCallIndices(func::FuncOp program,
                                         const SymbolTable &symbols) {
    int64_t next = 0;
    return forEachCall(program, symbols, [&](func::CallOp call) {
      auto index =
          call->getAttrOfType<IntegerAttr>(HamKaasDialect::callIndexAttrName);
      if (index && index.getInt() == next) {
        ++next;
        return success();
      }
      InFlightDiagnostic diagnostic = call.emitError("expected ")
                                      << HamKaasDialect::callIndexAttrName
                                      << " " << next << " on this call, got ";
      if (index)
        return LogicalResult(diagnostic << index.getInt());
      return LogicalResult(diagnostic << "none");
    });
  }
};

} // namespace
