//===- hamkaas-translate.cpp - Scripts to and from MLIR ---------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Not built on mlirTranslateMain, which ends without a name where the output is
// full and leaves half a file then.

#include "HamKaas/Driver/Compiler.h"
#include "HamKaas/Driver/Model.h"
#include "HamKaas/Driver/OnnxOptions.h"
#include "HamKaas/Driver/Registration.h"
#include "HamKaas/Driver/ToolCommandLine.h"
#include "HamKaas/Frontend/Script/Script.h"
#include "HamKaas/Support/OutputFile.h"
#include "HamKaas/Support/Signals.h"
#include "HamKaas/Support/SourceDiagnostics.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Support/ToolUtilities.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace hamkaas;

static void print(const ToolCommandLine &line, ModuleOp module,
                  llvm::raw_ostream &stream) {
  OpPrintingFlags flags;
  if (line.isOn(OPT_mlir_print_debuginfo))
    flags.enableDebugInfo();
  module->print(stream, flags);
}

static LogicalResult translate(const ToolCommandLine &line,
                               llvm::SourceMgr &sources, MLIRContext *context,
                               llvm::raw_ostream &stream) {
  if (line.isOn(OPT_export_script)) {
    auto module = parseSourceFile<ModuleOp>(sources, context);
    ScriptExportOptions options{.newest = line.has(OPT_script_version)};
    return failure(!module || failed(exportScript(*module, stream, options)));
  }
  OwningOpRef<ModuleOp> module =
      importScript(sources, context, {line.isOn(OPT_unchecked)});
  if (!module || failed(verify(*module)))
    return failure();
  print(line, *module, stream);
  return success();
}

static LogicalResult translatePart(const ToolCommandLine &line,
                                   std::unique_ptr<llvm::MemoryBuffer> part,
                                   llvm::raw_ostream &stream) {
  DialectRegistry registry;
  registerDialects(registry);
  MLIRContext context(registry);
  // The message points at the op.
  context.printOpOnDiagnostic(false);
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(std::move(part), SMLoc());
  if (!line.isOn(OPT_verify_diagnostics)) {
    SourceDiagnostics diagnostics(sources, &context, llvm::errs());
    return translate(line, sources, &context, stream);
  }
  // A part that fails as expected is a success.
  SourceMgrDiagnosticVerifierHandler verifier(sources, &context);
  (void)translate(line, sources, &context, stream);
  return verifier.verify();
}

static StringRef getOutput(const ToolCommandLine &line) {
  return line.has(OPT_o) ? line.get(OPT_o) : "-";
}

/// The separator of the sections of the input; empty if it is one.
static StringRef getSplitMarker(const ToolCommandLine &line) {
  StringRef marker = line.get(OPT_split_input_file);
  return line.has(OPT_split_input_file) && marker.empty()
             ? StringRef(kDefaultSplitMarker)
             : marker;
}

/// A model that is no text has no parts.
static llvm::Error translateOnnx(const ToolCommandLine &line, StringRef input) {
  if (line.has(OPT_split_input_file) || line.isOn(OPT_verify_diagnostics))
    return llvm::createStringError("--import-onnx: expected neither "
                                   "--split-input-file nor "
                                   "--verify-diagnostics");
  auto file = ModelFile::open(input);
  if (!file)
    return file.takeError();
  if ((*file)->kind() != ModelKind::Onnx)
    return llvm::createStringError("'" + input + "': expected an ONNX model");
  auto options = readOnnxOptions(**file, line.getOnnx());
  if (!options)
    return options.takeError();
  auto module =
      (*file)->parse({line.isOn(OPT_unchecked), {}, std::move(*options)});
  if (!module)
    return module.takeError();
  if (failed(verify(*module)))
    return llvm::make_error<ReportedError>();
  std::string text;
  llvm::raw_string_ostream stream(text);
  print(line, *module, stream);
  return writeOutputFile(getOutput(line), text);
}

static llvm::Error translateFile(const ToolCommandLine &line) {
  if (line.isOn(OPT_import_script) + line.isOn(OPT_import_onnx) +
          line.isOn(OPT_export_script) !=
      1)
    return llvm::createStringError(
        "expected one of --import-script, --import-onnx and --export-script");
  std::string input = line.getArgument().value_or("-");
  if (line.isOn(OPT_import_onnx))
    return translateOnnx(line, input);
  auto buffer = llvm::MemoryBuffer::getFileOrSTDIN(input);
  if (!buffer)
    return llvm::createStringError(buffer.getError(),
                                   "cannot read '" + input +
                                       "': " + buffer.getError().message());
  std::string text;
  llvm::raw_string_ostream stream(text);
  auto translateOne = [&](std::unique_ptr<llvm::MemoryBuffer> part,
                          llvm::raw_ostream &partStream) {
    return translatePart(line, std::move(part), partStream);
  };
  if (failed(splitAndProcessBuffer(std::move(*buffer), translateOne, stream,
                                   getSplitMarker(line),
                                   line.get(OPT_output_split_marker))))
    return llvm::make_error<ReportedError>();
  return line.isOn(OPT_verify_diagnostics)
             ? llvm::Error::success()
             : writeOutputFile(getOutput(line), text);
}

int main(int argc, char **argv) {
  ToolProcess process(argc, argv);
  ToolCommandLine line("hamkaas-translate", TranslateTool,
                       "Translates scripts and ONNX models to MLIR, and back "
                       "to scripts",
                       "FILE, - for standard input");
  llvm::Error error = line.parse(argc, argv);
  if (!error)
    error = translateFile(line);
  return reportError(std::move(error), "hamkaas-translate");
}
