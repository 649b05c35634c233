//===- PortableTarget.h - A processor that only a test knows ----*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_TEST_UNIT_TARGET_PORTABLE_PORTABLETARGET_H
#define HAMKAAS_TEST_UNIT_TARGET_PORTABLE_PORTABLETARGET_H

#include "HamKaas/CodeGen/Kernel/TargetDescription.h"
#include "HamKaas/Target/CpuTarget.h"

namespace hamkaas {

/// All that a new processor needs, beside the row that registers it: the
/// attribute, the facts and the ISA level of its code. Its vectors have two
/// lanes and its kernels eight registers, which no level of x86-64 has.
class PortableTarget : public CpuTarget {
public:
  constexpr PortableTarget() : CpuTarget("portable") {}

  llvm::ArrayRef<OptionId> getOptions() const override { return {}; }

  llvm::Expected<TargetAttr> select(const CompileSettings &,
                                    mlir::MLIRContext *context) const override {
    return TargetAttr::get(context, getName(), "generic", Precision::Exact, {});
  }

  llvm::LogicalResult verify(
      TargetAttr target,
      llvm::function_ref<mlir::InFlightDiagnostic()> emitError) const override {
    if (target.getChip() == "generic")
      return llvm::success();
    return emitError() << "expected the chip 'generic', got '"
                       << target.getChip() << "'";
  }

  const TargetDescription *describe(TargetAttr) const override {
    static constexpr TargetDescription facts = {"generic", /*lanes=*/2,
                                                /*registers=*/8, /*fma=*/false,
                                                /*scale=*/false};
    return &facts;
  }

  std::optional<TargetCpu> getHost(TargetAttr) const override {
    return findTargetCpu("x86-64");
  }
};

} // namespace hamkaas

#endif // HAMKAAS_TEST_UNIT_TARGET_PORTABLE_PORTABLETARGET_H
