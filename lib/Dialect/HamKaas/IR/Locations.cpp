//===- Locations.cpp - Where results come from ------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Dialect/HamKaas/IR/Locations.h"

using namespace mlir;

Location hamkaas::fuseLocations(ArrayRef<Location> locations) {
  // All those of a chain of thousands would take quadratic time.
  constexpr size_t maxLocations = 32;
  SmallVector<Location> first;
  for (Location location : locations) {
    auto fused = dyn_cast<FusedLoc>(location);
    bool hasParts = fused && !fused.getMetadata();
    ArrayRef<Location> parts = hasParts ? fused.getLocations() : location;
    llvm::append_range(first, parts.take_front(maxLocations - first.size()));
  }
  return FusedLoc::get(locations.front().getContext(), first);
}

Location hamkaas::fuseLocations(Operation *a, Operation *b) {
  return fuseLocations({a->getLoc(), b->getLoc()});
}

static StringAttr getGradientMark(MLIRContext *context) {
  return StringAttr::get(context, "gradient");
}

Location hamkaas::markGradient(Location location) {
  MLIRContext *context = location.getContext();
  return FusedLoc::get(context, location, getGradientMark(context));
}

bool hamkaas::isOfGradient(Location location) {
  StringAttr mark = getGradientMark(location.getContext());
  return location
      ->walk([&](Location part) {
        auto fused = dyn_cast<FusedLoc>(part);
        return fused && fused.getMetadata() == mark ? WalkResult::interrupt()
                                                    : WalkResult::advance();
      })
      .wasInterrupted();
}
