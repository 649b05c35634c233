//===- DnnEngines.h - The engines of graphs of nodes ------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_CAPI_DNNENGINES_H
#define HAMKAAS_LIB_CAPI_DNNENGINES_H

#include "DnnDescriptor.h"

namespace hamkaas::capi {

/// A setting of an engine. The numbers are those of its type.
struct DnnKnob {
  llvm::StringRef id, description;
  HamKaasDnnKnobValueType type;
  int64_t standard, least, most;
  double realStandard, realLeast, realMost;
};

/// Computes some graphs.
struct DnnEngine {
  /// 64-bit FNV-1a of the name.
  int64_t id;
  llvm::StringRef name;
  llvm::ArrayRef<DnnKnob> knobs;
  llvm::ArrayRef<int64_t> notes; ///< HamKaasDnnBehaviorNotes.
};

/// The engines that compute the graph, the best first.
std::vector<const DnnEngine *> findDnnEngines(const DnnGraph &graph);

/// Reads choices of knobs; the error names a wrong one.
llvm::Expected<DnnSettings>
readKnobChoices(const DnnEngine &engine,
                llvm::ArrayRef<SharedDnnDescriptor> choices);

} // namespace hamkaas::capi

#endif // HAMKAAS_LIB_CAPI_DNNENGINES_H
