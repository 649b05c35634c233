//===- Emulator.cpp - Runs GPU kernels on the CPU -------------------------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Emulation/Emulator.h"
#include "AccessChecker.h"
#include "Block.h"

#include <algorithm>

using namespace hamkaas::emulation;

class Emulator::Grid {
public:
  Grid(ThreadOrder order, ProductSums productSums)
      : order(order), block(order, productSums, checker) {}

  void addConstants(const EmulatedImage &image);
  std::string launch(const EmulatedKernel &kernel, const EmulatedLaunch &launch,
                     const uint64_t *arguments);

private:
  std::vector<int64_t> getBlocks(int64_t count) const;

  ThreadOrder order;
  AccessChecker checker;
  Block block;
  std::vector<MemoryRange> constants;
};

static MemoryRange makeRange(const void *address, int64_t bytes,
                             bool isWritable, std::string name) {
  auto begin = reinterpret_cast<uintptr_t>(address);
  return {begin, begin + static_cast<uintptr_t>(bytes), isWritable,
          std::move(name)};
}

void Emulator::Grid::addConstants(const EmulatedImage &image) {
  for (int64_t i = 0; i < image.constantCount; ++i) {
    const EmulatedConstant &constant = image.constants[i];
    constants.push_back(makeRange(constant.address, constant.bytes,
                                  /*isWritable=*/false, constant.name));
  }
}

/// Blocks do not know each other, so that they may run in any order.
std::vector<int64_t> Emulator::Grid::getBlocks(int64_t count) const {
  std::vector<int64_t> blocks(static_cast<size_t>(count));
  for (int64_t i = 0; i < count; ++i)
    blocks[static_cast<size_t>(i)] =
        order.kind == ThreadOrder::Backward ? count - 1 - i : i;
  if (order.kind != ThreadOrder::Shuffled)
    return blocks;
  uint64_t state = order.seed;
  for (size_t i = blocks.size(); i > 1; --i) {
    state = state * 6364136223846793005 + 1442695040888963407;
    std::swap(blocks[i - 1], blocks[(state >> 33) % i]);
  }
  return blocks;
}

std::string Emulator::Grid::launch(const EmulatedKernel &kernel,
                                   const EmulatedLaunch &launch,
                                   const uint64_t *arguments) {
  std::vector<MemoryRange> ranges;
  for (int32_t i = 0; i < kernel.argumentCount; ++i)
    if (kernel.argumentBytes[i] >= 0)
      ranges.push_back(makeRange(
          reinterpret_cast<const void *>(arguments[i]), kernel.argumentBytes[i],
          /*isWritable=*/true, "argument " + std::to_string(i)));
  ranges.insert(ranges.end(), constants.begin(), constants.end());
  checker.beginLaunch(std::move(ranges));
  std::string error = block.begin(kernel, launch, arguments);
  if (!error.empty())
    return std::string("kernel '") + kernel.name + "': " + error;
  for (int64_t number : getBlocks(launch.blocks)) {
    error = block.run(number);
    if (!error.empty())
      return std::string("kernel '") + kernel.name + "', block " +
             std::to_string(number) + ": " + error;
  }
  return "";
}

Emulator::Emulator(ThreadOrder order, ProductSums productSums)
    : grid(std::make_unique<Grid>(order, productSums)) {}
Emulator::~Emulator() = default;

void Emulator::addConstants(const EmulatedImage &image) {
  grid->addConstants(image);
}

std::string Emulator::launch(const EmulatedKernel &kernel,
                             const EmulatedLaunch &launch,
                             const uint64_t *arguments) {
  return grid->launch(kernel, launch, arguments);
}
