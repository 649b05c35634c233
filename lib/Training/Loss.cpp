//===- Loss.cpp - Losses by their names -------------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Training/Loss.h"
#include "HamKaas/Dialect/HamKaas/IR/FormatType.h"
#include "HamKaas/Dialect/HamKaas/IR/HamKaas.h"
#include "HamKaas/Frontend/Builder/Diagnostics.h"
#include "HamKaas/Frontend/Builder/GraphBuilder.h"
#include "HamKaas/Frontend/Builder/UserOperation.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace hamkaas;
using graph::quote;
using llvm::createStringError;
using llvm::Error;
using llvm::Expected;

static constexpr Loss losses[] = {
    {"cross_entropy", "cross_entropy", true, "mean", true},
    {"mse", "mse_loss", false},
    {"l1", "l1_loss", false},
    {"bce_with_logits", "binary_cross_entropy_with_logits", false},
    {"nll", "nll_loss", true},
    {"kl", "kl_div", false, "batchmean"},
};

Expected<Loss> hamkaas::findLoss(StringRef name) {
  for (const Loss &loss : losses)
    if (loss.name == name)
      return loss;
  return createStringError("expected one of " + listLosses() + ", got " +
                           quote(name));
}

std::string hamkaas::listLosses() {
  auto names =
      llvm::map_range(losses, [](const Loss &loss) { return loss.name; });
  return llvm::join(names, ", ");
}

static int64_t getClassDim(RankedTensorType type) {
  return type.getRank() > 1 ? 1 : 0;
}

Expected<RankedTensorType> hamkaas::getLabelType(const Loss &loss,
                                                 Value output) {
  auto type = cast<RankedTensorType>(output.getType());
  if (!isa<FloatType>(type.getElementType()))
    return createStringError("expected an output of floats, got " +
                             formatType(type));
  if (!loss.hasClasses)
    return type;
  if (type.getRank() == 0)
    return createStringError("expected an output with a dimension of classes, "
                             "got " +
                             formatType(type));
  SmallVector<int64_t> shape(type.getShape());
  shape.erase(shape.begin() + getClassDim(type));
  return RankedTensorType::get(shape, IntegerType::get(type.getContext(), 64));
}

Expected<Value> hamkaas::addLoss(const Loss &loss, Value output, Value labels,
                                 OpBuilder &place, Location location) {
  SmallVector<Value> operands = {output, labels};
  graph::UserAttribute reduction{"reduction", loss.reduction};
  auto results = graph::addUserOperation({loss.operation, operands, reduction},
                                         place, location);
  if (!results)
    return results.takeError();
  return results->front();
}

Value hamkaas::countCorrect(Value output, Value labels, OpBuilder &place,
                            Location location) {
  graph::Diagnostics diagnostics(location);
  graph::GraphBuilder b(place, location, diagnostics);
  auto type = cast<RankedTensorType>(output.getType());
  graph::Tensor best =
      b.argExtreme(Combiner::Max, graph::Tensor(output), getClassDim(type),
                   /*isLast=*/false);
  graph::Tensor isRight = b.eq(best, graph::Tensor(labels));
  graph::Tensor count =
      b.cast(isRight, IntegerType::get(place.getContext(), 64));
  count = b.reshape(count, {count.count()});
  Value sum =
      b.materialize(b.reduce(Combiner::Sum, count, 0, /*keepDims=*/false));
  assert(!b.hasFailed() && "the types are checked");
  return sum;
}
