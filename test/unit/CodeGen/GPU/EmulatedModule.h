//===- EmulatedModule.h - Device code as text, to be run --------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_UNITTESTS_EMULATEDMODULE_H
#define HAMKAAS_UNITTESTS_EMULATEDMODULE_H

#include "HamKaas/Emulation/Emulator.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include <memory>
#include <string>
#include <vector>

namespace hamkaas {

/// Compiles a `gpu.module` by `hamkaas-gpu-emulate` and runs its kernels.
class EmulatedModule {
public:
  explicit EmulatedModule(const std::string &text, bool checkAccesses = true);

  /// Why it could not be compiled, if so.
  std::string error;

  /// Runs a kernel in that order. Each argument is memory or a number.
  std::string run(llvm::StringRef kernel, emulation::ThreadOrder order,
                  emulation::EmulatedLaunch launch,
                  std::vector<uint64_t> arguments);

private:
  llvm::Error compile(const std::string &text, bool checkAccesses);

  std::unique_ptr<mlir::MLIRContext> context;
  std::unique_ptr<llvm::orc::LLJIT> jit;
  const emulation::EmulatedImage *image = nullptr;
};

} // namespace hamkaas

#endif // HAMKAAS_UNITTESTS_EMULATEDMODULE_H
