//===- Parameters.cpp - Where a program's parameters are ------------------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Runtime/Instance/Parameters.h"

#include "HamKaas/Runtime/Core/Functions.h"
#include "HamKaas/Runtime/Core/TensorType.h"

#include <cinttypes>
#include <cstdlib>

using namespace hamkaas::rt;

Parameters::~Parameters() {
  for (int32_t i = 0; alignedCopies && i < program.parameterCount; ++i)
    if (alignedCopies[i])
      device.release(device.context, alignedCopies[i]);
  free(alignedCopies);
}

Error Parameters::resolve() {
  if (Error error = allocate())
    return error;
  for (int32_t i = 0; i < options.parameterCount; ++i)
    finder.takeNamedData(options.parameters[i], i);
  if (Error error = takeFiles())
    return error;
  takeEmbedded();
  finder.reportMissing(/*path=*/nullptr);
  if (Error error = finder.takeProblems())
    return error;
  return alignAll();
}

Error Parameters::allocate() {
  size_t count = static_cast<size_t>(program.parameterCount);
  // calloc may return null for zero entries.
  alignedCopies = static_cast<void **>(calloc(count + 1, sizeof(void *)));
  if (!alignedCopies)
    return Error::format("out of memory for a table of %zu parameters", count);
  return finder.allocate();
}

// If the caller provides all parameters, no file is needed.
bool Parameters::needsOwnFile() const {
  for (int32_t i = 0; program.weightsFile && i < program.parameterCount; ++i)
    if (!finder.addresses()[i] && !program.parameters[i].data)
      return true;
  return false;
}

Error Parameters::takeFiles() {
  if (options.weightsFile) {
    if (Error error = givenFile.open(options.weightsFile))
      return error;
    return takeFile(givenFile, options.weightsFile);
  }
  if (!needsOwnFile())
    return Error();
  if (Error error = ownFile.open(program, options))
    return error;
  // Only now that it is known to be the right one.
  return takeFile(ownFile.file(), ownFile.path());
}

Error Parameters::takeFile(const MappedFile &mapped, const char *path) {
  if (isGguf(mapped.data(), mapped.size())) {
    if (Error error = gguf.parse(mapped.data(), mapped.size(), path))
      return error;
    finder.takeFile(gguf, path);
    return Error();
  }
  if (Error error = safetensors.parse(mapped.data(), mapped.size(), path))
    return error;
  finder.takeFile(safetensors, path);
  return Error();
}

void Parameters::takeEmbedded() {
  const void **found = finder.addresses();
  for (int32_t i = 0; i < program.parameterCount; ++i)
    if (!found[i])
      found[i] = program.parameters[i].data;
}

//===----------------------------------------------------------------------===//
// Alignment
//===----------------------------------------------------------------------===//

// Data in a safetensors, GGUF or ONNX file may have any alignment. A device
// with its own memory gets a copy anyway; for others it would cost as much
// memory as the weights. Engines expect what their interface promises.
bool Parameters::mayBeMisaligned() const {
  return !device.isInProcess ||
         (device.readsMisaligned && !hasEngineCalls(program));
}

Error Parameters::alignAll() {
  if (mayBeMisaligned())
    return Error();
  const void **found = finder.addresses();
  for (int32_t i = 0; i < program.parameterCount; ++i) {
    const HamKaasTensorInfo &parameter = program.parameters[i];
    size_t alignment = elementTypeSize(parameter.elementType);
    if (alignment == 0 || parameter.bytes == 0 ||
        reinterpret_cast<uintptr_t>(found[i]) % alignment == 0)
      continue;
    Error reason;
    void *copy = device.allocate(device.context, parameter.bytes, reason);
    if (!copy)
      return Error::format("cannot allocate %" PRIu64
                           " bytes for parameter '%s'",
                           parameter.bytes, parameter.name);
    alignedCopies[i] = copy;
    if (Error error =
            device.copy(device.context, copy, found[i], parameter.bytes))
      return error;
    found[i] = copy;
  }
  return Error();
}
