//===- FakeGraph.h - Graphs of GPUs that are not there ----------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_TEST_UNIT_RUNTIME_FAKECUDA_FAKEGRAPH_H
#define HAMKAAS_TEST_UNIT_RUNTIME_FAKECUDA_FAKEGRAPH_H

#include "FakeModule.h"
#include "HamKaas/Runtime/Gpu/CudaDriver.h"

#include <functional>
#include <memory>
#include <utility>
#include <variant>

namespace hamkaas::test::cuda {

struct KernelNode {
  const FakeFunction *function;
  unsigned blocks, threads, sharedBytes;
  std::vector<uint64_t> words;
};

/// A library's work on a stream.
struct LibraryCall {
  std::string name;
  /// The memory that it reads and writes.
  std::vector<Piece> pieces;
  std::function<void()> run;
};

/// Work captured from a stream.
struct ChildNode {
  std::vector<LibraryCall> calls;
};

struct FakeNode {
  using Work =
      std::variant<KernelNode, ChildNode, rt::cuda::CUDA_MEMCPY3D,
                   rt::cuda::CUDA_MEMSET_NODE_PARAMS, rt::cuda::CUevent>;

  explicit FakeNode(Work work) : work(std::move(work)) {}

  Work work;
  /// True if it comes after the one before, or is the first.
  bool isJoined = true;
};

/// Its nodes come one after the other. One that was captured has calls instead.
struct FakeGraph {
  int device = 0;
  std::vector<LibraryCall> captured;
  std::vector<std::unique_ptr<FakeNode>> nodes;
};

struct FakeExec {
  int device = 0;
  /// By the node of the graph it was made of.
  std::vector<std::pair<const FakeNode *, FakeNode>> nodes;
};

} // namespace hamkaas::test::cuda

#endif // HAMKAAS_TEST_UNIT_RUNTIME_FAKECUDA_FAKEGRAPH_H
