//===- Parameters.cpp - Where a program's parameters are ------------------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Runtime/Parameters.h"

#include "HamKaas/Runtime/TensorType.h"
#include "NameIndex.h"

#include <cinttypes>
#include <cstdlib>
#include <cstring>

using namespace hamkaas::rt;

Parameters::~Parameters() {
  for (int32_t i = 0; alignedCopies && i < program.parameterCount; ++i)
    if (alignedCopies[i])
      device.release(device.context, alignedCopies[i]);
  free(found);
  free(alignedCopies);
  free(byName);
}

Error Parameters::resolve() {
  if (Error error = allocate())
    return error;
  takeFromCaller();
  if (const char *path = weightsFileToRead())
    if (Error error = takeFromFile(path))
      return error;
  takeEmbedded();
  reportMissing();
  if (!problems.empty())
    return Error::adopt(problems.release());
  return alignAll();
}

Error Parameters::allocate() {
  size_t count = static_cast<size_t>(program.parameterCount);
  // calloc may return null for zero entries.
  found = static_cast<const void **>(calloc(count + 1, sizeof(void *)));
  alignedCopies = static_cast<void **>(calloc(count + 1, sizeof(void *)));
  byName = createNameIndex(program.parameters, count);
  if (!found || !alignedCopies || !byName)
    return Error::format("out of memory for a table of %zu parameters", count);
  return Error();
}

const HamKaasTensorInfo *Parameters::parameterNamed(const char *name) const {
  return findByName(byName, static_cast<size_t>(program.parameterCount), name);
}

//===----------------------------------------------------------------------===//
// Where parameters come from
//===----------------------------------------------------------------------===//

void Parameters::takeFromCaller() {
  for (int32_t i = 0; i < options.parameterCount; ++i)
    takeNamedData(options.parameters[i], i);
}

void Parameters::takeNamedData(const HamKaasNamedData &given,
                               int32_t position) {
  if (!given.name || !given.data) {
    beginProblem();
    problems.append("given parameter number %d has no %s", position,
                    given.name ? "data" : "name");
    return;
  }
  const HamKaasTensorInfo *parameter = parameterNamed(given.name);
  if (!parameter) {
    beginProblem();
    problems.append("model '%s' has no parameter '%s', which was given",
                    program.name, given.name);
  } else if (given.bytes != parameter->bytes) {
    beginProblem();
    problems.append("parameter '%s': expected %" PRIu64 " bytes for ",
                    given.name, parameter->bytes);
    appendType(problems, *parameter);
    problems.append(", found %" PRIu64, given.bytes);
  } else if (addressOf(*parameter)) {
    beginProblem();
    problems.append("parameter '%s' is given twice", given.name);
  } else {
    addressOf(*parameter) = given.data;
  }
}

// The program's own file is read only if something must come from it: whoever
// gives all parameters needs no file.
const char *Parameters::weightsFileToRead() const {
  if (options.weightsFile)
    return options.weightsFile;
  for (int32_t i = 0; i < program.parameterCount; ++i)
    if (!found[i] && !program.parameters[i].data)
      return program.weightsFile;
  return nullptr;
}

Error Parameters::takeFromFile(const char *path) {
  if (Error error = file.open(path))
    return error;
  bool first = true;
  for (size_t i = 0; i < file.size(); ++i) {
    if (parameterNamed(file[i].name))
      continue;
    if (first) {
      beginProblem();
      problems.append("%s: model '%s' has no parameters named", path,
                      program.name);
    }
    problems.append("%s '%.200s'", first ? "" : ",", file[i].name);
    first = false;
  }
  for (size_t i = 0; i < file.size(); ++i)
    takeTensor(file[i], path);
  return Error();
}

static bool sameType(const SafetensorsTensor &tensor,
                     const HamKaasTensorInfo &parameter) {
  bool same = tensor.elementType == parameter.elementType &&
              tensor.rank == parameter.rank && tensor.bytes == parameter.bytes;
  for (int32_t i = 0; same && i < tensor.rank; ++i)
    same = tensor.shape[i] == parameter.shape[i];
  return same;
}

void Parameters::takeTensor(const SafetensorsTensor &tensor, const char *path) {
  const HamKaasTensorInfo *parameter = parameterNamed(tensor.name);
  if (!parameter)
    return;
  if (!sameType(tensor, *parameter)) {
    beginProblem();
    problems.append("%s: tensor '%.200s': expected ", path, tensor.name);
    appendType(problems, *parameter);
    problems.append(", found %s ", tensor.elementType < 0
                                       ? tensor.dtype
                                       : elementTypeName(tensor.elementType));
    appendShape(problems, tensor.rank, tensor.shape);
  }
  // Also after a problem, so that the parameter is not reported as missing.
  if (!addressOf(*parameter))
    addressOf(*parameter) = tensor.data;
}

void Parameters::takeEmbedded() {
  for (int32_t i = 0; i < program.parameterCount; ++i)
    if (!found[i])
      found[i] = program.parameters[i].data;
}

//===----------------------------------------------------------------------===//
// Problems
//===----------------------------------------------------------------------===//

void Parameters::reportMissing() {
  bool first = true;
  for (int32_t i = 0; i < program.parameterCount; ++i) {
    const HamKaasTensorInfo &parameter = program.parameters[i];
    if (found[i])
      continue;
    if (first) {
      beginProblem();
      problems.append("model '%s': missing parameters", program.name);
    }
    problems.append("%s '%s' (", first ? "" : ",", parameter.name);
    appendType(problems, parameter);
    problems.append(")");
    first = false;
  }
}

// One problem a line.
void Parameters::beginProblem() {
  if (!problems.empty())
    problems.append("\n");
}

//===----------------------------------------------------------------------===//
// Alignment
//===----------------------------------------------------------------------===//

// A safetensors header may have any length, which leaves the data behind it
// anywhere.
Error Parameters::alignAll() {
  for (int32_t i = 0; i < program.parameterCount; ++i) {
    const HamKaasTensorInfo &parameter = program.parameters[i];
    size_t alignment = elementTypeSize(parameter.elementType);
    if (alignment == 0 || parameter.bytes == 0 ||
        reinterpret_cast<uintptr_t>(found[i]) % alignment == 0)
      continue;
    void *copy = device.allocate(device.context, parameter.bytes);
    if (!copy)
      return Error::format("cannot allocate %" PRIu64
                           " bytes for parameter '%s'",
                           parameter.bytes, parameter.name);
    device.copy(device.context, copy, found[i], parameter.bytes);
    found[i] = alignedCopies[i] = copy;
  }
  return Error();
}
