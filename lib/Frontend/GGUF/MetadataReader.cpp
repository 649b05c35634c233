//===- MetadataReader.cpp - What a GGUF file says of its model --*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MetadataReader.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/ScopedPrinter.h"
#include <cmath>

using namespace llvm;
using namespace hamkaas;
using namespace hamkaas::gguf;
using hamkaas::graph::quote;

const rt::GgufValue *MetadataReader::find(StringRef key) const {
  return file.findValue((prefix + key).str().c_str());
}

/// A value for a message.
static std::string describe(const rt::GgufValue &value) {
  StringRef type = rt::ggufTypeName(value.type);
  if (value.isArray)
    return ("an array of " + Twine(value.count) + " of type " + type).str();
  if (rt::GgufText text; value.readText(text))
    return quote(StringRef(text.data, text.size));
  if (int64_t number; value.readInteger(0, number))
    return std::to_string(number);
  if (double number; value.readFloat(0, number))
    return to_string(format("%g", number));
  return ("one of type " + type).str();
}

void MetadataReader::report(StringRef key, const Twine &expected,
                            const rt::GgufValue *value) {
  diagnostics.modelError("expected " + prefix + key + " to be " + expected +
                         ", got " + (value ? describe(*value) : "none"));
}

int64_t MetadataReader::getCount(StringRef key, int64_t least, int64_t most,
                                 std::optional<int64_t> otherwise) {
  ignore(key);
  const rt::GgufValue *value = find(key);
  if (!value && otherwise)
    return *otherwise;
  int64_t number;
  if (value && !value->isArray && value->readInteger(0, number) &&
      number >= least && number <= most)
    return number;
  report(key, "an integer from " + Twine(least) + " to " + Twine(most), value);
  return least;
}

double MetadataReader::getNumber(StringRef key,
                                 std::optional<double> otherwise) {
  ignore(key);
  const rt::GgufValue *value = find(key);
  if (!value && otherwise)
    return *otherwise;
  double number;
  if (value && !value->isArray && value->readFloat(0, number) && number > 0 &&
      std::isfinite(number))
    return number;
  report(key, "a float above 0", value);
  return otherwise.value_or(1);
}

StringRef MetadataReader::getText(StringRef key,
                                  std::optional<StringRef> otherwise) {
  ignore(key);
  const rt::GgufValue *value = find(key);
  if (!value && otherwise)
    return *otherwise;
  if (rt::GgufText text; value && value->readText(text))
    return {text.data, text.size};
  report(key, "a string", value);
  return otherwise.value_or("");
}

std::optional<int64_t> MetadataReader::getLength(StringRef key) {
  ignore(key);
  const rt::GgufValue *value = find(key);
  if (!value)
    return std::nullopt;
  if (value->isArray)
    return int64_t(value->count);
  report(key, "an array", value);
  return std::nullopt;
}

void MetadataReader::reportUnknown() {
  for (size_t i = 0; i < file.valueCount(); ++i) {
    StringRef key = file.value(i).name;
    if (key.starts_with(prefix) && !known.contains(key))
      diagnostics.modelError("the key " + quote(key) + " is not supported");
  }
}
