//===- EngineHost.h - The engines of this machine ---------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_ENGINE_ENGINEHOST_H
#define HAMKAAS_ENGINE_ENGINEHOST_H

#include "HamKaas/Runtime/Engine/EngineLibrary.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace hamkaas {

/// A file on the search path.
struct EngineFile {
  std::string path;    ///< Absolute.
  std::string problem; ///< Why it is not used; empty if it is.
  rt::EngineLibrary library = {};
};

/// The engine libraries on a search path, loaded once in a process.
class EngineHost {
public:
  /// `path` has folders and files separated by colons, in the order of the
  /// search. An empty entry stands for the usual places, as does an empty path:
  /// the folders of HAMKAAS_ENGINE_PATH, then `lib/hamkaas/engines` of the
  /// installation. Files of a folder, those that end in ".so", come in the
  /// order of their names.
  static const EngineHost &get(llvm::StringRef path);

  llvm::ArrayRef<EngineFile> getFiles() const { return files; }

  /// An engine by its id. The error says what there is.
  llvm::Expected<rt::EngineAccess> find(llvm::StringRef id) const;

private:
  explicit EngineHost(llvm::StringRef path);
  void addEntry(llvm::StringRef entry);
  void addUsualPlaces();
  void addFile(llvm::StringRef file);
  std::string listEngines() const;

  std::vector<EngineFile> files;
};

/// That each folder or file of the path is there.
llvm::Error checkEnginePath(llvm::StringRef path);

/// Those of the rules whose engines run on the device, and what is wrong with
/// others.
std::string keepRulesFor(HamKaasEngineDevice device, llvm::StringRef rules,
                         llvm::StringRef path);

/// Decides the plans of the engines in the rules: files and their digests. An
/// error if one of them cannot be found.
llvm::Expected<std::string> getEnginesKey(llvm::StringRef rules,
                                          llvm::StringRef path);

} // namespace hamkaas

#endif // HAMKAAS_ENGINE_ENGINEHOST_H
