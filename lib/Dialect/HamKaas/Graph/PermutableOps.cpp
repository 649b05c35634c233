//===- PermutableOps.cpp - Operations in any layout -------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Dialect/HamKaas/Graph/PermutableOps.h"
#include "HamKaas/Dialect/HamKaas/IR/DimensionOps.h"
#include "HamKaas/Dialect/HamKaas/IR/ElementwiseOps.h"
#include "HamKaas/Dialect/HamKaas/IR/LoopOps.h"
#include "HamKaas/Dialect/HamKaas/IR/MovementOps.h"
#include "HamKaas/Dialect/HamKaas/IR/ReductionOps.h"
#include "HamKaas/Dialect/HamKaas/IR/RowOps.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace hamkaas;

#include "HamKaas/Dialect/HamKaas/Graph/PermutableOpInterface.cpp.inc"

using Permutation = ArrayRef<int64_t>;
using ResultPermutation = std::optional<SmallVector<int64_t>>;

bool hamkaas::keepsOrder(ArrayRef<int64_t> shape, Permutation permutation) {
  SmallVector<int64_t> moved(llvm::make_filter_range(
      permutation, [&](int64_t dim) { return shape[dim] != 1; }));
  return llvm::is_sorted(moved);
}

static Value cloneWithOperands(Operation *op, OpBuilder &builder,
                               ValueRange operands) {
  IRMapping mapping;
  mapping.map(op->getOperands(), operands);
  return builder.clone(*op, mapping)->getResult(0);
}

/// A copy of `op` on `operands` whose result is permuted by `permutation`.
static Value createWithPermutedResult(Operation *op, OpBuilder &builder,
                                      Permutation permutation,
                                      ValueRange operands) {
  Value result = cloneWithOperands(op, builder, operands);
  auto type = cast<RankedTensorType>(result.getType());
  result.setType(type.clone(applyPermutation(type.getShape(), permutation)));
  return result;
}

/// Where a dimension is after the permutation.
static int64_t getPlace(int64_t dim, Permutation permutation) {
  return llvm::find(permutation, dim) - permutation.begin();
}

/// The same of an operation along one dimension, which is permuted, too.
template <typename OpTy>
static Value createAlongDimension(Operation *op, OpBuilder &builder,
                                  Permutation permutation,
                                  ValueRange operands) {
  Value result = createWithPermutedResult(op, builder, permutation, operands);
  auto created = cast<OpTy>(result.getDefiningOp());
  created.setDim(getPlace(created.getDim(), permutation));
  return result;
}

namespace {

/// Operations that treat all dimensions alike.
template <typename OpTy>
struct AllDimensions
    : PermutableOpInterface::ExternalModel<AllDimensions<OpTy>, OpTy> {
  ResultPermutation getResultPermutation(Operation *,
                                         Permutation permutation) const {
    return llvm::to_vector(permutation);
  }
  Value createPermuted(Operation *op, OpBuilder &builder,
                       Permutation permutation, ValueRange operands) const {
    return createWithPermutedResult(op, builder, permutation, operands);
  }
};

/// Operations on rows: the last dimension must stay.
template <typename OpTy>
struct KeepsRows : PermutableOpInterface::ExternalModel<KeepsRows<OpTy>, OpTy> {
  ResultPermutation getResultPermutation(Operation *,
                                         Permutation permutation) const {
    if (permutation.back() != int64_t(permutation.size()) - 1)
      return std::nullopt;
    return llvm::to_vector(permutation);
  }
  Value createPermuted(Operation *op, OpBuilder &builder,
                       Permutation permutation, ValueRange operands) const {
    return createWithPermutedResult(op, builder, permutation, operands);
  }
};

/// One result a row.
struct PermutableLogSumExp
    : PermutableOpInterface::ExternalModel<PermutableLogSumExp, LogSumExpOp> {
  ResultPermutation getResultPermutation(Operation *,
                                         Permutation permutation) const {
    if (permutation.back() != int64_t(permutation.size()) - 1)
      return std::nullopt;
    return llvm::to_vector(permutation.drop_back());
  }
  Value createPermuted(Operation *op, OpBuilder &builder, Permutation,
                       ValueRange operands) const {
    return LogSumExpOp::create(builder, op->getLoc(), operands[0]);
  }
};

/// Operations along one dimension of all operands of their rank.
template <typename OpTy>
struct AlongDimension
    : PermutableOpInterface::ExternalModel<AlongDimension<OpTy>, OpTy> {
  ResultPermutation getResultPermutation(Operation *,
                                         Permutation permutation) const {
    return llvm::to_vector(permutation);
  }
  Value createPermuted(Operation *op, OpBuilder &builder,
                       Permutation permutation, ValueRange operands) const {
    return createAlongDimension<OpTy>(op, builder, permutation, operands);
  }
};

struct PermutableGather
    : PermutableOpInterface::ExternalModel<PermutableGather, GatherOp> {
  ResultPermutation getResultPermutation(Operation *op,
                                         Permutation permutation) const {
    // Other indices replace the dimension by none or by several.
    if (cast<GatherOp>(op).getIndices().getType().getRank() != 1)
      return std::nullopt;
    return llvm::to_vector(permutation);
  }
  Value createPermuted(Operation *op, OpBuilder &builder,
                       Permutation permutation, ValueRange operands) const {
    return createAlongDimension<GatherOp>(op, builder, permutation, operands);
  }
};

struct PermutablePad
    : PermutableOpInterface::ExternalModel<PermutablePad, PadOp> {
  ResultPermutation getResultPermutation(Operation *,
                                         Permutation permutation) const {
    return llvm::to_vector(permutation);
  }
  Value createPermuted(Operation *op, OpBuilder &builder,
                       Permutation permutation, ValueRange operands) const {
    auto pad = cast<PadOp>(op);
    return PadOp::create(builder, op->getLoc(), operands[0],
                         applyPermutation(pad.getLow(), permutation),
                         applyPermutation(pad.getHigh(), permutation),
                         applyPermutation(pad.getInterior(), permutation),
                         pad.getValue());
  }
};

struct PermutableStridedSlice
    : PermutableOpInterface::ExternalModel<PermutableStridedSlice,
                                           StridedSliceOp> {
  ResultPermutation getResultPermutation(Operation *,
                                         Permutation permutation) const {
    return llvm::to_vector(permutation);
  }
  Value createPermuted(Operation *op, OpBuilder &builder,
                       Permutation permutation, ValueRange operands) const {
    auto slice = cast<StridedSliceOp>(op);
    return StridedSliceOp::create(
        builder, op->getLoc(), operands[0],
        applyPermutation(slice.getOffsets(), permutation),
        applyPermutation(slice.getSizes(), permutation),
        applyPermutation(slice.getStrides(), permutation));
  }
};

struct PermutableReduce
    : PermutableOpInterface::ExternalModel<PermutableReduce, ReduceOp> {
  /// The dimensions that stay, in their new order, each by its place among them
  /// in the old one.
  ResultPermutation getResultPermutation(Operation *op,
                                         Permutation permutation) const {
    ArrayRef<int64_t> dims = cast<ReduceOp>(op).getDims();
    SmallVector<int64_t> places(permutation.size());
    int64_t kept = 0;
    for (size_t dim = 0; dim < places.size(); ++dim)
      places[dim] = llvm::is_contained(dims, int64_t(dim)) ? -1 : kept++;
    SmallVector<int64_t> result = applyPermutation(places, permutation);
    llvm::erase(result, -1);
    return result;
  }
  Value createPermuted(Operation *op, OpBuilder &builder,
                       Permutation permutation, ValueRange operands) const {
    auto reduce = cast<ReduceOp>(op);
    SmallVector<int64_t> dims;
    for (auto [place, dim] : llvm::enumerate(permutation))
      if (llvm::is_contained(reduce.getDims(), dim))
        dims.push_back(place);
    return ReduceOp::create(builder, op->getLoc(), reduce.getCombiner(),
                            operands[0], dims);
  }
};

} // namespace

static bool isPointwise(Operation *op) {
  auto kernelOp = dyn_cast<KernelOpInterface>(op);
  return kernelOp && kernelOp.isPointwise();
}

ResultPermutation hamkaas::getResultPermutation(Operation *op,
                                                Permutation permutation) {
  if (op->getNumOperands() == 0)
    return std::nullopt;
  auto type = dyn_cast<RankedTensorType>(op->getOperand(0).getType());
  if (!type || type.getRank() != int64_t(permutation.size()))
    return std::nullopt;
  if (isPointwise(op))
    return llvm::to_vector(permutation);
  if (auto permutable = dyn_cast<PermutableOpInterface>(op))
    return permutable.getResultPermutation(permutation);
  return std::nullopt;
}

Value hamkaas::createPermuted(Operation *op, OpBuilder &builder,
                              Permutation permutation, ValueRange operands) {
  if (isPointwise(op))
    return createWithPermutedResult(op, builder, permutation, operands);
  return cast<PermutableOpInterface>(op).createPermuted(builder, permutation,
                                                        operands);
}

void hamkaas::registerPermutableOps(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, HamKaasDialect *) {
    BroadcastOp::attachInterface<AllDimensions<BroadcastOp>>(*context);
    ComplexMulOp::attachInterface<KeepsRows<ComplexMulOp>>(*context);
    ConcatOp::attachInterface<AlongDimension<ConcatOp>>(*context);
    CumsumOp::attachInterface<AlongDimension<CumsumOp>>(*context);
    GatherOp::attachInterface<PermutableGather>(*context);
    LayerNormOp::attachInterface<KeepsRows<LayerNormOp>>(*context);
    LogSumExpOp::attachInterface<PermutableLogSumExp>(*context);
    PadOp::attachInterface<PermutablePad>(*context);
    ReduceOp::attachInterface<PermutableReduce>(*context);
    RmsNormOp::attachInterface<KeepsRows<RmsNormOp>>(*context);
    SlicedSoftmaxOp::attachInterface<KeepsRows<SlicedSoftmaxOp>>(*context);
    StridedSliceOp::attachInterface<PermutableStridedSlice>(*context);
  });
}
