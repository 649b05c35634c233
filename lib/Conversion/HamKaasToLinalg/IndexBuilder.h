//===- IndexBuilder.h - Arithmetic on indices -------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_CONVERSION_HAMKAASTOLINALG_INDEXBUILDER_H
#define HAMKAAS_LIB_CONVERSION_HAMKAASTOLINALG_INDEXBUILDER_H

#include "GenericBuilder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

namespace hamkaas {

/// Builds arithmetic on values of type `index`, which are signed.
struct IndexBuilder {
  mlir::OpBuilder &builder;
  mlir::Location loc;

  mlir::Value constant(int64_t value) const {
    return mlir::arith::ConstantIndexOp::create(builder, loc, value);
  }
  mlir::Value add(mlir::Value l, mlir::Value r) const {
    return mlir::arith::AddIOp::create(builder, loc, l, r);
  }
  mlir::Value add(mlir::Value l, int64_t r) const {
    return add(l, constant(r));
  }
  mlir::Value subtract(mlir::Value l, mlir::Value r) const {
    return mlir::arith::SubIOp::create(builder, loc, l, r);
  }
  mlir::Value multiply(mlir::Value l, int64_t r) const {
    return mlir::arith::MulIOp::create(builder, loc, l, constant(r));
  }
  mlir::Value minimum(mlir::Value l, mlir::Value r) const {
    return mlir::arith::MinSIOp::create(builder, loc, l, r);
  }
  mlir::Value minimum(mlir::Value l, int64_t r) const {
    return minimum(l, constant(r));
  }
  mlir::Value maximum(mlir::Value l, int64_t r) const {
    return mlir::arith::MaxSIOp::create(builder, loc, l, constant(r));
  }
  mlir::Value compare(mlir::arith::CmpIPredicate predicate, mlir::Value l,
                      mlir::Value r) const {
    return mlir::arith::CmpIOp::create(builder, loc, predicate, l, r);
  }
  mlir::Value isLess(mlir::Value l, int64_t r) const {
    return compare(mlir::arith::CmpIPredicate::slt, l, constant(r));
  }
  /// Returns whether `index` is from `first` on and less than `end`.
  mlir::Value isWithin(mlir::Value index, int64_t first, int64_t end) const {
    return both(
        compare(mlir::arith::CmpIPredicate::sge, index, constant(first)),
        isLess(index, end));
  }
  mlir::Value select(mlir::Value condition, mlir::Value l,
                     mlir::Value r) const {
    return mlir::arith::SelectOp::create(builder, loc, condition, l, r);
  }
  mlir::Value both(mlir::Value l, mlir::Value r) const {
    return mlir::arith::AndIOp::create(builder, loc, l, r);
  }

  /// An integer of a tensor as an index, and back.
  mlir::Value fromInteger(mlir::Value value) const {
    return mlir::arith::IndexCastOp::create(builder, loc,
                                            builder.getIndexType(), value);
  }
  mlir::Value toInteger(mlir::Value value) const {
    return mlir::arith::IndexCastOp::create(builder, loc, builder.getI64Type(),
                                            value);
  }

  /// The nearest position of a dimension of `size` elements.
  mlir::Value clamp(mlir::Value index, int64_t size) const {
    return minimum(maximum(index, 0), size - 1);
  }
  /// The position that an index of a dimension of `size` elements means, which
  /// may count from the end. The nearest one if there is none.
  mlir::Value resolve(mlir::Value index, int64_t size) const;

  /// The coordinates of the element number `linear`, which is not negative, of
  /// an array of `shape`.
  llvm::SmallVector<mlir::Value>
  delinearize(mlir::Value linear, llvm::ArrayRef<int64_t> shape) const;

  /// `for i = lower, ..., upper - 1` with iter args `carried`; returns their
  /// final values.
  using LoopBody = llvm::function_ref<llvm::SmallVector<mlir::Value>(
      IndexBuilder inner, mlir::Value i, mlir::ValueRange carried)>;
  mlir::ValueRange loop(mlir::Value lower, mlir::Value upper,
                        mlir::ValueRange carried, LoopBody body) const;
  mlir::ValueRange loop(int64_t count, mlir::ValueRange carried,
                        LoopBody body) const {
    return loop(constant(0), constant(count), carried, body);
  }

  /// Such loops over all elements of `shape`, one in the other.
  using ElementBody = llvm::function_ref<llvm::SmallVector<mlir::Value>(
      IndexBuilder inner, mlir::ValueRange at, mlir::ValueRange carried)>;
  llvm::SmallVector<mlir::Value> forEach(llvm::ArrayRef<int64_t> shape,
                                         mlir::ValueRange carried,
                                         ElementBody body) const;
};

/// Lets the run fail unless each of `indices`, a tensor, means an element of a
/// dimension of `size`.
void buildIndexCheck(const IndexBuilder &builder, mlir::Value indices,
                     int64_t size);

} // namespace hamkaas

#endif // HAMKAAS_LIB_CONVERSION_HAMKAASTOLINALG_INDEXBUILDER_H
