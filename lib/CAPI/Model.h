//===- Model.h - What a handle of a model stands for ------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_CAPI_MODEL_H
#define HAMKAAS_LIB_CAPI_MODEL_H

#include "HamKaas/Driver/Compiler.h"
#include "HamKaas/Driver/Model.h"
#include "HamKaas/Run/ReferenceProgram.h"
#include "HamKaas/Support/DiagnosticText.h"
#include "ModelSource.h"
#include "hamkaas-c/Compiler.h"
#include <memory>
#include <mutex>

namespace hamkaas::capi {

/// A context that knows the dialects of a model in any form.
std::shared_ptr<mlir::MLIRContext>
createContext(mlir::MLIRContext::Threading threading =
                  mlir::MLIRContext::Threading::ENABLED);

/// A graph, and the messages about it.
class ParsedGraph {
public:
  /// Parses `source`, which must outlive the graph, into `context`, which only
  /// one graph uses at a time. Also sets `notes` unless they are null.
  static llvm::Expected<std::unique_ptr<ParsedGraph>>
  parse(const ModelSource &source, std::shared_ptr<mlir::MLIRContext> context,
        CompileNotes *notes = nullptr);

  mlir::ModuleOp module() { return *graph; }
  /// ParsedModel::parameters.
  std::shared_ptr<const ParameterContents> parameters() const {
    return graph.parameters;
  }

  /// The error in words: what was reported in place of a ReportedError.
  llvm::Error describe(llvm::Error error);

private:
  explicit ParsedGraph(std::shared_ptr<mlir::MLIRContext> context);

  std::shared_ptr<mlir::MLIRContext> context;
  /// Warnings have no place to go.
  mlir::ScopedDiagnosticHandler quiet;
  DiagnosticText diagnostics;
  llvm::SourceMgr sources;
  ParsedModel graph;
};

/// The program of the device `reference`, which instances share.
class SharedReference {
public:
  /// Makes it from `graph` when it is asked for first.
  const ReferenceProgram &get(mlir::ModuleOp graph, llvm::StringRef name,
                              const ParameterContents *parameters) const {
    std::call_once(once, [&] {
      made = std::make_unique<ReferenceProgram>(graph, name, parameters);
    });
    return *made;
  }
  const HamKaasProgram &program() const { return made->program(); }

private:
  mutable std::once_flag once;
  mutable std::unique_ptr<ReferenceProgram> made;
};

struct Model {
  ModelSource source; ///< Without a text if the model is a loaded library.
  ProgramInfo info;
  /// Contents of the program's parameters, null if instances bring them.
  std::shared_ptr<const ParameterContents> parameters;
  std::unique_ptr<LoadedProgram> program;
  SharedReference reference;

  bool isLibrary() const { return source.getText().empty(); }
};

/// Handles and instances hold a model together.
using SharedModel = std::shared_ptr<const Model>;

/// How `source` is compiled; refers to it.
CompileOptions getCompileOptions(const ModelSource &source);

/// A new handle, which keeps the model until it is removed.
llvm::Expected<HamKaasModel *> addModel(SharedModel model);

/// The model of a handle. The error says that there is none.
llvm::Expected<SharedModel> findModel(HamKaasModel *handle);

/// Ends a handle. The error says that it is none.
llvm::Error removeModel(HamKaasModel *handle);

} // namespace hamkaas::capi

#endif // HAMKAAS_LIB_CAPI_MODEL_H
