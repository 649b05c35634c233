//===- Weights.cpp - Parameters from a safetensors file ---------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Driver/Weights.h"
#include "HamKaas/Runtime/Safetensors.h"
#include "HamKaas/Runtime/TensorType.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace llvm;

namespace hamkaas {
namespace {

/// "float32 [2, 3]", as the runtime writes it.
std::string typeText(StringRef elementType, ArrayRef<int64_t> shape) {
  std::string text = (elementType + " [").str();
  for (auto [index, dimension] : enumerate(shape))
    text += (index == 0 ? "" : ", ") + std::to_string(dimension);
  return text + "]";
}

std::string typeText(const TensorInfo &tensor) {
  return typeText(rt::elementTypeName(tensor.elementType), tensor.shape);
}

std::string typeText(const rt::SafetensorsTensor &tensor) {
  StringRef elementType = tensor.elementType < 0
                              ? tensor.dtype
                              : rt::elementTypeName(tensor.elementType);
  return typeText(elementType, ArrayRef(tensor.shape, tensor.rank));
}

bool sameType(const TensorInfo &expected, const rt::SafetensorsTensor &found) {
  return found.elementType == expected.elementType &&
         ArrayRef(found.shape, found.rank) == ArrayRef(expected.shape);
}

/// What is wrong with a file as a whole, one problem a line.
class Problems {
public:
  explicit Problems(StringRef path) : path(path) {}

  void add(const Twine &problem) {
    if (!text.empty())
      text += "\n";
    text += (path + ": " + problem).str();
  }
  Error take() {
    return text.empty() ? Error::success() : createStringError(text);
  }

private:
  StringRef path;
  std::string text;
};

} // namespace

Weights::Weights() : file(std::make_unique<rt::SafetensorsFile>()) {}
Weights::Weights(Weights &&) = default;
Weights::~Weights() = default;

Expected<Weights> Weights::open(StringRef path,
                                ArrayRef<TensorInfo> parameters) {
  Weights weights;
  if (rt::Error error = weights.file->open(path.str().c_str()))
    return createStringError(error.message());

  Problems problems(path);
  StringSet<> expected;
  for (const TensorInfo &parameter : parameters) {
    expected.insert(parameter.name);
    const rt::SafetensorsTensor *tensor =
        weights.file->find(parameter.name.c_str());
    if (!tensor) {
      problems.add("missing parameter '" + parameter.name + "' (" +
                   typeText(parameter) + ")");
      continue;
    }
    if (!sameType(parameter, *tensor))
      problems.add("parameter '" + parameter.name + "': expected " +
                   typeText(parameter) + ", found " + typeText(*tensor));
    weights.data.emplace_back(static_cast<const char *>(tensor->data),
                              tensor->bytes);
  }
  for (size_t i = 0; i < weights.file->size(); ++i)
    if (!expected.contains((*weights.file)[i].name))
      problems.add("the model has no parameter '" +
                   Twine((*weights.file)[i].name) + "'");
  if (Error error = problems.take())
    return std::move(error);
  return weights;
}

} // namespace hamkaas
