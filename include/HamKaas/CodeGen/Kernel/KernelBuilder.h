//===- KernelBuilder.h - Emits the loops of one kernel ----------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_CODEGEN_KERNEL_KERNELBUILDER_H
#define HAMKAAS_CODEGEN_KERNEL_KERNELBUILDER_H

#include "HamKaas/CodeGen/Kernel/CostModel.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace hamkaas {

/// The sizes of a tile, one for each loop of a kernel.
using Tile = llvm::SmallVector<int64_t>;

enum class CacheLevel { First, Second };

/// The base of all emitters: constants, index arithmetic, and loops with the
/// destination tensor as an iter arg.
class KernelBuilder {
public:
  /// Emits the body of a loop or branch and returns what it yields. Indices are
  /// values of type `index`.
  using LoopBody = llvm::function_ref<llvm::SmallVector<mlir::Value>(
      mlir::Value index, mlir::ValueRange carried)>;
  using BranchBody = llvm::function_ref<llvm::SmallVector<mlir::Value>()>;

  /// Inserts before the terminator of `kernel`, whose last argument is the
  /// destination.
  KernelBuilder(mlir::func::FuncOp kernel, const TargetDescription &target);

  mlir::OpBuilder &ir() { return builder; }
  mlir::Location loc() const { return location; }
  const TargetDescription &target() const { return costModel.target; }
  const CostModel &costs() const { return costModel; }

  /// The tile that the kernel's attribute requests; empty to choose one.
  llvm::ArrayRef<int64_t> requestedTile;

  /// That the kernel has no such knob: reports say the others.
  void dropKnob(llvm::StringRef name);

  /// The destination as the last write left it.
  mlir::Value destination;
  mlir::Value destinationArgument() const { return argument; }
  mlir::RankedTensorType destinationType() const;
  mlir::Block::BlockArgListType arguments() const {
    return entry->getArguments();
  }

  /// Index arithmetic. Constants are at the top of the kernel, one per value,
  /// so that equal indices are the same SSA value. If an operand is a vector,
  /// an index per lane, so is the result.
  mlir::Value constant(int64_t value);
  mlir::Value add(mlir::Value lhs, mlir::Value rhs);
  mlir::Value add(mlir::Value lhs, int64_t rhs) {
    return add(lhs, constant(rhs));
  }
  /// Requires `lhs >= rhs`.
  mlir::Value subtract(mlir::Value lhs, mlir::Value rhs);
  mlir::Value multiply(mlir::Value lhs, int64_t rhs);
  mlir::Value divide(mlir::Value lhs, int64_t rhs);
  mlir::Value remainder(mlir::Value lhs, int64_t rhs);
  mlir::Value minimum(mlir::Value lhs, mlir::Value rhs);
  mlir::Value minimum(mlir::Value lhs, int64_t rhs) {
    return minimum(lhs, constant(rhs));
  }
  mlir::Value isLess(mlir::Value lhs, mlir::Value rhs);
  mlir::Value isLess(mlir::Value lhs, int64_t rhs) {
    return isLess(lhs, constant(rhs));
  }

  /// The coordinates of the element number `linear` of an array of `shape`.
  llvm::SmallVector<mlir::Value> delinearize(mlir::Value linear,
                                             llvm::ArrayRef<int64_t> shape);

  /// The loop over the tiles of the kernel, outermost and always a loop.
  void tileLoop(int64_t tiles, llvm::function_ref<void(mlir::Value)> body);

  /// A loop with iter args `carried` and, if it `writes`, the destination. Zero
  /// or one iterations by constant bounds are emitted without a loop.
  llvm::SmallVector<mlir::Value> loop(mlir::Value lower, mlir::Value upper,
                                      int64_t step, mlir::ValueRange carried,
                                      bool writes, LoopBody body);
  /// A loop in steps of one that does not write, unrolled `count` times. A loop
  /// for the remaining steps follows, unless `multiple`, which divides the
  /// number of steps, shows that there are none: loopUnrollByFactor of MLIR
  /// would add one wherever a bound is not constant.
  llvm::SmallVector<mlir::Value>
  unrolledLoop(mlir::Value lower, mlir::Value upper, int64_t count,
               int64_t multiple, mlir::ValueRange carried, LoopBody body);
  void writingLoop(mlir::Value lower, mlir::Value upper, int64_t step,
                   llvm::function_ref<void(mlir::Value)> body);

  /// A branch with results of `types` and, if it `writes`, the destination.
  llvm::SmallVector<mlir::Value> branch(mlir::Value condition,
                                        mlir::TypeRange types, bool writes,
                                        BranchBody thenBody,
                                        BranchBody elseBody);
  void writingBranch(mlir::Value condition, llvm::function_ref<void()> thenBody,
                     llvm::function_ref<void()> elseBody);

  /// Broadcasts a scalar operand if the other one is a vector.
  std::pair<mlir::Value, mlir::Value> makeAlike(mlir::Value lhs,
                                                mlir::Value rhs);
  /// Butterfly reduction: combines each lane with the one whose number differs
  /// in one bit, bit by bit, until all lanes hold the result.
  mlir::Value
  combineAcross(mlir::Value vector,
                llvm::function_ref<mlir::Value(mlir::Value, mlir::Value)> step);
  /// `lhs * rhs + sum` of vectors, rounded once where the target can.
  mlir::Value multiplyAdd(mlir::Value lhs, mlir::Value rhs, mlir::Value sum);
  /// `value` if it is a vector, else its broadcast.
  mlir::Value broadcast(mlir::Value value, int64_t lanes);
  /// The first `active` of `lanes` lanes.
  mlir::Value mask(int64_t active, int64_t lanes);
  /// The numbers of `lanes` lanes.
  mlir::Value laneNumbers(int64_t lanes);
  /// Reads lanes along the last dimension; only the first `active` of them are
  /// accessed, the others are zero.
  mlir::Value load(mlir::Value tensor, mlir::ValueRange indices, int64_t lanes,
                   int64_t active);
  /// Reads an element per lane, at the linear indices `linear` (a vector) of
  /// `tensor`. Only the first `active` are accessed, the others are zero.
  mlir::Value gather(mlir::Value tensor, mlir::Value linear, int64_t active);
  /// The element of an argument that has no other. Read before the tiles: the
  /// stores of a loop could alias it, so LLVM would read it in each iteration.
  mlir::Value loadOnlyElement(mlir::Value tensor);
  /// Returns whether `tensor` is a read-only argument of one element.
  bool hasOneElement(mlir::Value tensor) const;
  /// Writes the first `active` lanes along the last dimension of the
  /// destination.
  void store(mlir::Value vector, mlir::ValueRange indices, int64_t active);
  void storeElement(mlir::Value element, mlir::ValueRange indices);
  /// Writes an element per lane, at the linear indices `linear` (a vector) of
  /// the destination; only the first `active`.
  void scatter(mlir::Value vector, mlir::Value linear, int64_t active);

  /// Returns whether the destination uses nontemporal stores: it is too large
  /// for its readers to find it in a cache, and its rows, of `columns`, begin
  /// at the same offset in a cache line. Implies 32-bit elements.
  bool streams(int64_t columns) const;
  /// The elements of such a destination before the first whole cache line.
  mlir::Value elementsBeforeLine();
  /// A writing loop of nontemporal stores: whole vectors of such a destination,
  /// at multiples of their size from the first whole cache line on.
  void streamingLoop(mlir::Value lower, mlir::Value upper, int64_t step,
                     llvm::function_ref<void(mlir::Value)> body);

  /// Moves the stores of `body` behind it. `body` is one block and reads
  /// nothing that they write.
  void deferStores(llvm::function_ref<void()> body);
  /// The same, a few stores at a time, for an epilogue on values in registers:
  /// functions of several vectors can then overlap. Stores remain where they
  /// are if the kernel computes no such function.
  void deferEpilogue(llvm::function_ref<void()> body);
  /// Returns whether epilogues have several vectors at once: functions are long
  /// chains, and registers few.
  bool interleavesEpilogues() const { return epilogueVectors > 1; }

  /// A read-only argument as a flat buffer.
  mlir::Value flatBuffer(mlir::Value argument);

  /// Prefetches the cache line of the element at linear index `linear` of
  /// `argument`, which is read-only.
  void prefetch(mlir::Value argument, mlir::Value linear,
                CacheLevel level = CacheLevel::Second);
  /// The same for the destination: stores wait for their line, too.
  void prefetchDestination(mlir::Value linear, CacheLevel level);

  /// A buffer of `rows` x `columns` float32, or of `element`s, on the stack,
  /// aligned to a cache line. Consecutive tiles of a call reuse it. Each warp
  /// has its own.
  mlir::Value allocate(int64_t rows, int64_t columns,
                       mlir::Type element = nullptr);
  /// A temporary buffer for an exchange between lanes, shared by all requests
  /// of this size and type.
  mlir::Value getExchange(int64_t rows, int64_t columns, mlir::Type element);

  /// Records that an argument is read after the destination may have been
  /// written, so that the two must not share storage.
  void forbidAlias(mlir::Value tensor) { unaliasable.insert(tensor); }
  bool mayAlias(mlir::Value tensor) const {
    return !unaliasable.contains(tensor);
  }

private:
  void setInsertionPointBeforeTiles();
  void write(mlir::Value vector, mlir::ValueRange indices,
             mlir::Value lanesWritten);
  void createPrefetch(mlir::Value buffer, mlir::Value linear, CacheLevel level);

  void defer(mlir::Value vector, mlir::ValueRange indices, int64_t active,
             bool isScattered);
  void storeDeferred();

  struct DeferredStore {
    mlir::Value vector;
    llvm::SmallVector<mlir::Value> indices;
    int64_t active;
    /// True if the one index is the number of each element.
    bool isScattered;
  };

  mlir::OpBuilder builder;
  mlir::Location location;
  CostModel costModel;
  mlir::Value argument;
  mlir::Block *entry;
  llvm::DenseMap<int64_t, mlir::Value> constants;
  llvm::DenseMap<mlir::Type, mlir::Value> exchanges;
  llvm::SmallVector<DeferredStore> deferred;
  bool isDeferring = false;
  /// The number of deferred stores that are written together; 0 if all are.
  size_t deferredAtOnce = 0;
  /// Vectors of an epilogue that are computed before the first is stored.
  size_t epilogueVectors = 1;
  mlir::Value beforeLine, flatDestination;
  /// The elements of arguments that have one.
  llvm::DenseMap<mlir::Value, mlir::Value> onlyElements;
  llvm::SmallPtrSet<mlir::Value, 8> unaliasable;
};

} // namespace hamkaas

#endif // HAMKAAS_CODEGEN_KERNEL_KERNELBUILDER_H
