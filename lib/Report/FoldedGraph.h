//===- FoldedGraph.h - A graph with one block of those that repeat --------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_REPORT_FOLDEDGRAPH_H
#define HAMKAAS_LIB_REPORT_FOLDEDGRAPH_H

#include "RepeatedBlocks.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"
#include <map>
#include <tuple>

namespace hamkaas {

/// The operations of a function in GRAPH, where the first of several equal
/// blocks stands for all.
class FoldedGraph {
public:
  /// Values that several repetitions of a block share, such as the parameters
  /// of the first layer normalization in it; or a leaf that is alone.
  struct Leaves {
    mlir::Value first, last;
    /// The repeated block that it belongs to; null if it is outside.
    const RepeatedBlock *block = nullptr;
  };

  /// Values that become results of the graph or are stored in states, likewise.
  struct Sinks {
    mlir::OpOperand *first, *last;
    const RepeatedBlock *block = nullptr;
  };

  /// Graphs of few operations are not folded, nor any without `fold`.
  FoldedGraph(mlir::func::FuncOp main, bool fold);

  /// All but leaves and sinks, in order, folded or not.
  llvm::ArrayRef<mlir::Operation *> ops() const { return allOps; }
  llvm::ArrayRef<RepeatedBlock> blocks() const { return repeated; }
  llvm::ArrayRef<Leaves> leaves() const { return allLeaves; }
  llvm::ArrayRef<Sinks> sinks() const { return allSinks; }

  /// The block that the operation `i` is in, or null.
  const RepeatedBlock *getBlock(size_t i) const;

  /// The operation that stands for operation `i`, `i` itself outside of blocks.
  size_t getDrawn(size_t i) const;
  bool isDrawn(size_t i) const { return getDrawn(i) == i; }
  size_t countDrawn() const;

  /// The number of the operation that makes `value`; nothing for a leaf.
  std::optional<size_t> getIndex(mlir::Value value) const;

  /// The number of the leaves that `leaf` belongs to.
  size_t getLeaves(mlir::Value leaf) const { return leavesOf.lookup(leaf); }

private:
  /// A use in a block: the block, the place in it, the number of the operand.
  using Slot = std::tuple<size_t, size_t, unsigned>;

  void addLeaf(mlir::Value leaf);
  void addSink(mlir::OpOperand &use);
  std::optional<std::vector<Slot>> getSlots(mlir::Value leaf) const;

  std::vector<mlir::Operation *> allOps;
  llvm::DenseMap<mlir::Operation *, size_t> indices;
  std::vector<RepeatedBlock> repeated;
  std::vector<Leaves> allLeaves;
  llvm::DenseMap<mlir::Value, size_t> leavesOf;
  std::map<std::vector<Slot>, size_t> leavesAt;
  std::vector<Sinks> allSinks;
  /// By the drawn operation, the number of its result, and whether it is
  /// stored.
  std::map<std::tuple<size_t, unsigned, bool>, size_t> sinksOf;
};

} // namespace hamkaas

#endif // HAMKAAS_LIB_REPORT_FOLDEDGRAPH_H
