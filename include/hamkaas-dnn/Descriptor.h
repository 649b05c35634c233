//===- Descriptor.h - Descriptors that free themselves ----------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_DNN_DESCRIPTOR_H
#define HAMKAAS_DNN_DESCRIPTOR_H

#include "hamkaas-dnn/Types.h"
#include <vector>

namespace hamkaas::dnn::detail {

/// Owns a descriptor, or none.
class Descriptor {
public:
  Descriptor() = default;
  explicit Descriptor(HamKaasDnnDescriptor *owned) : owned(owned) {}
  Descriptor(Descriptor &&other) : owned(std::exchange(other.owned, nullptr)) {}
  Descriptor &operator=(Descriptor &&other) {
    std::swap(owned, other.owned);
    return *this;
  }
  ~Descriptor() { HamKaasDnnDestroyDescriptor(owned); }

  explicit operator bool() const { return owned != nullptr; }
  HamKaasDnnDescriptor *get() const { return owned; }

  Error create(int32_t kind) {
    HamKaasDnnDescriptor *made = nullptr;
    Error error = check(HamKaasDnnCreateDescriptor(kind, &made));
    *this = Descriptor(made);
    return error;
  }
  Error finalize() { return check(HamKaasDnnFinalize(owned)); }

  Error set(int32_t attribute, int32_t type, int64_t count,
            const void *elements) {
    return check(
        HamKaasDnnSetAttribute(owned, attribute, type, count, elements));
  }
  Error set(int32_t attribute, int64_t number) {
    return set(attribute, HamKaasDnnTypeInt64, 1, &number);
  }
  Error set(int32_t attribute, const std::vector<int64_t> &numbers) {
    return set(attribute, HamKaasDnnTypeInt64, int64_t(numbers.size()),
               numbers.data());
  }
  Error set(int32_t attribute, const std::string &text) {
    return set(attribute, HamKaasDnnTypeChar, int64_t(text.size()),
               text.data());
  }
  Error set(int32_t attribute, const Descriptor &other) {
    return set(attribute, HamKaasDnnTypeDescriptor, 1, &other.owned);
  }
  /// Sets a list; `others` have `get`.
  Error set(int32_t attribute, const std::vector<Descriptor> &others) {
    std::vector<HamKaasDnnDescriptor *> list;
    for (const Descriptor &other : others)
      list.push_back(other.owned);
    return set(attribute, HamKaasDnnTypeDescriptor, int64_t(list.size()),
               list.data());
  }

  Error count(int32_t attribute, int32_t type, int64_t &number) const {
    return check(
        HamKaasDnnGetAttribute(owned, attribute, type, 0, &number, nullptr));
  }
  /// An attribute with elements of another kind than descriptors.
  template <typename Element>
  Error getList(int32_t attribute, int32_t type,
                std::vector<Element> &list) const {
    int64_t number = 0;
    if (Error error = count(attribute, type, number); error.isBad())
      return error;
    list.resize(size_t(number));
    return check(HamKaasDnnGetAttribute(owned, attribute, type, number, nullptr,
                                        list.data()));
  }
  Error get(int32_t attribute, int64_t &number) const {
    return check(HamKaasDnnGetAttribute(owned, attribute, HamKaasDnnTypeInt64,
                                        1, nullptr, &number));
  }
  Error getText(int32_t attribute, std::string &text) const {
    std::vector<char> read;
    Error error = getList(attribute, HamKaasDnnTypeChar, read);
    text.assign(read.begin(), read.end());
    return error;
  }
  /// Copies of the descriptors of an attribute, finalized.
  Error getDescriptors(int32_t attribute, int32_t kind,
                       std::vector<Descriptor> &list) const {
    int64_t number = 0;
    if (Error error = count(attribute, HamKaasDnnTypeDescriptor, number);
        error.isBad())
      return error;
    std::vector<HamKaasDnnDescriptor *> handles;
    list.clear();
    for (int64_t i = 0; i < number; ++i) {
      list.emplace_back();
      if (Error error = list.back().create(kind); error.isBad())
        return error;
      handles.push_back(list.back().get());
    }
    if (Error error = check(
            HamKaasDnnGetAttribute(owned, attribute, HamKaasDnnTypeDescriptor,
                                   number, nullptr, handles.data()));
        error.isBad())
      return error;
    for (Descriptor &descriptor : list)
      if (Error error = descriptor.finalize(); error.isBad())
        return error;
    return {};
  }

private:
  HamKaasDnnDescriptor *owned = nullptr;
};

} // namespace hamkaas::dnn::detail

#endif // HAMKAAS_DNN_DESCRIPTOR_H
