//===- hamkaas-compile.cpp - Model to program or any form -------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Driver/CompileFile.h"
#include "HamKaas/Driver/Compiler.h"
#include "HamKaas/Driver/Registration.h"
#include "HamKaas/Driver/ToolCommandLine.h"
#include "HamKaas/Engine/ListEngines.h"
#include "HamKaas/Support/Signals.h"
#include "HamKaas/Target/Targets.h"

using namespace hamkaas;

static llvm::Error makeError(ToolOption option, const llvm::Twine &text) {
  return llvm::createStringError(getFlag(option) + ": " + text);
}

static EmitForm getForm(const ToolCommandLine &line) {
  EmitForm form = EmitForm::Graph;
  while (emitFormName(form) != line.get(OPT_emit))
    form = EmitForm(int(form) + 1);
  return form;
}

static ReportFormat getReport(const ToolCommandLine &line) {
  if (!line.has(OPT_report))
    return ReportFormat::None;
  return line.get(OPT_report) == "json" ? ReportFormat::Json
                                        : ReportFormat::Text;
}

/// An option that changes nothing before the model reaches a form is a mistake.
static llvm::Error checkForm(const ToolCommandLine &line) {
  struct Use {
    ToolOption option;
    EmitForm first;
  };
  constexpr Use uses[] = {{OPT_target, EmitForm::Kernels},
                          {OPT_gpu_arch, EmitForm::Kernels},
                          {OPT_engine, EmitForm::Kernels},
                          {OPT_precision, EmitForm::Kernels},
                          {OPT_target_cpu, EmitForm::Kernels},
                          {OPT_choose, EmitForm::Kernels},
                          {OPT_choices, EmitForm::Kernels},
                          {OPT_verify_engines, EmitForm::Kernels},
                          {OPT_max_workspace, EmitForm::Planned},
                          {OPT_debug_info, EmitForm::Llvm},
                          {OPT_report, EmitForm::Object},
                          {OPT_plan_svg, EmitForm::Object},
                          {OPT_weights, EmitForm::Object},
                          {OPT_external_weights, EmitForm::Object}};
  EmitForm form = getForm(line);
  for (const Use &use : uses)
    if (line.has(use.option) && form < use.first)
      return makeError(
          use.option, "expected --emit=" + emitFormName(use.first) +
                          " or a later form, got --emit=" + emitFormName(form));
  return llvm::Error::success();
}

/// Fails unless the tool has something to write: a program, a form of it, or a
/// description.
static llvm::Error checkWork(const ToolCommandLine &line) {
  bool wantsReport = line.has(OPT_report) || line.has(OPT_plan_svg) ||
                     line.has(OPT_graph_svg) ||
                     line.has(OPT_optimized_graph_svg) ||
                     line.has(OPT_max_workspace);
  bool wantsOutput = line.has(OPT_emit) || line.has(OPT_o);
  bool isCheck = line.isOn(OPT_check);
  if (isCheck && (wantsOutput || wantsReport))
    return makeError(OPT_check, "expected neither -o nor --emit nor a report");
  if (isCheck && line.has(OPT_weights))
    return makeError(OPT_check,
                     "expected no --weights, which it does not read");
  if (!isCheck && !wantsOutput && !wantsReport)
    return llvm::createStringError(
        "expected -o FILE, --emit=FORM, --report or --check");
  return checkForm(line);
}

static llvm::Error checkOptions(const ToolCommandLine &line) {
  if (!line.getArgument())
    return llvm::createStringError(
        "expected a model: a script, .mlir, .onnx or .gguf");
  for (auto [given, option] : {std::pair(OPT_gpu_arch, OptionId::gpu_arch),
                               {OPT_target_cpu, OptionId::target_cpu}})
    if (line.has(given))
      if (llvm::Error error =
              checkTargetOption(option, line.get(OPT_target), getTargets()))
        return error;
  if (line.has(OPT_load_pass_plugin) && !line.has(OPT_graph_passes))
    return makeError(OPT_load_pass_plugin,
                     "expected --graph-passes with the passes to run");
  if (line.isOn(OPT_unfold_graph) && !line.has(OPT_graph_svg) &&
      !line.has(OPT_optimized_graph_svg))
    return makeError(OPT_unfold_graph,
                     "expected --graph-svg or --optimized-graph-svg");
  return checkWork(line);
}

static llvm::Error compile(const ToolCommandLine &line) {
  if (llvm::Error error = checkOptions(line))
    return error;
  CompileFileOptions options;
  options.model = *line.getArgument();
  options.output = line.get(OPT_o);
  options.form = getForm(line);
  options.settings = line.getSettings();
  options.weights = line.get(OPT_weights);
  options.externalWeights = line.isOn(OPT_external_weights);
  options.passPlugins = line.getAll(OPT_load_pass_plugin);
  options.onnx = line.getOnnx();
  options.checkOnly = line.isOn(OPT_check);
  options.report = getReport(line);
  options.planSvg = line.get(OPT_plan_svg);
  options.graphSvg = line.get(OPT_graph_svg);
  options.optimizedGraphSvg = line.get(OPT_optimized_graph_svg);
  options.unfoldGraph = line.isOn(OPT_unfold_graph);
  options.progress = line.getProgress();
  return compileFile(options);
}

int main(int argc, char **argv) {
  ToolProcess process(argc, argv);
  nameCrashingEngines();
  registerPasses();
  ToolCommandLine line("hamkaas-compile", CompileTool,
                       "Compiles a model to one program",
                       "MODEL (script, .mlir, .onnx or .gguf)");
  llvm::Error error = line.parse(argc, argv);
  if (!error)
    error = compile(line);
  return reportError(std::move(error), "hamkaas-compile");
}
