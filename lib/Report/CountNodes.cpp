//===- CountNodes.cpp - What passes do to nodes -----------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Report/CountNodes.h"
#include "HamKaas/Dialect/HamKaas/IR/HamKaas.h"
#include "mlir/IR/OperationSupport.h"
#include "mlir/Pass/Pass.h"

using namespace mlir;
using namespace hamkaas;

CountNodes::Nodes CountNodes::count(Operation *op) {
  Nodes nodes;
  op->walk([&](KernelOpInterface node) {
    ++nodes[llvm::hash_combine(
        node->getName(), node->getAttrDictionary(),
        llvm::hash_combine_range(node->getOperandTypes()),
        llvm::hash_combine_range(node->getResultTypes()))];
  });
  return nodes;
}

void CountNodes::runBeforePass(Pass *, Operation *op) { before = count(op); }

/// The nodes of `a` that are not among those of `b`.
template <typename Nodes>
static uint64_t countMissing(const Nodes &a, const Nodes &b) {
  uint64_t missing = 0;
  for (auto [node, count] : a) {
    auto found = b.find(node);
    uint64_t other = found == b.end() ? 0 : found->second;
    missing += count - std::min(count, other);
  }
  return missing;
}

void CountNodes::runAfterPass(Pass *pass, Operation *op) {
  StringRef name = pass->getArgument();
  name.consume_front("hamkaas-");
  if (name.starts_with("verify-"))
    return;
  auto info = llvm::find_if(optimizations, [&](const OptimizationInfo &other) {
    return other.name == name;
  });
  if (info == optimizations.end())
    info = optimizations.insert(info, {name.str(), 0, 0});
  Nodes after = count(op);
  info->removed += countMissing(before, after);
  info->added += countMissing(after, before);
}
