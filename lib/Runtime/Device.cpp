//===- Device.cpp - The devices by name -----------------------------------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Runtime/Device.h"

#include <cstring>

using namespace hamkaas::rt;

namespace {
struct DeviceKind {
  const char *name;
  Error (*create)(int32_t threads, Device &device);
};
} // namespace

static constexpr DeviceKind deviceKinds[] = {
    {"cpu", createCpuDevice},
    // The fastest that is there, so that a program need not know which.
    {"best", createCpuDevice}};

Error hamkaas::rt::createDevice(const char *name, int32_t threads,
                                Device &device) {
  for (const DeviceKind &kind : deviceKinds)
    if (strcmp(kind.name, name) == 0)
      return kind.create(threads, device);
  TextBuilder text;
  text.append("unknown device '%s', this runtime offers", name);
  for (const DeviceKind &kind : deviceKinds)
    text.append(" '%s'", kind.name);
  return Error::adopt(text.release());
}
