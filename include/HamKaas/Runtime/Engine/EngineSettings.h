//===- EngineSettings.h - Values of an engine's knobs -----------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_RUNTIME_ENGINE_ENGINESETTINGS_H
#define HAMKAAS_RUNTIME_ENGINE_ENGINESETTINGS_H

#include "HamKaas/Runtime/Core/Error.h"
#include "hamkaas-c/Engine.h"

namespace hamkaas::rt {

/// That a knob has an id, a kind, and a default within what it allows.
Error checkKnob(const HamKaasEngineKnob &knob);

/// A value for each knob of an engine.
class EngineSettings {
public:
  EngineSettings() = default;
  EngineSettings(const EngineSettings &) = delete;
  EngineSettings &operator=(const EngineSettings &) = delete;
  ~EngineSettings();

  /// Reads "rows=64,kind=fast", once; null stands for the defaults.
  Error parse(const HamKaasEngine &engine, const char *text);

  const HamKaasEngineSetting *get() const { return settings; }

private:
  Error set(const HamKaasEngine &engine, const char *knob, const char *value);

  char *text = nullptr;
  HamKaasEngineSetting *settings = nullptr;
};

} // namespace hamkaas::rt

#endif // HAMKAAS_RUNTIME_ENGINE_ENGINESETTINGS_H
