//===- Tensors.cpp - Tensors of the file ------------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tensors.h"
#include "DataTypes.h"
#include "Formats.h"
#include "HamKaas/Dialect/HamKaas/IR/FormatType.h"
#include "HamKaas/Frontend/Builder/CreateOperation.h"
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

bool TensorReader::checkShape(ArrayRef<int64_t> dims) {
  constexpr size_t largestRank = 64;
  if (dims.size() > largestRank) {
    diagnostics.fail("expected at most " + Twine(largestRank) +
                     " dimensions, got " + Twine(dims.size()));
    return false;
  }
  // A dimension of size 0 hides no others that are too large.
  int64_t count = 1;
  for (int64_t size : dims) {
    int64_t factor = std::max<int64_t>(size, 1);
    if (size < 0 || count > (elementLimit - 1) / factor) {
      diagnostics.fail("expected a shape of fewer than 2^47 elements, got " +
                       formatShape(dims));
      return false;
    }
    count *= factor;
  }
  return true;
}

RankedTensorType TensorReader::makeType(DataType dataType,
                                        ArrayRef<int64_t> dims) {
  Type element = isFormat(dataType) ? getStorageType(context, dataType)
                                    : getElementType(context, dataType);
  if (!element)
    diagnostics.fail("elements of type " + getDataTypeName(dataType) +
                     " are not supported");
  return element && checkShape(dims) ? RankedTensorType::get(dims, element)
                                     : RankedTensorType();
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
                                                     RankedTensorType type) {
  // Elements of fewer than 8 bits share bytes.
  int bits = getFormatBits(tensor.dataType);
  int64_t count = type.getNumElements();
  if (bits != 0)
    count = llvm::divideCeil(count, 8 / bits);
  int64_t expected = count * getElementBytes(type.getElementType());
  bool hasField = countFieldElements(tensor) != 0;
  auto fail = [&](const Twine &reason) {
    diagnostics.fail(reason);
    return std::nullopt;
  };
  if (tensor.isExternal) {
    if (tensor.rawData || hasField)
      return fail("expected elements in the model or outside of it, got both");
    return external->read(tensor, expected, diagnostics);
  }
  if (!tensor.rawData)
    return convertField(tensor, type, count, bits != 0);
  StringRef raw = *tensor.rawData;
  if (hasField)
    return fail("expected elements in raw_data or in a list, got both");
  if (int64_t(raw.size()) != expected)
    return fail("expected " + Twine(expected) +
                " bytes of elements for the shape " +
                formatShape(type.getShape()) + " of " +
                (bits != 0 ? getDataTypeName(tensor.dataType)
                           : formatType(type.getElementType())) +
                ", got " + Twine(raw.size()));
  return ArrayRef(raw.data(), raw.size());
}

/// The elements that stand one by one in a field, or `count` bytes of them.
std::optional<ArrayRef<char>>
TensorReader::convertField(const TensorProto &tensor, RankedTensorType type,
                           int64_t count, bool isPacked) {
  FieldElements field = getField(tensor);
  if (field.count != count || countFieldElements(tensor) != count) {
    diagnostics.fail("expected " + Twine(count) +
                     (isPacked ? " bytes" : " elements") + " for the shape " +
                     formatShape(type.getShape()) + ", got " +
                     Twine(countFieldElements(tensor)));
    return std::nullopt;
  }
  auto bytes = std::make_shared<std::vector<char>>();
  bytes->reserve(count * getElementBytes(type.getElementType()));
  for (int64_t i = 0; i < count; ++i)
    field.append(i, *bytes);
  parameters.keep(bytes);
  return ArrayRef(*bytes);
}

/// Elements of fewer than 8 bits, a byte each.
ArrayRef<char> TensorReader::unpackElements(const TensorProto &tensor,
                                            RankedTensorType type,
                                            ArrayRef<char> bytes) {
  auto unpacked = std::make_shared<std::vector<char>>(
      unpack(tensor.dataType, bytes, type.getNumElements()));
  parameters.keep(unpacked);
  int64_t perByte = 8 / getFormatBits(tensor.dataType);
  SmallVector<int64_t> shape(type.getShape());
  if (!unpacked->empty() && !shape.empty() && shape.back() % perByte == 0) {
    shape.back() /= perByte;
    auto byte = IntegerType::get(context, 8, IntegerType::Unsigned);
    packed[unpacked->data()] =
        Tensor(RankedTensorType::get(shape, byte), tensor.name, bytes);
  }
  return *unpacked;
}

Tensor TensorReader::read(const TensorProto &tensor) {
  if (Tensor read = known.lookup(&tensor))
    return read;
  if (tensor.isSegment) {
    diagnostics.fail("tensors in segments are not supported");
    return {};
  }
  RankedTensorType type = makeType(tensor.dataType, tensor.dims);
  if (!type)
    return {};
  auto bytes = getBytes(tensor, type);
  if (!bytes)
    return {};
  int bits = getFormatBits(tensor.dataType);
  if (bits != 0 && bits < 8)
    bytes = unpackElements(tensor, type, *bytes);
  Tensor read(type, tensor.name, *bytes);
  if (bits != 0)
    read = withFormat(read, tensor.dataType);
  return known[&tensor] = read;
}
