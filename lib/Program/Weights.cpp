//===- Weights.cpp - Parameters from a safetensors file ---------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Program/Weights.h"
#include "HamKaas/Runtime/Instance/Parameters.h"
#include "llvm/ADT/STLExtras.h"
#include <optional>

using namespace llvm;
using namespace hamkaas;

/// The runtime's lookup of parameters, as for a program.
struct Weights::Source {
  Source(StringRef path, const ProgramInfo &model);
  ~Source();

  std::string path, name;
  std::vector<TensorInfo> parameters;
  std::vector<HamKaasTensorInfo> table;
  HamKaasProgram program = {};
  HamKaasInstanceOptions options = {};
  rt::Device device = {};
  std::optional<rt::Parameters> resolved;
};

Weights::Source::Source(StringRef path, const ProgramInfo &model)
    : path(path), name(model.name), parameters(model.parameters) {
  for (const TensorInfo &parameter : parameters) {
    HamKaasTensorInfo &row = table.emplace_back();
    row.name = parameter.name.c_str();
    row.elementType = parameter.elementType;
    row.rank = parameter.shape.size();
    row.shape = parameter.shape.data();
    row.bytes = parameter.bytes();
  }
  program.name = name.c_str();
  program.parameters = table.data();
  program.parameterCount = table.size();
  if (!path.empty())
    options.weightsFile = this->path.c_str();
}

Weights::Source::~Source() {
  // It returns what it holds to the device.
  resolved.reset();
  if (device.destroy)
    device.destroy(device.context);
}

Weights::Weights(std::unique_ptr<Source> source) : source(std::move(source)) {}
Weights::Weights(Weights &&) = default;
Weights::~Weights() = default;

Expected<Weights> Weights::open(StringRef path, const ProgramInfo &model) {
  auto source = std::make_unique<Source>(path, model);
  rt::Error error = rt::createCpuDevice(/*threads=*/1, source->device);
  if (!error) {
    source->resolved.emplace(source->program, source->options, source->device);
    error = source->resolved->resolve();
  }
  if (error)
    return createStringError(error.message());

  Weights weights(std::move(source));
  const void *const *addresses = weights.source->resolved->addresses();
  for (auto [i, row] : enumerate(weights.source->table))
    weights.data.emplace_back(static_cast<const char *>(addresses[i]),
                              row.bytes);
  return weights;
}
