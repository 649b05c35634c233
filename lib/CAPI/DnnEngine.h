//===- DnnEngine.h - An engine of graphs of nodes ---------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_CAPI_DNNENGINE_H
#define HAMKAAS_LIB_CAPI_DNNENGINE_H

#include "hamkaas-c/Dnn.h"
#include <memory>
#include <string>
#include <vector>

namespace hamkaas::capi {

/// A setting of an engine. The numbers are those of its type.
struct DnnKnob {
  std::string id, description;
  HamKaasDnnKnobValueType type;
  int64_t standard = 0, least = 0, most = 0;
  double realStandard = 0, realLeast = 0, realMost = 0;
  std::string textStandard = "";
  std::vector<std::string> choices = {}; ///< Any text if there are none.
};

/// Computes some graphs.
struct DnnEngine {
  std::string name;
  std::vector<DnnKnob> knobs;
  std::vector<int64_t> notes; ///< HamKaasDnnBehaviorNotes.

  /// 64-bit FNV-1a of the name.
  int64_t getId() const;
  /// False for one of an engine library.
  bool isOwn() const;
};
using SharedDnnEngine = std::shared_ptr<const DnnEngine>;

} // namespace hamkaas::capi

#endif // HAMKAAS_LIB_CAPI_DNNENGINE_H
