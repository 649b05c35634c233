//===- Diagnostics.h - Everything that is wrong with a model ----*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_FRONTEND_BUILDER_DIAGNOSTICS_H
#define HAMKAAS_FRONTEND_BUILDER_DIAGNOSTICS_H

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/StringMap.h"

namespace hamkaas::graph {

/// A name of the user's for a message: short, UTF-8, and without what a
/// terminal would act upon.
std::string escape(llvm::StringRef name);
/// The same between quotes.
std::string quote(llvm::StringRef name);

/// A list of sizes for a message: "2x3x4"; "scalar" for none.
std::string formatShape(llvm::ArrayRef<int64_t> shape);

/// "[0, 2, 1]"; of a long list the first ones.
std::string formatList(llvm::ArrayRef<int64_t> numbers);

/// How little of what is missing from the user's input can make an error go
/// away.
enum class Certainty {
  Open,     ///< Sizes or elements of inputs may.
  AnySizes, ///< Sizes of inputs do not.
  Final     ///< Neither sizes nor elements of inputs do.
};

/// The errors and warnings of a model, by node. Errors that read the same are
/// one, at all the nodes that have it.
///
/// A node that cannot be built *fails* first, and its failure becomes an error
/// once the node is done. So code that computes step by step reports the first
/// reason only, and can be tried without consequence.
class Diagnostics {
  struct Problem {
    std::string reason;
    mlir::Location location;
    Certainty certainty;
    std::vector<std::string> nodes = {};
  };

public:
  explicit Diagnostics(mlir::Location model) : model(model), location(model) {}

  /// Sets the node of the following reports. An empty name stands for the
  /// model.
  void enterNode(llvm::StringRef name, mlir::Location location) {
    node = name;
    this->location = location;
  }
  llvm::StringRef nodeName() const { return node; }
  mlir::Location nodeLocation() const { return location; }

  //===--------------------------------------------------------------------===//
  // Failures of a node
  //===--------------------------------------------------------------------===//

  /// Keeps the first reason.
  void fail(const llvm::Twine &reason, Certainty certainty = Certainty::Open);
  /// The same for inputs that do not go together, which only the front end can
  /// name.
  void failMismatch(const llvm::Twine &reason);
  bool isMismatch() const { return hasFailed() && failureIsMismatch; }
  /// Says more of a failure.
  void addToFailure(const llvm::Twine &text) { failure += text.str(); }
  bool hasFailed() const { return !failure.empty(); }
  /// The failure, which is over then.
  std::string takeFailure() { return std::exchange(failure, {}); }
  /// Turns the failure into an error. False if there is none.
  bool reportFailure();

  /// While it lives, failures begin with "subject: ".
  class Subject {
  public:
    Subject(Diagnostics &diagnostics, const llvm::Twine &subject);
    Subject(const Subject &) = delete;
    ~Subject();

  private:
    Diagnostics &diagnostics;
    size_t outerLength;
  };

  //===--------------------------------------------------------------------===//
  // Errors and warnings
  //===--------------------------------------------------------------------===//

  void error(const llvm::Twine &reason, Certainty certainty = Certainty::Open) {
    errors.add(reason.str(), {node, location}, certainty);
  }
  /// An error of the model as a whole.
  void modelError(const llvm::Twine &reason) {
    errors.add(reason.str(), {"", model}, Certainty::Open);
  }
  void warning(const llvm::Twine &reason) {
    warnings.add(reason.str(), {node, location}, Certainty::Open);
  }

  bool hasErrors() const { return !errors.problems.empty(); }
  bool hasErrors(Certainty least) const;
  /// The errors so far hold for any sizes of inputs.
  void settleSizes();
  /// True if the model may be right: an error says that something is "not
  /// supported".
  bool isSupportMissing() const;

  /// Emits the errors that are at least that certain.
  void emitErrors(Certainty least) const;
  void emitWarnings() const;

  //===--------------------------------------------------------------------===//
  // Attempts
  //===--------------------------------------------------------------------===//

  /// The errors at a point that an attempt may return to.
  class Checkpoint;
  Checkpoint save() const;
  /// Forgets the failure, and the errors since then.
  void restore(Checkpoint checkpoint);

private:
  struct Place {
    llvm::StringRef node;
    mlir::Location location;
  };
  /// In the order in which they were found.
  struct List {
    void add(llvm::StringRef reason, const Place &place, Certainty certainty);
    void emit(mlir::Location model, Certainty least,
              mlir::DiagnosticSeverity severity) const;

    std::vector<Problem> problems;
    llvm::StringMap<size_t> indices;
  };

  mlir::Location model;
  std::string node;
  mlir::Location location;
  /// The prefix of failures.
  std::string subjects;
  std::string failure;
  bool failureIsMismatch = false;
  Certainty failureCertainty = Certainty::Open;
  List errors, warnings;
};

class Diagnostics::Checkpoint {
  friend class Diagnostics;
  explicit Checkpoint(List errors) : errors(std::move(errors)) {}
  List errors;
};

} // namespace hamkaas::graph

#endif // HAMKAAS_FRONTEND_BUILDER_DIAGNOSTICS_H
