//===- hamkaas-compile.cpp - Model to library, object or any form -*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Driver/Aot.h"
#include "HamKaas/Driver/Compiler.h"
#include "HamKaas/Driver/GraphDrawing.h"
#include "HamKaas/Driver/Link.h"
#include "HamKaas/Driver/MemoryPlanDrawing.h"
#include "HamKaas/Driver/Model.h"
#include "HamKaas/Driver/OutputFile.h"
#include "HamKaas/Driver/Registration.h"
#include "HamKaas/Driver/Report.h"
#include "HamKaas/Driver/Target.h"
#include "HamKaas/Driver/Weights.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace hamkaas;
namespace cl = llvm::cl;

namespace {
enum class Emit { Graph, Kernels, Planned, Llvm, Asm, Obj, So, Default };
enum class ReportFormat { None, Text, Json };
} // namespace

static cl::OptionCategory category("Options of hamkaas-compile");
static cl::opt<std::string> model(cl::Positional, cl::Required,
                                  cl::desc("MODEL (script or .mlir)"),
                                  cl::cat(category));
static cl::opt<std::string>
    output("o", cl::desc("What to write: .so (with a header .h), .o or .a; "
                         "with --emit the text, - for standard output"),
           cl::value_desc("file"), cl::cat(category));
static cl::opt<Emit> emitForm(
    "emit", cl::desc("Stop at a form:"),
    cl::values(clEnumValN(Emit::Graph, "graph", "values, nothing of memory"),
               clEnumValN(Emit::Kernels, "kernels", "calls of kernels"),
               clEnumValN(Emit::Planned, "planned", "each buffer's place"),
               clEnumValN(Emit::Llvm, "llvm", "LLVM IR"),
               clEnumValN(Emit::Asm, "asm", "assembler"),
               clEnumValN(Emit::Obj, "obj", "object file, as -o file.o"),
               clEnumValN(Emit::So, "so", "library, as -o file.so")),
    cl::init(Emit::Default), cl::cat(category));
static cl::opt<std::string> target("target", cl::desc("Device: cpu"),
                                   cl::init("cpu"), cl::cat(category));
static cl::opt<std::string>
    targetCpu("target-cpu",
              cl::desc("Instruction set level: host, x86-64, x86-64-v2, "
                       "x86-64-v3 or x86-64-v4"),
              cl::init("host"), cl::cat(category));
static cl::opt<std::string> weights("weights",
                                    cl::desc("File with the parameters, which "
                                             "become part of the output"),
                                    cl::value_desc("F.safetensors"),
                                    cl::cat(category));
static cl::opt<bool>
    externalWeights("external-weights",
                    cl::desc("Leave the parameters in their file; the program "
                             "maps it when it is loaded"),
                    cl::cat(category));
static cl::opt<std::string>
    maxWorkspace("max-workspace",
                 cl::desc("Fail if a run needs more memory than this"),
                 cl::value_desc("BYTES|nKB|nMB|nGB"), cl::cat(category));
static cl::opt<ReportFormat> report(
    "report", cl::desc("Print memory, work and kernels of the model"),
    cl::ValueOptional, cl::init(ReportFormat::None),
    cl::values(clEnumValN(ReportFormat::Text, "", "as text"),
               clEnumValN(ReportFormat::Text, "text", "as text"),
               clEnumValN(ReportFormat::Json, "json", "for machines")),
    cl::cat(category));
static cl::opt<std::string>
    planSvg("plan-svg", cl::desc("Draw the memory plan, time by offset"),
            cl::value_desc("F.svg"), cl::cat(category));
static cl::opt<std::string>
    graphSvg("graph-svg", cl::desc("Draw the graph (needs Graphviz)"),
             cl::value_desc("F.svg"), cl::cat(category));
static cl::opt<bool>
    unchecked("unchecked", cl::desc("Leave out checks of run-time positions"),
              cl::cat(category));

static llvm::Error makeError(const llvm::Twine &text) {
  return llvm::createStringError(text);
}

/// "512", "1KB", "2MB", "3GB", in powers of 1024.
static llvm::Expected<uint64_t> parseBytes(StringRef text) {
  StringRef number = text;
  unsigned shift = 0;
  for (auto [suffix, bits] :
       {std::pair("KB", 10u), std::pair("MB", 20u), std::pair("GB", 30u)})
    if (number.consume_back_insensitive(suffix))
      shift = bits;
  uint64_t value = 0;
  if (number.getAsInteger(10, value) || value == 0 ||
      value > (std::numeric_limits<int64_t>::max() >> shift))
    return makeError("--max-workspace: expected a number of bytes such as "
                     "4096, 64KB or 2MB, got '" +
                     text + "'");
  return value << shift;
}

/// Writes `print(stream)` to a file that is complete or not there.
static llvm::Error
writeText(StringRef path, llvm::function_ref<llvm::Error(llvm::raw_ostream &)>
                              print) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  if (llvm::Error error = print(stream))
    return error;
  return writeOutputFile(path, text);
}

static llvm::Error emitText(ModuleOp module, const CompileOptions &options) {
  StringRef path = output.empty() ? StringRef("-") : StringRef(output);
  return writeText(path, [&](llvm::raw_ostream &stream) -> llvm::Error {
    if (emitForm == Emit::Llvm)
      return printLlvmIr(module, options, stream);
    if (emitForm == Emit::Asm)
      return printAssembly(module, options, stream);
    if (llvm::Error error = lowerModel(module, Form(int(emitForm.getValue())),
                                       options))
      return error;
    module.print(stream);
    return llvm::Error::success();
  });
}

static llvm::Error printReports(const ProgramInfo &info) {
  // Where the program goes to standard output, the report must not.
  if (report == ReportFormat::Text)
    printReport(info, llvm::outs());
  if (report == ReportFormat::Json)
    printReportJson(info, llvm::outs());
  if (!planSvg.empty())
    return writeText(planSvg, [&](llvm::raw_ostream &stream) {
      drawMemoryPlan(info, stream);
      return llvm::Error::success();
    });
  return llvm::Error::success();
}

/// The file the program goes to: `-o`, or the model's name with the ending that
/// `--emit` asks for. Empty if only reports are wanted.
static std::string getOutputPath() {
  if (!output.empty())
    return output;
  SmallString<128> path(llvm::sys::path::filename(model));
  if (emitForm == Emit::So)
    llvm::sys::path::replace_extension(path, ".so");
  else if (emitForm == Emit::Obj)
    llvm::sys::path::replace_extension(path, ".o");
  else
    return "";
  return path.str().str();
}

/// Where the program's parameters come from, as the descriptor says it.
static llvm::Expected<DescriptorOptions> getDescriptorOptions() {
  DescriptorOptions options;
  if (externalWeights && weights.empty())
    return makeError("--external-weights: expected --weights with the file "
                     "that the program is to map");
  if (externalWeights) {
    SmallString<256> absolute(weights);
    llvm::sys::fs::make_absolute(absolute);
    options.weightsFile = absolute.str().str();
  } else {
    options.embedParameters = !weights.empty();
  }
  return options;
}

static llvm::Error compileToFile(ModuleOp module, CompileOptions &options) {
  std::string path = getOutputPath();
  if (!path.empty() && !programFileKind(path))
    return makeError("-o: expected a file that ends in .so, .o or .a, got '" +
                     path + "'");
  auto descriptor = getDescriptorOptions();
  if (!descriptor)
    return descriptor.takeError();
  options.descriptor = *descriptor;
  auto compiled = compileModel(module, options);
  if (!compiled)
    return compiled.takeError();

  // Also parameters that stay in their file are checked now.
  std::optional<Weights> contents;
  if (!weights.empty()) {
    auto opened = Weights::open(weights, compiled->info);
    if (!opened)
      return opened.takeError();
    contents.emplace(std::move(*opened));
  }
  // NOTE: before linking, because the linker resets all command line options.
  if (llvm::Error error = printReports(compiled->info))
    return error;
  if (path.empty())
    return llvm::Error::success();
  AotOptions aot;
  aot.output = path;
  aot.descriptor = options.descriptor;
  if (aot.descriptor.embedParameters)
    aot.parameters = contents->contents();
  return writeProgram(compiled->info, compiled->object->getMemBufferRef(), aot);
}

static llvm::Error compile() {
  if (target != "cpu")
    return makeError("--target: expected cpu, got '" + target + "'");
  CompileOptions options;
  options.targetCpu = targetCpu;
  options.name = getModelName(output.empty() || output == "-" ? model : output);
  if (!maxWorkspace.empty()) {
    auto bytes = parseBytes(maxWorkspace);
    if (!bytes)
      return bytes.takeError();
    options.maxWorkspace = *bytes;
  }

  auto buffer = llvm::MemoryBuffer::getFileOrSTDIN(model);
  if (!buffer)
    return makeError(model + ": " + buffer.getError().message());
  DialectRegistry registry;
  registerDialects(registry);
  MLIRContext context(registry);
  llvm::SourceMgr sources;
  options.source = (*buffer)->getBuffer();
  sources.AddNewSourceBuffer(std::move(*buffer), SMLoc());
  SourceMgrDiagnosticHandler handler(sources, &context);
  ModelOptions modelOptions;
  modelOptions.unchecked = unchecked;
  OwningOpRef<ModuleOp> module = parseModel(sources, &context, modelOptions);
  if (!module)
    return llvm::make_error<ReportedError>();

  if (!graphSvg.empty())
    if (llvm::Error error =
            writeText(graphSvg, [&](llvm::raw_ostream &stream) {
              return drawGraph(*module, stream);
            }))
      return error;
  bool isText = emitForm != Emit::Default && emitForm != Emit::Obj &&
                emitForm != Emit::So;
  if (isText)
    return emitText(*module, options);
  bool wantsReport = report != ReportFormat::None || !planSvg.empty() ||
                     !graphSvg.empty() || !maxWorkspace.empty();
  if (getOutputPath().empty() && !wantsReport)
    return makeError("expected -o FILE, --emit=FORM or --report");
  return compileToFile(*module, options);
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(argc, argv, "Compiles a model to one program\n");
  return reportError(compile(), "hamkaas-compile");
}
