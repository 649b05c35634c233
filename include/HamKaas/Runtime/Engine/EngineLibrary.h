//===- EngineLibrary.h - Loading engine libraries ---------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_RUNTIME_ENGINE_ENGINELIBRARY_H
#define HAMKAAS_RUNTIME_ENGINE_ENGINELIBRARY_H

#include "HamKaas/Runtime/Core/Error.h"
#include "hamkaas-c/Engine.h"

namespace hamkaas::rt {

/// An engine library, checked. It stays loaded until the process ends, because
/// libraries with threads of their own do not bear to be unloaded.
struct EngineLibrary {
  const HamKaasEngineLibrary *table = nullptr;
  const char *path = nullptr; ///< As it was given first.
};

/// Loads the file `path`. An error names the file.
Error loadEngineLibrary(const char *path, EngineLibrary &library /* out */);

/// The engine of that id; null if there is none.
const HamKaasEngine *findEngine(const EngineLibrary &library, const char *id);

/// A call of an engine: its id, or null while a library is loaded, the file,
/// and the function. All null when the call is over.
struct AskedEngine {
  const char *engine = nullptr, *path = nullptr, *call = nullptr;
};

/// Null, or gets each call before it is made and after it, in its thread: for a
/// tool that names an engine that crashes. The runtime keeps no variable of
/// threads itself, for which a program would need more than libc.
using EngineWatch = void(AskedEngine asked);
extern EngineWatch *engineWatch;

/// An engine with its library, to ask it.
class EngineAccess {
public:
  EngineAccess() = default;
  EngineAccess(const EngineLibrary &library, const HamKaasEngine &engine)
      : library(library), engine(&engine) {}

  const char *id() const { return engine->id; }
  const char *path() const { return library.path; }
  const char *version() const { return library.table->libraryVersion; }
  const HamKaasEngine &get() const { return *engine; }

  /// Asks whether it computes the group, and in how many seconds. An error only
  /// for an engine that fails or breaks the contract.
  Error applies(const HamKaasEngineGroup &group, bool &does /* out */,
                double &seconds /* out */) const;

  /// `knobs` are as in HamKaasEngineCall. `isPlanned` is false if it does not
  /// compute the group after all. Else destroy the plan.
  Error plan(const HamKaasEngineGroup &group, const char *knobs,
             HamKaasEnginePlan &plan /* out */,
             bool &isPlanned /* out */) const;
  /// `device` is the number of a GPU.
  Error start(HamKaasEnginePlan &plan, int32_t device) const;
  Error prepare(const HamKaasEnginePlan &plan, const void *const *inputs,
                void *packed) const;
  Error run(const HamKaasEnginePlan &plan, const HamKaasEngineRun &run) const;
  void destroy(HamKaasEnginePlan &plan) const;

private:
  Error explain(const char *what, int32_t status) const;

  EngineLibrary library;
  const HamKaasEngine *engine = nullptr;
};

/// 64-bit FNV-1a.
uint64_t hashEngineId(const char *id);

} // namespace hamkaas::rt

#endif // HAMKAAS_RUNTIME_ENGINE_ENGINELIBRARY_H
