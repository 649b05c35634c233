//===- ArgumentFacts.cpp - What the calls of a kernel pass it ---*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ArgumentFacts.h"
#include "HamKaas/Dialect/HamKaas/IR/FusedCalls.h"
#include "HamKaas/Dialect/HamKaas/IR/HamKaas.h"
#include "HamKaas/Dialect/HamKaas/IR/ProgramSignature.h"
#include <numeric>

using namespace mlir;
using namespace hamkaas;

CallFacts::CallFacts(ModuleOp module) {
  module.walk([&](func::CallOp call) {
    // Of a fused kernel, the calls of programs count.
    if (getFusedCalls(call->getParentOfType<func::FuncOp>()).empty())
      calls[call.getCalleeAttr().getAttr()].push_back(call);
  });
}

void CallFacts::add(ArrayRef<func::CallOp> calls, unsigned begin,
                    MutableArrayRef<ArgumentFacts> facts) const {
  for (ArgumentFacts &fact : facts)
    fact = {/*alignment=*/0, /*isApart=*/true};
  for (func::CallOp call : calls) {
    SmallVector<Place> places;
    for (Value operand : call.getOperands().slice(begin, facts.size()))
      places.push_back(getPlace(operand));
    for (auto [i, place] : llvm::enumerate(places)) {
      facts[i].alignment = std::gcd(facts[i].alignment, place.alignment);
      // A kernel writes its last argument.
      if (i + 1 < places.size() && mayShare(place, places.back()))
        facts[i].isApart = facts.back().isApart = false;
    }
  }
  if (!facts.empty())
    facts.back().isWritten = true;
}

SmallVector<ArgumentFacts> CallFacts::get(func::FuncOp kernel) const {
  SmallVector<ArgumentFacts> facts(kernel.getNumArguments());
  auto found = calls.find(kernel.getSymNameAttr());
  if (found == calls.end())
    return facts;
  MutableArrayRef<ArgumentFacts> all = facts;
  ArrayRef<int64_t> counts = getFusedCalls(kernel);
  if (counts.empty())
    add(found->second, 0, all);
  // A fused kernel uses nothing that another one of its launch writes.
  unsigned begin = 0;
  for (int64_t count : counts) {
    add(found->second, begin, all.slice(begin, count));
    begin += count;
  }
  return facts;
}
