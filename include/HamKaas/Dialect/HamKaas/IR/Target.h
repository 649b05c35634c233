//===- Target.h - The target of a module ------------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_DIALECT_HAMKAAS_IR_TARGET_H
#define HAMKAAS_DIALECT_HAMKAAS_IR_TARGET_H

#include "HamKaas/Dialect/HamKaas/IR/HamKaas.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/DialectInterface.h"

namespace hamkaas {

struct TargetDescription;

/// The TargetAttr of a module.
inline constexpr llvm::StringLiteral targetAttrName = "hamkaas.target";

/// The target of the module that `op` is in, or is. Without one, an error at
/// `op`.
llvm::FailureOr<TargetAttr> getTarget(mlir::Operation *op);

/// The targets that a context knows, as the dialect and the emitters see them.
/// A context without this interface, such as that of `mlir-opt`, can read and
/// print any target, and compile for none.
class TargetsInterface : public mlir::DialectInterface::Base<TargetsInterface> {
public:
  using Base::Base;

  /// Checks that `target` is registered and has such a chip and precision.
  virtual llvm::LogicalResult
  verify(TargetAttr target,
         llvm::function_ref<mlir::InFlightDiagnostic()> emitError) const = 0;

  /// The facts that emitters ask for; null for a target that is not verified.
  virtual const TargetDescription *describe(TargetAttr target) const = 0;
};

/// The options of a TargetAttr beside its chip: `, precision = "3xtf32"` and
/// `, binaries = ["sm_80"]`.
mlir::ParseResult
parseTargetOptions(mlir::AsmParser &parser, Precision &precision,
                   llvm::SmallVectorImpl<mlir::StringAttr> &binaries);
void printTargetOptions(mlir::AsmPrinter &printer, Precision precision,
                        llvm::ArrayRef<mlir::StringAttr> binaries);

/// Checks `attribute`, which stands on `op` as `hamkaas.target`.
llvm::LogicalResult verifyTarget(mlir::Operation *op,
                                 mlir::Attribute attribute);

} // namespace hamkaas

#endif // HAMKAAS_DIALECT_HAMKAAS_IR_TARGET_H
