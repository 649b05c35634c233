//===- EngineHost.cpp - The engines of this machine -----------------------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Engine/EngineHost.h"
#include "HamKaas/Engine/EngineRules.h"
#include "HamKaas/Engine/Trial.h"
#include "HamKaas/Support/Errors.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/BLAKE3.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include <cstdlib>
#include <dlfcn.h>
#include <memory>
#include <mutex>

using namespace llvm;
using namespace hamkaas;

//===----------------------------------------------------------------------===//
// The search path
//===----------------------------------------------------------------------===//

/// `lib/hamkaas/engines` of the installation that this code is part of: beside
/// `bin` for a tool, below its own folder for a library.
static std::string getOwnFolder() {
  Dl_info info;
  static const char here = 0;
  if (dladdr(&here, &info) == 0 || !info.dli_fname)
    return "";
  SmallString<256> path(info.dli_fname);
  // The name of an executable is what its caller made of it.
  if (!sys::path::is_absolute(path) &&
      sys::fs::real_path("/proc/self/exe", path))
    return "";
  sys::path::remove_filename(path);
  if (sys::path::filename(path) == "bin")
    sys::path::append(path, "..", "lib");
  sys::path::append(path, "hamkaas", "engines");
  sys::path::remove_dots(path, /*remove_dot_dot=*/true);
  return path.str().str();
}

const EngineHost &EngineHost::get(StringRef path) {
  static std::mutex mutex;
  static StringMap<std::unique_ptr<EngineHost>> hosts;
  // Read each time: a process may set it between two compilations.
  const char *variable = secure_getenv("HAMKAAS_ENGINE_PATH");
  std::string key = (path + "\n" + (variable ? variable : "")).str();
  std::lock_guard<std::mutex> lock(mutex);
  std::unique_ptr<EngineHost> &host = hosts[key];
  if (!host)
    host.reset(new EngineHost(path));
  return *host;
}

Error hamkaas::checkEnginePath(StringRef path) {
  SmallVector<StringRef> entries;
  path.split(entries, ':', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  for (StringRef entry : entries)
    if (!sys::fs::exists(entry))
      return createStringError("expected folders and files that are there, got "
                               "'" +
                               entry + "'");
  return Error::success();
}

EngineHost::EngineHost(StringRef path) {
  SmallVector<StringRef> entries;
  path.split(entries, ':');
  for (StringRef entry : entries)
    if (entry.empty())
      addUsualPlaces();
    else
      addEntry(entry);
}

void EngineHost::addUsualPlaces() {
  SmallVector<StringRef> folders;
  // Not in a program that runs with more rights than its caller's.
  if (const char *variable = secure_getenv("HAMKAAS_ENGINE_PATH"))
    StringRef(variable).split(folders, ':', /*MaxSplit=*/-1,
                              /*KeepEmpty=*/false);
  for (StringRef folder : folders)
    addEntry(folder);
  if (std::string own = getOwnFolder(); !own.empty() && sys::fs::exists(own))
    addEntry(own);
}

void EngineHost::addEntry(StringRef entry) {
  SmallString<256> path(entry);
  sys::fs::make_absolute(path);
  sys::path::remove_dots(path, /*remove_dot_dot=*/true);
  if (!sys::fs::is_directory(path))
    return addFile(path);
  std::vector<std::string> found;
  std::error_code problem;
  for (sys::fs::directory_iterator it(path, problem), end;
       !problem && it != end; it.increment(problem))
    if (StringRef(it->path()).ends_with(".so"))
      found.push_back(it->path());
  llvm::sort(found);
  for (const std::string &file : found)
    addFile(file);
}

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

/// In a child process first: what runs when a library is loaded may crash.
static Error loadChecked(const std::string &path, rt::EngineLibrary &library) {
  if (Error error = tryInChild([&](TrialStep step) {
        step(path + ": loading");
        rt::EngineLibrary tried;
        // The parent says what is wrong.
        (void)rt::loadEngineLibrary(path.c_str(), tried);
      }))
    return error;
  return toError(rt::loadEngineLibrary(path.c_str(), library));
}

void EngineHost::addFile(StringRef file) {
  if (llvm::any_of(files,
                   [&](const EngineFile &known) { return known.path == file; }))
    return;
  EngineFile added;
  added.path = file.str();
  if (!sys::fs::exists(file))
    added.problem = (file + ": no such file or folder").str();
  else if (Error error = loadChecked(added.path, added.library))
    added.problem = toString(std::move(error));
  files.push_back(std::move(added));
}

static SmallVector<const EngineFile *> findFiles(ArrayRef<EngineFile> files,
                                                 const std::string &id) {
  SmallVector<const EngineFile *> found;
  for (const EngineFile &file : files)
    if (file.problem.empty() && rt::findEngine(file.library, id.c_str()))
      found.push_back(&file);
  return found;
}

std::string EngineHost::listEngines() const {
  std::string text = ownEngine.str();
  for (const EngineFile &file : files)
    for (int32_t i = 0;
         file.problem.empty() && i < file.library.table->engineCount; ++i)
      text += std::string(", ") + file.library.table->engines[i]->id;
  for (const EngineFile &file : files)
    if (!file.problem.empty())
      text += "; skipped " + file.problem;
  return text;
}

Expected<rt::EngineAccess> EngineHost::find(StringRef id) const {
  SmallVector<const EngineFile *> found = findFiles(files, id.str());
  if (found.empty())
    return createStringError("expected one of the engines " + listEngines() +
                             "; got '" + id + "'");
  if (found.size() > 1)
    return createStringError("expected engine '" + id + "' in one file, got " +
                             found[0]->path + " and " + found[1]->path);
  const rt::EngineLibrary &library = found.front()->library;
  return rt::EngineAccess(library, *rt::findEngine(library, id.str().c_str()));
}

/// Whoever uses the rule reports what is wrong with it.
static bool isForOthers(HamKaasEngineDevice device, StringRef text,
                        StringRef path) {
  auto rules = parseEngineRules(text);
  if (!rules || rules->empty()) {
    consumeError(rules.takeError());
    return false;
  }
  auto engine = EngineHost::get(path).find(rules->front().id);
  if (!engine) {
    consumeError(engine.takeError());
    return false;
  }
  return !(engine->get().devices & device);
}

std::string hamkaas::keepRulesFor(HamKaasEngineDevice device, StringRef rules,
                                  StringRef path) {
  SmallVector<StringRef> texts, kept;
  rules.split(texts, ',');
  for (StringRef text : texts)
    if (!isForOthers(device, text, path))
      kept.push_back(text);
  return join(kept, ",");
}

//===----------------------------------------------------------------------===//
// The key
//===----------------------------------------------------------------------===//

Expected<std::string> hamkaas::getEnginesKey(StringRef text, StringRef path) {
  auto rules = parseEngineRules(text);
  if (!rules)
    return rules.takeError();
  std::string key;
  for (const EngineRule &rule : *rules) {
    if (rule.id == ownEngine)
      continue;
    auto engine = EngineHost::get(path).find(rule.id);
    if (!engine)
      return engine.takeError();
    auto file = MemoryBuffer::getFile(engine->path());
    if (!file)
      return createStringError(Twine(engine->path()) + ": " +
                               file.getError().message());
    BLAKE3 hasher;
    hasher.update((*file)->getBuffer());
    key += std::string(engine->path()) + "\n" +
           toHex(ArrayRef<uint8_t>(hasher.final<32>())) + "\n";
  }
  return key;
}
