//===- Region.cpp - Memory that instances may share -----------------------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Runtime/Instance/Region.h"

#include <cinttypes>
#include <cstdlib>
#include <new>

using namespace hamkaas::rt;

Error hamkaas::rt::createRegion(const Device &device, const char *model,
                                const char *what, uint64_t bytes,
                                Region *&region) {
  void *place = nullptr, *memory = nullptr;
  if (posix_memalign(&place, alignof(Region), sizeof(Region)) != 0)
    return Error::format("model '%s': out of memory for its %s", model, what);
  Error reason;
  if (bytes > 0)
    memory = device.allocate(device.context, bytes, reason);
  if (bytes > 0 && !memory) {
    free(place);
    return Error::format(
        "model '%s': cannot allocate %" PRIu64 " bytes for its %s%s%s", model,
        bytes, what, reason ? ": " : "", reason ? reason.message() : "");
  }
  region = new (place) Region;
  region->memory = memory;
  region->bytes = bytes;
  return Error();
}

Region *hamkaas::rt::shareRegion(Region *region) {
  region->holders.fetch_add(1, std::memory_order_relaxed);
  return region;
}

void hamkaas::rt::releaseRegion(const Device &device, Region *region) {
  if (!region || region->holders.fetch_sub(1, std::memory_order_acq_rel) != 1)
    return;
  if (region->memory)
    device.release(device.context, region->memory);
  region->~Region();
  free(region);
}
