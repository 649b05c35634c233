//===- WireFormat.h - The encoding of protobuf messages ---------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_FRONTEND_ONNX_WIREFORMAT_H
#define HAMKAAS_LIB_FRONTEND_ONNX_WIREFORMAT_H

#include "llvm/ADT/StringRef.h"
#include <cstring>
#include <optional>
#include <vector>

/// Protobuf's own library is not used: the distribution has it only as a shared
/// library, or compiled for programs, and neither can be part of libhamkaas.so.
/// It would also copy all weights.
namespace hamkaas::onnx {

/// The fields of a message, one after the other, as they are encoded
/// (https://protobuf.dev/programming-guides/encoding). Never reads beyond the
/// message, whatever its bytes are.
class WireFields {
public:
  enum Type { Varint = 0, Fixed64 = 1, Bytes = 2, Fixed32 = 5 };

  explicit WireFields(llvm::StringRef bytes) : rest(bytes) {}

  /// Takes the next field. False at the end, and at what is no field.
  bool next();
  /// Returns whether all that was taken were fields.
  bool isSound() const { return !isBroken; }

  /// Of the field that was taken: its number, and whether it has that type.
  uint32_t number() const { return fieldNumber; }
  bool is(Type type) const { return fieldType == type; }

  // Its value. One of another type is 0 or empty, as if the field were not
  // there.
  int64_t asInt() const { return is(Varint) ? int64_t(integer) : 0; }
  float asFloat() const;
  llvm::StringRef asBytes() const {
    return is(Bytes) ? bytes : llvm::StringRef();
  }

  // Appends the value to a list, or all of them where they are packed.
  void appendTo(std::vector<int64_t> &list);
  void appendTo(std::vector<uint64_t> &list);
  void appendTo(std::vector<float> &list) { appendFixed(list, Fixed32); }
  void appendTo(std::vector<double> &list) { appendFixed(list, Fixed64); }

private:
  static std::optional<uint64_t> takeVarint(llvm::StringRef &from);
  bool takeValue();
  template <typename T> void appendVarints(std::vector<T> &list);
  template <typename T> void appendFixed(std::vector<T> &list, Type type);

  llvm::StringRef rest;
  uint32_t fieldNumber = 0;
  unsigned fieldType = 0;
  uint64_t integer = 0;
  /// Of a field that is not an integer.
  llvm::StringRef bytes;
  bool isBroken = false;
};

} // namespace hamkaas::onnx

#endif // HAMKAAS_LIB_FRONTEND_ONNX_WIREFORMAT_H
