//===- Diagnostics.cpp - What is wrong with a model, all of it --*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Diagnostics.h"
#include "HamKaas/Support/VisibleText.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace hamkaas;
using namespace hamkaas::onnx;

std::string onnx::escape(StringRef name) {
  constexpr size_t longest = 100;
  return makeVisible(name, longest);
}

std::string onnx::quote(StringRef name) { return "'" + escape(name) + "'"; }

/// The numbers with the separator between them, and "..." for those behind the
/// first 16: a hostile list has a million.
static std::string joinNumbers(ArrayRef<int64_t> numbers, StringRef separator) {
  constexpr size_t most = 16;
  std::string text = llvm::join(
      llvm::map_range(numbers.take_front(most),
                      [](int64_t number) { return std::to_string(number); }),
      separator);
  return numbers.size() > most ? text + separator.str() + "..." : text;
}

std::string onnx::formatShape(ArrayRef<int64_t> shape) {
  return shape.empty() ? "scalar" : joinNumbers(shape, "x");
}

std::string onnx::formatList(ArrayRef<int64_t> numbers) {
  return "[" + joinNumbers(numbers, ", ") + "]";
}

void Problems::add(StringRef reason, StringRef node, Location location) {
  auto [index, isNew] = indices.try_emplace(reason, problems.size());
  if (isNew)
    problems.push_back({reason.str(), location});
  if (!node.empty())
    problems[index->second].nodes.push_back(node.str());
}

bool Problems::isSupportMissing() const {
  return llvm::any_of(problems, [](const Problem &problem) {
    return StringRef(problem.reason).contains("not supported");
  });
}

/// "3 nodes: 'a', 'b', 'c'".
static std::string listNodes(ArrayRef<std::string> nodes) {
  constexpr size_t listed = 8;
  std::string text = std::to_string(nodes.size()) + " nodes: ";
  text +=
      llvm::join(llvm::map_range(nodes.take_front(listed),
                                 [](StringRef node) { return quote(node); }),
                 ", ");
  return nodes.size() > listed ? text + ", ..." : text;
}

void Problems::report(Location model, DiagnosticSeverity severity) const {
  DiagnosticEngine &engine = model.getContext()->getDiagEngine();
  for (const Problem &problem : problems) {
    if (problem.nodes.size() > 1)
      engine.emit(model, severity)
          << problem.reason << " (" << listNodes(problem.nodes) << ")";
    else
      engine.emit(problem.location, severity) << problem.reason;
  }
}
