//===- Tensors.cpp - Tensors from and to files -*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Driver/Tensors.h"
#include "HamKaas/Runtime/Npy.h"
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

static RankedTensorType makeType(MLIRContext *context, int32_t elementType,
                                 int32_t rank, const int64_t *shape) {
  Type element = elementType == HamKaasFloat32
                     ? Type(Float32Type::get(context))
                     : Type(IntegerType::get(context, 64));
  return RankedTensorType::get(ArrayRef(shape, rank), element);
}

llvm::Expected<ReferenceTensor> hamkaas::readTensor(StringRef path,
                                                    StringRef name,
                                                    RankedTensorType type) {
  rt::NpyFile file;
  if (rt::Error error = file.open(path.str().c_str()))
    return toError(std::move(error));
  RankedTensorType found = makeType(type.getContext(), file.elementType(),
                                    file.rank(), file.shape());
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
  HamKaasElementType type = tensor.type.getElementType().isF32()
                                ? HamKaasFloat32
                                : HamKaasInt64;
  if (rt::Error error =
          rt::writeNpy(path.str().c_str(), type, tensor.shape().size(),
                       tensor.shape().data(), getData(tensor)))
    return toError(std::move(error));
  return llvm::Error::success();
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
