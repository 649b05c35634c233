//===- ONNX.h - Models as ONNX files ----------------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_FRONTEND_ONNX_ONNX_H
#define HAMKAAS_FRONTEND_ONNX_ONNX_H

#include "HamKaas/Dialect/HamKaas/IR/ReferenceTensor.h"
#include "HamKaas/Frontend/Builder/ParameterContents.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace hamkaas {

/// Returns whether a file with this content is meant to be an ONNX model. It
/// may still be a broken one.
bool isOnnxModel(llvm::StringRef content);

/// The names of the options below in messages: as the command line does, or as
/// the interface of whoever gave them.
struct OnnxOptionNames {
  llvm::StringRef dims = "--dim";
  llvm::StringRef dimsExample = "--dim NAME=N";
  llvm::StringRef constantInputs = "--const-input";
  llvm::StringRef constantInputsExample = "--const-input NAME=F.npy";
  llvm::StringRef externalDataRoot = "--external-data-root";
};

/// How a model that is to be trained is read.
enum class OnnxTraining {
  None,
  /// As it computes; initializers of floats are parameters, whatever their
  /// size.
  Inference,
  /// The same, where normalizations use the statistics of the batch.
  Step
};

struct OnnxImportOptions {
  /// Path of the model, in whose folder its external data lies. Empty if the
  /// model is not a file: then it may have none.
  std::string path;
  /// A folder that symbolic links of its external data may lead to; empty for
  /// none.
  std::string externalDataRoot = {};
  /// Sizes of dimensions that have a name in the model.
  llvm::StringMap<int64_t> dims = {};
  /// Elements of inputs that are to be constants, by their name.
  llvm::StringMap<std::shared_ptr<const ReferenceTensor>> constantInputs = {};
  /// How many nodes a model may have when its functions and branches are
  /// expanded.
  int64_t maxNodes = 1'000'000;
  OnnxOptionNames names = {};
  OnnxTraining training = OnnxTraining::None;
};

/// Why there is no module for a model.
enum class OnnxFailure {
  None,
  Invalid,
  Unsupported, ///< The model may be right, but needs what there is not.
  Incomplete   ///< Sizes of dimensions or elements of inputs are missing.
};

/// An input or output of a model.
struct OnnxValue {
  /// A size, or the name of the dimension that has none.
  using Dim = std::variant<int64_t, std::string>;

  std::string name;
  /// Null for what is no tensor, and elements that no graph can have.
  mlir::Type elementType = {};
  /// None if the model leaves the rank open.
  std::optional<std::vector<Dim>> dims = std::nullopt;
  /// ONNX's name of elements that a program has as bytes, such as INT4: the
  /// bits of a float, the number of an integer. Empty for others.
  std::string format = "";
};

/// Facts about a model, including one that cannot be imported.
struct OnnxSummary {
  OnnxFailure failure = OnnxFailure::None;
  /// In the order of the model, without initializers. What has no elements is
  /// here, but no argument or result of the module.
  std::vector<OnnxValue> inputs, outputs;
  /// Inputs whose elements an operator needs as constants.
  std::vector<std::string> missing;
};

struct OnnxModel {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::shared_ptr<const ParameterContents> parameters;
  OnnxSummary summary;
  /// Of OnnxTraining::Step: parameters that a step gives new values, which are
  /// the last results.
  std::vector<std::string> updates = {};
};

/// Reads an ONNX model, `content`, which must outlive the parameters, of opset
/// 7 or later as a module in the form GRAPH. `name` is that of the model in
/// messages. Everything that is wrong or not supported is reported to the
/// diagnostic engine of `context`, at the node it is about; the module is null
/// then. `context` must know the reference semantics of the operations, because
/// shapes are computed by them.
OnnxModel importOnnx(llvm::StringRef content, llvm::StringRef name,
                     mlir::MLIRContext *context,
                     const OnnxImportOptions &options = {});

} // namespace hamkaas

#endif // HAMKAAS_FRONTEND_ONNX_ONNX_H
