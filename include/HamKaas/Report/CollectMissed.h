//===- CollectMissed.h - What passes nearly recognised ----------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_REPORT_COLLECTMISSED_H
#define HAMKAAS_REPORT_COLLECTMISSED_H

#include "HamKaas/Program/ProgramInfo.h"
#include "mlir/IR/MLIRContext.h"

namespace hamkaas {

/// While this exists, the missed remarks of our passes go to a list, each once.
/// A context that has an engine for remarks keeps it, and the list stays empty.
class CollectMissed {
public:
  /// `missed` must outlive this.
  CollectMissed(mlir::MLIRContext &context, std::vector<MissedInfo> &missed);
  ~CollectMissed();
  CollectMissed(const CollectMissed &) = delete;
  CollectMissed &operator=(const CollectMissed &) = delete;

private:
  mlir::MLIRContext &context;
  bool isInstalled = false;
};

} // namespace hamkaas

#endif // HAMKAAS_REPORT_COLLECTMISSED_H
