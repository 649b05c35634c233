//===- VerifyPlanned.cpp - Checks the form PLANNED --------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Dialect/HamKaas/IR/ProgramOps.h"
#include "HamKaas/Dialect/HamKaas/Plan/Passes.h"
#include "ProgramBuffers.h"
#include "HamKaas/Dialect/HamKaas/Kernels/ProgramFunctions.h"
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

/// An entry of `hamkaas.buffers`.
struct PlannedBuffer {
  int64_t bytes, first, last, offset;
};

/// Checks `@main` or `@prepare`.
class ProgramVerifier {
public:
  ProgramVerifier(func::FuncOp program, const SymbolTable &symbols)
      : program(program), symbols(symbols) {}

  LogicalResult verify(ArrayRef<StringRef> tables, ArrayRef<StringRef> regions);

private:
  LogicalResult verifyArgument(unsigned argument, ArrayRef<StringRef> tables,
                               ArrayRef<StringRef> regions);
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
  SmallVector<PlannedBuffer> buffers;
  size_t nextBuffer = 0;
  int64_t step = 0;
  /// The buffers in use, by offset.
  std::map<int64_t, PlannedBuffer> inUse;
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

LogicalResult ProgramVerifier::verifyArgument(unsigned argument,
                                              ArrayRef<StringRef> tables,
                                              ArrayRef<StringRef> regions) {
  auto emit = [&]() {
    return program.emitError("expected argument ")
           << argument << " of @" << program.getSymName() << " ";
  };
  std::optional<int64_t> bytes =
      getRegionBytes(program.getArgumentTypes()[argument]);
  if (!bytes)
    return emit() << "to be bytes, got "
                  << program.getArgumentTypes()[argument];
  auto region = program.getArgAttrOfType<StringAttr>(
      argument, HamKaasDialect::regionAttrName);
  if (region && llvm::is_contained(regions, region.getValue()))
    return success();
  if (!region || !llvm::is_contained(tables, region.getValue()))
    return emit() << "to be of a region of this function";
  auto type = program.getArgAttrOfType<TypeAttr>(argument,
                                                 HamKaasDialect::typeAttrName);
  if (!type || !program.getArgAttr(argument, HamKaasDialect::nameAttrName))
    return emit() << "to have a name and a type";
  auto tensor = dyn_cast<RankedTensorType>(type.getValue());
  if (!tensor || !tensor.hasStaticShape() || getByteCount(tensor) != *bytes)
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
  for (Attribute entry : entries) {
    auto fields = dyn_cast<DictionaryAttr>(entry);
    PlannedBuffer buffer{-1, -1, -1, -1};
    auto read = [&](StringRef name, int64_t &value) {
      if (auto number = fields ? fields.getAs<IntegerAttr>(name) : nullptr)
        value = number.getInt();
    };
    read("bytes", buffer.bytes);
    read("first", buffer.first);
    read("last", buffer.last);
    read("offset", buffer.offset);
    int64_t size = *getRegionBytes(workspace.getType());
    if (buffer.bytes < 0 || buffer.offset < 0 || buffer.first < 0 ||
        buffer.last < buffer.first || buffer.bytes > size ||
        buffer.offset > size - buffer.bytes)
      return program.emitError("expected a buffer within the workspace of ")
             << size << " bytes, got " << entry;
    if (buffer.bytes > 0)
      buffers.push_back(buffer);
  }
  llvm::sort(buffers, [](const PlannedBuffer &a, const PlannedBuffer &b) {
    return std::tuple(a.first, a.offset, a.last) <
           std::tuple(b.first, b.offset, b.last);
  });
  return success();
}

LogicalResult ProgramVerifier::verify(ArrayRef<StringRef> tables,
                                      ArrayRef<StringRef> regions) {
  if (failed(verifyStraightLine(program)))
    return failure();
  if (program.getNumResults() != 0 || program.getNumArguments() == 0)
    return program.emitError("expected @")
           << program.getSymName() << " to have arguments and no results";
  for (unsigned i = 0; i < program.getNumArguments(); ++i)
    if (failed(verifyArgument(i, tables, regions)))
      return failure();
  workspace = program.getArguments().back();
  if (getRegion(program, workspace.getArgNumber()) != "workspace")
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

/// Enters the buffers that `step` uses first.
LogicalResult ProgramVerifier::startBuffers() {
  for (; nextBuffer < buffers.size() && buffers[nextBuffer].first <= step;
       ++nextBuffer) {
    const PlannedBuffer &buffer = buffers[nextBuffer];
    int64_t end = buffer.offset + buffer.bytes;
    // Buffers in the map are disjoint, those that are dead included: these are
    // removed once their place is taken.
    auto other = inUse.lower_bound(end);
    while (other != inUse.begin()) {
      const PlannedBuffer &old = std::prev(other)->second;
      if (old.offset + old.bytes <= buffer.offset)
        break;
      bool isReplaced = old.last == buffer.first && old.offset == buffer.offset;
      if (old.last >= buffer.first && !isReplaced)
        return program.emitError("expected buffers in use at step ")
               << buffer.first << " not to overlap, got offsets " << old.offset
               << " and " << buffer.offset;
      other = inUse.erase(std::prev(other));
    }
    inUse.emplace(buffer.offset, buffer);
  }
  return success();
}

LogicalResult ProgramVerifier::verifyOp(Operation &op) {
  if (auto view = dyn_cast<memref::ViewOp>(op))
    return verifyView(view);
  if (isa<func::CallOp, RepeatOp, memref::CopyOp>(op))
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
                 kernel->hasAttr(HamKaasDialect::deviceKernelAttrName) ||
                 kernel->hasAttr(HamKaasDialect::deviceMatmulAttrName));
  if (hasBody && kernel.getNumResults() == 0 &&
      kernel->hasAttrOfType<KernelAttr>(HamKaasDialect::kernelAttrName))
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
  if (next == inUse.begin() || std::prev(next)->second.last < step ||
      offset + bytes >
          std::prev(next)->second.offset + std::prev(next)->second.bytes)
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
    FailureOr<func::FuncOp> main = findMain(getOperation());
    if (failed(main) ||
        failed(ProgramVerifier(*main, symbols)
                   .verify({"input", "output"},
                           {"constants", "state", "workspace"})))
      return signalPassFailure();
    for (auto loop : getOperation().getOps<func::FuncOp>())
      if (loop->hasAttr(HamKaasDialect::loopAttrName) &&
          failed(ProgramVerifier(loop, symbols)
                     .verify({"input", "state", "output"}, {"workspace"})))
        return signalPassFailure();
    auto prepare = symbols.lookup<func::FuncOp>("prepare");
    if (prepare &&
        failed(ProgramVerifier(prepare, symbols)
                   .verify({"parameter"}, {"constants", "workspace"})))
      return signalPassFailure();
  }
};

} // namespace
