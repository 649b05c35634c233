//===- CooperativeGroups.cpp - Warps that work together ---------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CooperativeGroups.h"
#include "HamKaas/CodeGen/GPU/Passes.h"
#include "HamKaas/CodeGen/Kernel/Reduction.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace hamkaas;

static constexpr int64_t maxGroupWarps = 16;

Value hamkaas::allocateShared(KernelBuilder &kernel, ArrayRef<int64_t> shape,
                              Type element) {
  OpBuilder &ir = kernel.ir();
  OpBuilder::InsertionGuard guard(ir);
  ir.setInsertionPointToStart(kernel.arguments().front().getOwner());
  auto space = gpu::AddressSpaceAttr::get(
      ir.getContext(), gpu::GPUDialect::getWorkgroupAddressSpace());
  return memref::AllocaOp::create(
      ir, kernel.loc(),
      MemRefType::get(shape, element, MemRefLayoutAttrInterface(), space));
}

void hamkaas::blockBarrier(KernelBuilder &kernel) {
  gpu::BarrierOp::create(kernel.ir(), kernel.loc());
}

Value hamkaas::isWarpNumber(KernelBuilder &kernel, Value warp, int64_t number) {
  return arith::CmpIOp::create(kernel.ir(), kernel.loc(),
                               arith::CmpIPredicate::eq, warp,
                               kernel.constant(number));
}

int64_t hamkaas::getWantedWarps(const CostModel &costs) {
  return costs.wantedWarps();
}

Value CooperativeGroup::combine(Value warp, Value value,
                                function_ref<Value(Value, Value)> step) const {
  Value shared = allocateShared(kernel, {count}, value.getType());
  OpBuilder &ir = kernel.ir();
  Location loc = kernel.loc();
  memref::StoreOp::create(ir, loc, value, shared, ValueRange(warp));
  blockBarrier(kernel);
  Value total;
  for (int64_t i = 0; i < count; ++i) {
    Value number =
        memref::LoadOp::create(ir, loc, shared, ValueRange(kernel.constant(i)));
    total = total ? step(total, number) : number;
  }
  return total;
}

std::optional<CooperativeGroup> hamkaas::makeRowGroup(KernelBuilder &kernel,
                                                      Value result) {
  linalg::LinalgOp root = findReductionRoot(result);
  SmallVector<unsigned> reduced;
  if (root)
    root.getReductionDims(reduced);
  if (reduced.size() != 1)
    return std::nullopt;
  int64_t extent = root.getStaticLoopRanges()[reduced.front()], rows = 1;
  for (auto [loop, size] : llvm::enumerate(root.getStaticLoopRanges()))
    if (loop != reduced.front())
      rows *= size;
  // Prefer 16-byte vectors per thread, if the row has them.
  const CostModel &costs = kernel.costs();
  int64_t wideLanes = costs.wideLanes();
  int64_t lanes = extent % wideLanes == 0 ? wideLanes : warpSize;
  // A warp pays off from four elements per thread on.
  int64_t minPart = wideLanes;
  int64_t warps = maxGroupWarps;
  while (warps > 1 && (extent % (warps * lanes) || extent < warps * minPart ||
                       (rows * warps > getWantedWarps(costs) &&
                        2 * extent <= warps * costs.keptRowElements())))
    warps /= 2;
  if (warps == 1)
    return std::nullopt;
  return std::optional<CooperativeGroup>(std::in_place, kernel, warps);
}
