//===- GraphBuilder.h - Builds and folds the graph --------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_FRONTEND_ONNX_GRAPHBUILDER_H
#define HAMKAAS_LIB_FRONTEND_ONNX_GRAPHBUILDER_H

#include "HamKaas/Frontend/ONNX/ONNX.h"
#include "Tensor.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringSet.h"

namespace hamkaas::onnx {

using Shape = llvm::SmallVector<int64_t>;

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

/// Builds operations of the dialect. An operation of constants is evaluated if
/// its result is small, so that shapes that are computed vanish.
///
/// A function that cannot do what it is asked for keeps the reason and returns
/// a null tensor; one that is given a null tensor returns one. So code that
/// composes them asks for a failure once, at its end, and before it looks at
/// the shape of a result.
class GraphBuilder {
public:
  GraphBuilder(mlir::Location location, ParameterContents &parameters,
               const OnnxOptionNames &optionNames = {});

  mlir::MLIRContext *context() { return builder.getContext(); }
  /// How many operations were created so far.
  int64_t createdCount() const { return created; }
  void setLocation(mlir::Location location) { this->location = location; }

  /// Keeps the first reason; returns null.
  Tensor fail(const llvm::Twine &reason);
  bool hasFailed() const { return !reason.empty(); }
  /// Whether no elements of inputs would change that.
  bool hasFailedForGood() const { return isFinal; }
  std::string takeFailure() {
    isFinal = false;
    return std::exchange(reason, "");
  }

  //===--------------------------------------------------------------------===//
  // Operations of the dialect
  //===--------------------------------------------------------------------===//

  /// Creates the operation `hamkaas.<name>`. Its type is inferred unless it is
  /// given. One that may not fold is part of the graph in any case.
  Tensor create(llvm::StringRef name, llvm::ArrayRef<Tensor> operands,
                llvm::ArrayRef<mlir::NamedAttribute> attributes = {},
                mlir::RankedTensorType type = {}, bool mayFold = true);

  /// An operation of one operand whose result is of its type.
  Tensor unary(llvm::StringRef name, Tensor x);
  /// An operation of two operands, which are broadcast as numpy does.
  Tensor binary(llvm::StringRef name, Tensor lhs, Tensor rhs);
  /// `predicate` is eq, ne, lt, le, gt or ge.
  Tensor compare(llvm::StringRef predicate, Tensor lhs, Tensor rhs);
  Tensor select(Tensor condition, Tensor ifTrue, Tensor ifFalse);
  Tensor cast(Tensor x, mlir::Type type);

  Tensor add(Tensor l, Tensor r) { return binary("add", l, r); }
  Tensor sub(Tensor l, Tensor r) { return binary("sub", l, r); }
  Tensor mul(Tensor l, Tensor r) { return binary("mul", l, r); }
  Tensor div(Tensor l, Tensor r) { return binary("div", l, r); }

  /// With a scalar of the type of `x` on the right.
  Tensor add(Tensor x, double s) { return add(x, scalar(x.elementType(), s)); }
  Tensor sub(Tensor x, double s) { return sub(x, scalar(x.elementType(), s)); }
  Tensor mul(Tensor x, double s) { return mul(x, scalar(x.elementType(), s)); }
  Tensor div(Tensor x, double s) { return div(x, scalar(x.elementType(), s)); }

  Tensor matmul(Tensor lhs, Tensor rhs);
  /// `kind` is sum, prod, max or min.
  Tensor reduce(llvm::StringRef kind, Tensor x, llvm::ArrayRef<int64_t> dims,
                bool keepDims);
  /// The index of the first or last of the extreme elements along `dim`, which
  /// is dropped. `kind` is max or min.
  Tensor argExtreme(llvm::StringRef kind, Tensor x, int64_t dim, bool isLast);
  /// Pools the dimensions between the first and the last one of `x`.
  Tensor pool(llvm::StringRef kind, Tensor x, llvm::ArrayRef<int64_t> window,
              llvm::ArrayRef<int64_t> strides,
              llvm::ArrayRef<int64_t> dilations, llvm::ArrayRef<int64_t> padLow,
              llvm::ArrayRef<int64_t> padHigh);
  /// The square root.
  Tensor root(Tensor x) { return unary("sqrt", x); }
  /// The index along `dim`, an i64.
  Tensor iota(llvm::ArrayRef<int64_t> shape, int64_t dim);
  /// The integers of that type from 0 up to `size`. Many are counted by the
  /// program, so that nothing that is computed from them is a table in it.
  Tensor count(int64_t size, mlir::Type type);

  mlir::NamedAttribute flag(llvm::StringRef name);
  mlir::NamedAttribute combiner(llvm::StringRef kind);
  mlir::NamedAttribute attribute(llvm::StringRef name, int64_t value);
  mlir::NamedAttribute attribute(llvm::StringRef name,
                                 llvm::ArrayRef<int64_t> values);

  /// Builds one step: what the next one carries, then a row of each output,
  /// from what is carried and a row of each input. None after a failure.
  using LoopBody = llvm::function_ref<Tensors(llvm::ArrayRef<Tensor> carried,
                                              llvm::ArrayRef<Tensor> rows)>;
  /// What the last step carries, then the outputs; none after a failure.
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
  /// Writes rows of `updates` over those of `target` that `indices` name, or
  /// combines them; `reduction` is none, add, mul, max or min.
  Tensor scatter(Tensor target, Tensor indices, Tensor updates,
                 llvm::StringRef reduction, bool areChecked = false);
  /// The position in a tensor of the shape `sizes` for each tuple in the last
  /// dimension of `indices`, which a run checks. In its messages they count the
  /// dimensions from `dim` on. Negative ones count from the end.
  Tensor flattenIndices(Tensor indices, llvm::ArrayRef<int64_t> sizes,
                        int64_t dim, bool areNonnegative = false);
  Tensor cumsum(Tensor x, int64_t dim, bool isExclusive, bool isReverse);
  /// The order of the elements in each row of the last dimension.
  Tensor argsort(Tensor x, bool isDescending);
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

  //===--------------------------------------------------------------------===//
  // The module
  //===--------------------------------------------------------------------===//

  Tensor addInput(llvm::StringRef name, mlir::RankedTensorType type);
  llvm::StringRef getInputName(unsigned index);
  /// Fails unless `tensor`, called `what`, is a constant. Notes the inputs
  /// whose elements would make it one; if there are none, fails for good.
  bool expectKnown(const llvm::Twine &what, const Tensor &tensor);
  /// Dimensions of inputs have sizes that are not theirs.
  void setSizesUnknown() { areSizesKnown = false; }
  llvm::ArrayRef<unsigned> missingInputs() const {
    return missing.getArrayRef();
  }
  /// The value in the graph; a constant gets one. Null for a tensor without
  /// elements, which has none.
  mlir::Value materialize(const Tensor &tensor);
  /// Ends the function and drops what nothing needs.
  mlir::OwningOpRef<mlir::ModuleOp>
  finish(llvm::ArrayRef<std::pair<std::string, Tensor>> results);

private:
  int64_t created = 0;

  Tensor reduceNothing(llvm::StringRef kind, llvm::ArrayRef<int64_t> shape,
                       mlir::Type type);
  /// What a value is computed from.
  struct Origin {
    /// By their numbers.
    llvm::SetVector<unsigned> inputs;
    bool isInLoop = false;
    /// One of the operations that would stay even if the inputs were constants.
    mlir::Operation *remaining = nullptr;
  };
  Origin findOrigin(mlir::Value value);
  bool remainsForConstants(mlir::Operation *op) const;
  bool isFolded(llvm::ArrayRef<Tensor> operands, mlir::RankedTensorType type);
  Tensor fold(mlir::Operation *op, llvm::ArrayRef<Tensor> operands);
  bool broadcastBoth(Tensor &lhs, Tensor &rhs);
  std::optional<llvm::SmallVector<mlir::Value>>
  buildBody(const LoopInputs &loop, LoopBody body, mlir::Block &block);
  mlir::Value createParameter(const Tensor &tensor, mlir::OpBuilder &loads);
  void dropUnused();

  mlir::OpBuilder builder;
  mlir::Location location;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  mlir::func::FuncOp main;
  ParameterContents &parameters;
  llvm::StringSet<> symbols, parameterNames;
  llvm::SmallVector<mlir::Attribute> argumentAttributes;
  llvm::SetVector<unsigned> missing;
  OnnxOptionNames optionNames;
  /// How many elements may still be computed while importing.
  int64_t foldBudget;
  bool areSizesKnown = true;
  std::string reason;
  bool isFinal = false;
};

} // namespace hamkaas::onnx

#endif // HAMKAAS_LIB_FRONTEND_ONNX_GRAPHBUILDER_H
