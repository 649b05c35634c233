//===- ProfileCommandLine.h - Options about profiles ------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_TOOLS_RUN_PROFILECOMMANDLINE_H
#define HAMKAAS_TOOLS_RUN_PROFILECOMMANDLINE_H

#include "HamKaas/Driver/ToolCommandLine.h"
#include "HamKaas/Report/Profile.h"
#include "llvm/Support/Error.h"
#include <optional>

namespace hamkaas {

/// Options of the command line for profiles and the ceilings they need.
class ProfileCommandLine {
public:
  /// `line` outlives this.
  explicit ProfileCommandLine(const ToolCommandLine &line) : line(line) {}

  bool wantsProfile() const { return line.has(OPT_profile); }
  bool wantsCalibration() const { return line.isOn(OPT_calibrate); }

  llvm::Error check() const;

  /// Measures the ceilings of this machine and prints them.
  llvm::Error calibrate() const;

  /// The ceilings for a profile; nothing, and a note why, where there are none
  /// of this machine.
  llvm::Expected<std::optional<Ceilings>> loadCeilings();

  /// Writes the profile as the options say.
  llvm::Error write(const Profile &profile) const;

private:
  std::string getCeilingsPath() const;

  const ToolCommandLine &line;
  std::string note; ///< Why there are no ceilings.
};

} // namespace hamkaas

#endif // HAMKAAS_TOOLS_RUN_PROFILECOMMANDLINE_H
