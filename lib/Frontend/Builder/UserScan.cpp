//===- UserScan.cpp - Loops over rows, built call by call -----------------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Dialect/HamKaas/IR/FormatType.h"
#include "HamKaas/Dialect/HamKaas/IR/GraphRules.h"
#include "HamKaas/Dialect/HamKaas/IR/RegionOps.h"
#include "HamKaas/Frontend/Builder/UserGraph.h"
#include "mlir/IR/Verifier.h"

using namespace mlir;
using namespace hamkaas;
using namespace hamkaas::graph;
using llvm::createStringError;
using llvm::Expected;

void UserGraph::beginScan() {
  Scan &scan = scans.emplace_back();
  scan.body = std::make_unique<Block>();
  scan.outside = builder.saveInsertionPoint();
  builder.setInsertionPointToEnd(scan.body.get());
}

void UserGraph::abandonScan() {
  builder.restoreInsertionPoint(scans.back().outside);
  scans.pop_back();
}

Expected<uint32_t> UserGraph::addScanArgument(ScanArgument kind, uint32_t value,
                                              Location location) {
  Scan &scan = scans.back();
  for (unsigned later = unsigned(kind) + 1; later < 3; ++later)
    if (!scan.operands[later].empty())
      return createStringError("expected the values that are handed on first, "
                               "then rows, then whole values");
  auto type = cast<RankedTensorType>(values[value].getType());
  if (kind == ScanArgument::Row) {
    if (type.getRank() == 0)
      return createStringError("expected a tensor that has rows, got one of "
                               "rank 0");
    type = ScanOp::getRowType(type);
  }
  scan.operands[unsigned(kind)].push_back(values[value]);
  return define(scan.body->addArgument(type, location));
}

/// The types of the results: those of `inits`, then `steps` rows of each
/// further value.
static Expected<SmallVector<Type>>
getResultTypes(ValueRange inits, ValueRange yielded, int64_t steps) {
  SmallVector<Type> types(inits.getTypes());
  for (Value row : yielded.drop_front(std::min(inits.size(), yielded.size()))) {
    auto type = cast<RankedTensorType>(row.getType());
    SmallVector<int64_t> shape = {steps};
    llvm::append_range(shape, type.getShape());
    Expected<RankedTensorType> made =
        makeType(shape, type.getElementType(), "result: ");
    if (!made)
      return made.takeError();
    types.push_back(*made);
  }
  return types;
}

Expected<SmallVector<uint32_t>> UserGraph::endScan(int64_t steps,
                                                   bool isReversed,
                                                   ArrayRef<uint32_t> yielded,
                                                   Location location) {
  Scan scan = std::move(scans.back());
  SmallVector<Value> results;
  for (uint32_t value : yielded)
    results.push_back(values[value]);
  YieldOp::create(builder, location, results);
  abandonScan();
  auto types = getResultTypes(scan.operands[0], results, steps);
  if (!types)
    return types.takeError();
  auto op =
      ScanOp::create(builder, location, *types, steps, isReversed,
                     scan.operands[0], scan.operands[1], scan.operands[2]);
  op.getBody().push_back(scan.body.release());
  std::string problem =
      captureErrors(builder.getContext(), [&] { (void)verify(op); });
  if (!problem.empty()) {
    op.erase();
    return createStringError(formatTypesIn(problem));
  }
  return llvm::map_to_vector(op.getResults(),
                             [&](Value result) { return define(result); });
}
