//===- FindLibraries.cpp - What a program is linked with --------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FindLibraries.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <dlfcn.h>
#include <link.h>

using namespace llvm;

namespace hamkaas {
namespace {

constexpr StringRef archiveName = "libHamKaasRuntime.a";

Expected<std::string> loadedLibrary(const char *name) {
  void *handle = dlopen(name, RTLD_LAZY);
  link_map *map = nullptr;
  if (!handle || dlinfo(handle, RTLD_DI_LINKMAP, &map) != 0)
    return createStringError("cannot find the system library " +
                             StringRef(name));
  std::string path = map->l_name;
  dlclose(handle);
  return path;
}

} // namespace

Expected<std::string> findRuntimeArchive() {
  // Any address in this program will do.
  static char anchor;
  std::string program = sys::fs::getMainExecutable(nullptr, &anchor);
  StringRef prefix = sys::path::parent_path(sys::path::parent_path(program));
  SmallVector<SmallString<128>, 4> directories;
  // Beside the library that this code is in, if it is in one.
  Dl_info info;
  if (dladdr(&anchor, &info) != 0 && sys::path::is_absolute(info.dli_fname))
    directories.emplace_back(sys::path::parent_path(info.dli_fname));
  for (StringRef folder : {StringRef("lib"), StringRef(HAMKAAS_INSTALL_LIBDIR)})
    sys::path::append(directories.emplace_back(prefix), folder);
  directories.emplace_back(HAMKAAS_BUILD_LIBDIR);

  std::string tried;
  for (SmallString<128> &directory : directories) {
    sys::path::append(directory, archiveName);
    if (sys::fs::exists(directory))
      return directory.str().str();
    tried += ("\n  " + directory).str();
  }
  return createStringError("cannot find the runtime library, tried:" + tried);
}

Expected<std::vector<std::string>> findSystemLibraries() {
  std::vector<std::string> paths;
  for (const char *name : {"libc.so.6", "libm.so.6", "ld-linux-x86-64.so.2"}) {
    Expected<std::string> path = loadedLibrary(name);
    if (!path)
      return path.takeError();
    paths.push_back(std::move(*path));
  }
  return paths;
}

} // namespace hamkaas
