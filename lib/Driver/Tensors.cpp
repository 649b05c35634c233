//===- Tensors.cpp - Tensors from and to files ------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Driver/Tensors.h"
#include "HamKaas/Runtime/Npy.h"
#include "HamKaas/Runtime/Safetensors.h"
#include "mlir/IR/Builders.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/xxhash.h"
#include <cmath>
#include <cstring>
#include <random>

using namespace mlir;
using namespace hamkaas;

static llvm::Error toError(rt::Error error) {
  return llvm::createStringError(error.message());
}

const void *hamkaas::getData(const ReferenceTensor &tensor) {
  if (tensor.type.getElementType().isF32())
    return tensor.f32.data();
  return tensor.i64.data();
}

void *hamkaas::getData(ReferenceTensor &tensor) {
  return const_cast<void *>(getData(std::as_const(tensor)));
}

RankedTensorType hamkaas::makeTensorType(MLIRContext *context,
                                         int32_t elementType,
                                         ArrayRef<int64_t> shape) {
  Type element = elementType == HamKaasFloat32
                     ? Type(Float32Type::get(context))
                     : Type(IntegerType::get(context, 64));
  return RankedTensorType::get(shape, element);
}

llvm::Expected<ReferenceTensor>
hamkaas::readTensor(StringRef path, StringRef name, RankedTensorType type) {
  rt::NpyFile file;
  if (rt::Error error = file.open(path.str().c_str()))
    return toError(std::move(error));
  RankedTensorType found = makeTensorType(type.getContext(), file.elementType(),
                                          ArrayRef(file.shape(), file.rank()));
  if (found != type) {
    std::string text;
    llvm::raw_string_ostream(text) << "'" << name << "': expected " << type
                                   << ", got " << found << " in " << path;
    return llvm::createStringError(text);
  }
  ReferenceTensor tensor(type);
  std::memcpy(getData(tensor), file.data(), file.bytes());
  return tensor;
}

llvm::Error hamkaas::writeTensor(StringRef path,
                                 const ReferenceTensor &tensor) {
  HamKaasElementType type =
      tensor.type.getElementType().isF32() ? HamKaasFloat32 : HamKaasInt64;
  if (rt::Error error =
          rt::writeNpy(path.str().c_str(), type, tensor.shape().size(),
                       tensor.shape().data(), getData(tensor)))
    return toError(std::move(error));
  return llvm::Error::success();
}

llvm::Expected<llvm::StringMap<ReferenceTensor>>
hamkaas::readWeights(StringRef path, MLIRContext *context) {
  rt::SafetensorsFile file;
  if (rt::Error error = file.open(path.str().c_str()))
    return toError(std::move(error));
  llvm::StringMap<ReferenceTensor> tensors;
  for (size_t i = 0; i < file.size(); ++i) {
    const rt::SafetensorsTensor &stored = file[i];
    if (stored.elementType < 0)
      return llvm::createStringError(
          "%s: tensor '%s': expected type F32 or I64, got %s",
          path.str().c_str(), stored.name, stored.dtype);
    ReferenceTensor tensor(makeTensorType(context, stored.elementType,
                                          ArrayRef(stored.shape, stored.rank)));
    std::memcpy(getData(tensor), stored.data, stored.bytes);
    tensors.try_emplace(stored.name, std::move(tensor));
  }
  return tensors;
}

void hamkaas::fillRandom(ReferenceTensor &tensor, StringRef name) {
  std::mt19937_64 generator(llvm::xxh3_64bits(name));
  // std::uniform_real_distribution differs between libraries.
  for (float &element : tensor.f32)
    element = float(generator() >> 40) / (1 << 23) - 1;
}

Difference hamkaas::compare(const ReferenceTensor &actual,
                            const ReferenceTensor &expected) {
  Difference difference;
  auto add = [&](double a, double e) {
    if (!std::isfinite(a) || !std::isfinite(e)) {
      bool same = a == e || (std::isnan(a) && std::isnan(e));
      difference.special += !same;
      return;
    }
    difference.largest = std::max(difference.largest, std::abs(a - e));
    difference.magnitude = std::max(difference.magnitude, std::abs(e));
  };
  for (auto [a, e] : llvm::zip_equal(actual.f32, expected.f32))
    add(a, e);
  // A double does not hold every integer: those that differ count as special.
  for (auto [a, e] : llvm::zip_equal(actual.i64, expected.i64))
    difference.special += a != e;
  return difference;
}
