//===- Model.h - Reading a model in any of its languages --------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_DRIVER_MODEL_H
#define HAMKAAS_DRIVER_MODEL_H

#include "HamKaas/Frontend/ONNX/ONNX.h"
#include "HamKaas/Frontend/Script/Script.h"
#include "HamKaas/Options/CompileSettings.h"
#include "HamKaas/Support/SourceDiagnostics.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/SourceMgr.h"
#include <memory>
#include <string>

namespace hamkaas {

/// The kind of a file, told by its content, not by its name.
enum class ModelKind { Script, Mlir, Onnx, Gguf, SharedLibrary, Unknown };

ModelKind getModelKind(llvm::StringRef content);

/// Fails for the text of a file `path` that often takes the place of a model: a
/// pointer of git-lfs, a web page, any text that does not begin as a model does
/// in a file that is not called .hk.
llvm::Error checkModelText(llvm::StringRef text, llvm::StringRef path);

/// `text` without a byte order mark, which no parser skips.
llvm::StringRef withoutByteOrderMark(llvm::StringRef text);

struct ModelOptions {
  /// Leave out the run-time checks of positions; the caller vouches for them.
  bool unchecked = false;
  /// For a script: ScriptImportOptions::lines.
  llvm::ArrayRef<SourceLine> lines = {};
  OnnxImportOptions onnx = {};
  /// With `train`: the graph is the program that trains the model.
  CompileSettings settings = {};
};

/// A model as a graph.
struct ParsedModel {
  /// Null after an error.
  mlir::OwningOpRef<mlir::ModuleOp> module;
  /// Null if the model does not hold the contents of its parameters.
  std::shared_ptr<const ParameterContents> parameters = nullptr;
  /// Of an ONNX model, also after an error.
  std::optional<OnnxSummary> onnx = std::nullopt;
  /// OnnxModel::updates.
  std::vector<std::string> updates = {};

  explicit operator bool() const { return bool(module); }
  mlir::ModuleOp operator*() const { return *module; }
};

/// Parses the main file of `sourceMgr`: a script, MLIR, ONNX or GGUF. The
/// diagnostics of `context` get the errors.
ParsedModel parseModel(llvm::SourceMgr &sourceMgr, mlir::MLIRContext *context,
                       const ModelOptions &options);

/// The same, then as `options.settings` ask for, the program that trains the
/// model. The module is null after an error that the diagnostics got; others
/// are about options.
llvm::Error parseAnyModel(llvm::SourceMgr &sourceMgr,
                          mlir::MLIRContext *context,
                          const ModelOptions &options, ParsedModel &model);

/// The program that trains `model` in place of it; `step` is its form for that,
/// or without a module.
llvm::Error trainModel(ParsedModel &model, const ParsedModel &step,
                       const CompileSettings &settings);

/// The file of a model, and the graph in it. While this lives, diagnostics
/// about the graph go to standard error with the line they are about.
class ModelFile {
public:
  /// Reads a file, or standard input for "-".
  static llvm::Expected<std::unique_ptr<ModelFile>> open(llvm::StringRef path);

  ModelKind kind() const { return getModelKind(text()); }
  /// Without a byte order mark.
  llvm::StringRef text() const;
  mlir::MLIRContext &context() { return mlirContext; }
  /// Of the file; empty for standard input.
  llvm::StringRef path() const { return filePath; }

  /// As parseModel; the graph is this object's. The error is a ReportedError.
  llvm::Expected<mlir::ModuleOp> parse(const ModelOptions &options);

  /// ParsedModel::parameters.
  std::shared_ptr<const ParameterContents> parameters() const {
    return model.parameters;
  }

private:
  ModelFile(std::unique_ptr<llvm::MemoryBuffer> buffer, llvm::StringRef path);

  std::string filePath;
  mlir::MLIRContext mlirContext;
  llvm::SourceMgr sources;
  SourceDiagnostics diagnostics;
  ParsedModel model;
};

/// The name of the model in the file `path`, as modelIdentifier makes it; what
/// comes from standard input is called "model".
std::string getModelName(llvm::StringRef path);

} // namespace hamkaas

#endif // HAMKAAS_DRIVER_MODEL_H
