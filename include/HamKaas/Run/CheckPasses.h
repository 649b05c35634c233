//===- CheckPasses.h - Which pass changes the meaning -----------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_RUN_CHECKPASSES_H
#define HAMKAAS_RUN_CHECKPASSES_H

#include "HamKaas/Run/KnownTensors.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <string>

namespace hamkaas {

/// The findings of the checks of one or more pass managers; they share it.
struct PassCheckResult {
  /// The first pass that changes what the graph computes; empty if none does.
  std::string wrongPass;
  /// Passes that changed the graph, whose results were compared.
  int checkedPasses = 0;
  /// The graph could not be interpreted, so nothing was checked.
  bool isImpossible = false;

  bool isError() const { return isImpossible || !wrongPass.empty(); }
};

/// The tensors of a safetensors file, which stays open as long as they.
llvm::Expected<std::shared_ptr<const ParameterContents>>
readContents(llvm::StringRef path);

/// Interprets a module in the form GRAPH before and after each pass that
/// changes it and leaves it in that form, on random inputs, states and
/// parameters, the same in every compilation. The first difference beyond the
/// tolerance of the element type is an error that names the pass, the output
/// and the first node where it shows; passes that come later are not looked at.
///
/// The cost is one interpretation of the model for each
/// pass that changes it, and memory for the parameters and two graphs' values.
std::unique_ptr<mlir::PassInstrumentation>
createPassCheck(std::shared_ptr<PassCheckResult> result,
                KnownTensors known = {});

} // namespace hamkaas

#endif // HAMKAAS_RUN_CHECKPASSES_H
