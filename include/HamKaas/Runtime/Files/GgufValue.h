//===- GgufValue.h - Metadata and tensors of a GGUF file --------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_RUNTIME_FILES_GGUFVALUE_H
#define HAMKAAS_RUNTIME_FILES_GGUFVALUE_H

#include <cstddef>
#include <cstdint>

namespace hamkaas::rt {

/// Types of metadata by the numbers that the format gives them.
enum class GgufType : uint32_t {
  UInt8,
  Int8,
  UInt16,
  Int16,
  UInt32,
  Int32,
  Float32,
  Bool,
  String,
  Array,
  UInt64,
  Int64,
  Float64
};
inline constexpr uint32_t ggufTypeCount = 13;

/// "uint8", for messages.
const char *ggufTypeName(GgufType type);

/// Bytes of a value in the file; 0 for those of no fixed size.
size_t ggufTypeSize(GgufType type);

/// A string in the file: UTF-8, not null-terminated.
struct GgufText {
  const char *data;
  size_t size;

  bool equals(const char *text) const;
};

/// A value of the metadata, or an array of values of one type. All that it
/// points to is owned by the file.
struct GgufValue {
  const char *name; // the key: UTF-8 without control characters
  /// Of the value, or of each element of the array; never Array.
  GgufType type;
  bool isArray;
  /// Elements of the array, 1 for a value.
  uint64_t count;
  /// In the mapped file, not aligned in any way.
  const uint8_t *data;
  /// Position of `data` in the file, for messages.
  uint64_t offset;

  // Each returns false for a value of another type. `index` is that of an
  // element, below `count`.

  /// Any integer that is not negative.
  bool readCount(uint64_t index, uint64_t &value /* out */) const;
  /// Any integer that an int64 holds.
  bool readInteger(uint64_t index, int64_t &value /* out */) const;
  bool readFloat(uint64_t index, double &value /* out */) const;
  bool readBool(uint64_t index, bool &value /* out */) const;
  /// Of a value that is no array: GgufTexts reads those of arrays.
  bool readText(GgufText &value /* out */) const;

private:
  const uint8_t *element(uint64_t index) const;
};

/// Reads the strings of an array one after the other.
class GgufTexts {
public:
  /// An array of another type has no strings.
  explicit GgufTexts(const GgufValue &array);

  /// Returns false at the end.
  bool next(GgufText &text /* out */);

private:
  const uint8_t *data;
  uint64_t left;
};

/// A type of tensors. Their last dimension consists of blocks.
struct GgufTensorType {
  uint32_t number;
  const char *name;    // as the format spells it, "Q4_0"
  int32_t elementType; // a HamKaasElementType, -1 if ours has no such type
  uint32_t blockNumbers;
  uint32_t blockBytes;
};

/// Null for a number that is none of a type.
const GgufTensorType *findGgufTensorType(uint32_t number);

/// A tensor in a GGUF file: dense, row-major. All that it points to is owned by
/// the file.
struct GgufTensor {
  static constexpr int32_t maximumRank = 4;

  const char *name; // UTF-8 without control characters
  const GgufTensorType *type;
  int32_t rank;
  /// Numbers, the rows first as in numpy, which is the reverse of the file.
  int64_t shape[maximumRank];
  /// In the mapped file, at a multiple of its alignment.
  const void *data;
  uint64_t bytes;
  /// Position of `data` in the file, for messages.
  uint64_t offset;

  /// Bytes of a row, which is the last dimension.
  uint64_t rowBytes() const;
};

} // namespace hamkaas::rt

#endif // HAMKAAS_RUNTIME_FILES_GGUFVALUE_H
