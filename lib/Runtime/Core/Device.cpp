//===- Device.cpp - The devices by name -----------------------------------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Runtime/Core/Device.h"

#include <cstdlib>
#include <cstring>

using namespace hamkaas::rt;

static Error createCpu(CpuThreads threads, const HamKaasProgram &program,
                       Device &device) {
  if (!program.run)
    return Error::format("device 'cpu': model '%s' has no code for it; compile "
                         "it for the targets cpu,cuda",
                         program.name);
  return threads.areShared ? createSharedCpuDevice(threads.count, device)
                           : createCpuDevice(threads.count, device);
}

// The fastest device present, so that a caller need not know which.
static Error createBest(CpuThreads threads, const HamKaasProgram &program,
                        Device &device) {
  if (!program.deviceCode)
    return createCpu(threads, program, device);
  bool isUsable = false;
  Error error = createCudaDevice(0, program, device, isUsable);
  if (!error || isUsable || !program.run)
    return error;
  return createCpu(threads, program, device);
}

// "cuda" is number 0, "cuda:N" N.
static bool parseCuda(const char *name, int32_t &number) {
  static constexpr char prefix[] = "cuda";
  number = 0;
  if (strncmp(name, prefix, strlen(prefix)) != 0)
    return false;
  name += strlen(prefix);
  if (*name == '\0')
    return true;
  // No machine has 10,000 GPUs.
  size_t digits = strspn(++name, "0123456789");
  if (name[-1] != ':' || digits == 0 || digits > 4 || name[digits] != '\0')
    return false;
  number = atoi(name);
  return true;
}

bool hamkaas::rt::isDeviceName(const char *name) {
  int32_t number = 0;
  return strcmp(name, "cpu") == 0 || strcmp(name, "best") == 0 ||
         parseCuda(name, number);
}

const char *hamkaas::rt::targetOfDevice(const char *name,
                                        const char *architecture) {
  if (!isDeviceName(name))
    return nullptr;
  bool isCpu = strcmp(name, "cpu") == 0 ||
               (strcmp(name, "best") == 0 && findCudaDevice(0, architecture));
  return isCpu ? "cpu" : "cuda";
}

Error hamkaas::rt::createDevice(const char *name, CpuThreads threads,
                                const HamKaasProgram &program, Device &device) {
  if (strcmp(name, "cpu") == 0)
    return createCpu(threads, program, device);
  if (strcmp(name, "best") == 0)
    return createBest(threads, program, device);
  int32_t number = 0;
  bool isUsable = false;
  if (parseCuda(name, number))
    return createCudaDevice(number, program, device, isUsable);
  return Error::format("unknown device '%s', this runtime offers 'cpu' 'cuda' "
                       "'cuda:N' 'best'",
                       name);
}
