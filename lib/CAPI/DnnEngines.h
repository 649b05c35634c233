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

/// Sets the search path of all graphs, as --engine-path has it.
llvm::Error setDnnEnginePath(llvm::StringRef path);

/// The engines that compute the graph: ours, then those of libraries in the
/// order of the search.
std::vector<SharedDnnEngine> findDnnEngines(const DnnGraph &graph);

/// The engine of that number. The error is HamKaasDnnNotSupported, and names a
/// node, if there is one that does not compute the graph.
llvm::Expected<SharedDnnEngine> findDnnEngine(const DnnGraph &graph,
                                              int64_t id);

/// The same error if the engine does not compute the graph with the settings.
llvm::Error checkDnnSettings(const DnnGraph &graph, const DnnEngine &engine,
                             const DnnSettings &settings);

/// Reads choices of knobs; the error names a wrong one.
llvm::Expected<DnnSettings>
readKnobChoices(const DnnEngine &engine,
                llvm::ArrayRef<SharedDnnDescriptor> choices);

} // namespace hamkaas::capi

#endif // HAMKAAS_LIB_CAPI_DNNENGINES_H
