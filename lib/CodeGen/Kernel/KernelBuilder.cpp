//===- KernelBuilder.cpp - Emits the loops of one kernel --------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/CodeGen/Kernel/KernelBuilder.h"
#include "HamKaas/CodeGen/Kernel/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace hamkaas;

/// Chains of one function that an epilogue with 16 registers interleaves. On
/// AMD EPYC (Zen 3), 3136 x 96 x 384 with GELU takes 3.23 ms with four, 3.34
/// with two, 3.33 with six, 3.47 with one. With 32 registers, the accumulators
/// of a contraction would spill for little: GELU is 1 % of its kernel there.
static constexpr size_t interleavedVectors = 4;

/// Returns whether `kernel` has functions that become long chains.
static bool computesFunctions(func::FuncOp kernel) {
  return kernel
      .walk([](Operation *op) {
        return isa<math::ExpOp, math::ErfOp, math::LogOp, math::TanhOp>(op)
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

KernelBuilder::KernelBuilder(func::FuncOp kernel,
                             const TargetDescription &target)
    : builder(kernel.getBody().front().getTerminator()),
      location(kernel.getLoc()), costModel(target),
      argument(kernel.getArguments().back()), entry(&kernel.getBody().front()) {
  assert(kernel.getBody().hasOneBlock() && "expected a verified kernel");
  destination = argument;
  costModel.knobs = Knobs::get(kernel);
  if (target.hasFewRegisters() && computesFunctions(kernel))
    epilogueVectors = interleavedVectors;
}

void KernelBuilder::dropKnob(StringRef name) {
  Operation *kernel = entry->getParentOp();
  setKnobs(kernel, hamkaas::dropKnob(getKnobs(kernel), name));
}

RankedTensorType KernelBuilder::destinationType() const {
  return cast<RankedTensorType>(argument.getType());
}

//===----------------------------------------------------------------------===//
// Indices
//===----------------------------------------------------------------------===//

Value KernelBuilder::constant(int64_t value) {
  Value &known = constants[value];
  if (!known) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(entry);
    known = arith::ConstantIndexOp::create(builder, location, value);
  }
  return known;
}

std::pair<Value, Value> KernelBuilder::makeAlike(Value lhs, Value rhs) {
  assert((!isa<VectorType>(lhs.getType()) || !isa<VectorType>(rhs.getType()) ||
          lhs.getType() == rhs.getType()) &&
         "expected vectors of as many lanes");
  for (Value operand : {lhs, rhs})
    if (auto type = dyn_cast<VectorType>(operand.getType()))
      return {broadcast(lhs, type.getDimSize(0)),
              broadcast(rhs, type.getDimSize(0))};
  return {lhs, rhs};
}

Value KernelBuilder::add(Value lhs, Value rhs) {
  std::optional<int64_t> a = getConstantIntValue(lhs);
  std::optional<int64_t> b = getConstantIntValue(rhs);
  if (a && b)
    return constant(*a + *b);
  if (a == 0)
    return rhs;
  if (b == 0)
    return lhs;
  // Indices are offsets within an object, so none of this can wrap.
  // NOTE: not nuw, for a part of a sum may be negative; and upstream keeps the
  // flag when it folds (x - 2) + 1 to x + -1.
  std::tie(lhs, rhs) = makeAlike(lhs, rhs);
  return arith::AddIOp::create(builder, location, lhs, rhs,
                               arith::IntegerOverflowFlags::nsw);
}

Value KernelBuilder::subtract(Value lhs, Value rhs) {
  std::optional<int64_t> a = getConstantIntValue(lhs);
  std::optional<int64_t> b = getConstantIntValue(rhs);
  if (a && b)
    return constant(*a - *b);
  if (b == 0)
    return lhs;
  std::tie(lhs, rhs) = makeAlike(lhs, rhs);
  return arith::SubIOp::create(builder, location, lhs, rhs,
                               arith::IntegerOverflowFlags::nsw);
}

Value KernelBuilder::multiply(Value lhs, int64_t rhs) {
  if (std::optional<int64_t> a = getConstantIntValue(lhs))
    return constant(*a * rhs);
  if (rhs == 1)
    return lhs;
  auto [x, y] = makeAlike(lhs, constant(rhs));
  return arith::MulIOp::create(builder, location, x, y,
                               arith::IntegerOverflowFlags::nsw);
}

Value KernelBuilder::divide(Value lhs, int64_t rhs) {
  assert(rhs > 0 && "expected a divisor above 0, as the division is unsigned");
  if (std::optional<int64_t> a = getConstantIntValue(lhs))
    return constant(*a / rhs);
  if (rhs == 1)
    return lhs;
  auto [x, y] = makeAlike(lhs, constant(rhs));
  return arith::DivUIOp::create(builder, location, x, y);
}

Value KernelBuilder::remainder(Value lhs, int64_t rhs) {
  assert(rhs > 0 && "expected a divisor above 0, as the division is unsigned");
  if (std::optional<int64_t> a = getConstantIntValue(lhs))
    return constant(*a % rhs);
  if (rhs == 1)
    return constant(0);
  auto [x, y] = makeAlike(lhs, constant(rhs));
  return arith::RemUIOp::create(builder, location, x, y);
}

Value KernelBuilder::minimum(Value lhs, Value rhs) {
  std::optional<int64_t> a = getConstantIntValue(lhs);
  std::optional<int64_t> b = getConstantIntValue(rhs);
  if (a && b)
    return constant(std::min(*a, *b));
  auto [x, y] = makeAlike(lhs, rhs);
  return arith::MinUIOp::create(builder, location, x, y);
}

Value KernelBuilder::isLess(Value lhs, Value rhs) {
  auto [x, y] = makeAlike(lhs, rhs);
  return arith::CmpIOp::create(builder, location, arith::CmpIPredicate::ult, x,
                               y);
}

SmallVector<Value> KernelBuilder::delinearize(Value linear,
                                              ArrayRef<int64_t> shape) {
  SmallVector<Value> coordinates(shape.size());
  // Leading dimensions of one element need no division.
  size_t first = 0;
  while (first + 1 < shape.size() && shape[first] == 1)
    coordinates[first++] = constant(0);
  for (size_t d = shape.size(); d > first + 1; --d) {
    coordinates[d - 1] = remainder(linear, shape[d - 1]);
    linear = divide(linear, shape[d - 1]);
  }
  if (!shape.empty())
    coordinates[first] = linear;
  return coordinates;
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

void KernelBuilder::tileLoop(int64_t tiles, function_ref<void(Value)> body) {
  assert(destination == argument && "expected one loop over tiles");
  auto loop = scf::ForOp::create(builder, location, constant(0),
                                 constant(tiles), constant(1), destination);
  loop->setAttr(HamKaasDialect::tileLoopAttrName, builder.getUnitAttr());
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  destination = loop.getRegionIterArg(0);
  body(loop.getInductionVar());
  scf::YieldOp::create(builder, location, destination);
  destination = loop.getResult(0);
}

SmallVector<Value> KernelBuilder::loop(Value lower, Value upper, int64_t step,
                                       ValueRange carried, bool writes,
                                       LoopBody body) {
  assert(step > 0 && "expected a loop that counts up");
  std::optional<int64_t> from = getConstantIntValue(lower);
  std::optional<int64_t> to = getConstantIntValue(upper);
  if (from && to && *to <= *from)
    return carried;
  if (from && to && *to - *from <= step)
    return body(lower, carried);

  SmallVector<Value> initial(carried);
  if (writes)
    initial.push_back(destination);
  auto loop = scf::ForOp::create(builder, location, lower, upper,
                                 constant(step), initial);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  if (writes)
    destination = loop.getRegionIterArgs().back();
  SmallVector<Value> yielded =
      body(loop.getInductionVar(),
           ValueRange(loop.getRegionIterArgs()).take_front(carried.size()));
  assert(yielded.size() == carried.size() && "expected what is carried");
  if (writes) {
    yielded.push_back(destination);
    destination = loop.getResults().back();
  }
  // A loop without iter args already has its terminator.
  if (!yielded.empty())
    scf::YieldOp::create(builder, location, yielded);
  return loop.getResults().take_front(carried.size());
}

SmallVector<Value> KernelBuilder::unrolledLoop(Value lower, Value upper,
                                               int64_t count, int64_t multiple,
                                               ValueRange carried,
                                               LoopBody body) {
  Value whole = upper;
  if (multiple % count != 0)
    whole = subtract(upper, remainder(subtract(upper, lower), count));
  SmallVector<Value> values =
      loop(lower, whole, count, carried, /*writes=*/false,
           [&](Value index, ValueRange before) {
             SmallVector<Value> next(before);
             for (int64_t i = 0; i < count; ++i)
               next = body(add(index, i), next);
             return next;
           });
  if (whole == upper)
    return values;
  return loop(whole, upper, 1, values, /*writes=*/false, body);
}

void KernelBuilder::writingLoop(Value lower, Value upper, int64_t step,
                                function_ref<void(Value)> body) {
  loop(lower, upper, step, {}, /*writes=*/true, [&](Value index, ValueRange) {
    body(index);
    return SmallVector<Value>();
  });
}

SmallVector<Value> KernelBuilder::branch(Value condition, TypeRange types,
                                         bool writes, BranchBody thenBody,
                                         BranchBody elseBody) {
  SmallVector<Type> resultTypes(types);
  if (writes)
    resultTypes.push_back(destination.getType());
  auto branch = scf::IfOp::create(builder, location, resultTypes, condition,
                                  /*addThenBlock=*/true, /*addElseBlock=*/true);
  OpBuilder::InsertionGuard guard(builder);
  Value before = destination;
  auto emit = [&](Block *block, BranchBody body) {
    builder.setInsertionPointToStart(block);
    destination = before;
    SmallVector<Value> yielded = body();
    assert(yielded.size() == types.size() && "expected a value for each type");
    assert((writes || destination == before) &&
           "expected a branch that writes");
    if (writes)
      yielded.push_back(destination);
    scf::YieldOp::create(builder, location, yielded);
  };
  emit(branch.thenBlock(), thenBody);
  emit(branch.elseBlock(), elseBody);
  destination = writes ? branch.getResults().back() : before;
  return branch.getResults().take_front(types.size());
}

void KernelBuilder::writingBranch(Value condition,
                                  function_ref<void()> thenBody,
                                  function_ref<void()> elseBody) {
  auto without = [](function_ref<void()> body) {
    return [body] {
      body();
      return SmallVector<Value>();
    };
  };
  branch(condition, {}, /*writes=*/true, without(thenBody), without(elseBody));
}

//===----------------------------------------------------------------------===//
// Vectors
//===----------------------------------------------------------------------===//

Value KernelBuilder::broadcast(Value value, int64_t lanes) {
  if (isa<VectorType>(value.getType())) {
    assert(cast<VectorType>(value.getType()).getDimSize(0) == lanes &&
           "expected as many lanes");
    return value;
  }
  return vector::BroadcastOp::create(
      builder, location, VectorType::get(lanes, value.getType()), value);
}

Value KernelBuilder::mask(int64_t active, int64_t lanes) {
  assert(active >= 0 && active <= lanes && "expected some of the lanes");
  return vector::ConstantMaskOp::create(
      builder, location, VectorType::get(lanes, builder.getI1Type()),
      ArrayRef<int64_t>(active));
}

Value KernelBuilder::combineAcross(Value vector,
                                   function_ref<Value(Value, Value)> step) {
  int64_t lanes = cast<VectorType>(vector.getType()).getDimSize(0);
  assert(llvm::isPowerOf2_64(lanes) && "expected lanes whose numbers are bits");
  for (int64_t width = lanes / 2; width >= 1; width /= 2) {
    SmallVector<int64_t> others;
    for (int64_t lane = 0; lane < lanes; ++lane)
      others.push_back(lane ^ width);
    Value other =
        vector::ShuffleOp::create(builder, location, vector, vector, others);
    vector = step(vector, other);
  }
  return vector;
}

Value KernelBuilder::laneNumbers(int64_t lanes) {
  return vector::StepOp::create(builder, location,
                                VectorType::get(lanes, builder.getIndexType()));
}

static AffineMap lastDimension(OpBuilder &builder, int64_t rank) {
  return AffineMap::getMinorIdentityMap(rank, 1, builder.getContext());
}

Value KernelBuilder::multiplyAdd(Value lhs, Value rhs, Value sum) {
  if (target().fma)
    return vector::FMAOp::create(builder, location, lhs, rhs, sum);
  Value product = arith::MulFOp::create(builder, location, lhs, rhs);
  return arith::AddFOp::create(builder, location, sum, product);
}

Value KernelBuilder::load(Value tensor, ValueRange indices, int64_t lanes,
                          int64_t active) {
  assert(cast<ShapedType>(tensor.getType()).getRank() ==
             static_cast<int64_t>(indices.size()) &&
         "expected an index for each dimension");
  Type element = getElementTypeOrSelf(tensor);
  Value zero = arith::ConstantOp::create(builder, location,
                                         builder.getZeroAttr(element));
  Value lanesRead = active == lanes ? Value() : mask(active, lanes);
  return vector::TransferReadOp::create(
      builder, location, VectorType::get(lanes, element), tensor, indices,
      AffineMapAttr::get(lastDimension(builder, indices.size())), zero,
      lanesRead, builder.getBoolArrayAttr(true));
}

/// Linear indices of the destination. NOTE: upstream turns linear indices that
/// count up from 0 into a load or store, on a buffer whose layout does not
/// allow it yet. It does not see through a cast.
static Value hideIndices(OpBuilder &builder, Location loc, Value linear) {
  int64_t lanes = cast<VectorType>(linear.getType()).getDimSize(0);
  return arith::IndexCastOp::create(
      builder, loc, VectorType::get(lanes, builder.getI64Type()), linear);
}

Value KernelBuilder::gather(Value tensor, Value linear, int64_t active) {
  int64_t lanes = cast<VectorType>(linear.getType()).getDimSize(0);
  auto type = cast<RankedTensorType>(tensor.getType());
  int64_t rank = type.getRank();
  if (isa<BlockArgument>(tensor) && tensor != destination) {
    tensor = flatBuffer(tensor);
    rank = 1;
  } else if (tensor == destination) {
    linear = hideIndices(builder, location, linear);
  } else if (rank > 1) {
    // NOTE: not of the destination, which has any layout during bufferization
    // and would be copied.
    SmallVector<ReassociationIndices> all(
        1, llvm::to_vector<2>(llvm::seq<int64_t>(rank)));
    tensor = tensor::CollapseShapeOp::create(builder, location, tensor, all);
    rank = 1;
  }
  auto vectorType = VectorType::get(lanes, type.getElementType());
  Value zeros = arith::ConstantOp::create(builder, location,
                                          builder.getZeroAttr(vectorType));
  return vector::GatherOp::create(builder, location, vectorType, tensor,
                                  SmallVector<Value>(rank, constant(0)), linear,
                                  mask(active, lanes), zeros);
}

bool KernelBuilder::hasOneElement(Value tensor) const {
  return llvm::is_contained(arguments().drop_back(), tensor) &&
         cast<RankedTensorType>(tensor.getType()).getNumElements() == 1;
}

Value KernelBuilder::loadOnlyElement(Value tensor) {
  assert(hasOneElement(tensor) && "expected an argument of one element");
  Value &element = onlyElements[tensor];
  if (element)
    return element;
  OpBuilder::InsertionGuard guard(builder);
  int64_t rank = cast<RankedTensorType>(tensor.getType()).getRank();
  SmallVector<Value> first(rank, constant(0));
  if (builder.getInsertionBlock() != entry)
    setInsertionPointBeforeTiles();
  element = tensor::ExtractOp::create(builder, location, tensor, first);
  return element;
}

/// Masked stores of AVX2 are slow, and earlier levels have none: on a Zen 3
/// core, a row of 20 elements takes 21 cycles with one, 11 without.
static bool storesInParts(const CostModel &costs) {
  return costs.hasOwnCache() && costs.target.hasFewRegisters();
}

void KernelBuilder::store(Value vector, ValueRange indices, int64_t active) {
  assert(destinationType().getRank() == static_cast<int64_t>(indices.size()) &&
         "expected an index for each dimension");
  if (isDeferring)
    return defer(vector, indices, active, /*isScattered=*/false);
  int64_t lanes = cast<VectorType>(vector.getType()).getDimSize(0);
  if (active == lanes)
    return write(vector, indices, /*lanesWritten=*/nullptr);
  // NOTE: not by a mask of one lane: of a vector of 32-bit integers that is
  // truncated to narrower ones, LLVM 22 would store 4 bytes for AVX-512.
  if (active > 1 && !storesInParts(costs()))
    return write(vector, indices, mask(active, lanes));
  for (int64_t first = 0; first < active;) {
    int64_t count = llvm::bit_floor(uint64_t(active - first));
    Value part = vector::ExtractStridedSliceOp::create(
        builder, location, vector, ArrayRef<int64_t>(first),
        ArrayRef<int64_t>(count), ArrayRef<int64_t>(1));
    SmallVector<Value> place(indices);
    place.back() = add(place.back(), first);
    write(part, place, /*lanesWritten=*/nullptr);
    first += count;
  }
}

void KernelBuilder::write(Value vector, ValueRange indices,
                          Value lanesWritten) {
  destination = vector::TransferWriteOp::create(
                    builder, location, vector, destination, indices,
                    AffineMapAttr::get(lastDimension(builder, indices.size())),
                    lanesWritten, builder.getBoolArrayAttr(true))
                    .getResult();
}

void KernelBuilder::scatter(Value vector, Value linear, int64_t active) {
  if (isDeferring)
    return defer(vector, linear, active, /*isScattered=*/true);
  int64_t lanes = cast<VectorType>(vector.getType()).getDimSize(0);
  SmallVector<Value> first(destinationType().getRank(), constant(0));
  linear = hideIndices(builder, location, linear);
  destination = vector::ScatterOp::create(
                    builder, location, destination.getType(), destination,
                    first, linear, mask(active, lanes), vector)
                    .getResult();
}

void KernelBuilder::deferStores(function_ref<void()> body) {
  assert(!isDeferring && "expected no stores that are deferred already");
  isDeferring = true;
  body();
  storeDeferred();
  isDeferring = false;
}

void KernelBuilder::deferEpilogue(function_ref<void()> body) {
  deferredAtOnce = epilogueVectors;
  deferStores(body);
  deferredAtOnce = 0;
}

void KernelBuilder::defer(Value vector, ValueRange indices, int64_t active,
                          bool isScattered) {
  deferred.push_back(
      {vector, SmallVector<Value>(indices), active, isScattered});
  if (deferred.size() == deferredAtOnce)
    storeDeferred();
}

void KernelBuilder::storeDeferred() {
  isDeferring = false;
  for (const DeferredStore &write : deferred)
    if (write.isScattered)
      scatter(write.vector, write.indices.front(), write.active);
    else
      store(write.vector, write.indices, write.active);
  deferred.clear();
  isDeferring = true;
}

bool KernelBuilder::streams(int64_t columns) const {
  RankedTensorType type = destinationType();
  return type.getElementTypeBitWidth() == 32 &&
         costModel.streams(type.getNumElements(), columns);
}

void KernelBuilder::setInsertionPointBeforeTiles() {
  builder.setInsertionPoint(entry->findAncestorOpInBlock(
      *builder.getInsertionBlock()->getParentOp()));
}

Value KernelBuilder::elementsBeforeLine() {
  assert(destinationType().getElementTypeBitWidth() == 32 &&
         "expected a destination that streams");
  if (beforeLine)
    return beforeLine;
  // Before the tiles: nothing has been written yet.
  OpBuilder::InsertionGuard guard(builder);
  Value four = constant(4), mask = constant(costModel.machine.lineBytes - 1);
  Value zero = constant(0);
  setInsertionPointBeforeTiles();
  Value buffer = bufferization::ToBufferOp::create(
      builder, location,
      bufferization::getMemRefTypeWithFullyDynamicLayout(destinationType()),
      argument, /*read_only=*/true);
  Value address =
      memref::ExtractAlignedPointerAsIndexOp::create(builder, location, buffer);
  Value bytes = arith::AndIOp::create(
      builder, location,
      arith::SubIOp::create(builder, location, zero, address), mask);
  beforeLine = arith::DivUIOp::create(builder, location, bytes, four);
  return beforeLine;
}

void KernelBuilder::streamingLoop(Value lower, Value upper, int64_t step,
                                  function_ref<void(Value)> body) {
  writingLoop(lower, upper, step, body);
  if (auto loop = destination.getDefiningOp<scf::ForOp>())
    loop->setAttr(HamKaasDialect::streamLoopAttrName, builder.getUnitAttr());
}

Value KernelBuilder::flatBuffer(Value argument) {
  assert(isa<BlockArgument>(argument) && "expected an argument of the kernel");
  // NOTE: of the layout that bufferization gives arguments; any other would ask
  // for a copy.
  auto type = cast<RankedTensorType>(argument.getType());
  Value buffer = bufferization::ToBufferOp::create(
      builder, location,
      bufferization::getMemRefTypeWithFullyDynamicLayout(type), argument,
      /*read_only=*/true);
  int64_t elements = type.getNumElements();
  return memref::ReinterpretCastOp::create(
      builder, location, MemRefType::get(elements, type.getElementType()),
      buffer, /*offset=*/0, /*sizes=*/ArrayRef(elements),
      /*strides=*/ArrayRef<int64_t>(1));
}

void KernelBuilder::prefetch(Value argument, Value linear, CacheLevel level) {
  createPrefetch(flatBuffer(argument), linear, level);
}

void KernelBuilder::prefetchDestination(Value linear, CacheLevel level) {
  if (!flatDestination) {
    // Before the tiles: nothing has been written yet.
    OpBuilder::InsertionGuard guard(builder);
    setInsertionPointBeforeTiles();
    flatDestination = flatBuffer(argument);
  }
  createPrefetch(flatDestination, linear, level);
}

void KernelBuilder::createPrefetch(Value buffer, Value linear,
                                   CacheLevel level) {
  assert(costModel.machine.prefetches &&
         "expected a machine that asks for memory ahead");
  // Levels are counted from memory here.
  int64_t locality = level == CacheLevel::First ? 3 : 2;
  memref::PrefetchOp::create(builder, location, buffer, linear,
                             /*isWrite=*/false, locality,
                             /*isDataCache=*/true);
}

Value KernelBuilder::allocate(int64_t rows, int64_t columns, Type element) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(entry);
  return memref::AllocaOp::create(
      builder, location,
      MemRefType::get({rows, columns},
                      element ? element : builder.getF32Type()),
      builder.getI64IntegerAttr(costModel.machine.lineBytes));
}

Value KernelBuilder::getExchange(int64_t rows, int64_t columns, Type element) {
  Value &known = exchanges[MemRefType::get({rows, columns}, element)];
  if (!known)
    known = allocate(rows, columns, element);
  return known;
}

void KernelBuilder::storeElement(Value element, ValueRange indices) {
  assert(!isDeferring && "expected stores of whole vectors to defer");
  destination = tensor::InsertOp::create(builder, location, element,
                                         destination, indices);
}
