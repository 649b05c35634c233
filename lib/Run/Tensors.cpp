//===- Tensors.cpp - Tensors from and to files ------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Run/Tensors.h"
#include "HamKaas/Dialect/HamKaas/IR/FormatType.h"
#include "HamKaas/Program/ElementTypes.h"
#include "HamKaas/Program/ProgramInfo.h"
#include "HamKaas/Runtime/Files/Npy.h"
#include "HamKaas/Support/Errors.h"
#include "HamKaas/Support/OutputFile.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/xxhash.h"
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <random>
#include <tuple>

using namespace mlir;
using namespace hamkaas;

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

uint64_t Tensor::getBytes(RankedTensorType type) {
  return type.getNumElements() * rt::elementTypeSize(getElementType(type).type);
}

bool Tensor::canAllocate(RankedTensorType type) {
  // NOTE: LLVM makes `new` abort, also the one that throws nothing; and an
  // optimizer removes a call of malloc whose result nobody can see.
  void *volatile probe = std::malloc(getBytes(type));
  std::free(probe);
  return probe;
}

ReferenceTensor hamkaas::decode(const Tensor &tensor) {
  ReferenceTensor decoded(tensor.type());
  getElementType(tensor.type()).decode(tensor.data(), decoded);
  return decoded;
}

Tensor hamkaas::encode(const ReferenceTensor &tensor) {
  Tensor encoded(tensor.type);
  getElementType(tensor.type).encode(tensor, encoded.data());
  return encoded;
}

/// A random integer, of which the lowest bits of its type count.
static int64_t makeRandomInteger(uint64_t bits, Type type) {
  // The upper bits of a generator are the better ones.
  return type.isInteger(8) || type.isUnsignedInteger(8) ? bits >> 56
                                                        : bits >> 63;
}

Tensor hamkaas::makeRandomTensor(RankedTensorType type, StringRef name) {
  std::mt19937_64 generator(llvm::xxh3_64bits(name));
  ReferenceTensor tensor(type);
  // std::uniform_real_distribution differs between libraries.
  for (float &element : tensor.f32)
    element = float(generator() >> 40) / (1 << 23) - 1;
  for (double &element : tensor.f64)
    element = double(generator() >> 11) / (uint64_t(1) << 52) - 1;
  for (int64_t &element : tensor.i64)
    element = makeRandomInteger(generator(), type.getElementType());
  return encode(tensor);
}

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

llvm::Expected<Tensor> hamkaas::readTensor(StringRef path, StringRef name,
                                           RankedTensorType type) {
  rt::NpyFile file;
  if (rt::Error error = file.open(path.str().c_str()))
    return toError(std::move(error));
  RankedTensorType found = makeTensorType(type.getContext(), file.elementType(),
                                          ArrayRef(file.shape(), file.rank()));
  if (found != type)
    return llvm::createStringError("'" + name + "': expected " +
                                   formatType(type) + ", got " +
                                   formatType(found) + " in " + path);
  Tensor tensor(type);
  std::memcpy(tensor.data(), file.data(), file.bytes());
  return tensor;
}

llvm::Expected<Tensor> hamkaas::readTensor(StringRef path,
                                           MLIRContext *context) {
  rt::NpyFile file;
  if (rt::Error error = file.open(path.str().c_str()))
    return toError(std::move(error));
  Tensor tensor(makeTensorType(context, file.elementType(),
                               ArrayRef(file.shape(), file.rank())));
  std::memcpy(tensor.data(), file.data(), file.bytes());
  return tensor;
}

llvm::Error hamkaas::writeTensor(StringRef path, const Tensor &tensor) {
  ArrayRef<int64_t> shape = tensor.type().getShape();
  auto file = OutputFile::create(path);
  if (!file)
    return file.takeError();
  if (llvm::Error error = file->write([&](rt::AtomicFile &stream) {
        return rt::writeNpy(stream, path.str().c_str(),
                            getElementType(tensor.type()).type, shape.size(),
                            shape.data(), tensor.data());
      }))
    return error;
  return file->commit();
}

//===----------------------------------------------------------------------===//
// Differences
//===----------------------------------------------------------------------===//

/// The differences of float tensors, row by row of the last dimension.
template <typename T>
static void compareRows(const std::vector<T> &actual,
                        const std::vector<T> &expected, ArrayRef<int64_t> shape,
                        Difference &difference) {
  size_t size = shape.empty() ? 1 : shape.back();
  std::vector<double> largest, magnitudes;
  for (size_t first = 0; first < expected.size(); first += size) {
    double &error = largest.emplace_back(0);
    double &magnitude = magnitudes.emplace_back(0);
    for (size_t i = first; i < first + size; ++i) {
      double a = actual[i], e = expected[i];
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
    compareRows(actual.f32, expected.f32, expected.shape(), difference);
  if (!expected.f64.empty())
    compareRows(actual.f64, expected.f64, expected.shape(), difference);
  // A double does not hold every integer: those that differ count as special.
  for (auto [a, e] : llvm::zip_equal(actual.i64, expected.i64))
    difference.special += a != e;
  return difference;
}

std::string hamkaas::describeDifference(RankedTensorType type,
                                        const Difference &difference,
                                        bool showTolerance) {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (!isa<FloatType>(type.getElementType())) {
    os << difference.special << " of " << type.getNumElements()
       << " elements differ";
    return text;
  }
  os << "largest difference " << llvm::format("%.3g", difference.largest)
     << ", largest value " << llvm::format("%.3g", difference.magnitude);
  if (difference.special)
    os << ", " << difference.special
       << " elements of another kind (NaN or infinity)";
  if (showTolerance)
    os << ", allowed " << llvm::format("%.0e", getElementType(type).tolerance)
       << " times that";
  return text;
}
