//===- ExternalData.cpp - Tensors in files beside a model -------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExternalData.h"
#include "Diagnostics.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace llvm;
using namespace hamkaas::onnx;

ExternalData::~ExternalData() {
  for (const auto &file : files)
    if (file.second.data)
      munmap(const_cast<char *>(file.second.data), file.second.size);
}

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

/// Why the model's own words for a file are not followed; empty if they are.
static std::string checkLocation(StringRef location) {
  std::string text = "external data in " + quote(location) + ": ";
  if (location.empty() || location.contains('\0'))
    return text + "expected the name of a file";
  if (location.starts_with("/") || location.contains('\\'))
    return text + "expected a path relative to the model";
  SmallVector<StringRef> components;
  location.split(components, '/');
  for (StringRef component : components)
    if (component.empty() || component == "." || component == "..")
      return text + "expected a path below the folder of the model, without "
                    "empty components, '.' and '..'";
  return "";
}

/// Opens one component at a time, so that none can be a link, even for a
/// moment.
int ExternalData::openBelowFolder(StringRef location, std::string &problem) {
  auto fail = [&](StringRef what) {
    problem = "external data in " + quote(location) + ": " + what.str();
    return -1;
  };
  if (model.empty())
    return fail("the model is not a file that it could lie beside");
  StringRef folder = sys::path::parent_path(model);
  int directory = ::open(folder.empty() ? "." : folder.str().c_str(),
                         O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  SmallVector<StringRef> components;
  location.split(components, '/');
  for (auto [i, component] : enumerate(components)) {
    if (directory < 0)
      break;
    bool isLast = i + 1 == components.size();
    // NOTE: without O_NONBLOCK, opening a pipe would wait.
    int flags =
        O_RDONLY | O_NOFOLLOW | O_CLOEXEC | (isLast ? O_NONBLOCK : O_DIRECTORY);
    int next = ::openat(directory, component.str().c_str(), flags);
    int error = errno;
    ::close(directory);
    errno = error;
    directory = next;
  }
  if (directory >= 0)
    return directory;
  return fail(errno == ELOOP ? "expected no symbolic link"
                             : StringRef(std::strerror(errno)));
}

const ExternalData::File *ExternalData::open(StringRef location,
                                             std::string &problem) {
  if (auto known = files.find(location); known != files.end())
    return &known->second;
  problem = checkLocation(location);
  int descriptor = problem.empty() ? openBelowFolder(location, problem) : -1;
  if (descriptor < 0)
    return nullptr;
  struct stat status;
  File file;
  if (::fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode))
    problem = "expected a regular file";
  else if (status.st_nlink != 1)
    problem = "expected a file with one name, found one with " +
              std::to_string(status.st_nlink) + " hard links";
  else if (status.st_size > 0) {
    file.size = status.st_size;
    void *data = ::mmap(nullptr, file.size, PROT_READ, MAP_PRIVATE, descriptor,
                        /*offset=*/0);
    if (data == MAP_FAILED)
      problem = std::strerror(errno);
    else
      file.data = static_cast<const char *>(data);
  }
  ::close(descriptor);
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
