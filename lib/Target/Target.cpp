//===- Target.cpp - What code is generated for ------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Target/Target.h"
#include "HamKaas/Options/OptionError.h"
#include "HamKaas/Runtime/Cpu/Isa.h"
#include "HamKaas/Support/Errors.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Target/TargetMachine.h"
#include <set>
#include <vector>

using namespace llvm;

namespace hamkaas {
namespace {

/// The runtime's table is the only one.
std::vector<TargetCpu> targetCpus() {
  std::vector<TargetCpu> cpus;
  for (int32_t level = HamKaasIsaX86_64_V1; rt::isaLevelName(level); ++level)
    cpus.push_back({rt::isaLevelName(level), HamKaasIsaLevel(level)});
  return cpus;
}

} // namespace

Expected<TargetCpu> resolveTargetCpu(StringRef name) {
  // The check that the runtime makes before it runs the program.
  HamKaasIsaLevel host;
  if (rt::Error error = rt::findIsaLevel(host))
    return toError(std::move(error));
  std::string choices = "host";
  for (const TargetCpu &cpu : targetCpus()) {
    if (cpu.name == name || (name == "host" && cpu.level == host))
      return cpu;
    choices += (", " + cpu.name).str();
  }
  return makeOptionError(OptionId::target_cpu,
                         "expected one of " + choices + ", got '" + name + "'");
}

std::optional<TargetCpu> findTargetCpu(StringRef name) {
  for (const TargetCpu &cpu : targetCpus())
    if (cpu.name == name)
      return cpu;
  return std::nullopt;
}

/// The architectures, and the first version of PTX that knows them; of each the
/// oldest drivers take 8.0.
static constexpr std::pair<StringLiteral, StringLiteral> gpuArchs[] = {
    {"sm_80", "+ptx80"},  {"sm_86", "+ptx80"},   {"sm_87", "+ptx80"},
    {"sm_89", "+ptx80"},  {"sm_90", "+ptx80"},   {"sm_90a", "+ptx80"},
    {"sm_100", "+ptx86"}, {"sm_100a", "+ptx86"}, {"sm_120", "+ptx87"},
    {"sm_120a", "+ptx87"}};

static bool hasWaits(StringRef arch) {
  StringRef number = arch.drop_front(3);
  int capability = 0;
  // A letter may follow.
  number.consumeInteger(10, capability);
  return capability >= waitingCapability;
}

bool GpuArch::waits() const { return hasWaits(name); }

std::vector<GpuArch> GpuArch::versions() const {
  auto split = find_if(machineCode, hasWaits);
  if (waits() || split == machineCode.end())
    return {*this};
  GpuArch older = *this, newer = *findGpuArch("sm_90");
  older.machineCode.assign(machineCode.begin(), split);
  newer.machineCode.assign(split, machineCode.end());
  return {older, newer};
}

std::optional<GpuArch> findGpuArch(StringRef name) {
  for (auto [known, feature] : gpuArchs)
    if (known == name)
      return GpuArch{known.str(), feature, {}};
  return std::nullopt;
}

/// The index of an architecture.
static Expected<size_t> findArchIndex(StringRef name) {
  std::string choices;
  for (auto [i, arch] : enumerate(gpuArchs)) {
    if (arch.first == name)
      return i;
    choices += arch.first.str() + ", ";
  }
  return makeOptionError(OptionId::gpu_arch,
                         "expected one of " + choices +
                             "or compute_80 and so on for PTX alone, got '" +
                             name + "'");
}

/// Code for sm_90a runs on no other architecture.
static bool isForOneOnly(StringRef name) { return name.ends_with("a"); }

/// That of the list of architectures.
static Expected<GpuArch> resolveGpuArchs(ArrayRef<StringRef> names) {
  std::set<size_t> found;
  for (StringRef name : names) {
    Expected<size_t> index = findArchIndex(name);
    if (!index)
      return index.takeError();
    found.insert(*index);
  }
  auto [oldest, feature] = gpuArchs[*found.begin()];
  GpuArch arch{oldest.str(), feature, {}};
  if (names.size() > 1 && (found.size() < names.size() || isForOneOnly(oldest)))
    return makeOptionError(OptionId::gpu_arch,
                           Twine("expected different architectures, of which "
                                 "the oldest has no letter, got '") +
                               join(names, ",") + "'");
  for (size_t index : found)
    arch.machineCode.push_back(gpuArchs[index].first.str());
  return arch;
}

Expected<GpuArch> resolveGpuArch(StringRef text) {
  StringRef number = text;
  if (number.consume_front("compute_")) {
    Expected<size_t> index = findArchIndex(("sm_" + number).str());
    if (index)
      return GpuArch{gpuArchs[*index].first.str(), gpuArchs[*index].second, {}};
    consumeError(index.takeError());
    return findArchIndex(text).takeError();
  }
  SmallVector<StringRef> names;
  text.split(names, ',');
  return resolveGpuArchs(names);
}

std::string getOldestGpu(StringRef text) {
  Expected<GpuArch> arch = resolveGpuArch(text);
  if (arch)
    return arch->name;
  consumeError(arch.takeError());
  return text.str();
}

Expected<std::unique_ptr<TargetMachine>>
createGpuTargetMachine(const GpuArch &arch) {
  return createPtxMachine(arch.name, arch.ptxFeature);
}

} // namespace hamkaas
