//===- Tensors.cpp - Tensors of the file ------------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tensors.h"
#include "DataTypes.h"
#include "Formats.h"
#include "HamKaas/Dialect/HamKaas/IR/GraphRules.h"
#include "HamKaas/Frontend/Builder/Diagnostics.h"
#include "HamKaas/Frontend/Builder/Elements.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CheckedArithmetic.h"
#include <cstring>

using namespace mlir;
using namespace hamkaas;
using namespace hamkaas::onnx;

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

std::string onnx::findShapeProblem(ArrayRef<int64_t> dims) {
  constexpr size_t largestRank = 64;
  constexpr int64_t limit = int64_t(1) << 47;
  if (dims.size() > largestRank)
    return ("expected at most " + Twine(largestRank) + " dimensions, found " +
            Twine(dims.size()))
        .str();
  // A dimension of size 0 hides no others that are too large.
  int64_t count = 1;
  for (int64_t size : dims) {
    int64_t factor = std::max<int64_t>(size, 1);
    if (size < 0 || count > (limit - 1) / factor)
      return "expected a shape of fewer than 2^47 elements, found " +
             formatShape(dims);
    count *= factor;
  }
  return "";
}

RankedTensorType onnx::makeType(MLIRContext *context, DataType dataType,
                                ArrayRef<int64_t> dims, std::string &problem) {
  Type element = isFormat(dataType) ? getStorageType(context, dataType)
                                    : getElementType(context, dataType);
  if (!element)
    problem =
        "elements of type " + getDataTypeName(dataType) + " are not supported";
  else
    problem = findShapeProblem(dims);
  return problem.empty() ? RankedTensorType::get(dims, element)
                         : RankedTensorType();
}

RankedTensorType TensorReader::getType(const TensorProto &tensor,
                                       std::string &problem) {
  return makeType(context, tensor.dataType, tensor.dims, problem);
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

namespace {

/// Elements that stand one by one in a field of another type.
struct FieldElements {
  int64_t count;
  /// Appends element `i` as the program stores it.
  std::function<void(int64_t i, std::vector<char> &bytes)> append;
};

} // namespace

template <typename T> static void appendBytes(T value, std::vector<char> &to) {
  const char *bytes = reinterpret_cast<const char *>(&value);
  to.insert(to.end(), bytes, bytes + sizeof(T));
}

template <typename T, typename Field>
static FieldElements fromField(const Field &field) {
  return {int64_t(field.size()), [&field](int64_t i, std::vector<char> &to) {
            appendBytes(static_cast<T>(field[i]), to);
          }};
}

/// The field that holds the elements of such a tensor, as ONNX has it.
static FieldElements getField(const TensorProto &tensor) {
  switch (tensor.dataType) {
  case DataType::Float:
    return fromField<float>(tensor.floatData);
  case DataType::Double:
    return fromField<double>(tensor.doubleData);
  case DataType::Int64:
    return fromField<int64_t>(tensor.int64Data);
  case DataType::UInt32:
    return fromField<uint32_t>(tensor.uint64Data);
  case DataType::UInt64:
    return fromField<uint64_t>(tensor.uint64Data);
  case DataType::Int32:
    return fromField<int32_t>(tensor.int32Data);
  case DataType::Float16:
  case DataType::BFloat16:
  case DataType::Int16:
  case DataType::UInt16:
    return fromField<uint16_t>(tensor.int32Data);
  default:
    return fromField<uint8_t>(tensor.int32Data);
  }
}

static int64_t countFieldElements(const TensorProto &tensor) {
  return int64_t(tensor.floatData.size()) + int64_t(tensor.doubleData.size()) +
         int64_t(tensor.int64Data.size()) + int64_t(tensor.uint64Data.size()) +
         int64_t(tensor.int32Data.size()) + tensor.stringCount;
}

std::optional<ArrayRef<char>> TensorReader::getBytes(const TensorProto &tensor,
                                                     RankedTensorType type,
                                                     std::string &problem) {
  // Elements of fewer than 8 bits share bytes.
  int bits = getFormatBits(tensor.dataType);
  int64_t count = type.getNumElements();
  if (bits != 0)
    count = llvm::divideCeil(count, 8 / bits);
  int64_t expected = count * getElementBytes(type.getElementType());
  if (tensor.isExternal) {
    if (tensor.rawData || countFieldElements(tensor) != 0) {
      problem = "expected elements in the model or outside of it, found both";
      return std::nullopt;
    }
    ArrayRef<char> bytes = external->read(tensor, expected, problem);
    return problem.empty() ? std::optional(bytes) : std::nullopt;
  }
  if (tensor.rawData) {
    StringRef raw = *tensor.rawData;
    if (countFieldElements(tensor) != 0)
      problem = "expected elements in raw_data or in a list, found both";
    else if (int64_t(raw.size()) != expected)
      problem = ("expected " + Twine(expected) +
                 " bytes of elements for the "
                 "shape " +
                 formatShape(type.getShape()) + ", found " + Twine(raw.size()))
                    .str();
    if (!problem.empty())
      return std::nullopt;
    return ArrayRef(raw.data(), raw.size());
  }
  FieldElements field = getField(tensor);
  if (field.count != count || countFieldElements(tensor) != count) {
    problem =
        ("expected " + Twine(count) + (bits == 0 ? " elements" : " bytes") +
         " for the shape " + formatShape(type.getShape()) + ", found " +
         Twine(countFieldElements(tensor)))
            .str();
    return std::nullopt;
  }
  auto bytes = std::make_shared<std::vector<char>>();
  bytes->reserve(expected);
  for (int64_t i = 0; i < count; ++i)
    field.append(i, *bytes);
  parameters.keep(bytes);
  return ArrayRef(*bytes);
}

Tensor TensorReader::read(const TensorProto &tensor, std::string &problem) {
  if (Tensor read = known.lookup(&tensor))
    return read;
  if (tensor.isSegment)
    problem = "tensors in segments are not supported";
  RankedTensorType type;
  if (problem.empty())
    type = getType(tensor, problem);
  if (!type)
    return {};
  auto bytes = getBytes(tensor, type, problem);
  if (!bytes)
    return {};
  Tensor read;
  int bits = getFormatBits(tensor.dataType);
  if (bits != 0 && bits < 8) {
    auto unpacked = std::make_shared<std::vector<char>>(
        unpack(tensor.dataType, *bytes, type.getNumElements()));
    parameters.keep(unpacked);
    bytes = *unpacked;
  }
  read = Tensor(type, tensor.name, *bytes);
  if (bits != 0)
    read = withFormat(read, tensor.dataType);
  return known[&tensor] = read;
}
