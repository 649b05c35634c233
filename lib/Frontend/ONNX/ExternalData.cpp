//===- ExternalData.cpp - Tensors in files beside a model -------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExternalData.h"
#include "ExternalFile.h"
#include "HamKaas/Frontend/Builder/Diagnostics.h"
#include <cerrno>
#include <cstring>
#include <sys/mman.h>
#include <sys/stat.h>

using namespace llvm;
using namespace hamkaas::onnx;
using hamkaas::graph::quote;

ExternalData::~ExternalData() {
  for (const auto &file : files)
    if (file.second.data)
      munmap(const_cast<char *>(file.second.data), file.second.size);
}

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

static bool findSize(const Descriptor &descriptor, int64_t &size,
                     std::string &problem) {
  struct stat status;
  if (::fstat(descriptor.get(), &status) != 0 || !S_ISREG(status.st_mode))
    problem = "expected a regular file";
  else if (status.st_nlink != 1)
    problem = "expected a file with one name, found one with " +
              std::to_string(status.st_nlink) + " hard links";
  else
    size = status.st_size;
  return problem.empty();
}

const ExternalData::File *ExternalData::open(StringRef location,
                                             std::string &problem) {
  if (auto known = files.find(location); known != files.end())
    return &known->second;
  Descriptor descriptor = openExternalFile(model, root, location, problem);
  File file;
  if (descriptor && findSize(descriptor, file.size, problem) && file.size > 0) {
    void *data = ::mmap(nullptr, file.size, PROT_READ, MAP_PRIVATE,
                        descriptor.get(), /*offset=*/0);
    if (data == MAP_FAILED)
      problem = std::strerror(errno);
    else
      file.data = static_cast<const char *>(data);
  }
  if (!problem.empty()) {
    problem = "external data in " + quote(location) + ": " + problem;
    return nullptr;
  }
  return &(files[location] = file);
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

/// A count of bytes, as text; none if it is no number from 0.
static std::optional<int64_t> readCount(StringRef text) {
  int64_t count;
  if (text.getAsInteger(10, count) || count < 0)
    return std::nullopt;
  return count;
}

ArrayRef<char> ExternalData::read(const TensorProto &tensor, int64_t expected,
                                  std::string &problem) {
  StringRef location;
  std::optional<int64_t> offset = 0, length = expected;
  for (auto [key, value] : tensor.externalData) {
    if (key == "location")
      location = value;
    else if (key == "offset")
      offset = readCount(value);
    else if (key == "length")
      length = readCount(value);
    else if (key != "checksum")
      problem = "external data with " + quote(key) + " is not supported";
  }
  if (problem.empty() && (!offset || !length))
    problem = "external data in " + quote(location) +
              ": expected an offset and a length from 0";
  if (problem.empty() && *length != expected)
    problem = ("external data in " + quote(location) + ": expected " +
               Twine(expected) + " bytes, found " + Twine(*length))
                  .str();
  const File *file = problem.empty() ? open(location, problem) : nullptr;
  if (!file)
    return {};
  if (*offset > file->size || expected > file->size - *offset) {
    problem = ("external data in " + quote(location) + ": expected " +
               Twine(expected) + " bytes at " + Twine(*offset) +
               ", found a file of " + Twine(file->size))
                  .str();
    return {};
  }
  return ArrayRef(file->data + *offset, expected);
}
