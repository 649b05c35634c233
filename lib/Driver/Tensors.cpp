//===- Tensors.cpp - Tensors from and to files ------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Driver/Tensors.h"
#include "HamKaas/Driver/Errors.h"
#include "HamKaas/Runtime/Npy.h"
#include "mlir/IR/Builders.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/xxhash.h"
#include <cmath>
#include <cstring>
#include <random>
#include <tuple>

using namespace mlir;
using namespace hamkaas;

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

llvm::Expected<ReferenceTensor> hamkaas::readTensor(StringRef path,
                                                    MLIRContext *context) {
  rt::NpyFile file;
  if (rt::Error error = file.open(path.str().c_str()))
    return toError(std::move(error));
  ReferenceTensor tensor(makeTensorType(context, file.elementType(),
                                        ArrayRef(file.shape(), file.rank())));
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

void hamkaas::fillRandom(ReferenceTensor &tensor, StringRef name) {
  std::mt19937_64 generator(llvm::xxh3_64bits(name));
  // std::uniform_real_distribution differs between libraries.
  for (float &element : tensor.f32)
    element = float(generator() >> 40) / (1 << 23) - 1;
}

/// The differences of float tensors, row by row of the last dimension.
static void compareRows(const ReferenceTensor &actual,
                        const ReferenceTensor &expected,
                        Difference &difference) {
  size_t size = expected.shape().empty() ? 1 : expected.shape().back();
  std::vector<double> largest, magnitudes;
  for (size_t first = 0; first < expected.f32.size(); first += size) {
    double &error = largest.emplace_back(0);
    double &magnitude = magnitudes.emplace_back(0);
    for (size_t i = first; i < first + size; ++i) {
      double a = actual.f32[i], e = expected.f32[i];
      if (std::isfinite(e))
        magnitude = std::max(magnitude, std::abs(e));
      if (std::isfinite(a) && std::isfinite(e))
        error = std::max(error, std::abs(a - e));
      else
        difference.special += a != e && !(std::isnan(a) && std::isnan(e));
    }
  }
  // Where a sum has cancelled, a row is small but its error is not: that of a
  // usual row is the least to measure by.
  std::vector<double> sorted = magnitudes;
  auto median = sorted.begin() + (sorted.size() - 1) / 2;
  std::nth_element(sorted.begin(), median, sorted.end());
  for (auto [error, magnitude] : llvm::zip_equal(largest, magnitudes))
    difference.addRow(error, std::max(magnitude, *median));
}

void Difference::addRow(double error, double scale) {
  // Any difference from zeros is infinitely large.
  auto rank = [](double error, double scale) {
    return std::tuple(error == 0 ? 0 : error / scale, error, scale);
  };
  if (rank(error, scale) <= rank(largest, magnitude))
    return;
  largest = error;
  magnitude = scale;
}

Difference hamkaas::compare(const ReferenceTensor &actual,
                            const ReferenceTensor &expected) {
  Difference difference;
  if (!expected.f32.empty())
    compareRows(actual, expected, difference);
  // A double does not hold every integer: those that differ count as special.
  for (auto [a, e] : llvm::zip_equal(actual.i64, expected.i64))
    difference.special += a != e;
  return difference;
}
