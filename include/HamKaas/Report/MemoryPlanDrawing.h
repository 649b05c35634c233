//===- MemoryPlanDrawing.h - The workspace as a drawing ---------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_REPORT_MEMORYPLANDRAWING_H
#define HAMKAAS_REPORT_MEMORYPLANDRAWING_H

#include "HamKaas/Program/ProgramInfo.h"
#include "llvm/Support/raw_ostream.h"

namespace hamkaas {

/// Draws the buffers of the workspace as SVG: time from left to right, offsets
/// from bottom to top, each buffer with its name, size and source position. The
/// plans of several functions are one below the other.
void drawMemoryPlan(const ProgramInfo &info, llvm::raw_ostream &os);

} // namespace hamkaas

#endif // HAMKAAS_REPORT_MEMORYPLANDRAWING_H
