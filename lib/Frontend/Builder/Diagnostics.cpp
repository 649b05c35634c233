//===- Diagnostics.cpp - Everything that is wrong with a model --*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Frontend/Builder/Diagnostics.h"
#include "HamKaas/Support/VisibleText.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace hamkaas;
using namespace hamkaas::graph;

std::string graph::escape(StringRef name) {
  constexpr size_t longest = 100;
  return makeVisible(name, longest);
}

std::string graph::quote(StringRef name) { return "'" + escape(name) + "'"; }

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

std::string graph::formatShape(ArrayRef<int64_t> shape) {
  return shape.empty() ? "scalar" : joinNumbers(shape, "x");
}

std::string graph::formatList(ArrayRef<int64_t> numbers) {
  return "[" + joinNumbers(numbers, ", ") + "]";
}

//===----------------------------------------------------------------------===//
// Failures of a node
//===----------------------------------------------------------------------===//

void Diagnostics::fail(const Twine &reason, Certainty certainty) {
  if (hasFailed())
    return;
  failure = subjects + reason.str();
  failureCertainty = certainty;
  failureIsMismatch = false;
}

void Diagnostics::failMismatch(const Twine &reason) {
  if (hasFailed())
    return;
  fail(reason);
  failureIsMismatch = true;
}

bool Diagnostics::reportFailure() {
  if (!hasFailed())
    return false;
  error(failure, failureCertainty);
  failure.clear();
  return true;
}

Diagnostics::Subject::Subject(Diagnostics &diagnostics, const Twine &subject)
    : diagnostics(diagnostics), outerLength(diagnostics.subjects.size()) {
  diagnostics.subjects += (subject + ": ").str();
}

Diagnostics::Subject::~Subject() { diagnostics.subjects.resize(outerLength); }

//===----------------------------------------------------------------------===//
// Errors and warnings
//===----------------------------------------------------------------------===//

void Diagnostics::List::add(StringRef reason, const Place &place,
                            Certainty certainty) {
  auto [index, isNew] = indices.try_emplace(reason, problems.size());
  if (isNew)
    problems.push_back({reason.str(), place.location, certainty});
  Problem &problem = problems[index->second];
  problem.certainty = std::max(problem.certainty, certainty);
  if (!place.node.empty())
    problem.nodes.push_back(place.node.str());
}

bool Diagnostics::hasErrors(Certainty least) const {
  return llvm::any_of(errors.problems, [&](const Problem &problem) {
    return problem.certainty >= least;
  });
}

void Diagnostics::settleSizes() {
  for (Problem &problem : errors.problems)
    problem.certainty = std::max(problem.certainty, Certainty::AnySizes);
}

bool Diagnostics::isSupportMissing() const {
  return llvm::any_of(errors.problems, [](const Problem &problem) {
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

void Diagnostics::List::emit(Location model, Certainty least,
                             DiagnosticSeverity severity) const {
  DiagnosticEngine &engine = model.getContext()->getDiagEngine();
  for (const Problem &problem : problems) {
    if (problem.certainty < least)
      continue;
    if (problem.nodes.size() > 1)
      engine.emit(model, severity)
          << problem.reason << " (" << listNodes(problem.nodes) << ")";
    else
      engine.emit(problem.location, severity) << problem.reason;
  }
}

void Diagnostics::emitErrors(Certainty least) const {
  errors.emit(model, least, DiagnosticSeverity::Error);
}

void Diagnostics::emitWarnings() const {
  warnings.emit(model, Certainty::Open, DiagnosticSeverity::Warning);
}

//===----------------------------------------------------------------------===//
// Attempts
//===----------------------------------------------------------------------===//

Diagnostics::Checkpoint Diagnostics::save() const { return Checkpoint(errors); }

void Diagnostics::restore(Checkpoint checkpoint) {
  failure.clear();
  errors = std::move(checkpoint.errors);
}
