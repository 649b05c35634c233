//===- GraphBuilder.h - Builds and folds a graph ----------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_FRONTEND_BUILDER_GRAPHBUILDER_H
#define HAMKAAS_FRONTEND_BUILDER_GRAPHBUILDER_H

#include "HamKaas/Dialect/HamKaas/IR/HamKaas.h"
#include "HamKaas/Frontend/Builder/Diagnostics.h"
#include "HamKaas/Frontend/Builder/ParameterContents.h"
#include "HamKaas/Frontend/Builder/Tensor.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringSet.h"

namespace hamkaas::graph {

/// The shape that numpy gives an elementwise result; none if there is none.
std::optional<Shape> getBroadcastShape(llvm::ArrayRef<int64_t> lhs,
                                       llvm::ArrayRef<int64_t> rhs);

/// A loop over the rows of `inputs`, from the last to the first if
/// `isReversed`, that carries values which are `inits` at first.
struct LoopInputs {
  int64_t steps = 0;
  bool isReversed = false;
  Tensors inits = {}, inputs = {};
};

/// How the windows of a convolution or a pooling move over the spatial
/// dimensions, one entry for each.
struct Windows {
  Shape sizes, strides, dilations, padLow, padHigh;

  int64_t count() const { return sizes.size(); }
  /// From the first to behind the last element of a window.
  int64_t extent(int64_t i) const { return dilations[i] * (sizes[i] - 1) + 1; }
};

/// Builds operations of the dialect. An operation of constants is evaluated if
/// its result is small, so that shapes that are computed vanish.
///
/// A function that cannot do what it is asked for reports why, as a failure,
/// and returns a null tensor; one that is given a null tensor returns one. So
/// code that composes them asks for a failure once, at its end, and before it
/// looks at the shape of a result.
class GraphBuilder {
public:
  /// Builds a module of its own.
  GraphBuilder(mlir::Location location, ParameterContents &parameters,
               Diagnostics &diagnostics);
  /// Adds to a block that somebody else has. It has neither inputs nor
  /// parameters nor an end: constants are part of the code, at most
  /// `largestConstant` elements each.
  GraphBuilder(const mlir::OpBuilder &place, mlir::Location location,
               Diagnostics &diagnostics);

  /// Larger constants are parameters.
  static constexpr int64_t largestConstant = 1 << 16;

  mlir::MLIRContext *context() { return builder.getContext(); }
  /// How many operations were created so far.
  int64_t createdCount() const { return created; }
  void setLocation(mlir::Location location) { this->location = location; }

  /// Reports a failure; returns null.
  Tensor fail(const llvm::Twine &reason,
              Certainty certainty = Certainty::Open) {
    diagnostics.fail(reason, certainty);
    return {};
  }
  Tensor failMismatch(const llvm::Twine &reason) {
    diagnostics.failMismatch(reason);
    return {};
  }
  bool hasFailed() const { return diagnostics.hasFailed(); }
  /// The failure, which is over then.
  std::string takeFailure() { return diagnostics.takeFailure(); }

  /// Where operations are added now.
  mlir::OpBuilder getPlace() const { return builder; }

  //===--------------------------------------------------------------------===//
  // Any operation of the dialect
  //===--------------------------------------------------------------------===//

  template <typename OpTy>
  using PropertiesOf = typename OpTy::template InferredProperties<OpTy>;

  /// Creates an operation from its operands and the properties that ODS
  /// declares, in their order: `create<ReduceOp>(x, {.combiner = ..., .dims =
  /// ...})`. Its type is inferred unless it is given.
  template <typename OpTy>
  Tensor create(llvm::ArrayRef<Tensor> operands,
                PropertiesOf<OpTy> properties = {},
                mlir::RankedTensorType type = {}) {
    static_assert(OpTy::template hasTrait<mlir::OpTrait::OneResult>());
    return create({mlir::OperationName(OpTy::getOperationName(), context()),
                   &properties, type},
                  operands);
  }

  //===--------------------------------------------------------------------===//
  // Elementwise operations
  //===--------------------------------------------------------------------===//

  Tensor abs(Tensor x);
  Tensor acos(Tensor x);
  Tensor acosh(Tensor x);
  Tensor asin(Tensor x);
  Tensor asinh(Tensor x);
  Tensor atan(Tensor x);
  Tensor atanh(Tensor x);
  Tensor bitNot(Tensor x);
  Tensor ceil(Tensor x);
  Tensor cos(Tensor x);
  Tensor cosh(Tensor x);
  Tensor erf(Tensor x);
  Tensor exp(Tensor x);
  Tensor floor(Tensor x);
  Tensor gelu(Tensor x, GeluApproximation approximation);
  Tensor hardSwish(Tensor x);
  Tensor log(Tensor x);
  Tensor neg(Tensor x);
  Tensor relu(Tensor x);
  Tensor round(Tensor x);
  Tensor sigmoid(Tensor x);
  Tensor sign(Tensor x);
  Tensor silu(Tensor x);
  Tensor sin(Tensor x);
  Tensor sinh(Tensor x);
  Tensor sqrt(Tensor x);
  Tensor tan(Tensor x);
  Tensor tanh(Tensor x);

  Tensor add(Tensor lhs, Tensor rhs);
  Tensor sub(Tensor lhs, Tensor rhs);
  Tensor mul(Tensor lhs, Tensor rhs);
  Tensor div(Tensor lhs, Tensor rhs);
  Tensor max(Tensor lhs, Tensor rhs);
  Tensor min(Tensor lhs, Tensor rhs);
  /// With the sign of `lhs`, or of `rhs`.
  Tensor rem(Tensor lhs, Tensor rhs);
  Tensor mod(Tensor lhs, Tensor rhs);
  Tensor pow(Tensor lhs, Tensor rhs);
  /// Of bits, or of booleans.
  Tensor bitAnd(Tensor lhs, Tensor rhs);
  Tensor bitOr(Tensor lhs, Tensor rhs);
  Tensor bitXor(Tensor lhs, Tensor rhs);
  Tensor shiftLeft(Tensor lhs, Tensor rhs);
  Tensor shiftRight(Tensor lhs, Tensor rhs);

  /// With a scalar of the type of `x` on the right.
  Tensor add(Tensor x, double s) { return add(x, scalar(x.elementType(), s)); }
  Tensor sub(Tensor x, double s) { return sub(x, scalar(x.elementType(), s)); }
  Tensor mul(Tensor x, double s) { return mul(x, scalar(x.elementType(), s)); }
  Tensor div(Tensor x, double s) { return div(x, scalar(x.elementType(), s)); }
  Tensor max(Tensor x, double s) { return max(x, scalar(x.elementType(), s)); }
  Tensor min(Tensor x, double s) { return min(x, scalar(x.elementType(), s)); }
  Tensor pow(Tensor x, double s) { return pow(x, scalar(x.elementType(), s)); }

  Tensor compare(ComparePredicate predicate, Tensor lhs, Tensor rhs);
  Tensor eq(Tensor l, Tensor r) { return compare(ComparePredicate::Eq, l, r); }
  Tensor ne(Tensor l, Tensor r) { return compare(ComparePredicate::Ne, l, r); }
  Tensor lt(Tensor l, Tensor r) { return compare(ComparePredicate::Lt, l, r); }
  Tensor le(Tensor l, Tensor r) { return compare(ComparePredicate::Le, l, r); }
  Tensor gt(Tensor l, Tensor r) { return compare(ComparePredicate::Gt, l, r); }
  Tensor ge(Tensor l, Tensor r) { return compare(ComparePredicate::Ge, l, r); }

  Tensor select(Tensor condition, Tensor ifTrue, Tensor ifFalse);
  Tensor cast(Tensor x, mlir::Type type);
  /// The same bits as elements of another type of their width.
  Tensor bitcast(Tensor x, mlir::Type type);

  //===--------------------------------------------------------------------===//
  // Products, rows and reductions
  //===--------------------------------------------------------------------===//

  Tensor matmul(Tensor lhs, Tensor rhs);
  /// `x` is batch x spatial x channels, `w` spatial x channels x outputs.
  Tensor conv(Tensor x, Tensor w, const Windows &windows, int64_t groups);
  /// Rows of the last dimension.
  Tensor layerNorm(Tensor x, double epsilon);
  Tensor rmsNorm(Tensor x, Tensor w, double epsilon);
  Tensor softmax(Tensor x);
  Tensor logSumExp(Tensor x);
  /// Of batches of matrices; `bias` may be left out.
  Tensor attention(Tensor q, Tensor k, Tensor v, Tensor bias, double scale);

  Tensor reduce(Combiner combiner, Tensor x, llvm::ArrayRef<int64_t> dims,
                bool keepDims);
  /// The index of the first or last of the extreme elements along `dim`, which
  /// is dropped. The combiner is Max or Min.
  Tensor argExtreme(Combiner combiner, Tensor x, int64_t dim, bool isLast);
  /// Pools the dimensions between the first and the last one of `x`.
  Tensor pool(Combiner combiner, Tensor x, const Windows &windows);
  /// The index along `dim`, an i64.
  Tensor iota(llvm::ArrayRef<int64_t> shape, int64_t dim);
  /// The integers of that type from 0 up to `size`. Many are counted by the
  /// program, so that nothing that is computed from them is a table in it.
  Tensor count(int64_t size, mlir::Type type);

  /// Builds one step: what the next one carries, then a row of each output,
  /// from what is carried and a row of each input. None after a failure.
  using LoopBody = llvm::function_ref<Tensors(llvm::ArrayRef<Tensor> carried,
                                              llvm::ArrayRef<Tensor> rows)>;
  /// The final iter args, then the outputs; none after a failure.
  Tensors scan(const LoopInputs &loop, LoopBody body);

  //===--------------------------------------------------------------------===//
  // Shapes
  //===--------------------------------------------------------------------===//

  Tensor reshape(Tensor x, llvm::ArrayRef<int64_t> shape);
  Tensor permute(Tensor x, llvm::ArrayRef<int64_t> permutation);
  /// Dimensions of size 1 are repeated; missing ones are put in front.
  Tensor broadcast(Tensor x, llvm::ArrayRef<int64_t> shape);
  Tensor stridedSlice(Tensor x, llvm::ArrayRef<int64_t> offsets,
                      llvm::ArrayRef<int64_t> sizes,
                      llvm::ArrayRef<int64_t> strides);
  /// `size` elements of a dimension from `offset` on.
  Tensor sliceDim(Tensor x, int64_t dim, int64_t offset, int64_t size);
  Tensor concat(llvm::ArrayRef<Tensor> parts, int64_t dim);
  /// The slices of `x` along `dim` that `indices`, of any shape, name.
  /// `areChecked` if a run has made sure that there are such slices.
  Tensor gather(Tensor x, Tensor indices, int64_t dim, bool areChecked = false);
  /// `x` with `replacement` instead of its rows `begin` to `end - 1`, of which
  /// the caller guarantees that they exist and are as many.
  Tensor replaceRows(Tensor x, Tensor replacement, Tensor begin, Tensor end);
  /// Writes rows of `updates` over those of `target` that `indices` name, or
  /// combines them.
  Tensor scatter(Tensor target, Tensor indices, Tensor updates,
                 ScatterReduction reduction, bool areChecked = false);
  /// The position in a tensor of the shape `sizes` for each tuple in the last
  /// dimension of `indices`, which a run checks. In its messages they count the
  /// dimensions from `dim` on. Negative ones count from the end.
  Tensor flattenIndices(Tensor indices, llvm::ArrayRef<int64_t> sizes,
                        int64_t dim, bool areNonnegative = false);
  Tensor cumsum(Tensor x, int64_t dim, bool isExclusive, bool isReverse);
  /// The order of the elements in each row of the last dimension, or the
  /// `first` of it.
  Tensor argsort(Tensor x, bool isDescending,
                 std::optional<int64_t> first = std::nullopt);
  /// Puts `value` around the elements of `x`, and between them.
  Tensor pad(Tensor x, Tensor value, llvm::ArrayRef<int64_t> low,
             llvm::ArrayRef<int64_t> high, llvm::ArrayRef<int64_t> interior);
  /// The shape of `x` with `dim` of size 1, or without `dims`.
  static Shape keepDim(const Tensor &x, int64_t dim);
  static Shape dropDims(const Tensor &x, llvm::ArrayRef<int64_t> dims);
  /// Adds dimensions of size 1 in front.
  Tensor extendRank(Tensor x, int64_t rank);

  //===--------------------------------------------------------------------===//
  // Constants
  //===--------------------------------------------------------------------===//

  Tensor scalar(mlir::Type type, double value);
  Tensor constant(llvm::ArrayRef<int64_t> values);
  Tensor constant(llvm::ArrayRef<int64_t> values,
                  llvm::ArrayRef<int64_t> shape);
  /// Numbers as elements of that type.
  Tensor constantOf(mlir::Type type, llvm::ArrayRef<double> values,
                    llvm::ArrayRef<int64_t> shape);
  /// A tensor without elements.
  Tensor empty(llvm::ArrayRef<int64_t> shape, mlir::Type type);

  /// True if `op` is evaluated while the graph is built once its operands are
  /// constants.
  static bool canFold(mlir::Operation *op);

  //===--------------------------------------------------------------------===//
  // The module
  //===--------------------------------------------------------------------===//

  Tensor addInput(llvm::StringRef name, mlir::RankedTensorType type);

  /// Blocks of a generator of random numbers.
  struct RandomBlocks {
    /// Null after a failure.
    Tensor generator;
    int64_t offset = 0;
  };
  /// Takes blocks of the state `generator`, which is added if there is none. A
  /// run moves it on by all blocks. Fails in the body of a loop, which would
  /// take the same ones in each step.
  RandomBlocks takeRandomBlocks(int64_t blocks);

  llvm::StringRef getInputName(unsigned index);
  /// The number of the input that `value` is, none if it is another value.
  std::optional<unsigned> findInput(mlir::Value value);
  /// The value in the graph; a constant gets one. Null for a tensor without
  /// elements, which has none.
  mlir::Value materialize(const Tensor &tensor);
  /// Ends the function and drops what nothing needs.
  mlir::OwningOpRef<mlir::ModuleOp>
  finish(llvm::ArrayRef<std::pair<std::string, Tensor>> results);

private:
  bool isPartOfOther() const { return !module; }
  /// An operation but for its operands.
  struct OperationKind {
    mlir::OperationName name;
    mlir::OpaqueProperties properties;
    mlir::RankedTensorType type;
    /// One that may not fold is part of the graph in any case.
    bool mayFold = true;
  };
  Tensor create(const OperationKind &kind, llvm::ArrayRef<Tensor> operands);
  template <typename OpTy> Tensor unary(Tensor x);
  template <typename OpTy>
  Tensor binary(Tensor lhs, Tensor rhs, bool isCommutative = false);
  Tensor createIota(mlir::RankedTensorType type, int64_t dim, bool mayFold);
  Tensor reduceNothing(Combiner combiner, llvm::ArrayRef<int64_t> shape,
                       mlir::Type type);
  bool isFolded(mlir::Operation *op, llvm::ArrayRef<Tensor> operands);
  Tensor fold(mlir::Operation *op, llvm::ArrayRef<Tensor> operands);
  bool broadcastBoth(Tensor &lhs, Tensor &rhs);
  std::optional<llvm::SmallVector<mlir::Value>>
  buildBody(const LoopInputs &loop, LoopBody body, mlir::Block &block);
  mlir::Value createParameter(const Tensor &tensor);
  void keepRegular(const Tensor &indices, int64_t size);
  void dropUnused();
  void addGenerator();
  void storeGenerator();

  mlir::UnitAttr flag(bool isSet) {
    return isSet ? builder.getUnitAttr() : mlir::UnitAttr();
  }
  mlir::IntegerAttr number(int64_t value) {
    return builder.getI64IntegerAttr(value);
  }
  mlir::DenseI64ArrayAttr list(llvm::ArrayRef<int64_t> numbers) {
    return builder.getDenseI64ArrayAttr(numbers);
  }

  mlir::OpBuilder builder;
  /// Where constants go: not into the body of a loop, so that they may be read
  /// anywhere from then on.
  mlir::OpBuilder constants;
  mlir::Location location;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  mlir::func::FuncOp main;
  ParameterContents *parameters = nullptr;
  Diagnostics &diagnostics;
  llvm::StringSet<> symbols, parameterNames;
  llvm::SmallVector<mlir::Attribute> argumentAttributes;
  /// How many elements may still be computed while the graph is built.
  int64_t foldBudget;
  int64_t created = 0;
  /// A state, null if nothing is drawn of it, and how many blocks are.
  Tensor generator;
  int64_t usedBlocks = 0;
};

} // namespace hamkaas::graph

#endif // HAMKAAS_FRONTEND_BUILDER_GRAPHBUILDER_H
