//===- Diagnostics.h - What is wrong with a model, all of it ----*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_FRONTEND_ONNX_DIAGNOSTICS_H
#define HAMKAAS_LIB_FRONTEND_ONNX_DIAGNOSTICS_H

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/StringMap.h"

namespace hamkaas::onnx {

/// A name of the file for a message: short, UTF-8, and without what a terminal
/// would act upon.
std::string escape(llvm::StringRef name);
/// The same between quotes.
std::string quote(llvm::StringRef name);

/// A list of sizes for a message: "2x3x4"; "scalar" for none.
std::string formatShape(llvm::ArrayRef<int64_t> shape);

/// "[0, 2, 1]"; of a long list the first ones.
std::string formatList(llvm::ArrayRef<int64_t> numbers);

/// The problems of a model. Those that read the same are one, at all the nodes
/// that have it.
class Problems {
public:
  /// `node` is the name of the node at `location`, empty for the model itself.
  void add(llvm::StringRef reason, llvm::StringRef node,
           mlir::Location location);

  bool isEmpty() const { return problems.empty(); }

  /// Whether the model may be right: a reason then says that something is "not
  /// supported".
  bool isSupportMissing() const;

  /// Emits an error, or a warning, for each, at its node, or at `model` if
  /// several nodes have it.
  void report(mlir::Location model, mlir::DiagnosticSeverity severity =
                                        mlir::DiagnosticSeverity::Error) const;

private:
  struct Problem {
    std::string reason;
    mlir::Location location;
    std::vector<std::string> nodes = {};
  };

  /// In the order in which they were found.
  std::vector<Problem> problems;
  llvm::StringMap<size_t> indices;
};

} // namespace hamkaas::onnx

#endif // HAMKAAS_LIB_FRONTEND_ONNX_DIAGNOSTICS_H
