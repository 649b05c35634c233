//===- Region.h - Memory that instances may share ---------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_RUNTIME_INSTANCE_REGION_H
#define HAMKAAS_RUNTIME_INSTANCE_REGION_H

#include "HamKaas/Runtime/Core/Device.h"

#include <atomic>
#include <cstdint>

namespace hamkaas::rt {

/// Memory on a device, which any device of the same name may use and release.
/// Lives until its last holder gives it back. A line of the cache, so that who
/// uses one region does not slow down others.
struct alignas(64) Region {
  void *memory = nullptr; // null for no bytes
  uint64_t bytes = 0;
  std::atomic<uint32_t> holders{1};
  /// Who uses the region alone at the moment; null if nobody does.
  std::atomic<const void *> user{nullptr};
};

/// `what` is for the message: "model 'm': cannot allocate 8 bytes for its
/// state".
Error createRegion(const Device &device, const char *model, const char *what,
                   uint64_t bytes, Region *&region /* out */);

/// Makes one more holder.
Region *shareRegion(Region *region);

/// Gives the region back; nothing happens on null.
void releaseRegion(const Device &device, Region *region);

/// Lets one user at a time into a region.
class RegionUse {
public:
  RegionUse(Region &region, const void *user) : region(region) {
    region.user.compare_exchange_strong(
        current, user, std::memory_order_acquire, std::memory_order_relaxed);
  }
  RegionUse(const RegionUse &) = delete;
  RegionUse &operator=(const RegionUse &) = delete;
  ~RegionUse() {
    if (!current)
      region.user.store(nullptr, std::memory_order_release);
  }

  /// Null if the user was let in, otherwise who is in.
  const void *other() const { return current; }

private:
  Region &region;
  const void *current = nullptr;
};

} // namespace hamkaas::rt

#endif // HAMKAAS_RUNTIME_INSTANCE_REGION_H
