//===- ExternalData.cpp - Tensors in files beside a model -------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExternalData.h"
#include "ExternalFile.h"
#include <cerrno>
#include <cstring>
#include <sys/mman.h>
#include <sys/stat.h>

using namespace llvm;
using namespace hamkaas::onnx;
using hamkaas::graph::Diagnostics;
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
                     Diagnostics &diagnostics) {
  struct stat status;
  if (::fstat(descriptor.get(), &status) != 0 || !S_ISREG(status.st_mode)) {
    diagnostics.fail("expected a regular file");
    return false;
  }
  if (status.st_nlink != 1) {
    diagnostics.fail("expected a file with one name, got one with " +
                     Twine(status.st_nlink) + " hard links");
    return false;
  }
  size = status.st_size;
  return true;
}

const ExternalData::File *ExternalData::open(StringRef location,
                                             Diagnostics &diagnostics) {
  if (auto known = files.find(location); known != files.end())
    return &known->second;
  Descriptor descriptor = openExternalFile(places, location, diagnostics);
  File file;
  if (!descriptor || !findSize(descriptor, file.size, diagnostics))
    return nullptr;
  if (file.size > 0) {
    void *data = ::mmap(nullptr, file.size, PROT_READ, MAP_PRIVATE,
                        descriptor.get(), /*offset=*/0);
    if (data == MAP_FAILED) {
      diagnostics.fail(std::strerror(errno));
      return nullptr;
    }
    file.data = static_cast<const char *>(data);
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

std::optional<ArrayRef<char>> ExternalData::read(const TensorProto &tensor,
                                                 int64_t expected,
                                                 Diagnostics &diagnostics) {
  auto fail = [&](const Twine &reason) {
    diagnostics.fail(reason);
    return std::nullopt;
  };
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
      return fail("external data with " + quote(key) + " is not supported");
  }
  Diagnostics::Subject subject(diagnostics,
                               "external data in " + quote(location));
  if (!offset || !length)
    return fail("expected an offset and a length from 0");
  if (*length != expected)
    return fail("expected " + Twine(expected) + " bytes, got " +
                Twine(*length));
  const File *file = open(location, diagnostics);
  if (!file)
    return std::nullopt;
  if (*offset > file->size || expected > file->size - *offset)
    return fail("expected " + Twine(expected) + " bytes at " + Twine(*offset) +
                ", got a file of " + Twine(file->size));
  return ArrayRef(file->data + *offset, expected);
}
