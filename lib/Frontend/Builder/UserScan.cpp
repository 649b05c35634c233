//===- UserScan.cpp - Loops over rows, built call by call -----------------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Dialect/HamKaas/IR/ConstantOps.h"
#include "HamKaas/Dialect/HamKaas/IR/FormatType.h"
#include "HamKaas/Dialect/HamKaas/IR/GraphRules.h"
#include "HamKaas/Dialect/HamKaas/IR/RegionOps.h"
#include "HamKaas/Frontend/Builder/UserGraph.h"
#include "HamKaas/Support/VisibleText.h"
#include "mlir/IR/Verifier.h"

using namespace mlir;
using namespace hamkaas;
using namespace hamkaas::graph;
using llvm::createStringError;
using llvm::Error;
using llvm::Expected;

void UserGraph::beginScan(int64_t steps, bool isReversed, Location location) {
  scans.push_back({std::make_unique<Block>(), steps, isReversed, location,
                   builder.saveInsertionPoint(), valueCount()});
  builder.setInsertionPointToEnd(scans.back().body.get());
}

UserGraph::Scan UserGraph::leaveScan() {
  Scan scan = std::move(scans.back());
  scans.pop_back();
  std::fill(values.begin() + scan.firstValue, values.end(), Value());
  builder.restoreInsertionPoint(scan.outside);
  return scan;
}

void UserGraph::abandonScan() { leaveScan(); }

Error UserGraph::checkOutsideScans(StringRef next) const {
  if (scans.empty())
    return Error::success();
  auto file = scans.back().location->findInstanceOf<FileLineColLoc>();
  std::string place =
      file ? (" at " + makeVisible(file.getFilename().getValue()) + ":" +
              Twine(file.getLine()))
                 .str()
           : "";
  return createStringError("expected the loop that began" + place +
                           " to end before " + next);
}

//===----------------------------------------------------------------------===//
// Values from outside
//===----------------------------------------------------------------------===//

Expected<uint32_t> UserGraph::addScanArgument(ScanArgument kind, uint32_t value,
                                              Location location) {
  Scan &scan = scans.back();
  for (unsigned later = unsigned(kind) + 1; later < 3; ++later)
    if (!scan.operands[later].empty())
      return createStringError("expected the values that are handed on first, "
                               "then rows, then whole values");
  Value operand = capture(value, scans.size() - 1);
  auto type = cast<RankedTensorType>(operand.getType());
  if (kind == ScanArgument::Row) {
    if (type.getRank() == 0 || type.getDimSize(0) != scan.steps)
      return createStringError("expected a tensor of " + Twine(scan.steps) +
                               " rows, got " + formatType(type));
    type = ScanOp::getRowType(type);
  }
  scan.operands[unsigned(kind)].push_back(operand);
  return define(scan.body->addArgument(type, location));
}

/// A number is copied, because it becomes part of a kernel's code.
Value UserGraph::capture(Scan &scan, Value outside) {
  Value &inside = scan.captured[outside];
  if (inside)
    return inside;
  auto constant = outside.getDefiningOp<ConstantOp>();
  if (constant && constant.getValue().isSplat()) {
    OpBuilder begin(outside.getContext());
    begin.setInsertionPointToStart(scan.body.get());
    return inside = begin.clone(*constant.getOperation())->getResult(0);
  }
  scan.operands[unsigned(ScanArgument::Value)].push_back(outside);
  return inside = scan.body->addArgument(outside.getType(), outside.getLoc());
}

Value UserGraph::capture(uint32_t number, size_t depth) {
  Value value = values[number];
  auto around = llvm::find_if(scans, [&](const Scan &scan) {
    return scan.body.get() == value.getParentBlock();
  });
  size_t inner = around == scans.end() ? 0 : around - scans.begin() + 1;
  for (; inner < depth; ++inner)
    value = capture(scans[inner], value);
  return value;
}

//===----------------------------------------------------------------------===//
// The end
//===----------------------------------------------------------------------===//

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

Expected<SmallVector<uint32_t>> UserGraph::endScan(ArrayRef<uint32_t> yielded,
                                                   Location location) {
  SmallVector<Value> results = llvm::map_to_vector(
      yielded, [&](uint32_t value) { return capture(value); });
  Scan &scan = scans.back();
  auto types = getResultTypes(scan.operands[0], results, scan.steps);
  if (!types)
    return types.takeError();
  Operation *yield = YieldOp::create(builder, location, results);
  OpBuilder outside(builder.getContext());
  outside.restoreInsertionPoint(scan.outside);
  auto op =
      ScanOp::create(outside, location, *types, scan.steps, scan.isReversed,
                     scan.operands[0], scan.operands[1], scan.operands[2]);
  op.getBody().push_back(scan.body.release());
  std::string problem =
      captureErrors(builder.getContext(), [&] { (void)verify(op); });
  if (!problem.empty()) {
    yield->erase();
    scan.body.reset(op.getBody().getBlocks().remove(op.getBody().begin()));
    op.erase();
    return createStringError(formatTypesIn(problem));
  }
  bool hasCaptured = !scan.captured.empty();
  leaveScan();
  // Operations that were wrong may have left some.
  if (hasCaptured)
    op.dropUnusedValues();
  return llvm::map_to_vector(op.getResults(),
                             [&](Value result) { return define(result); });
}
