//===- FindRepacked.cpp - Parameters that constants hold twice ------------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FindRepacked.h"
#include "HamKaas/Dialect/HamKaas/IR/HamKaas.h"
#include "HamKaas/Dialect/HamKaas/IR/ProgramSignature.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include <map>

using namespace mlir;
using namespace hamkaas;

/// In bytes. The others, such as biases, would only hide them.
static constexpr uint64_t leastParameterBytes = 4096;

namespace {

/// Parameters, by the numbers of their arguments.
using Origins = llvm::SmallSetVector<unsigned, 4>;

/// A range of bytes of an argument of `@prepare`.
struct Place {
  unsigned argument = 0;
  uint64_t begin = 0, bytes = 0;
  bool isWhole = true; ///< False for a view of some of its elements.
};

struct Written {
  uint64_t bytes;
  Origins origins;
};
using Contents = std::map<std::pair<unsigned, uint64_t>, Written>;

/// Follows the parameters through the steps of `@prepare`.
class PrepareFlow {
public:
  explicit PrepareFlow(func::FuncOp prepare) : prepare(prepare) {
    for (Operation &op : prepare.getBody().front())
      visit(op);
  }

  std::vector<RepackedInfo> find();

private:
  void visit(Operation &op);
  void read(const Place &place, Origins &origins);
  void write(const Place &place, Origins origins);
  uint64_t getBytes(unsigned argument) {
    return getByteCount(prepare.getArgumentTypes()[argument]);
  }

  func::FuncOp prepare;
  /// Written ranges, by argument and first byte. Buffers that lie over each
  /// other are not there at once, so the ranges are disjoint.
  Contents contents;
};

} // namespace

/// Null for memory that is not a constant place in an argument.
static std::optional<Place> findPlace(Value memory) {
  Place place;
  while (auto view = memory.getDefiningOp<ViewLikeOpInterface>()) {
    if (auto bytes = dyn_cast<memref::ViewOp>(*view)) {
      IntegerAttr begin;
      if (!matchPattern(bytes.getByteShift(), m_Constant(&begin)))
        return std::nullopt;
      place.begin = begin.getInt();
      place.bytes = getByteCount(bytes.getType());
    } else {
      place.isWhole = false;
    }
    memory = view.getViewSource();
  }
  auto argument = dyn_cast<BlockArgument>(memory);
  if (!argument)
    return std::nullopt;
  place.argument = argument.getArgNumber();
  return place;
}

/// The range of entries that overlap `place`.
static auto findOverlaps(Contents &contents, const Place &place) {
  auto first = contents.lower_bound({place.argument, place.begin});
  if (first != contents.begin()) {
    auto &[key, before] = *std::prev(first);
    if (key.first == place.argument && key.second + before.bytes > place.begin)
      --first;
  }
  return llvm::make_range(
      first, contents.lower_bound({place.argument, place.begin + place.bytes}));
}

void PrepareFlow::read(const Place &place, Origins &origins) {
  if (getRegion(prepare, place.argument) == MemoryRegion::Parameter)
    origins.insert(place.argument);
  for (const auto &[key, written] : findOverlaps(contents, place))
    origins.insert_range(written.origins);
}

void PrepareFlow::write(const Place &place, Origins origins) {
  if (!place.isWhole)
    read(place, origins);
  auto old = findOverlaps(contents, place);
  contents.erase(old.begin(), old.end());
  contents[{place.argument, place.begin}] = {place.bytes, std::move(origins)};
}

void PrepareFlow::visit(Operation &op) {
  if (isa<ViewLikeOpInterface>(op))
    return;
  SmallVector<Place> places;
  for (Value operand : op.getOperands())
    if (isa<MemRefType>(operand.getType()))
      if (std::optional<Place> place = findPlace(operand))
        places.push_back(*place);
  if (places.size() < 2)
    return;
  // A step writes its last operand.
  Origins origins;
  for (const Place &place : ArrayRef(places).drop_back())
    read(place, origins);
  write(places.back(), std::move(origins));
}

std::vector<RepackedInfo> PrepareFlow::find() {
  llvm::MapVector<unsigned, RepackedInfo> copies;
  for (const auto &[key, written] : contents) {
    if (getRegion(prepare, key.first) != MemoryRegion::Constants)
      continue;
    // Large parameters are what a constant is made of, small ones scale it.
    SmallVector<std::pair<uint64_t, unsigned>> sorted;
    for (unsigned parameter : written.origins)
      sorted.push_back({getBytes(parameter), parameter});
    llvm::sort(sorted, std::greater<>());
    uint64_t room = written.bytes;
    for (auto [bytes, parameter] : sorted) {
      if (bytes > room)
        continue;
      room -= bytes;
      ++copies[parameter].times;
    }
  }
  std::vector<RepackedInfo> repacked;
  for (auto &[parameter, info] : copies) {
    info.bytes = info.times * getBytes(parameter);
    if (info.times < 2 || getBytes(parameter) < leastParameterBytes)
      continue;
    info.name = prepare
                    .getArgAttrOfType<StringAttr>(parameter,
                                                  HamKaasDialect::nameAttrName)
                    .str();
    repacked.push_back(info);
  }
  return repacked;
}

std::vector<RepackedInfo> hamkaas::findRepacked(func::FuncOp prepare) {
  return PrepareFlow(prepare).find();
}
