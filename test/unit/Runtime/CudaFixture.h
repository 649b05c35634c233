//===- CudaFixture.h - Instances on a fake GPU ------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_TEST_UNIT_RUNTIME_CUDAFIXTURE_H
#define HAMKAAS_TEST_UNIT_RUNTIME_CUDAFIXTURE_H

#include "FakeCuda.h"
#include "FakeDeviceCode.h"
#include "FakeProgram.h"
#include "Text.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace hamkaas::test {

/// Memory of a GPU that belongs to the caller.
class DeviceBuffer {
public:
  explicit DeviceBuffer(size_t bytes, int device = 0, bool isManaged = false,
                        size_t offset = 0)
      : memory(cuda::allocate(bytes + offset, device, isManaged)), bytes(bytes),
        offset(offset) {}
  DeviceBuffer(const DeviceBuffer &) = delete;
  DeviceBuffer &operator=(const DeviceBuffer &) = delete;
  ~DeviceBuffer() { cuda::release(memory); }

  void *address() const { return static_cast<char *>(memory) + offset; }

  template <typename T> void fill(T value) {
    std::vector<T> values(bytes / sizeof(T), value);
    cuda::write(address(), values.data(), bytes);
  }
  template <typename T> T read(size_t index) const {
    T value;
    cuda::read(&value, static_cast<T *>(address()) + index, sizeof(value));
    return value;
  }

private:
  void *memory;
  size_t bytes, offset;
};

/// The fake program with code for a GPU, and an instance of it.
struct CudaFixture : ::testing::Test {
  static constexpr size_t vectorBytes = FakeProgram::elements * sizeof(float);

  CudaFixture() {
    cuda::configure(cuda::Settings());
    options.structSize = sizeof(options);
    options.device = "cuda";
    options.parameters = parameters.named;
    options.parameterCount = 2;
  }
  ~CudaFixture() override {
    HamKaasInstanceDestroy(instance);
    EXPECT_EQ(cuda::violations(), std::vector<std::string>());
    EXPECT_EQ(cuda::leaks(), std::vector<std::string>());
    EXPECT_EQ(cuda::held(), std::vector<std::string>());
    EXPECT_EQ(cuda::contextDepth(), 0u);
  }

  std::string create() {
    return takeText(HamKaasInstanceCreate(&fake.program, &options, &instance));
  }
  void destroy() {
    HamKaasInstanceDestroy(instance);
    instance = nullptr;
  }
  std::string runOn(const void *x, void *y, void *runs) {
    const void *inputs[] = {x};
    void *outputs[] = {y, runs};
    return takeText(HamKaasInstanceRun(instance, inputs, outputs));
  }

  FakeProgram fake;
  FakeDeviceCode device{fake};
  FakeParameters parameters;
  HamKaasInstanceOptions options = {};
  HamKaasInstance *instance = nullptr;
};

} // namespace hamkaas::test

#endif // HAMKAAS_TEST_UNIT_RUNTIME_CUDAFIXTURE_H
