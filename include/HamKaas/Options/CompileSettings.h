//===- CompileSettings.h - The options of a compilation ---------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_OPTIONS_COMPILESETTINGS_H
#define HAMKAAS_OPTIONS_COMPILESETTINGS_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdint>
#include <string>

namespace hamkaas {

/// The C++ types of option values.
namespace option_types {
using Switch = bool;
using Text = std::string;
using Path = std::string;
using Bytes = uint64_t;
using Number = unsigned;
using Real = double;
} // namespace option_types

/// The compile options that have one value: the rows of CompileOptions.td,
/// where each is described.
struct CompileSettings {
#define COMPILE_SETTING(ID, TYPE, FIELD, DEFAULT, ...)                         \
  option_types::TYPE FIELD = DEFAULT;
#include "HamKaas/Options/CompileOptions.inc"
};

/// Writes all that the code depends on. Equal texts mean equal code of equal
/// graphs.
void writeKey(const CompileSettings &settings, llvm::raw_ostream &stream);

} // namespace hamkaas

#endif // HAMKAAS_OPTIONS_COMPILESETTINGS_H
