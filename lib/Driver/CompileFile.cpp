//===- CompileFile.cpp - From the file of a model to files ------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Driver/CompileFile.h"
#include "ChooseEngines.h"
#include "HamKaas/Driver/Compiler.h"
#include "HamKaas/Driver/Model.h"
#include "HamKaas/Driver/OnnxOptions.h"
#include "HamKaas/Program/Aot.h"
#include "HamKaas/Program/LinkProgram.h"
#include "HamKaas/Program/Weights.h"
#include "HamKaas/Report/GraphDrawing.h"
#include "HamKaas/Report/MemoryPlanDrawing.h"
#include "HamKaas/Report/Report.h"
#include "HamKaas/Run/CheckPasses.h"
#include "HamKaas/Runtime/Files/Digest.h"
#include "HamKaas/Support/Errors.h"
#include "HamKaas/Support/OutputFile.h"
#include "mlir/Tools/Plugins/PassPlugin.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <optional>

using namespace mlir;
using namespace hamkaas;

//===----------------------------------------------------------------------===//
// Forms and their files
//===----------------------------------------------------------------------===//

StringRef hamkaas::emitFormName(EmitForm form) {
  constexpr StringRef names[] = {"graph", "kernels", "planned", "llvm", "asm",
                                 "ptx",   "obj",     "so",      ""};
  return names[int(form)];
}

/// The kind of file that a form needs; none for any program.
static std::optional<ProgramFileKind> getFileKind(EmitForm form) {
  if (form == EmitForm::Object)
    return ProgramFileKind::Object;
  if (form == EmitForm::SharedLibrary)
    return ProgramFileKind::SharedLibrary;
  return std::nullopt;
}

static llvm::Error checkEnding(StringRef path, EmitForm form) {
  std::optional<ProgramFileKind> found = programFileKind(path);
  std::string expected;
  if (isText(form)) {
    if (found)
      expected = "text for --emit=" + emitFormName(form).str();
  } else if (std::optional<ProgramFileKind> needed = getFileKind(form)) {
    if (found != needed)
      expected = std::string("a file that ends in ") +
                 (form == EmitForm::Object ? ".o" : ".so") +
                 " for --emit=" + emitFormName(form).str();
  } else if (!found) {
    expected = "a file that ends in .so, .o or .a";
  }
  if (expected.empty())
    return llvm::Error::success();
  return llvm::createStringError("-o: expected " + expected + ", got '" + path +
                                 "'");
}

llvm::Expected<std::string>
hamkaas::getOutputPath(const CompileFileOptions &options) {
  if (!options.output.empty()) {
    if (llvm::Error error = checkEnding(options.output, options.form))
      return std::move(error);
    return options.output;
  }
  if (isText(options.form))
    return "-";
  if (options.form == EmitForm::Program)
    return "";
  if (options.model == "-")
    return llvm::createStringError(
        "-o: expected a file to write, because a model on standard input has "
        "no name");
  SmallString<128> path(llvm::sys::path::filename(options.model));
  llvm::sys::path::replace_extension(
      path, options.form == EmitForm::Object ? ".o" : ".so");
  return path.str().str();
}

/// Writes `print(stream)` to a file that is complete or not there.
static llvm::Error
writeText(StringRef path,
          llvm::function_ref<llvm::Error(llvm::raw_ostream &)> print) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  if (llvm::Error error = print(stream))
    return error;
  return writeOutputFile(path, text);
}

//===----------------------------------------------------------------------===//
// The phases
//===----------------------------------------------------------------------===//

namespace {

class FileCompilation {
public:
  FileCompilation(const CompileFileOptions &options, std::string path)
      : options(options), path(std::move(path)) {}

  llvm::Error run();

private:
  llvm::Error drawGraphs();
  /// Calls `compile` with options that show progress. Nothing is shown any more
  /// when the result is printed.
  template <typename Function> auto withProgress(Function compile) {
    ProgressLine line(compileOptions.name, module.getContext(),
                      options.progress);
    CompileOptions told = compileOptions;
    line.attach(told);
    return compile(told);
  }
  llvm::Error printForm(const CompileOptions &told, llvm::raw_ostream &stream);
  llvm::Error writeForm();
  llvm::Error writeProgram();
  llvm::Error chooseWeights(const ModelFile &file);
  llvm::Error setDescriptor();
  llvm::Error printReports(const ProgramInfo &info);

  const CompileFileOptions &options;
  std::string path;
  /// The file of the parameters, empty if the model or nobody has them.
  std::string weightsPath;
  CompileOptions compileOptions;
  ModuleOp module;
};

} // namespace

/// Registers the passes of the plug-ins.
static llvm::Error loadPassPlugins(ArrayRef<std::string> paths) {
  for (const std::string &path : paths) {
    auto plugin = PassPlugin::load(path);
    if (!plugin)
      return llvm::createStringError("--load-pass-plugin: " +
                                     llvm::toString(plugin.takeError()));
    plugin->registerPassRegistryCallbacks();
  }
  return llvm::Error::success();
}

/// "net.choices.json" for "net.so"; nothing for what is no file.
static std::string getChoicesPath(StringRef output) {
  if (output.empty() || output == "-")
    return "";
  SmallString<256> path(output);
  llvm::sys::path::replace_extension(path, ".choices.json");
  return path.str().str();
}

/// A GGUF file has the form of a file of weights, and may stay where it is.
llvm::Error FileCompilation::chooseWeights(const ModelFile &file) {
  weightsPath = options.weights;
  if (compileOptions.parameters && !weightsPath.empty())
    return llvm::createStringError("--weights: expected a model without "
                                   "parameters of its own, got '" +
                                   options.model + "'");
  if (!options.externalWeights || !weightsPath.empty())
    return llvm::Error::success();
  if (file.kind() != ModelKind::Gguf || file.path().empty())
    return llvm::createStringError(
        "--external-weights: expected --weights with the file that the "
        "program is to map");
  weightsPath = options.model;
  return llvm::Error::success();
}

llvm::Error FileCompilation::run() {
  if (llvm::Error error = loadPassPlugins(options.passPlugins))
    return error;
  auto file = ModelFile::open(options.model);
  if (!file)
    return file.takeError();
  auto onnx = readOnnxOptions(**file, options.onnx);
  if (!onnx)
    return onnx.takeError();
  auto parsed = (*file)->parse(
      {options.settings.unchecked, {}, std::move(*onnx), options.settings});
  if (!parsed)
    return parsed.takeError();
  module = *parsed;
  compileOptions.parameters = (*file)->parameters();
  if (llvm::Error error = chooseWeights(**file))
    return error;
  if (options.checkOnly)
    return llvm::Error::success();
  static_cast<CompileSettings &>(compileOptions) = options.settings;
  compileOptions.source = (*file)->text();
  if (measuresEngines(compileOptions) && compileOptions.choices.empty())
    compileOptions.choices = getChoicesPath(path);
  if (!path.empty() && path == compileOptions.choices)
    return llvm::createStringError("-o: expected another file than that of "
                                   "--choices, got '" +
                                   path + "'");
  if (compileOptions.checkEachPass && !compileOptions.parameters &&
      !weightsPath.empty())
    if (llvm::Error error =
            readContents(weightsPath)
                .moveInto(compileOptions.checkedTensors.parameters))
      return error;
  // The code of plug-ins is no part of the key.
  compileOptions.noCache |= !options.passPlugins.empty();
  compileOptions.name =
      getModelName(path.empty() || path == "-" ? options.model : path);
  if (llvm::Error error = drawGraphs())
    return error;
  return isText(options.form) ? writeForm() : writeProgram();
}

static llvm::Error drawGraphSvg(StringRef path, ModuleOp module, bool unfold) {
  return writeText(path, [&](llvm::raw_ostream &stream) {
    return drawGraph(module, stream, unfold);
  });
}

/// The graph as it was read, and as the optimizer leaves it.
llvm::Error FileCompilation::drawGraphs() {
  if (!options.graphSvg.empty())
    if (llvm::Error error =
            drawGraphSvg(options.graphSvg, module, options.unfoldGraph))
      return error;
  if (options.optimizedGraphSvg.empty())
    return llvm::Error::success();
  // A copy, so that the report counts what the optimizer does.
  OwningOpRef<ModuleOp> optimized(module.clone());
  CompileOptions unmeasured = compileOptions;
  unmeasured.choose = unmeasured.choices = "";
  if (llvm::Error error = lowerModel(*optimized, Form::Graph, unmeasured))
    return error;
  return drawGraphSvg(options.optimizedGraphSvg, *optimized,
                      options.unfoldGraph);
}

llvm::Error FileCompilation::printForm(const CompileOptions &told,
                                       llvm::raw_ostream &stream) {
  if (options.form == EmitForm::Llvm)
    return printLlvmIr(module, told, stream);
  if (options.form == EmitForm::Assembly)
    return printAssembly(module, told, stream);
  if (options.form == EmitForm::Ptx)
    return printPtx(module, told, stream);
  Form form = options.form == EmitForm::Graph     ? Form::Graph
              : options.form == EmitForm::Kernels ? Form::Kernels
                                                  : Form::Planned;
  if (llvm::Error error = lowerModel(module, form, told))
    return error;
  module.print(stream);
  return llvm::Error::success();
}

llvm::Error FileCompilation::writeForm() {
  return writeText(path, [&](llvm::raw_ostream &stream) {
    return withProgress(
        [&](const CompileOptions &told) { return printForm(told, stream); });
  });
}

/// Where the program's parameters come from, as the descriptor says it.
llvm::Error FileCompilation::setDescriptor() {
  DescriptorOptions &descriptor = compileOptions.descriptor;
  if (!options.externalWeights) {
    descriptor.embedParameters =
        compileOptions.parameters || !weightsPath.empty();
    return llvm::Error::success();
  }
  SmallString<256> absolute(weightsPath);
  llvm::sys::fs::make_absolute(absolute);
  descriptor.weightsFile = absolute.str().str();
  rt::Digest digest;
  if (rt::Error error = rt::computeFileDigest(
          weightsPath.c_str(), int32_t(options.settings.compileThreads), digest,
          descriptor.weightsBytes))
    return toError(std::move(error));
  llvm::copy(digest.bytes, descriptor.weightsDigest.begin());
  return llvm::Error::success();
}

llvm::Error FileCompilation::printReports(const ProgramInfo &info) {
  if (options.report == ReportFormat::Text)
    printReport(info, llvm::outs());
  if (options.report == ReportFormat::Json)
    printReportJson(info, llvm::outs());
  if (options.planSvg.empty())
    return llvm::Error::success();
  return writeText(options.planSvg, [&](llvm::raw_ostream &stream) {
    drawMemoryPlan(info, stream);
    return llvm::Error::success();
  });
}

llvm::Error FileCompilation::writeProgram() {
  if (llvm::Error error = setDescriptor())
    return error;
  auto compiled = withProgress(
      [&](const CompileOptions &told) { return compileModel(module, told); });
  if (!compiled)
    return compiled.takeError();
  // Also parameters that stay in their file are checked now.
  std::optional<Weights> weights;
  if (!weightsPath.empty()) {
    auto opened = Weights::open(weightsPath, compiled->info);
    if (!opened)
      return opened.takeError();
    weights.emplace(std::move(*opened));
  }
  // NOTE: before linking, because the linker resets all command line options.
  if (llvm::Error error = printReports(compiled->info))
    return error;
  if (path.empty())
    return llvm::Error::success();
  AotOptions aot;
  aot.output = path;
  aot.descriptor = compileOptions.descriptor;
  aot.keepDebugInfo = compileOptions.debugInfo;
  std::vector<ArrayRef<char>> own;
  if (compileOptions.parameters)
    own = getParameterContents(compiled->info, *compileOptions.parameters);
  if (aot.descriptor.embedParameters)
    aot.parameters = weights ? weights->contents() : ArrayRef(own);
  return hamkaas::writeProgram(compiled->info, compiled->objects, aot);
}

llvm::Error hamkaas::compileFile(const CompileFileOptions &options) {
  auto path = getOutputPath(options);
  if (!path)
    return path.takeError();
  return FileCompilation(options, std::move(*path)).run();
}
