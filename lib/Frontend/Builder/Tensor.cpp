//===- Tensor.cpp - A value of a graph that is being built ------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Frontend/Builder/Tensor.h"
#include "HamKaas/Frontend/Builder/Elements.h"

using namespace mlir;
using namespace hamkaas;
using namespace hamkaas::graph;

Tensor::Tensor(Value value) : data(std::make_shared<Data>()) {
  data->type = cast<RankedTensorType>(value.getType());
  data->value = value;
}

Tensor::Tensor(ReferenceTensor elements) : data(std::make_shared<Data>()) {
  data->type = elements.type;
  data->elements = std::make_unique<ReferenceTensor>(std::move(elements));
}

Tensor::Tensor(RankedTensorType type, StringRef name, ArrayRef<char> bytes)
    : data(std::make_shared<Data>()) {
  data->type = type;
  data->name = name;
  data->bytes = bytes;
  data->hasBytes = true;
}

Tensor Tensor::makeSequence(MLIRContext *context, std::vector<Tensor> items) {
  Tensor tensor{
      ReferenceTensor(RankedTensorType::get(0, IntegerType::get(context, 1)))};
  tensor.data->items = std::move(items);
  return tensor;
}

bool Tensor::isSequence() const { return data && data->items; }

ArrayRef<Tensor> Tensor::items() const {
  return isSequence() ? ArrayRef(*data->items) : ArrayRef<Tensor>();
}

RankedTensorType Tensor::type() const {
  return data ? data->type : RankedTensorType();
}

Type Tensor::elementType() const {
  return data ? data->type.getElementType() : Type();
}

ArrayRef<int64_t> Tensor::shape() const {
  return data ? data->type.getShape() : ArrayRef<int64_t>();
}

int64_t Tensor::count() const { return data ? data->type.getNumElements() : 1; }

bool Tensor::isFloat() const { return data && isa<FloatType>(elementType()); }

bool Tensor::isBool() const { return data && elementType().isInteger(1); }

Tensor Tensor::asTrainable() const {
  assert(data->hasBytes && "a parameter has bytes and a name");
  data->isTrainable = true;
  return *this;
}

Tensor Tensor::withName(StringRef name) const {
  return Tensor(data->type, name, data->bytes).asTrainable();
}

bool Tensor::isTrainable() const { return data && data->isTrainable; }

StringRef Tensor::name() const { return data ? data->name : StringRef(); }

bool Tensor::isConstant() const {
  return data && (data->elements || data->hasBytes);
}

ArrayRef<char> Tensor::bytes() const {
  return data ? data->bytes : ArrayRef<char>();
}

const ReferenceTensor &Tensor::elements() const {
  if (!data->elements)
    data->elements = std::make_unique<ReferenceTensor>(
        decodeElements(data->type, data->bytes));
  return *data->elements;
}

Value Tensor::value() const { return data ? data->value : Value(); }
