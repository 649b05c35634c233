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

/// The bits of a number that C++ has no type for.
struct Float16 {
  uint16_t bits;
};
struct BFloat16 {
  uint16_t bits;
};

/// The element type of a tensor whose elements are T in memory.
template <typename T> struct ElementTypeOf;

/// Applies a macro to each element type: (T, name of the HamKaasElementType).
#define HAMKAAS_CPP_ELEMENT_TYPES(MACRO)                                       \
  MACRO(float, HamKaasFloat32)                                                 \
  MACRO(int64_t, HamKaasInt64)                                                 \
  MACRO(double, HamKaasFloat64)                                                \
  MACRO(Float16, HamKaasFloat16)                                               \
  MACRO(BFloat16, HamKaasBFloat16)                                             \
  MACRO(int32_t, HamKaasInt32)                                                 \
  MACRO(int16_t, HamKaasInt16)                                                 \
  MACRO(int8_t, HamKaasInt8)                                                   \
  MACRO(uint8_t, HamKaasUInt8)                                                 \
  MACRO(uint16_t, HamKaasUInt16)                                               \
  MACRO(uint32_t, HamKaasUInt32)                                               \
  MACRO(uint64_t, HamKaasUInt64)                                               \
  MACRO(bool, HamKaasBool)

#define HAMKAAS_CPP_TYPE(T, type)                                              \
  template <> struct ElementTypeOf<T> {                                        \
    static constexpr HamKaasElementType value = type;                          \
  };
HAMKAAS_CPP_ELEMENT_TYPES(HAMKAAS_CPP_TYPE)
#undef HAMKAAS_CPP_TYPE

/// A named tensor in the caller's memory, dense and row-major: {"x", vector}.
/// `Address` is `const void *` if it is only read.
template <typename Address> class NamedTensor {
  template <typename T>
  using Element =
      std::conditional_t<std::is_same_v<Address, const void *>, const T, T>;

public:
#define HAMKAAS_CPP_CONSTRUCTOR(T, type)                                       \
  NamedTensor(std::string_view name, Span<Element<T>> elements)                \
      : NamedTensor(name, elements, type) {}
  HAMKAAS_CPP_ELEMENT_TYPES(HAMKAAS_CPP_CONSTRUCTOR)
#undef HAMKAAS_CPP_CONSTRUCTOR

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

/// Inputs of a run or a model, and outputs of a run.
using Input = NamedTensor<const void *>;
using Output = NamedTensor<void *>;

namespace detail {

struct ElementTypeInfo {
  const char *name;
  size_t size; // bytes
};

/// The library gives no other types.
inline ElementTypeInfo elementTypeInfo(int32_t type) {
  // The entry of a HamKaasElementType has its number.
  constexpr ElementTypeInfo all[] = {
      {"float32", 4},  {"int64", 8},  {"float64", 8}, {"float16", 2},
      {"bfloat16", 2}, {"int32", 4},  {"int16", 2},   {"int8", 1},
      {"uint8", 1},    {"uint16", 2}, {"uint32", 4},  {"uint64", 8},
      {"bool", 1}};
  return all[type];
}

inline std::string describe(int32_t type, size_t elements) {
  return std::to_string(elements) + " " + elementTypeInfo(type).name +
         (elements == 1 ? " element" : " elements");
}

inline size_t elementsOf(const HamKaasTensorInfo &tensor) {
  return tensor.bytes / elementTypeInfo(tensor.elementType).size;
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
    data.push_back({tensor.name.c_str(), tensor.data,
                    tensor.elements * elementTypeInfo(tensor.type).size});
  return data;
}

} // namespace detail

} // namespace HAMKAAS_CPP_VARIANT
} // namespace hamkaas

#endif // HAMKAAS_CPP_TENSOR_H
