//===- SafetensorsContents.h - Make safetensors files -----------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_TEST_UNIT_RUNTIME_SAFETENSORSCONTENTS_H
#define HAMKAAS_TEST_UNIT_RUNTIME_SAFETENSORSCONTENTS_H

#include <cstdint>
#include <string>

namespace hamkaas::test {

/// A safetensors file of this header and this data, right or wrong.
inline std::string safetensorsOf(const std::string &header,
                                 const std::string &data) {
  std::string file;
  for (int i = 0; i < 8; ++i)
    file += static_cast<char>(static_cast<uint64_t>(header.size()) >> (8 * i));
  return file + header + data;
}

} // namespace hamkaas::test

#endif // HAMKAAS_TEST_UNIT_RUNTIME_SAFETENSORSCONTENTS_H
