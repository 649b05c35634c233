//===- Opsets.cpp - Which version of an operator a node means ---*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Opsets.h"
#include "HamKaas/Frontend/Builder/Diagnostics.h"
#include "HamKaas/Support/Suggestion.h"

using namespace llvm;
using namespace hamkaas;
using namespace hamkaas::onnx;

/// Operators have their meanings from this opset on. One of an older opset is
/// read if it did not change up to this one.
static constexpr int64_t oldestOpset = 6;

namespace {

struct History {
  StringLiteral name;
  /// In the version that has most.
  int maxOutputs;
  /// Ascending; the rest is 0.
  int versions[16];
};

} // namespace

static constexpr History histories[] = {
#include "OpVersions.inc"
};

/// Null for an operator that ONNX does not have.
static const History *findHistory(StringRef name) {
  const History *history =
      lower_bound(histories, name, [](const History &h, StringRef name) {
        return h.name < name;
      });
  return history != std::end(histories) && history->name == name ? history
                                                                 : nullptr;
}

std::optional<int64_t> onnx::getMaxOutputs(StringRef domain, StringRef name) {
  const History *history = domain.empty() ? findHistory(name) : nullptr;
  if (!history)
    return std::nullopt;
  return history->maxOutputs;
}

int64_t onnx::getNewestOpset() {
  static const int64_t newest = [] {
    int64_t newest = 0;
    for (const History &history : histories)
      newest = std::max<int64_t>(newest, *max_element(history.versions));
    return newest;
  }();
  return newest;
}

/// The version of an operator of ONNX in `opset`: 0 if there is none yet, and
/// none for an operator that ONNX does not have.
static std::optional<int64_t> getVersion(StringRef name, int64_t opset) {
  const History *history = findHistory(name);
  if (!history)
    return std::nullopt;
  int64_t newest = 0;
  for (int version : history->versions)
    if (version <= opset)
      newest = std::max<int64_t>(newest, version);
  return newest;
}

static const OpDefinition *findDefinition(StringRef domain, StringRef name) {
  using Key = std::pair<StringRef, StringRef>;
  static const DenseMap<Key, const OpDefinition *> definitions = [] {
    DenseMap<Key, const OpDefinition *> all;
    for (ArrayRef<OpDefinition> family :
         {getActivationOps(),      getAttentionOps(),   getBlockWeightOps(),
          getContractionOps(),     getConvolutionOps(), getDeformConvOps(),
          getElementwiseOps(),     getGeometryOps(),    getIndexingOps(),
          getLinearAttentionOps(), getLossOps(),        getMovementOps(),
          getNormalizationOps(),   getPoolingOps(),     getQuantizationOps(),
          getQuantizedOperators(), getRandomOps(),      getRecurrentOps(),
          getReductionOps(),       getResizeOps(),      getSamplingOps(),
          getSelectionOps(),       getSequenceOps(),    getShapeOps(),
          getSignalOps(),          getTfIdfOps()})
      for (const OpDefinition &definition : family)
        all[{definition.domain, definition.name}] = &definition;
    return all;
  }();
  return definitions.lookup({domain, name});
}

/// Why an operator of ONNX is not imported as of `opset`; empty if it is.
static std::string findGap(StringRef name, int64_t opset,
                           std::optional<int64_t> version,
                           const OpDefinition *definition) {
  if (!version)
    return "ONNX has no operator " + quote(name) +
           suggestName(name,
                       llvm::map_to_vector(histories, [](const History &known) {
                         return StringRef(known.name);
                       }));
  if (*version == 0)
    return ("opset " + Twine(opset) + " has no operator " + quote(name) +
            " yet")
        .str();
  if (!definition)
    return (name + " is not supported").str();
  std::string changed =
      (name + " as of opset " + Twine(*version) + " is not supported, only ")
          .str();
  if (*version < *getVersion(name, oldestOpset))
    return (Twine(changed) + "from that of opset " + Twine(oldestOpset)).str();
  if (*version > definition->newest)
    return (Twine(changed) + "up to that of opset " + Twine(definition->newest))
        .str();
  return "";
}

OpVersion onnx::findOp(StringRef domain, StringRef name, int64_t opset,
                       Diagnostics &diagnostics) {
  OpVersion found = {findDefinition(domain, name), opset};
  std::string gap;
  if (domain.empty()) {
    std::optional<int64_t> version = getVersion(name, opset);
    found.version = version.value_or(0);
    gap = findGap(name, opset, version, found.definition);
  } else if (!found.definition) {
    gap = "operator " + quote(name) + " of the domain " + quote(domain) +
          " is not supported";
  }
  if (gap.empty())
    return found;
  diagnostics.error(gap, Certainty::AnySizes);
  return {};
}
