//===- TensorFinder.cpp - Find the tensors of a table by name -------------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Runtime/Files/TensorFinder.h"

#include "HamKaas/Runtime/Core/NameIndex.h"
#include "HamKaas/Runtime/Core/TensorType.h"

#include <cinttypes>
#include <cstdlib>
#include <cstring>

using namespace hamkaas::rt;

TensorFinder::~TensorFinder() {
  free(found);
  free(byName);
}

Error TensorFinder::allocate() {
  // calloc may return null for zero entries.
  found = static_cast<const void **>(calloc(count + 1, sizeof(void *)));
  byName = createNameIndex(tensors, count);
  if (!found || !byName)
    return Error::format("out of memory for a table of %zu %ss", count, what);
  return Error();
}

const HamKaasTensorInfo *TensorFinder::tensorNamed(const char *name) const {
  return findByName(byName, count, name);
}

//===----------------------------------------------------------------------===//
// Where tensors come from
//===----------------------------------------------------------------------===//

void TensorFinder::takeNamedData(const HamKaasNamedData &given,
                                 int32_t position) {
  if (!given.name || !given.data) {
    beginProblem();
    problems.append("given %s number %d has no %s", what, position,
                    given.name ? "data" : "name");
    return;
  }
  const HamKaasTensorInfo *tensor = tensorNamed(given.name);
  if (!tensor) {
    beginProblem();
    problems.append("model '%s' has no %s '%s', which was given", model, what,
                    given.name);
  } else if (given.bytes != tensor->bytes) {
    beginProblem();
    problems.append("%s '%s': expected %" PRIu64 " bytes for ", what,
                    given.name, tensor->bytes);
    appendType(problems, *tensor);
    problems.append(", got %" PRIu64, given.bytes);
  } else if (addressOf(*tensor)) {
    beginProblem();
    problems.append("%s '%s' is given twice", what, given.name);
  } else {
    addressOf(*tensor) = given.data;
  }
}

void TensorFinder::takeFile(const SafetensorsFile &file, const char *path,
                            const char *ignored) {
  bool first = true;
  for (size_t i = 0; i < file.size(); ++i)
    if (!ignored || strncmp(file[i].name, ignored, strlen(ignored)) != 0)
      reportUnknown(file[i].name, path, first);
  for (size_t i = 0; i < file.size(); ++i)
    takeTensor(file[i], path);
}

void TensorFinder::takeFile(const GgufFile &file, const char *path) {
  bool first = true;
  for (size_t i = 0; i < file.tensorCount(); ++i)
    reportUnknown(file.tensor(i).name, path, first);
  for (size_t i = 0; i < file.tensorCount(); ++i) {
    const GgufTensor &tensor = file.tensor(i);
    int64_t shape[GgufTensor::maximumRank];
    memcpy(shape, tensor.shape, sizeof(shape));
    bool isInBlocks = tensor.type->blockNumbers > 1;
    if (isInBlocks)
      shape[tensor.rank - 1] = static_cast<int64_t>(tensor.rowBytes());
    takeTensor({tensor.name, tensor.type->name,
                isInBlocks ? int32_t{HamKaasUInt8} : tensor.type->elementType,
                tensor.rank, shape, tensor.data, tensor.bytes},
               path);
  }
}

static bool sameType(const SafetensorsTensor &tensor,
                     const HamKaasTensorInfo &expected) {
  bool same = tensor.elementType == expected.elementType &&
              tensor.rank == expected.rank && tensor.bytes == expected.bytes;
  for (int32_t i = 0; same && i < tensor.rank; ++i)
    same = tensor.shape[i] == expected.shape[i];
  return same;
}

void TensorFinder::takeTensor(const SafetensorsTensor &tensor,
                              const char *path) {
  const HamKaasTensorInfo *expected = tensorNamed(tensor.name);
  if (!expected)
    return;
  if (!sameType(tensor, *expected)) {
    beginProblem();
    problems.append("%s: tensor '%.200s': expected ", path, tensor.name);
    appendType(problems, *expected);
    problems.append(", got %s ", tensor.elementType < 0
                                     ? tensor.dtype
                                     : elementTypeName(tensor.elementType));
    appendShape(problems, tensor.rank, tensor.shape);
  }
  // Also after a problem, so that the tensor is not reported as missing.
  if (!addressOf(*expected))
    addressOf(*expected) = tensor.data;
}

//===----------------------------------------------------------------------===//
// Problems
//===----------------------------------------------------------------------===//

void TensorFinder::reportUnknown(const char *name, const char *path,
                                 bool &first) {
  if (tensorNamed(name))
    return;
  if (first) {
    beginProblem();
    problems.append("%s: model '%s' has no %ss named", path, model, what);
  }
  problems.append("%s '%.200s'", first ? "" : ",", name);
  first = false;
}

void TensorFinder::reportMissing(const char *path) {
  bool first = true;
  for (size_t i = 0; i < count; ++i) {
    if (found[i])
      continue;
    if (first) {
      beginProblem();
      problems.append(path ? "%s: missing %ss" : "model '%s': missing %ss",
                      path ? path : model, what);
    }
    problems.append("%s '%s' (", first ? "" : ",", tensors[i].name);
    appendType(problems, tensors[i]);
    problems.append(")");
    first = false;
  }
}

// One problem a line.
void TensorFinder::beginProblem() {
  if (!problems.empty())
    problems.append("\n");
}

Error TensorFinder::takeProblems() {
  return problems.empty() ? Error() : Error::adopt(problems.release());
}
