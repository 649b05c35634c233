//===- AccessCalls.cpp - Tell the emulator of accesses ----------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EmulatedCalls.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace hamkaas;
using emulation::AccessKind;

namespace {
/// An access to elements of a memref.
struct MemRefAccess {
  AccessKind kind;
  Value memref;
  ValueRange indices;
  Type type;             ///< Of what is read or written.
  int64_t alignment = 0; ///< 0 for that of an element.
};
} // namespace

static std::optional<MemRefAccess> getMemRefAccess(Operation *op) {
  using Result = std::optional<MemRefAccess>;
  return llvm::TypeSwitch<Operation *, Result>(op)
      .Case([](memref::LoadOp load) {
        return MemRefAccess{emulation::AccessRead, load.getMemRef(),
                            load.getIndices(), load.getType(),
                            int64_t(load.getAlignment().value_or(0))};
      })
      .Case([](memref::StoreOp store) {
        return MemRefAccess{emulation::AccessWrite, store.getMemRef(),
                            store.getIndices(), store.getValue().getType(),
                            int64_t(store.getAlignment().value_or(0))};
      })
      .Case([](memref::AtomicRMWOp atomic) {
        return MemRefAccess{emulation::AccessAtomic, atomic.getMemref(),
                            atomic.getIndices(), atomic.getType()};
      })
      .Case([](memref::GenericAtomicRMWOp atomic) {
        return MemRefAccess{emulation::AccessAtomic, atomic.getMemref(),
                            atomic.getIndices(), atomic.getType()};
      })
      .Case([](vector::LoadOp load) {
        return MemRefAccess{emulation::AccessRead, load.getBase(),
                            load.getIndices(), load.getVectorType(),
                            int64_t(load.getAlignment().value_or(0))};
      })
      .Case([](vector::StoreOp store) {
        return MemRefAccess{emulation::AccessWrite, store.getBase(),
                            store.getIndices(), store.getVectorType(),
                            int64_t(store.getAlignment().value_or(0))};
      })
      .Default([](Operation *) { return Result(); });
}

namespace {
/// An access through a pointer.
struct PointerAccess {
  AccessKind kind;
  Value address;
  Type type;
  int64_t alignment = 0; ///< 0 for that of the type.
};
} // namespace

static std::optional<PointerAccess> getPointerAccess(Operation *op) {
  using Result = std::optional<PointerAccess>;
  return llvm::TypeSwitch<Operation *, Result>(op)
      .Case([](LLVM::LoadOp load) {
        return PointerAccess{emulation::AccessRead, load.getAddr(),
                             load.getType(),
                             int64_t(load.getAlignment().value_or(0))};
      })
      .Case([](LLVM::StoreOp store) {
        return PointerAccess{emulation::AccessWrite, store.getAddr(),
                             store.getValue().getType(),
                             int64_t(store.getAlignment().value_or(0))};
      })
      .Case([](LLVM::AtomicRMWOp atomic) {
        return PointerAccess{emulation::AccessAtomic, atomic.getPtr(),
                             atomic.getType()};
      })
      .Case([](LLVM::AtomicCmpXchgOp atomic) {
        return PointerAccess{emulation::AccessAtomic, atomic.getPtr(),
                             atomic.getVal().getType()};
      })
      .Default([](Operation *) { return Result(); });
}

/// Returns whether `op` accesses memory in a form that the above does not
/// handle, which would remain unchecked.
static bool isUnknownAccess(Operation *op) {
  return isa<vector::TransferReadOp, vector::TransferWriteOp,
             vector::MaskedLoadOp, vector::MaskedStoreOp, vector::GatherOp,
             vector::ScatterOp, memref::CopyOp, LLVM::MemcpyOp>(op);
}

LogicalResult hamkaas::addAccessCalls(ArrayRef<Operation *> ops,
                                      EmulatedCalls &calls) {
  for (Operation *op : ops) {
    if (isUnknownAccess(op))
      return op->emitError("expected an access whose elements are known, got '")
             << op->getName() << "'";
    OpBuilder::InsertionGuard guard(calls.builder);
    calls.builder.setInsertionPoint(op);
    if (std::optional<MemRefAccess> access = getMemRefAccess(op)) {
      int64_t alignment =
          std::max(access->alignment,
                   getElementBytes(getElementTypeOrSelf(access->type)));
      calls.access(op, calls.address(access->memref, access->indices),
                   getElementBytes(access->type), alignment, access->kind);
    } else if (std::optional<PointerAccess> access = getPointerAccess(op)) {
      int64_t bytes = getElementBytes(access->type);
      calls.access(op, access->address, bytes,
                   access->alignment ? access->alignment : bytes, access->kind);
    }
  }
  return success();
}
