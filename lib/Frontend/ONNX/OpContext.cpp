//===- OpContext.cpp - A node as its operator sees it -----------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OpContext.h"
#include "DataTypes.h"
#include "HamKaas/Frontend/Builder/Elements.h"

using namespace mlir;
using namespace hamkaas;
using namespace hamkaas::onnx;

//===----------------------------------------------------------------------===//
// Inputs
//===----------------------------------------------------------------------===//

Tensor OpContext::optionalInput(unsigned i) {
  if (i >= inputs.size())
    return {};
  isRead[i] = true;
  return inputs[i];
}

Tensor OpContext::input(unsigned i) {
  Tensor tensor = optionalInput(i);
  if (!tensor)
    return builder.fail("expected an input " + Twine(i) + ", got none");
  return tensor;
}

Tensor OpContext::packedInput(unsigned i) {
  return tensors.findPacked(optionalInput(i));
}

ArrayRef<Tensor> OpContext::allInputs() {
  for (unsigned i = 0; i < inputs.size(); ++i)
    input(i);
  if (inputs.empty())
    builder.fail("expected an input, got none");
  return inputs;
}

void OpContext::expectAllRead() {
  attributes.expectAllRead();
  for (auto [i, input] : llvm::enumerate(inputs))
    if (input && !isRead[i])
      builder.fail("input " + Twine(i) + " is not supported");
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

bool OpContext::expectConstant(unsigned i) {
  Tensor tensor = input(i);
  return tensor && constants.expect("input " + Twine(i), tensor);
}

std::optional<Shape> OpContext::constantInts(unsigned i) {
  if (!expectConstant(i))
    return std::nullopt;
  Tensor tensor = input(i);
  if (!tensor.isInteger()) {
    builder.fail("expected integers in input " + Twine(i));
    return std::nullopt;
  }
  const std::vector<int64_t> &elements = tensor.elements().i64;
  return Shape(elements.begin(), elements.end());
}

std::optional<SmallVector<double>> OpContext::constantFloats(unsigned i) {
  if (!expectConstant(i))
    return std::nullopt;
  SmallVector<double> values;
  appendElements(input(i).elements(), values);
  return values;
}

Tensor OpContext::readTensor(const TensorProto &tensor) {
  return tensors.read(tensor);
}

Type OpContext::getElementType(int64_t dataType) {
  Type type = onnx::getElementType(builder.context(), DataType(dataType));
  if (!type)
    builder.fail("elements of type " + getDataTypeName(DataType(dataType)) +
                 " are not supported");
  return type;
}

bool OpContext::checkShape(ArrayRef<int64_t> shape) {
  return tensors.checkShape(shape);
}

//===----------------------------------------------------------------------===//
// Axes
//===----------------------------------------------------------------------===//

int64_t OpContext::normalizeAxis(int64_t axis, int64_t rank) {
  if (axis >= -rank && axis < rank)
    return axis < 0 ? axis + rank : axis;
  builder.fail("expected an axis of a tensor of rank " + Twine(rank) +
               ", got " + Twine(axis));
  return 0;
}

Shape OpContext::normalizeAxes(ArrayRef<int64_t> axes, int64_t rank) {
  Shape normalized;
  llvm::SmallDenseSet<int64_t> seen;
  for (int64_t axis : axes) {
    normalized.push_back(normalizeAxis(axis, rank));
    if (!seen.insert(normalized.back()).second)
      builder.fail("expected axes that differ, got " + Twine(axis) + " twice");
    if (builder.hasFailed())
      return {};
  }
  return normalized;
}

bool OpContext::expectElements(const Tensor &x) {
  if (x && x.isEmpty())
    builder.fail("tensors without elements are not supported, got the "
                 "shape " +
                 formatShape(x.shape()));
  return x && !x.isEmpty();
}

bool OpContext::expectRank(const Tensor &x, int64_t least,
                           std::optional<int64_t> most) {
  if (!expectElements(x))
    return false;
  if (x.rank() >= least && (!most || x.rank() <= *most))
    return true;
  std::string expected = std::to_string(least);
  if (!most)
    expected += " or more";
  else if (*most != least)
    expected += " to " + std::to_string(*most);
  builder.fail("expected a tensor of rank " + expected + ", got the shape " +
               formatShape(x.shape()));
  return false;
}
