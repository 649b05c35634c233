//===- hamkaas-compile.cpp - Model to program or any form -------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Program/CodeCache.h"
#include "HamKaas/Driver/CompileFile.h"
#include "HamKaas/Driver/Compiler.h"
#include "HamKaas/Driver/Registration.h"
#include "HamKaas/Support/Signals.h"
#include "HamKaas/Target/Target.h"
#include "HamKaas/Driver/ToolCommandLine.h"
#include "llvm/Support/CommandLine.h"

using namespace hamkaas;
using llvm::StringRef;
namespace cl = llvm::cl;

static cl::OptionCategory category("Options of hamkaas-compile");
static ToolCommandLine commandLine("hamkaas-compile",
                                   "Compiles a model to one program", category);
static ProgressCommandLine progress(commandLine, category);
static cl::opt<std::string> model(cl::Positional, cl::Required,
                                  cl::desc("MODEL (script, .mlir or .onnx)"),
                                  cl::cat(category));
static cl::opt<std::string>
    output("o",
           cl::desc("What to write: .so (with a header .h), .o or .a; "
                    "with --emit the text, - for standard output"),
           cl::value_desc("file"), cl::cat(category));
static cl::opt<EmitForm> emitForm(
    "emit", cl::desc("Stop at a form:"),
    cl::values(
        clEnumValN(EmitForm::Graph, "graph", "values, nothing of memory"),
        clEnumValN(EmitForm::Kernels, "kernels", "calls of kernels"),
        clEnumValN(EmitForm::Planned, "planned", "each buffer's place"),
        clEnumValN(EmitForm::Llvm, "llvm", "LLVM IR"),
        clEnumValN(EmitForm::Assembly, "asm", "assembler"),
        clEnumValN(EmitForm::Ptx, "ptx", "code for a GPU, with --target=cuda"),
        clEnumValN(EmitForm::Object, "obj", "object file, as -o file.o"),
        clEnumValN(EmitForm::SharedLibrary, "so", "library, as -o file.so")),
    cl::init(EmitForm::Program), cl::cat(category));
static cl::opt<std::string>
    target("target", cl::desc("Devices: cpu, cuda (NVIDIA GPUs) or cpu,cuda"),
           cl::init("cpu"), cl::value_desc("cpu|cuda|cpu,cuda"),
           cl::cat(category));
static cl::opt<std::string>
    gpuArch("gpu-arch",
            cl::desc("NVIDIA GPUs to run on: sm_80 or newer ones for machine "
                     "code and PTX of the oldest, or compute_80 or a newer "
                     "one for PTX alone"),
            cl::init(CompileFileOptions().gpuArch),
            cl::value_desc("sm_NN[,...]"), cl::cat(category));
static cl::opt<std::string>
    engine("engine",
           cl::desc("Library that computes products of matrices on a GPU: "
                    "cublaslt"),
           cl::value_desc("cublaslt"), cl::cat(category));
static cl::opt<std::string>
    precision("precision",
              cl::desc("Large products of float32 on a GPU: exact, tf32, "
                       "3xtf32 or bf16"),
              cl::init(CompileFileOptions().precision),
              cl::value_desc("exact|tf32|3xtf32|bf16"), cl::cat(category));
static cl::opt<std::string>
    targetCpu("target-cpu",
              cl::desc("Instruction set level: host, or x86-64 to "
                       "x86-64-v4"),
              cl::init("host"), cl::value_desc(targetCpuNames),
              cl::cat(category));
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
static OnnxCommandLine onnx(category);
static cl::opt<bool>
    check("check",
          cl::desc("Only read the model and print all that is wrong with it "
                   "or not supported"),
          cl::cat(category));
static cl::opt<std::string> maxWorkspace(
    "max-workspace",
    cl::desc("Fail if the workspace, the results between kernels, is larger"),
    cl::value_desc("BYTES|nKB|nMB|nGB"), cl::cat(category));
static cl::opt<ReportFormat>
    report("report", cl::desc("Print memory, work and kernels of the model"),
           cl::ValueOptional, cl::init(ReportFormat::None),
           cl::values(clEnumValN(ReportFormat::Text, "", "as text"),
                      clEnumValN(ReportFormat::Text, "text", "as text"),
                      clEnumValN(ReportFormat::Json, "json", "for machines")),
           cl::cat(category));
static cl::opt<std::string>
    planSvg("plan-svg", cl::desc("Draw the memory plan, time by offset"),
            cl::value_desc("F.svg"), cl::cat(category));
static cl::opt<std::string>
    graphSvg("graph-svg",
             cl::desc("Draw the graph as it was read (needs Graphviz)"),
             cl::value_desc("F.svg"), cl::cat(category));
static cl::opt<std::string> optimizedGraphSvg(
    "optimized-graph-svg",
    cl::desc("Draw the graph as the optimizer leaves it (needs Graphviz)"),
    cl::value_desc("F.svg"), cl::cat(category));
static cl::opt<bool>
    unfoldGraph("unfold-graph",
                cl::desc("Draw every repetition of equal blocks in a row"),
                cl::cat(category));
static cl::list<std::string>
    noOptimize("no-optimize", cl::CommaSeparated,
               cl::desc("Leave out optimizations of the graph, or all"),
               cl::value_desc("NAME[,NAME]"), cl::cat(category));
static cl::opt<std::string>
    graphPasses("graph-passes",
                cl::desc("Run passes on the optimized graph, a pipeline of "
                         "MLIR"),
                cl::value_desc("PASS[,PASS]"), cl::cat(category));
static cl::list<std::string>
    passPlugins("load-pass-plugin",
                cl::desc("Load passes of MLIR for --graph-passes"),
                cl::value_desc("F.so"), cl::cat(category));
static cl::opt<double> winogradError(
    "winograd-error",
    cl::desc("Largest error of convolutions by Winograd's method, in parts of "
             "the largest value"),
    cl::init(CompileFileOptions().winogradError), cl::value_desc("E"),
    cl::cat(category));
static cl::opt<bool> checkEachPass(
    "check-each-pass",
    cl::desc("Interpret the graph before and after each pass on random inputs, "
             "and name the first one that changes what it computes"),
    cl::cat(category));
static cl::opt<bool>
    unchecked("unchecked", cl::desc("Leave out checks of run-time positions"),
              cl::cat(category));

static cl::opt<bool> noCache("no-cache",
                             cl::desc("Neither take code from the cache of "
                                      "compiled code nor leave it there"),
                             cl::cat(category));
static cl::opt<unsigned>
    compileThreads("compile-threads",
                   cl::desc("Threads to compile on, 0 for one a core"),
                   cl::value_desc("N"), cl::init(0), cl::cat(category));

static llvm::Error makeError(const llvm::Twine &text) {
  return llvm::createStringError(text);
}

/// What --max-workspace says.
static llvm::Expected<uint64_t> parseMaxWorkspace() {
  std::optional<uint64_t> bytes = parseByteCount(maxWorkspace);
  if (!bytes || *bytes == 0)
    return makeError("--max-workspace: expected a number of bytes such as "
                     "4096, 64KB or 2MB, got '" +
                     maxWorkspace + "'");
  return *bytes;
}

/// An option that changes nothing before the model reaches a form is a mistake.
static llvm::Error checkForm() {
  struct Use {
    const cl::Option &option;
    EmitForm first;
  };
  const Use uses[] = {
      {target, EmitForm::Kernels},    {gpuArch, EmitForm::Kernels},
      {engine, EmitForm::Kernels},    {precision, EmitForm::Kernels},
      {targetCpu, EmitForm::Kernels}, {maxWorkspace, EmitForm::Planned},
      {report, EmitForm::Object},     {planSvg, EmitForm::Object},
      {weights, EmitForm::Object},    {externalWeights, EmitForm::Object}};
  for (const Use &use : uses)
    if (use.option.getNumOccurrences() && emitForm < use.first)
      return makeError(
          "--" + use.option.ArgStr +
          ": expected --emit=" + emitFormName(use.first) +
          " or a later form, got --emit=" + emitFormName(emitForm));
  return llvm::Error::success();
}

static llvm::Error checkOptions() {
  auto targets = parseTargets(target);
  if (!targets)
    return targets.takeError();
  if (gpuArch.getNumOccurrences() && !targets->cuda)
    return makeError("--gpu-arch: expected --target=cuda or --target=cpu,cuda");
  if (targetCpu.getNumOccurrences() && !targets->cpu)
    return makeError("--target-cpu: expected --target=cpu or "
                     "--target=cpu,cuda");
  if (externalWeights && weights.empty())
    return makeError("--external-weights: expected --weights with the file "
                     "that the program is to map");
  if (!passPlugins.empty() && graphPasses.empty())
    return makeError("--load-pass-plugin: expected --graph-passes with the "
                     "passes to run");
  if (unfoldGraph && graphSvg.empty() && optimizedGraphSvg.empty())
    return makeError("--unfold-graph: expected --graph-svg or "
                     "--optimized-graph-svg");
  bool wantsReport = report != ReportFormat::None || !planSvg.empty() ||
                     !graphSvg.empty() || !optimizedGraphSvg.empty() ||
                     !maxWorkspace.empty();
  bool wantsOutput = emitForm != EmitForm::Program || !output.empty();
  if (check && (wantsOutput || wantsReport))
    return makeError("--check: expected neither -o nor --emit nor a report");
  if (!check && !wantsOutput && !wantsReport)
    return makeError("expected -o FILE, --emit=FORM, --report or --check");
  return checkForm();
}

static llvm::Error compile() {
  if (llvm::Error error = checkOptions())
    return error;
  CompileFileOptions options;
  options.model = model;
  options.output = output;
  options.form = emitForm;
  options.target = target;
  options.targetCpu = targetCpu;
  options.gpuArch = gpuArch;
  options.engine = engine;
  options.precision = precision;
  options.weights = weights;
  options.externalWeights = externalWeights;
  options.disabledOptimizations = noOptimize;
  options.winogradError = winogradError;
  options.checkEachPass = checkEachPass;
  options.graphPasses = graphPasses;
  options.passPlugins = passPlugins;
  options.unchecked = unchecked;
  options.useCache = !noCache;
  options.compileThreads = compileThreads;
  options.onnx = onnx.get();
  options.checkOnly = check;
  options.report = report;
  options.planSvg = planSvg;
  options.graphSvg = graphSvg;
  options.optimizedGraphSvg = optimizedGraphSvg;
  options.unfoldGraph = unfoldGraph;
  options.progress = progress.get();
  if (!maxWorkspace.empty())
    if (llvm::Error error = parseMaxWorkspace().moveInto(options.maxWorkspace))
      return error;
  return compileFile(options);
}

int main(int argc, char **argv) {
  ToolProcess process(argc, argv);
  registerVersion();
  registerPasses();
  commandLine.addValues(emitForm);
  commandLine.addValues(report);
  commandLine.parse(argc, argv);
  return reportError(compile(), "hamkaas-compile");
}
