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
#include "HamKaas/Support/OutputFile.h"
#include "HamKaas/Driver/Registration.h"
#include "HamKaas/Support/Signals.h"
#include "HamKaas/Driver/ToolCommandLine.h"
#include "HamKaas/Frontend/Script/Script.h"
#include "HamKaas/Support/SourceDiagnostics.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Support/ToolUtilities.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace hamkaas;
namespace cl = llvm::cl;

namespace {
enum class Direction { ImportScript, ImportOnnx, Export };
} // namespace

static cl::OptionCategory category("Options of hamkaas-translate");
static ToolCommandLine
    commandLine("hamkaas-translate",
                "Translates scripts and ONNX models to MLIR, and back to "
                "scripts",
                category);
static cl::opt<std::string> input(cl::Positional, cl::init("-"),
                                  cl::desc("FILE, - for standard input"),
                                  cl::cat(category));
static cl::opt<Direction>
    direction(cl::desc("What to do, one of:"),
              cl::values(clEnumValN(Direction::ImportScript, "import-script",
                                    "read a script as GRAPH"),
                         clEnumValN(Direction::ImportOnnx, "import-onnx",
                                    "read an ONNX model as GRAPH"),
                         clEnumValN(Direction::Export, "export-script",
                                    "write GRAPH as a script")),
              cl::cat(category));
static cl::opt<std::string> output("o", cl::init("-"), cl::value_desc("file"),
                                   cl::desc("What to write, - for standard "
                                            "output"),
                                   cl::cat(category));
static cl::opt<bool>
    unchecked("unchecked",
              cl::desc("Import: leave out the checks of positions at run time"),
              cl::cat(category));
static cl::opt<bool> printLocations("mlir-print-debuginfo",
                                    cl::desc("Import: print the places in the "
                                             "script"),
                                    cl::cat(category));
static cl::opt<std::string> splitMarker(
    "split-input-file", cl::ValueOptional, cl::value_desc("marker"),
    cl::callback([](const std::string &marker) {
      if (marker.empty())
        splitMarker = kDefaultSplitMarker;
    }),
    cl::desc("Translate the parts between lines of this text one by one"),
    cl::cat(category));
static cl::opt<std::string>
    outputMarker("output-split-marker",
                 cl::desc("What to write between the parts"),
                 cl::value_desc("marker"), cl::cat(category));
static cl::opt<bool>
    verifyDiagnostics("verify-diagnostics",
                      cl::desc("Compare the messages with comments of the form "
                               "expected-error"),
                      cl::cat(category));

static OnnxCommandLine onnx(category);

static void print(ModuleOp module, llvm::raw_ostream &stream) {
  OpPrintingFlags flags;
  if (printLocations)
    flags.enableDebugInfo();
  module->print(stream, flags);
}

static LogicalResult translate(llvm::SourceMgr &sources, MLIRContext *context,
                               llvm::raw_ostream &stream) {
  if (direction == Direction::Export) {
    auto module = parseSourceFile<ModuleOp>(sources, context);
    return failure(!module || failed(exportScript(*module, stream)));
  }
  OwningOpRef<ModuleOp> module = importScript(sources, context, {unchecked});
  if (!module || failed(verify(*module)))
    return failure();
  print(*module, stream);
  return success();
}

static LogicalResult translatePart(std::unique_ptr<llvm::MemoryBuffer> part,
                                   llvm::raw_ostream &stream) {
  DialectRegistry registry;
  registerDialects(registry);
  MLIRContext context(registry);
  // The message points at the op.
  context.printOpOnDiagnostic(false);
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(std::move(part), SMLoc());
  if (!verifyDiagnostics) {
    SourceDiagnostics diagnostics(sources, &context, llvm::errs());
    return translate(sources, &context, stream);
  }
  // A part that fails as expected is a success.
  SourceMgrDiagnosticVerifierHandler verifier(sources, &context);
  (void)translate(sources, &context, stream);
  return verifier.verify();
}

/// A model that is no text has no parts.
static llvm::Error translateOnnx() {
  if (splitMarker.getNumOccurrences() || verifyDiagnostics)
    return llvm::createStringError("--import-onnx: expected neither "
                                   "--split-input-file nor "
                                   "--verify-diagnostics");
  auto file = ModelFile::open(input);
  if (!file)
    return file.takeError();
  if ((*file)->kind() != ModelKind::Onnx)
    return llvm::createStringError("'" + input + "': expected an ONNX model");
  auto options = readOnnxOptions(**file, onnx.get());
  if (!options)
    return options.takeError();
  auto module = (*file)->parse({unchecked, {}, std::move(*options)});
  if (!module)
    return module.takeError();
  if (failed(verify(*module)))
    return llvm::make_error<ReportedError>();
  std::string text;
  llvm::raw_string_ostream stream(text);
  print(*module, stream);
  return writeOutputFile(output, text);
}

static llvm::Error translateFile() {
  if (direction.getNumOccurrences() != 1)
    return llvm::createStringError(
        "expected one of --import-script, --import-onnx and --export-script");
  if (direction == Direction::ImportOnnx)
    return translateOnnx();
  auto buffer = llvm::MemoryBuffer::getFileOrSTDIN(input);
  if (!buffer)
    return llvm::createStringError(buffer.getError(),
                                   "cannot read '" + input +
                                       "': " + buffer.getError().message());
  std::string text;
  llvm::raw_string_ostream stream(text);
  if (failed(splitAndProcessBuffer(std::move(*buffer), translatePart, stream,
                                   splitMarker, outputMarker)))
    return llvm::make_error<ReportedError>();
  return verifyDiagnostics ? llvm::Error::success()
                           : writeOutputFile(output, text);
}

int main(int argc, char **argv) {
  hamkaas::registerVersion();
  ToolProcess process(argc, argv);
  commandLine.addValues(direction);
  commandLine.parse(argc, argv);
  return reportError(translateFile(), "hamkaas-translate");
}
