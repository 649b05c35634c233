//===- Report.h - What a program needs and does, for people -----*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_REPORT_REPORT_H
#define HAMKAAS_REPORT_REPORT_H

#include "HamKaas/Program/ProgramInfo.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"

namespace hamkaas {

/// Prints tensors, regions, work and kernels as tables. Long lists are cut;
/// printReportJson has everything.
void printReport(const ProgramInfo &info, llvm::raw_ostream &os);

/// Prints all of `info` as one JSON object. Sizes and offsets are bytes, the
/// digest is in hexadecimal.
void printReportJson(const ProgramInfo &info, llvm::raw_ostream &os);

/// Adds to an error about the workspace which node needs most of it.
llvm::Error explainWorkspace(llvm::Error error, const ProgramInfo &info);

/// "contraction", or with its engine "contraction (openblas)".
std::string formatFamily(const CallInfo &call);

} // namespace hamkaas

#endif // HAMKAAS_REPORT_REPORT_H
