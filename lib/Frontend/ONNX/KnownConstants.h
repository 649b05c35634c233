//===- KnownConstants.h - What must be known at import ----------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_FRONTEND_ONNX_KNOWNCONSTANTS_H
#define HAMKAAS_LIB_FRONTEND_ONNX_KNOWNCONSTANTS_H

#include "GraphNames.h"
#include "HamKaas/Frontend/ONNX/ONNX.h"
#include "llvm/ADT/SetVector.h"

namespace hamkaas::onnx {

/// Asks for tensors whose elements the importer needs, such as shapes, and
/// notes the inputs that would have to be constants for that.
class KnownConstants {
public:
  KnownConstants(GraphBuilder &builder, const OnnxOptionNames &names)
      : builder(builder), names(names) {}

  /// Fails unless `tensor`, called `what`, is a constant. Notes the inputs
  /// whose elements would make it one; if there are none, fails for good.
  bool expect(const llvm::Twine &what, const Tensor &tensor);
  /// Dimensions of inputs have sizes that are not theirs.
  void setSizesUnknown() { areSizesKnown = false; }
  /// By their numbers.
  llvm::ArrayRef<unsigned> missingInputs() const {
    return missing.getArrayRef();
  }

private:
  /// The origin of a value.
  struct Origin {
    /// By their numbers.
    llvm::SetVector<unsigned> inputs;
    bool isInLoop = false;
    /// One of the operations that would stay even if the inputs were constants.
    mlir::Operation *remaining = nullptr;

    bool dependsOnInputs() const {
      return !inputs.empty() && !isInLoop && !remaining;
    }
  };
  Origin findOrigin(mlir::Value value) const;
  std::string describe(const Origin &origin) const;
  bool remainsForConstants(mlir::Operation *op) const;

  GraphBuilder &builder;
  OnnxOptionNames names;
  llvm::SetVector<unsigned> missing;
  bool areSizesKnown = true;
};

} // namespace hamkaas::onnx

#endif // HAMKAAS_LIB_FRONTEND_ONNX_KNOWNCONSTANTS_H
