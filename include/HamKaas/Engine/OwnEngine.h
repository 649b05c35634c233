//===- OwnEngine.h - Our own code generator as an engine --------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_ENGINE_OWNENGINE_H
#define HAMKAAS_ENGINE_OWNENGINE_H

#include "HamKaas/CodeGen/Kernel/TargetDescription.h"
#include "hamkaas-c/Engine.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace hamkaas {

/// Engine `hamkaas` with its knobs. It has no functions: it takes every group,
/// and the compiler does the rest.
const HamKaasEngine &getOwnEngine();

/// The dictionary of HamKaas/Dialect/HamKaas/IR/Knobs.h for the knobs of a
/// rule, "rows=4,winograd=off", without those that have their defaults.
llvm::Expected<mlir::DictionaryAttr> readOwnKnobs(llvm::StringRef knobs,
                                                  mlir::MLIRContext *context);

/// Returns whether an operation of GRAPH has the knob. What becomes of the
/// operation may leave it out: reports say what is in force.
bool hasKnob(mlir::Operation *op, llvm::StringRef knob);

/// Knobs, as in rules, that are worth a measurement for `group`: the default,
/// "", first, then what the cost model puts next to it. At most 12.
std::vector<std::string> listOwnVariants(const HamKaasEngineGroup &group,
                                         const TargetDescription &target,
                                         double winogradError);

} // namespace hamkaas

#endif // HAMKAAS_ENGINE_OWNENGINE_H
