//===- GgufContents.h - Make GGUF files -------------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_TEST_UNIT_RUNTIME_GGUFCONTENTS_H
#define HAMKAAS_TEST_UNIT_RUNTIME_GGUFCONTENTS_H

#include "HamKaas/Runtime/Files/GgufValue.h"

#include <cstring>
#include <string>
#include <vector>

namespace hamkaas::test {

/// The bytes of a number.
template <typename Number> std::string bytesOf(Number number) {
  std::string bytes(sizeof(number), '\0');
  memcpy(bytes.data(), &number, sizeof(number));
  return bytes;
}

inline std::string ggufText(const std::string &text) {
  return bytesOf(uint64_t{text.size()}) + text;
}

/// A GGUF file, right or wrong.
struct GgufContents {
  std::string magic = "GGUF";
  uint32_t version = 3;
  /// Added to the counts of what was added.
  uint64_t moreTensors = 0, moreValues = 0;
  std::string data = {};

  GgufContents &addValue(const std::string &key, rt::GgufType type,
                         const std::string &bytes) {
    values += ggufText(key) + bytesOf(uint32_t(type)) + bytes;
    ++valueCount;
    return *this;
  }
  GgufContents &addArray(const std::string &key, rt::GgufType type,
                         uint64_t count, const std::string &bytes) {
    return addValue(key, rt::GgufType::Array,
                    bytesOf(uint32_t(type)) + bytesOf(count) + bytes);
  }
  /// `shape` and `type` as the file has them.
  GgufContents &addTensor(const std::string &name,
                          const std::vector<uint64_t> &shape, uint32_t type,
                          uint64_t offset) {
    tensors += ggufText(name) + bytesOf(uint32_t(shape.size()));
    for (uint64_t size : shape)
      tensors += bytesOf(size);
    tensors += bytesOf(type) + bytesOf(offset);
    ++tensorCount;
    return *this;
  }
  GgufContents &addData(size_t bytes) {
    data.append(bytes, 'x');
    return *this;
  }

  std::string make(size_t alignment = 32) const {
    std::string file = magic + bytesOf(version) +
                       bytesOf(tensorCount + moreTensors) +
                       bytesOf(valueCount + moreValues) + values + tensors;
    file.resize((file.size() + alignment - 1) / alignment * alignment);
    return file + data;
  }

private:
  std::string values, tensors;
  uint64_t valueCount = 0, tensorCount = 0;
};

/// A small file with each kind of metadata, and two tensors in the reverse
/// order of their data.
inline std::string exampleGguf() {
  using rt::GgufType;
  GgufContents contents;
  contents.addValue("general.architecture", GgufType::String, ggufText("tiny"))
      .addValue("tiny.u8", GgufType::UInt8, bytesOf(uint8_t{200}))
      .addValue("tiny.i8", GgufType::Int8, bytesOf(int8_t{-7}))
      .addValue("tiny.u16", GgufType::UInt16, bytesOf(uint16_t{60000}))
      .addValue("tiny.i16", GgufType::Int16, bytesOf(int16_t{-300}))
      .addValue("tiny.u32", GgufType::UInt32, bytesOf(uint32_t{4000000000}))
      .addValue("tiny.i32", GgufType::Int32, bytesOf(int32_t{-70000}))
      .addValue("tiny.u64", GgufType::UInt64, bytesOf(~uint64_t{0}))
      .addValue("tiny.i64", GgufType::Int64, bytesOf(int64_t{-1} << 40))
      .addValue("tiny.f32", GgufType::Float32, bytesOf(0.5f))
      .addValue("tiny.f64", GgufType::Float64, bytesOf(0.1))
      .addValue("tiny.bool", GgufType::Bool, bytesOf(uint8_t{1}))
      .addArray("tiny.words", GgufType::String, 3,
                ggufText("a") + ggufText("") + ggufText("é€"))
      .addArray("tiny.numbers", GgufType::Int32, 2,
                bytesOf(int32_t{5}) + bytesOf(int32_t{-6}))
      .addArray("tiny.none", GgufType::Bool, 0, "")
      .addTensor("blocks", {64, 2}, /*Q4_0*/ 2, 32)
      .addTensor("numbers", {3}, /*F32*/ 0, 0);
  contents.data = bytesOf(1.0f) + bytesOf(2.0f) + bytesOf(3.0f);
  contents.data.resize(32);
  return contents.addData(72).make();
}

} // namespace hamkaas::test

#endif // HAMKAAS_TEST_UNIT_RUNTIME_GGUFCONTENTS_H
