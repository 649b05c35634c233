//===- CompileFile.h - From the file of a model to files --------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_DRIVER_COMPILEFILE_H
#define HAMKAAS_DRIVER_COMPILEFILE_H

#include "HamKaas/Driver/OnnxOptions.h"
#include "HamKaas/Driver/ProgressLine.h"
#include "HamKaas/Options/CompileSettings.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <string>
#include <vector>

namespace hamkaas {

/// The last stage of a compilation, in the order of the stages.
enum class EmitForm {
  Graph,
  Kernels,
  Planned,
  Llvm,
  Assembly,
  Ptx,
  Object,
  SharedLibrary,
  /// A program of the kind that the ending of the output names, if any.
  Program
};

/// Returns whether the form is text; otherwise it is a program.
inline bool isText(EmitForm form) { return form < EmitForm::Object; }

/// The name of a form on the command line: "graph"; empty for Program.
llvm::StringRef emitFormName(EmitForm form);

enum class ReportFormat { None, Text, Json };

/// The paths may be empty; then nothing is written there.
struct CompileFileOptions {
  std::string model; ///< A script, MLIR, ONNX or GGUF, "-" for standard input.
  std::string output;
  EmitForm form = EmitForm::Program;
  CompileSettings settings;
  std::string weights;
  /// The program is to map the file of the weights, not to hold them.
  bool externalWeights = false;
  /// MLIR's pass plug-ins to load.
  std::vector<std::string> passPlugins = {};
  OnnxArguments onnx = {};
  /// Read the model and do nothing more.
  bool checkOnly = false;
  ReportFormat report = ReportFormat::None; ///< On standard output.
  std::string planSvg;
  std::string graphSvg;          ///< As it was read.
  std::string optimizedGraphSvg; ///< As the optimizer leaves it.
  bool unfoldGraph = false;      ///< As drawGraph has it.
  ShowProgress progress = ShowProgress::Never;
};

/// The file that a compilation writes: the output, or the model's name with the
/// ending of the form, or "-" for text. Empty if only reports are wanted. Fails
/// if the output's ending contradicts the form.
llvm::Expected<std::string> getOutputPath(const CompileFileOptions &options);

/// Compiles a model and writes all that `options` ask for.
llvm::Error compileFile(const CompileFileOptions &options);

} // namespace hamkaas

#endif // HAMKAAS_DRIVER_COMPILEFILE_H
