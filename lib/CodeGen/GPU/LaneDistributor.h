//===- LaneDistributor.h - Vectors to a value a thread ----------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_CODEGEN_GPU_LANEDISTRIBUTOR_H
#define HAMKAAS_LIB_CODEGEN_GPU_LANEDISTRIBUTOR_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/DenseMap.h"

namespace hamkaas {

/// Returns whether a tile of `kernel`, whose lanes are not distributed yet, has
/// work for several threads.
bool usesLanes(mlir::func::FuncOp kernel);

/// Replaces the vectors of a kernel by the share of one thread of a warp, in
/// textual order, so that each operation finds its operands replaced. The share
/// is a scalar for up to 32 lanes. For more, "wide" vectors, it is a vector of
/// two or four neighbouring elements.
///
/// NOTE: values get their new type in place, so the number of lanes of an
/// operand must be recorded before.
class LaneDistributor {
public:
  explicit LaneDistributor(mlir::func::FuncOp kernel);

  mlir::LogicalResult run();

  /// The share of a vector that a thread holds.
  static mlir::Type getThreadType(mlir::VectorType type);

private:
  /// The threads that take part in an access: the first `count`, or, if that is
  /// not known, those for which `mask` holds.
  struct ActiveLanes {
    std::optional<int64_t> count;
    mlir::Value mask;

    bool isAll() const;
  };

  // Notes for values that are the same in all lanes (DistributeToThreads.cpp).
  mlir::LogicalResult noteLanes();
  mlir::LogicalResult distributeBlock(mlir::Block &block);
  mlir::LogicalResult distribute(mlir::Operation *op);
  mlir::LogicalResult distributeRegions(mlir::Operation *op);
  mlir::LogicalResult distributeElementwise(mlir::Operation *op);
  mlir::LogicalResult replace(mlir::Operation *op, mlir::Value value);
  /// The operand as it is by now. The getters of an operation that takes
  /// vectors would cast it to one.
  static mlir::Value threadValue(mlir::OpOperand &operand) {
    return operand.get();
  }
  /// Null if there is none.
  static mlir::Value threadValue(mlir::MutableOperandRange operand) {
    return operand.empty() ? mlir::Value() : operand[0].get();
  }

  // Memory (LaneMemory.cpp).
  mlir::LogicalResult distributeRead(mlir::vector::TransferReadOp op);
  mlir::LogicalResult distributeWrite(mlir::vector::TransferWriteOp op);
  mlir::LogicalResult distributeLoad(mlir::vector::LoadOp op);
  mlir::LogicalResult distributeStore(mlir::vector::StoreOp op);
  mlir::LogicalResult distributeMaskedLoad(mlir::vector::MaskedLoadOp op);
  mlir::LogicalResult distributeMaskedStore(mlir::vector::MaskedStoreOp op);
  mlir::LogicalResult distributeGather(mlir::vector::GatherOp op);
  mlir::LogicalResult distributeScatter(mlir::vector::ScatterOp op);
  mlir::LogicalResult distributeScalarStore(mlir::Operation *op);
  ActiveLanes getActive(mlir::Value mask, int64_t lanes);
  bool isWritten(mlir::Value memref);
  mlir::Value loadLane(mlir::Value memref, mlir::ValueRange first,
                       const ActiveLanes &active, mlir::Value inactive);
  mlir::Value loadWhere(const ActiveLanes &active, mlir::Value inactive,
                        llvm::function_ref<mlir::Value()> load);
  void storeLane(mlir::Value value, mlir::Value memref, mlir::ValueRange first,
                 const ActiveLanes &active);

  // Constants and what is known of lanes (LaneConstants.cpp).
  mlir::LogicalResult distributeConstant(mlir::Operation *op);
  mlir::LogicalResult distributeConstantMask(mlir::vector::ConstantMaskOp op);
  mlir::LogicalResult distributeCreateMask(mlir::vector::CreateMaskOp op);
  /// Number of the thread, as an index or of 32 bits.
  mlir::Value lane();
  mlir::Value lane32();
  /// That number, or `count - 1` if it is larger.
  mlir::Value laneBelow(int64_t count);
  /// Returns whether it is below `count`.
  mlir::Value isBelow(int64_t count);
  mlir::Value index(int64_t value);
  mlir::Value integer(int64_t value);
  mlir::OpBuilder atTop();
  mlir::Value keepAtTop(mlir::Value value);
  /// The bit of each lane; those that have none are free.
  mlir::Value bitTable(llvm::ArrayRef<std::optional<bool>> bits);
  /// The number of each lane, below 32.
  mlir::Value laneTable(llvm::ArrayRef<std::optional<int64_t>> numbers);

  // Values of other lanes (LaneExchange.cpp).
  mlir::LogicalResult distributeShuffle(mlir::vector::ShuffleOp op);
  mlir::LogicalResult distributeExtract(mlir::vector::ExtractOp op);
  mlir::LogicalResult distributeInsert(mlir::vector::InsertOp op);
  mlir::LogicalResult
  distributeExtractSlice(mlir::vector::ExtractStridedSliceOp op);
  mlir::LogicalResult distributeReduction(mlir::vector::ReductionOp op);
  mlir::LogicalResult distributeBroadcast(mlir::vector::BroadcastOp op);
  mlir::LogicalResult distributeElements(mlir::vector::FromElementsOp op);
  /// The `value` of the lane that `mode` and `offset` (of 32 bits) name.
  mlir::Value exchange(mlir::Value value, mlir::gpu::ShuffleMode mode,
                       mlir::Value offset);
  /// The same of lane number `sources[lane]`, any if there is none.
  mlir::Value take(mlir::Value value,
                   llvm::ArrayRef<std::optional<int64_t>> sources);

  // Vectors of which a thread has several elements (LaneShares.cpp).
  bool isWide(mlir::Operation *op) const;
  mlir::LogicalResult distributeWide(mlir::Operation *op);
  mlir::LogicalResult distributeWideMemory(mlir::Operation *op);
  mlir::LogicalResult distributeWideConstant(mlir::arith::ConstantOp op);
  mlir::LogicalResult distributeDeinterleave(mlir::vector::DeinterleaveOp op);
  mlir::LogicalResult distributeInterleave(mlir::vector::InterleaveOp op);
  mlir::LogicalResult distributeWideElementwise(mlir::Operation *op);
  mlir::Value loadShare(mlir::VectorType type, mlir::Value memref,
                        mlir::ValueRange first, const ActiveLanes &active,
                        mlir::Value inactive);
  void storeShare(mlir::Value value, mlir::Value memref, mlir::ValueRange first,
                  const ActiveLanes &active);
  void storeWhere(mlir::Value condition, llvm::function_ref<void()> store);
  mlir::Value getElement(mlir::Value share, int64_t number);
  mlir::Value repeat(mlir::Value value, int64_t share);
  /// The number of the thread's first element, and those of all.
  mlir::Value firstOfShare(int64_t share);
  mlir::Value numbersOfShare(int64_t share);
  /// Which of its elements are below `count`.
  mlir::Value isShareBelow(int64_t count, int64_t share);

  mlir::func::FuncOp kernel;
  /// At the operation that is replaced.
  mlir::OpBuilder builder;
  mlir::Location loc;
  /// The last of what stands at the top of the kernel, for all operations.
  mlir::Operation *lastAtTop = nullptr;
  mlir::Value laneIndex, laneInteger;
  llvm::DenseMap<int64_t, mlir::Value> clampedLanes, belowLanes, indices,
      integers, firstElements, shareNumbers;
  llvm::DenseMap<std::pair<int64_t, int64_t>, mlir::Value> belowShares;
  /// Lanes of the first vector operand of an operation that needs to know.
  llvm::DenseMap<mlir::Operation *, int64_t> lanesOf;
  /// How many lanes a mask has set, if they are the first and known.
  llvm::DenseMap<mlir::Value, int64_t> setLanes;
};

/// `first` with the last index moved by `by`.
llvm::SmallVector<mlir::Value> moveBy(mlir::OpBuilder &builder,
                                      mlir::Location loc,
                                      mlir::ValueRange first, mlir::Value by);

/// A number among the elements of a buffer, as an index.
mlir::Value toIndex(mlir::OpBuilder &builder, mlir::Location loc,
                    mlir::Value number);

/// Succeeds if a transfer takes elements that are next to each other and exist.
mlir::LogicalResult verifyTransfer(mlir::vector::TransferReadOp op);
mlir::LogicalResult verifyTransfer(mlir::vector::TransferWriteOp op);

} // namespace hamkaas

#endif // HAMKAAS_LIB_CODEGEN_GPU_LANEDISTRIBUTOR_H
