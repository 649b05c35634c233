//===- TreeEmitter.h - Elements of linalg graphs ----------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_CODEGEN_KERNEL_TREEEMITTER_H
#define HAMKAAS_CODEGEN_KERNEL_TREEEMITTER_H

#include "HamKaas/CodeGen/Kernel/KernelBuilder.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"

namespace hamkaas {

/// An index along one dimension: lane i has `index + i * step`. A step of 0 is
/// one element for all lanes, or the elements of a vector `index`.
struct Coordinate {
  mlir::Value index;
  int64_t step = 0;
  /// If the lanes have no common step: lane i has `index + offsets[i]`.
  llvm::SmallVector<int64_t, 0> offsets = {};

  /// The coordinate whose lane i has `index + offsets[i]`.
  static Coordinate fromOffsets(KernelBuilder &kernel, mlir::Value index,
                                llvm::ArrayRef<int64_t> offsets);
  int64_t offset(int64_t lane) const {
    return offsets.empty() ? step * lane : offsets[lane];
  }

  /// Returns whether lanes may differ.
  bool runs() const {
    return step != 0 || !offsets.empty() ||
           mlir::isa<mlir::VectorType>(index.getType());
  }

  bool operator==(const Coordinate &) const = default;
};
using Point = llvm::SmallVector<Coordinate, 4>;
using PointRef = llvm::ArrayRef<Coordinate>;

/// A point whose last coordinate runs along the lanes.
Point lanePoint(mlir::ValueRange outer, mlir::Value lane);

/// Returns whether `map` has only sums of multiples of its dimensions and
/// constants.
bool isLinear(mlir::AffineMap map);
/// The factors of the dimensions in result `result` of a linear map, followed
/// by its constant.
llvm::SmallVector<int64_t> getFactors(mlir::AffineMap map, unsigned result);
/// The last dimension of factor one in `expr`, a dimension or a sum.
std::optional<int64_t> findUnitLoop(mlir::AffineExpr expr);
/// The value of a linear map at a point, nonnegative in every lane. Coordinates
/// that the map does not depend on may be null.
Point applyLinear(KernelBuilder &kernel, mlir::AffineMap map, PointRef point);

/// Computes elements of tensors that a graph of linalg operations defines, in
/// vectors along one dimension. Emits each value that a point needs once, at
/// the insertion point; use a new emitter for another block.
///
/// Knows operations only by linalg's interface and their traits.
class TreeEmitter {
public:
  /// Overrides an element of `tensor`; null to follow its definition. A scalar
  /// stands for the same value in all lanes.
  using Leaf = std::function<mlir::Value(mlir::Value tensor, PointRef point)>;

  /// Of the `lanes` of each vector only the first `active` are read and have
  /// defined values.
  TreeEmitter(KernelBuilder &kernel, int64_t lanes, int64_t active,
              Leaf leaf = {});

  /// Sets the point to be written. An argument that is read at any other point
  /// cannot share its storage with the destination.
  void setWritten(Point point) { written = std::move(point); }

  /// A vector, or a scalar if the value is the same in all lanes.
  mlir::Value evaluate(mlir::Value tensor, PointRef point);
  mlir::Value evaluateVector(mlir::Value tensor, PointRef point) {
    return kernel.broadcast(evaluate(tensor, point), lanes);
  }

  /// Writes the active lanes of `tensor` at `point` to the destination, shifted
  /// by `offsets`, one per dimension.
  void store(mlir::Value tensor, PointRef point, mlir::ValueRange offsets);
  /// Writes the elements of `tensor`, which is the whole destination, at linear
  /// indices from `first` on. Needs a target with gathers.
  void storeInRow(mlir::Value tensor, mlir::Value first);

  /// Evaluates the body of `op` at a point of its iteration space up to the
  /// value that `combiner` adds to the reduction.
  mlir::Value evaluateContribution(mlir::linalg::LinalgOp op,
                                   mlir::Operation *combiner,
                                   mlir::Value contribution, PointRef point);

  /// Reads the elements from memory.
  mlir::Value read(mlir::Value tensor, PointRef point);

private:
  mlir::Value define(mlir::Value tensor, PointRef point);
  mlir::Value evaluateOperand(mlir::linalg::LinalgOp op,
                              mlir::OpOperand &operand, PointRef point);
  mlir::IRMapping evaluateBody(mlir::linalg::LinalgOp op, PointRef point,
                               mlir::Operation *except);
  mlir::Value evaluateUnpack(mlir::linalg::UnPackOp op, PointRef point);
  mlir::Value evaluatePad(mlir::tensor::PadOp op, PointRef point);
  void emit(mlir::Operation &op, PointRef point, mlir::IRMapping &values);
  mlir::Value emitIndex(Coordinate coordinate);
  mlir::Value emitLaneCompare(mlir::Operation &op, mlir::IRMapping &values);
  mlir::Value emitExtract(mlir::tensor::ExtractOp op, mlir::IRMapping &values);
  std::optional<Coordinate> getCounting(mlir::Value value) const;
  void noteCounting(mlir::Operation &op, mlir::IRMapping &values);

  mlir::Value readSpread(mlir::Value tensor, PointRef point);
  mlir::Value readWindows(mlir::Value tensor, PointRef point);
  mlir::Value readGathered(mlir::Value tensor, PointRef point);
  mlir::Value readLanes(mlir::Value tensor, PointRef point);
  mlir::Value
  collectLanes(llvm::function_ref<mlir::Value(int64_t lane)> element);

  KernelBuilder &kernel;
  int64_t lanes, active;
  Leaf leaf;
  Point written;
  /// The linear indices of `written`, if it spans rows.
  mlir::Value writtenNumbers;
  llvm::DenseMap<mlir::Value, llvm::SmallVector<std::pair<Point, mlir::Value>>>
      known;
  /// Vectors that are known to increase by a constant from lane to lane.
  llvm::DenseMap<mlir::Value, Coordinate> counting;
};

/// Succeeds if a TreeEmitter can evaluate the all-parallel `op`.
llvm::LogicalResult verifyElementwise(mlir::linalg::LinalgOp op);
/// Succeeds if a TreeEmitter can evaluate the operands and the body of `op`.
llvm::LogicalResult verifyBody(mlir::linalg::LinalgOp op);

} // namespace hamkaas

#endif // HAMKAAS_CODEGEN_KERNEL_TREEEMITTER_H
