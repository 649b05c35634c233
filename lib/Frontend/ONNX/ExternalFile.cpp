//===- ExternalFile.cpp - Opening a file that a model names -----*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExternalFile.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Path.h"
#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>
#include <fcntl.h>
#include <optional>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

using namespace llvm;
using namespace hamkaas::onnx;
using hamkaas::graph::Diagnostics;
using hamkaas::graph::quote;

Descriptor::~Descriptor() {
  if (number >= 0)
    ::close(number);
}

//===----------------------------------------------------------------------===//
// Folders
//===----------------------------------------------------------------------===//

/// As a place only, for which being allowed to pass through is enough.
static constexpr int asFolder = O_PATH | O_DIRECTORY | O_CLOEXEC;

static Descriptor openFolder(StringRef path) {
  return Descriptor(::open(path.empty() ? "." : path.str().c_str(), asFolder));
}

/// Never by a link.
static Descriptor openFolderIn(const Descriptor &folder, StringRef name) {
  return Descriptor(
      ::openat(folder.get(), name.str().c_str(), asFolder | O_NOFOLLOW));
}

/// NOTE: without O_NONBLOCK, opening a pipe would wait.
static Descriptor openFileIn(const Descriptor &folder, StringRef name) {
  return Descriptor(::openat(folder.get(), name.str().c_str(),
                             O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
}

/// The text of a link; none if `name` is something else.
static std::optional<std::string> readLink(const Descriptor &folder,
                                           StringRef name) {
  char text[PATH_MAX];
  ssize_t size =
      ::readlinkat(folder.get(), name.str().c_str(), text, sizeof(text));
  if (size <= 0 || size == ssize_t(sizeof(text)))
    return std::nullopt;
  return std::string(text, size);
}

static bool areSame(const Descriptor &a, const Descriptor &b) {
  struct stat first, second;
  return a && b && ::fstat(a.get(), &first) == 0 &&
         ::fstat(b.get(), &second) == 0 && first.st_dev == second.st_dev &&
         first.st_ino == second.st_ino;
}

/// Returns whether `folder` is `root` or lies in it, by the folders above it.
static bool isBelow(const Descriptor &folder, const Descriptor &root) {
  Descriptor at = openFolderIn(folder, ".");
  while (at && !areSame(at, root)) {
    Descriptor above = openFolderIn(at, "..");
    if (areSame(at, above))
      return false;
    at = std::move(above);
  }
  return bool(at);
}

//===----------------------------------------------------------------------===//
// Links
//===----------------------------------------------------------------------===//

/// Opens the target of `link`, in `folder`, in a cache of the Hugging Face hub,
/// where R/snapshots/X/model.onnx is a link to ../../blobs/Y.
static Descriptor openBlob(const Descriptor &folder, StringRef link) {
  Descriptor repository = openFolderIn(folder, "."), below;
  bool isInSnapshot = false;
  while (repository && link.consume_front("../")) {
    isInSnapshot = bool(below);
    below = std::move(repository);
    repository = openFolderIn(below, "..");
  }
  if (!isInSnapshot || !link.consume_front("blobs/") || link.empty() ||
      link.contains('/') || link == "." || link == ".." ||
      !areSame(below, openFolderIn(repository, "snapshots")))
    return {};
  Descriptor blobs = openFolderIn(repository, "blobs");
  return blobs ? openFileIn(blobs, link) : Descriptor();
}

namespace {

/// Follows a path with all its links, one step at a time.
class LinkWalker {
public:
  LinkWalker(Descriptor start, StringRef path, Diagnostics &diagnostics)
      : diagnostics(diagnostics), folder(std::move(start)) {
    push(path);
  }

  /// Opens the file at the end if it lies in `root`, which `option` names.
  Descriptor open(const Descriptor &root, StringRef option);

private:
  static constexpr int mostLinks = 40;

  void push(StringRef path) {
    SmallVector<StringRef> components;
    path.split(components, '/', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
    for (StringRef component : reverse(components))
      pending.push_back(component.str());
  }
  bool follow(StringRef link);
  Descriptor fail(const Twine &reason) {
    diagnostics.fail(reason);
    return {};
  }

  Diagnostics &diagnostics;
  Descriptor folder;
  /// The next one last.
  std::vector<std::string> pending;
  int links = 0;
};

} // namespace

bool LinkWalker::follow(StringRef link) {
  if (++links > mostLinks) {
    fail("expected at most " + Twine(mostLinks) + " symbolic links on the way");
    return false;
  }
  if (link.starts_with("/") && !(folder = openFolder("/"))) {
    fail(std::strerror(errno));
    return false;
  }
  push(link);
  return true;
}

Descriptor LinkWalker::open(const Descriptor &root, StringRef option) {
  while (!pending.empty()) {
    std::string name = std::move(pending.back());
    pending.pop_back();
    if (auto link = readLink(folder, name)) {
      if (!follow(*link))
        return {};
      continue;
    }
    if (pending.empty() && name != "." && name != "..") {
      if (!isBelow(folder, root))
        return fail("expected a file in the folder of " + option +
                    ", got a symbolic link that leads out of it");
      Descriptor file = openFileIn(folder, name);
      return file ? std::move(file) : fail(std::strerror(errno));
    }
    Descriptor next = openFolderIn(folder, name);
    if (!next)
      return fail(std::strerror(errno));
    folder = std::move(next);
  }
  return fail("expected a regular file");
}

//===----------------------------------------------------------------------===//
// Locations
//===----------------------------------------------------------------------===//

/// Why the model's own words for a file are not followed; empty if they are.
static std::string checkLocation(StringRef location) {
  if (location.empty() || location.contains('\0'))
    return "expected the name of a file";
  if (location.starts_with("/") || location.contains('\\'))
    return "expected a path relative to the model";
  SmallVector<StringRef> components;
  location.split(components, '/');
  for (StringRef component : components)
    if (component.empty() || component == "." || component == "..")
      return "expected a path below the folder of the model, without empty "
             "components, '.' and '..'";
  return "";
}

/// The file at `location`, no component of which is a link but the last one,
/// and that only in a cache. None with ELOOP for other links, or another error.
static Descriptor openWithoutLinks(const Descriptor &start, StringRef location,
                                   int &error) {
  Descriptor folder = openFolderIn(start, ".");
  auto [path, name] = location.rsplit('/');
  if (name.empty())
    std::swap(path, name);
  SmallVector<StringRef> components;
  path.split(components, '/', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  for (StringRef component : components) {
    Descriptor next = openFolderIn(folder, component);
    error = errno;
    if (!next) {
      error = readLink(folder, component) ? ELOOP : error;
      return {};
    }
    folder = std::move(next);
  }
  Descriptor file = openFileIn(folder, name);
  error = errno;
  if (!file && error == ELOOP)
    if (auto link = readLink(folder, name))
      file = openBlob(folder, *link);
  return file;
}

static Descriptor openInRoot(Descriptor folder, const DataPlaces &places,
                             StringRef location, Diagnostics &diagnostics) {
  Descriptor rootFolder = openFolder(places.root);
  if (!rootFolder) {
    diagnostics.fail(places.rootOption + ": " + quote(places.root) + ": " +
                     std::strerror(errno));
    return {};
  }
  return LinkWalker(std::move(folder), location, diagnostics)
      .open(rootFolder, places.rootOption);
}

static Descriptor openLocation(const DataPlaces &places, StringRef location,
                               Diagnostics &diagnostics) {
  if (places.model.empty()) {
    diagnostics.fail("the model is not a file that it could lie beside");
    return {};
  }
  Descriptor folder = openFolder(sys::path::parent_path(places.model)), file;
  int error = errno;
  if (folder)
    file = openWithoutLinks(folder, location, error);
  if (file)
    return file;
  if (folder && error == ELOOP && !places.root.empty())
    return openInRoot(std::move(folder), places, location, diagnostics);
  if (error != ELOOP)
    diagnostics.fail(std::strerror(error));
  else
    diagnostics.fail("expected no symbolic link, but from snapshots/X to "
                     "../../blobs/Y in a cache of the Hugging Face hub; " +
                     places.rootOption + "=DIR allows those to files in DIR");
  return {};
}

Descriptor hamkaas::onnx::openExternalFile(const DataPlaces &places,
                                           StringRef location,
                                           Diagnostics &diagnostics) {
  std::string problem = checkLocation(location);
  if (problem.empty())
    return openLocation(places, location, diagnostics);
  diagnostics.fail(problem);
  return {};
}
