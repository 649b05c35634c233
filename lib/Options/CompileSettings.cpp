//===- CompileSettings.cpp - The options of a compilation -------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Options/CompileSettings.h"
#include "llvm/ADT/bit.h"
#include <concepts>

using namespace hamkaas;
using llvm::raw_ostream;

// Each value ends with a zero, which no text contains.

static void writeValue(const std::string &text, raw_ostream &stream) {
  stream << text << '\0';
}

static void writeValue(std::unsigned_integral auto number,
                       raw_ostream &stream) {
  stream << uint64_t(number) << '\0';
}

static void writeValue(double number, raw_ostream &stream) {
  writeValue(llvm::bit_cast<uint64_t>(number), stream);
}

void hamkaas::writeKey(const CompileSettings &settings, raw_ostream &stream) {
#define COMPILE_SETTING(ID, TYPE, FIELD, DEFAULT, AFFECTS_CODE, ...)           \
  if constexpr (AFFECTS_CODE)                                                  \
    writeValue(option_types::TYPE(settings.FIELD), stream);
#include "HamKaas/Options/CompileOptions.inc"
}
