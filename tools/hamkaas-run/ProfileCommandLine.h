//===- ProfileCommandLine.h - Options about profiles ------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_TOOLS_RUN_PROFILECOMMANDLINE_H
#define HAMKAAS_TOOLS_RUN_PROFILECOMMANDLINE_H

#include "HamKaas/Report/Profile.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Error.h"
#include <optional>

namespace hamkaas {

/// What the command line says about profiles and the ceilings they need.
class ProfileCommandLine {
public:
  explicit ProfileCommandLine(llvm::cl::OptionCategory &category);

  bool wantsProfile() const { return format.getNumOccurrences() > 0; }
  bool wantsCalibration() const { return calibrateFlag; }

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

  llvm::cl::opt<std::string> format, output;
  llvm::cl::opt<bool> listAll, calibrateFlag;
  llvm::cl::opt<std::string> ceilingsPath;
  std::string note; ///< Why there are no ceilings.
};

} // namespace hamkaas

#endif // HAMKAAS_TOOLS_RUN_PROFILECOMMANDLINE_H
