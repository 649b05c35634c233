//===- JoinedCalls.cpp - Several calls as one -------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "JoinedCalls.h"

#include "HamKaas/Dialect/HamKaas/IR/FusedCalls.h"
#include "HamKaas/Dialect/HamKaas/IR/Knobs.h"
#include "HamKaas/Dialect/HamKaas/IR/Locations.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace hamkaas;

int64_t hamkaas::getTiles(func::FuncOp kernel) {
  auto tiles =
      kernel->getAttrOfType<IntegerAttr>(HamKaasDialect::tilesAttrName);
  return tiles ? tiles.getInt() : 0;
}

scf::ForOp hamkaas::findTileLoop(func::FuncOp kernel) {
  Operation *last = kernel.getBody().front().getTerminator()->getPrevNode();
  auto loop = dyn_cast_or_null<scf::ForOp>(last);
  bool isAlone = loop && loop->hasAttr(HamKaasDialect::tileLoopAttrName) &&
                 loop.getNumResults() == 0;
  return isAlone ? loop : scf::ForOp();
}

static bool isRecomputed(func::CallOp call) {
  return call->hasAttr(HamKaasDialect::recomputedAttrName);
}

bool hamkaas::areReportedAlike(func::CallOp a, func::CallOp b) {
  return isRecomputed(a) == isRecomputed(b) &&
         isOfGradient(a->getLoc()) == isOfGradient(b->getLoc());
}

SmallVector<BufferAttr> hamkaas::getBuffers(func::FuncOp program) {
  auto entries =
      program->getAttrOfType<ArrayAttr>(HamKaasDialect::buffersAttrName);
  return llvm::to_vector(entries.getAsRange<BufferAttr>());
}

bool hamkaas::keepsBuffersApart(ArrayRef<BufferAttr> buffers, int64_t first,
                                int64_t last) {
  SmallVector<BufferAttr> used;
  llvm::copy_if(buffers, std::back_inserter(used), [&](BufferAttr buffer) {
    return buffer.getFirst() <= last && buffer.getLast() >= first;
  });
  llvm::sort(used, [](BufferAttr a, BufferAttr b) {
    return a.getOffset() < b.getOffset();
  });
  for (auto [i, a] : llvm::enumerate(used))
    for (BufferAttr b : ArrayRef(used).drop_front(i + 1)) {
      if (a.getOffset() + a.getBytes() <= b.getOffset())
        break;
      if (a.getOffset() != b.getOffset() || a.getBytes() != b.getBytes())
        return false;
    }
  return true;
}

void hamkaas::renumberBuffers(func::FuncOp program,
                              ArrayRef<BufferAttr> buffers,
                              ArrayRef<int64_t> newSteps) {
  SmallVector<Attribute> entries;
  // A buffer that no step uses may lie behind the last one.
  auto renumber = [&](int64_t step) {
    int64_t steps = newSteps.size();
    return step < steps ? newSteps[step] : newSteps.back() + 1 + (step - steps);
  };
  for (BufferAttr buffer : buffers)
    entries.push_back(BufferAttr::get(
        program.getContext(), buffer.getOffset(), buffer.getBytes(),
        renumber(buffer.getFirst()), renumber(buffer.getLast())));
  program->setAttr(HamKaasDialect::buffersAttrName,
                   ArrayAttr::get(program.getContext(), entries));
}

std::pair<func::FuncOp, scf::ForOp>
hamkaas::createJoinedKernel(ArrayRef<func::FuncOp> kernels, int64_t tiles) {
  std::string name;
  SmallVector<Type> types;
  SmallVector<int64_t> counts;
  SmallVector<Location> locations;
  for (func::FuncOp kernel : kernels) {
    name += (name.empty() ? "" : "_") + kernel.getSymName().str();
    llvm::append_range(types, kernel.getArgumentTypes());
    counts.push_back(kernel.getNumArguments());
    locations.push_back(kernel.getLoc());
  }
  func::FuncOp first = kernels.front();
  OpBuilder builder(first.getContext());
  Location loc = builder.getFusedLoc(locations);
  auto joined = func::FuncOp::create(builder, loc, name,
                                     builder.getFunctionType(types, {}));
  joined.setPrivate();
  joined->setAttr(fusedCallsAttrName, builder.getDenseI64ArrayAttr(counts));
  joined->setAttr(HamKaasDialect::kernelAttrName,
                  first->getAttr(HamKaasDialect::kernelAttrName));
  joined->setAttr(HamKaasDialect::tilesAttrName,
                  builder.getI64IntegerAttr(tiles));
  setKnobs(joined, getKnobs(first));
  builder.setInsertionPointToStart(joined.addEntryBlock());
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(builder, loc, value);
  };
  Value begin = constant(0), end = constant(tiles);
  auto loop = scf::ForOp::create(builder, loc, begin, end, constant(1));
  loop->setAttr(HamKaasDialect::tileLoopAttrName, builder.getUnitAttr());
  func::ReturnOp::create(builder, loc);
  return {joined, loop};
}

void hamkaas::joinCalls(ArrayRef<func::CallOp> calls, func::FuncOp kernel) {
  SmallVector<Value> operands;
  SmallVector<Location> locations;
  std::string ops;
  int64_t flops = 0;
  for (func::CallOp call : calls) {
    llvm::append_range(operands, call.getOperands());
    locations.push_back(call->getLoc());
    auto name = call->getAttrOfType<StringAttr>(HamKaasDialect::opsAttrName);
    ops += (ops.empty() ? "" : " | ") +
           (name ? name.str() : call.getCallee().str());
    if (auto count =
            call->getAttrOfType<IntegerAttr>(HamKaasDialect::flopsAttrName))
      flops = addCounts(flops, count.getInt());
  }
  OpBuilder builder(calls.back());
  auto joined = func::CallOp::create(builder, builder.getFusedLoc(locations),
                                     kernel, operands);
  joined->setAttr(HamKaasDialect::opsAttrName, builder.getStringAttr(ops));
  joined->setAttr(HamKaasDialect::flopsAttrName,
                  builder.getI64IntegerAttr(flops));
  if (isRecomputed(calls.front()))
    joined->setAttr(HamKaasDialect::recomputedAttrName, builder.getUnitAttr());
  for (func::CallOp call : calls)
    call->erase();
}
