//===- EngineLibrary.cpp - Loading engine libraries -----------------------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Runtime/Engine/EngineLibrary.h"

#include "HamKaas/Runtime/Engine/EngineSettings.h"

#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <link.h>

using namespace hamkaas::rt;

uint64_t hamkaas::rt::hashEngineId(const char *id) {
  uint64_t hash = 0xcbf29ce484222325;
  for (; *id; ++id)
    hash = (hash ^ static_cast<unsigned char>(*id)) * 0x100000001b3;
  return hash;
}

//===----------------------------------------------------------------------===//
// The engine that is asked
//===----------------------------------------------------------------------===//

EngineWatch *hamkaas::rt::engineWatch = nullptr;

namespace {

/// Names the engine while a call of it lasts.
class Asking {
public:
  Asking(const char *engine, const char *path, const char *call) {
    if (engineWatch)
      engineWatch({engine, path, call});
  }
  Asking(const Asking &) = delete;
  Asking &operator=(const Asking &) = delete;
  ~Asking() {
    if (engineWatch)
      engineWatch({});
  }
};

} // namespace

//===----------------------------------------------------------------------===//
// Loading
//===----------------------------------------------------------------------===//

static bool isEngineId(const char *id) {
  if (!id || !*id || strlen(id) > 64)
    return false;
  for (; *id; ++id)
    if (!strchr("abcdefghijklmnopqrstuvwxyz0123456789._-", *id))
      return false;
  return true;
}

static Error checkEngine(const HamKaasEngine *engine, const char *path) {
  if (!engine || engine->structSize < sizeof(HamKaasEngine))
    return Error::format("%s: expected engines of at least %zu bytes", path,
                         sizeof(HamKaasEngine));
  if (!isEngineId(engine->id))
    return Error::format("%s: expected the id of an engine to be of 1 to 64 of "
                         "a-z, 0-9, '.', '_' and '-'",
                         path);
  uint64_t hash = hashEngineId(engine->id);
  if (engine->hash != hash)
    return Error::format("%s: expected the hash %016" PRIx64
                         " of engine '%s', got %016" PRIx64,
                         path, hash, engine->id, engine->hash);
  if (!engine->applies || !engine->plan || !engine->run || !engine->destroy)
    return Error::format("%s: expected engine '%s' to have applies, plan, run "
                         "and destroy",
                         path, engine->id);
  if (engine->knobCount < 0 || (engine->knobCount > 0 && !engine->knobs))
    return Error::format("%s: engine '%s' has no table of knobs", path,
                         engine->id);
  for (int32_t i = 0; i < engine->knobCount; ++i)
    if (Error error = checkKnob(engine->knobs[i]))
      return Error::format("%s: engine '%s': %s", path, engine->id,
                           error.message());
  return Error();
}

static Error checkLibrary(const HamKaasEngineLibrary *table, const char *path) {
  if (!table)
    return Error::format("%s: has no engines for version %d of the interface",
                         path, HAMKAAS_ENGINE_VERSION);
  if (table->structSize < sizeof(HamKaasEngineLibrary))
    return Error::format("%s: expected a table of at least %zu bytes, got %zu",
                         path, sizeof(HamKaasEngineLibrary), table->structSize);
  if (table->version != HAMKAAS_ENGINE_VERSION)
    return Error::format("%s: expected version %d of the interface, got %u",
                         path, HAMKAAS_ENGINE_VERSION, table->version);
  if (!table->name || !table->libraryVersion || !table->lastError ||
      table->engineCount < 0 || (table->engineCount > 0 && !table->engines))
    return Error::format("%s: expected a name, a version, lastError and "
                         "engines",
                         path);
  for (int32_t i = 0; i < table->engineCount; ++i) {
    if (Error error = checkEngine(table->engines[i], path))
      return error;
    for (int32_t j = 0; j < i; ++j)
      if (strcmp(table->engines[i]->id, table->engines[j]->id) == 0)
        return Error::format("%s: has engine '%s' twice", path,
                             table->engines[i]->id);
  }
  return Error();
}

static Error checkHandle(void *handle, const char *path,
                         const HamKaasEngineLibrary *&table) {
  void *symbol = dlsym(handle, HAMKAAS_ENGINE_SYMBOL);
  if (!symbol)
    return Error::format("%s: is no engine library: it has no "
                         "function " HAMKAAS_ENGINE_SYMBOL,
                         path);
  {
    Asking call(nullptr, path, HAMKAAS_ENGINE_SYMBOL);
    table = reinterpret_cast<HamKaasEngineGetFunction>(symbol)(
        HAMKAAS_ENGINE_VERSION);
  }
  return checkLibrary(table, path);
}

// HamKaasEngineLibrary::setLog.
static void writeLog(void *context, int32_t severity, const char *text) {
  fprintf(stderr, "%s: %s: %s\n", static_cast<const char *>(context),
          severity >= HamKaasEngineWarning ? "warning" : "note",
          text ? text : "");
}

// A library in somebody else's process is quiet unless it is asked.
static void setLog(const HamKaasEngineLibrary &table) {
  const char *asked = secure_getenv("HAMKAAS_ENGINE_LOG");
  if (table.setLog && asked && *asked)
    table.setLog(writeLog, const_cast<char *>(table.name));
}

Error hamkaas::rt::loadEngineLibrary(const char *path, EngineLibrary &library) {
  // NOTE: dlopen looks a name without a folder up in the system's folders.
  if (!strchr(path, '/'))
    return Error::format("expected a path with a folder, got '%s'", path);
  void *handle = nullptr;
  {
    Asking call(nullptr, path, "loading");
    handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  }
  if (!handle)
    return Error::format("%s", dlerror());
  const HamKaasEngineLibrary *table = nullptr;
  if (Error error = checkHandle(handle, path, table)) {
    dlclose(handle);
    return error;
  }
  setLog(*table);
  // The linker keeps the name for as long as the library is loaded.
  struct link_map *map = nullptr;
  if (dlinfo(handle, RTLD_DI_LINKMAP, &map) != 0)
    return Error::format("%s", dlerror());
  library = {table, map->l_name};
  return Error();
}

const HamKaasEngine *hamkaas::rt::findEngine(const EngineLibrary &library,
                                             const char *id) {
  for (int32_t i = 0; i < library.table->engineCount; ++i)
    if (strcmp(library.table->engines[i]->id, id) == 0)
      return library.table->engines[i];
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Asking
//===----------------------------------------------------------------------===//

Error EngineAccess::explain(const char *what, int32_t status) const {
  if (status == HamKaasEngineOk)
    return Error();
  if (status != HamKaasEngineFailed)
    return Error::format("engine '%s' of %s: expected a status of %s, got %d",
                         id(), path(), what, status);
  const char *reason = library.table->lastError();
  return Error::format("engine '%s' of %s: %s failed: %s", id(), path(), what,
                       reason && *reason ? reason : "it does not say why");
}

Error EngineAccess::applies(const HamKaasEngineGroup &group, bool &does,
                            double &seconds) const {
  does = false;
  seconds = 0;
  // Its table answers for devices and element types.
  if (!(engine->devices & group.device))
    return Error();
  for (int32_t i = 0; i < group.valueCount; ++i)
    if (!(engine->elementTypes >> group.values[i].elementType & 1))
      return Error();
  Asking call(id(), path(), "applies");
  int32_t status = engine->applies(&group, &seconds);
  does = status == HamKaasEngineOk;
  if (does && !(seconds >= 0))
    return Error::format("engine '%s' of %s: expected an estimate of at least "
                         "0 seconds, got %g",
                         id(), path(), seconds);
  return status == HamKaasEngineNotApplicable ? Error()
                                              : explain("applies", status);
}

// More would be a mistake, and a sum of it might not fit.
static constexpr uint64_t mostBytes = uint64_t(1) << 40;

Error EngineAccess::plan(const HamKaasEngineGroup &group, const char *knobs,
                         HamKaasEnginePlan &plan, bool &isPlanned) const {
  isPlanned = false;
  EngineSettings settings;
  if (Error error = settings.parse(*engine, knobs))
    return Error::format("engine '%s': %s", id(), error.message());
  plan = {};
  plan.structSize = sizeof(plan);
  Asking call(id(), path(), "plan");
  int32_t status = engine->plan(&group, settings.get(), &plan);
  if (status == HamKaasEngineNotApplicable)
    return Error();
  if (Error error = explain("plan", status))
    return error;
  isPlanned = true;
  Error error;
  if (plan.workspaceBytes > mostBytes || plan.packedBytes > mostBytes)
    error = Error::format(
        "engine '%s' of %s: expected a workspace and packed "
        "inputs of at most %" PRIu64 " bytes, got %" PRIu64 " and %" PRIu64,
        id(), path(), mostBytes, plan.workspaceBytes, plan.packedBytes);
  else if (plan.packedBytes > 0 && !engine->prepare)
    error = Error::format("engine '%s' of %s: packs inputs, but has no prepare",
                          id(), path());
  if (error) {
    engine->destroy(&plan);
    isPlanned = false;
  }
  return error;
}

Error EngineAccess::start(HamKaasEnginePlan &plan, int32_t device) const {
  if (!engine->start)
    return Error();
  Asking call(id(), path(), "start");
  return explain("start", engine->start(&plan, device));
}

Error EngineAccess::prepare(const HamKaasEnginePlan &plan,
                            const void *const *inputs, void *packed) const {
  Asking call(id(), path(), "prepare");
  return explain("prepare", engine->prepare(&plan, inputs, packed));
}

Error EngineAccess::run(const HamKaasEnginePlan &plan,
                        const HamKaasEngineRun &run) const {
  Asking call(id(), path(), "run");
  return explain("run", engine->run(&plan, &run));
}

void EngineAccess::destroy(HamKaasEnginePlan &plan) const {
  Asking call(id(), path(), "destroy");
  engine->destroy(&plan);
}
