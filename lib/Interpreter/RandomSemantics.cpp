//===- RandomSemantics.cpp - Meaning of random_bits -------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Dialect/HamKaas/IR/MathOps.h"
#include "Semantics.h"
#include <array>

using namespace mlir;
using namespace hamkaas;

using Words = std::array<uint32_t, 4>;

static Words computeRound(const Words &x, uint32_t low, uint32_t high) {
  uint64_t first = uint64_t(0xD2511F53) * x[0];
  uint64_t second = uint64_t(0xCD9E8D57) * x[2];
  return {uint32_t(second >> 32) ^ x[1] ^ low, uint32_t(second),
          uint32_t(first >> 32) ^ x[3] ^ high, uint32_t(first)};
}

static Words computePhilox(uint64_t key, uint64_t low, uint64_t high) {
  Words x{uint32_t(low), uint32_t(low >> 32), uint32_t(high),
          uint32_t(high >> 32)};
  for (uint32_t round = 0; round < 10; ++round)
    x = computeRound(x, uint32_t(key) + round * 0x9E3779B9,
                     uint32_t(key >> 32) + round * 0xBB67AE85);
  return x;
}

namespace {

struct RandomBitsSemantics
    : ReferenceSemanticsOpInterface::ExternalModel<RandomBitsSemantics,
                                                   RandomBitsOp> {
  LogicalResult interpret(Operation *op, OperandTensors operands,
                          ReferenceTensor &result) const {
    ArrayRef<int64_t> generator = operands[0]->i64;
    uint64_t low = generator[1], high = generator[2];
    uint64_t first = low + uint64_t(cast<RandomBitsOp>(op).getOffset());
    high += first < low;
    Words block{};
    for (size_t i = 0; i < result.i64.size(); ++i) {
      uint64_t at = first + i / 4;
      if (i % 4 == 0)
        block = computePhilox(generator[0], at, high + (at < first));
      result.i64[i] = block[i % 4];
    }
    return success();
  }
};

} // namespace

void hamkaas::attachRandomSemantics(MLIRContext &context) {
  RandomBitsOp::attachInterface<RandomBitsSemantics>(context);
}
