//===- Tensor.h - The caller's tensors, by name -----------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_CPP_TENSOR_H
#define HAMKAAS_CPP_TENSOR_H

#include "hamkaas-c/Runtime.h"
#include "hamkaas-cpp/Span.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace hamkaas {
inline namespace HAMKAAS_CPP_VARIANT {

template <typename T> struct ElementTypeOf;
template <> struct ElementTypeOf<float> {
  static constexpr HamKaasElementType value = HamKaasFloat32;
};
template <> struct ElementTypeOf<int64_t> {
  static constexpr HamKaasElementType value = HamKaasInt64;
};

/// A named tensor in the caller's memory, dense and row-major: {"x", vector}.
/// `Address` is `const void *` if it is only read.
template <typename Address> class NamedTensor {
  template <typename T>
  using Element =
      std::conditional_t<std::is_same_v<Address, const void *>, const T, T>;

public:
  NamedTensor(std::string_view name, Span<Element<float>> elements)
      : NamedTensor(name, elements, HamKaasFloat32) {}
  NamedTensor(std::string_view name, Span<Element<int64_t>> elements)
      : NamedTensor(name, elements, HamKaasInt64) {}

  std::string name;
  Address data;
  size_t elements;
  HamKaasElementType type;

private:
  template <typename T>
  NamedTensor(std::string_view name, Span<T> elements, HamKaasElementType type)
      : name(name), data(elements.data()), elements(elements.size()),
        type(type) {}
};

/// What a run or a model reads, and what a run writes.
using Input = NamedTensor<const void *>;
using Output = NamedTensor<void *>;

namespace detail {

inline std::string describe(int32_t type, size_t elements) {
  return std::to_string(elements) +
         (type == HamKaasInt64 ? " int64" : " float32") +
         (elements == 1 ? " element" : " elements");
}

/// Both element types have their size; the library knows no others.
inline size_t elementsOf(const HamKaasTensorInfo &tensor) {
  return tensor.bytes /
         (tensor.elementType == HamKaasInt64 ? sizeof(int64_t) : sizeof(float));
}

/// Empty if a buffer of `elements` fits the tensor.
inline std::string checkFit(const char *role, const HamKaasTensorInfo &tensor,
                            int32_t type, size_t elements) {
  if (type == tensor.elementType && elements == elementsOf(tensor))
    return "";
  return std::string(role) + " '" + tensor.name + "': expected " +
         describe(tensor.elementType, elementsOf(tensor)) + ", got " +
         describe(type, elements);
}

inline const HamKaasTensorInfo *find(Span<const HamKaasTensorInfo> tensors,
                                     std::string_view name) {
  for (const HamKaasTensorInfo &tensor : tensors)
    if (name == tensor.name)
      return &tensor;
  return nullptr;
}

/// Puts the address of each given buffer at its tensor's place in the table.
/// All tensors must be given, once each. Returns all problems, one a line.
template <typename Address>
std::string match(const char *role, Span<const HamKaasTensorInfo> tensors,
                  Span<const NamedTensor<Address>> given,
                  std::vector<Address> &addresses) {
  std::string problems;
  auto add = [&](const std::string &problem) {
    if (!problem.empty())
      problems += (problems.empty() ? "" : "\n") + problem;
  };
  auto about = [&](std::string_view name) {
    return std::string(role) + " '" + std::string(name) + "'";
  };
  std::vector<bool> seen(tensors.size());
  addresses.assign(tensors.size(), nullptr);
  for (const NamedTensor<Address> &buffer : given) {
    const HamKaasTensorInfo *tensor = find(tensors, buffer.name);
    if (!tensor) {
      add("the model has no " + about(buffer.name));
      continue;
    }
    size_t index = static_cast<size_t>(tensor - tensors.data());
    if (seen[index])
      add(about(buffer.name) + " is given twice");
    seen[index] = true;
    add(checkFit(role, *tensor, buffer.type, buffer.elements));
    addresses[index] = buffer.data;
  }
  for (size_t i = 0; i < tensors.size(); ++i)
    if (!seen[i])
      add(about(tensors[i].name) + " is missing");
  return problems;
}

inline std::vector<HamKaasNamedData>
toNamedData(const std::vector<Input> &tensors) {
  std::vector<HamKaasNamedData> data;
  for (const Input &tensor : tensors)
    data.push_back(
        {tensor.name.c_str(), tensor.data,
         tensor.elements *
             (tensor.type == HamKaasInt64 ? sizeof(int64_t) : sizeof(float))});
  return data;
}

} // namespace detail

} // namespace HAMKAAS_CPP_VARIANT
} // namespace hamkaas

#endif // HAMKAAS_CPP_TENSOR_H
