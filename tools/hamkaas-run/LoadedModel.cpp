//===- LoadedModel.cpp - The model and its runners --------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoadedModel.h"
#include "HamKaas/Dialect/HamKaas/IR/HamKaas.h"
#include "HamKaas/Dialect/HamKaas/IR/ProgramSignature.h"
#include "HamKaas/Driver/Compiler.h"
#include "HamKaas/Engine/EngineHost.h"
#include "HamKaas/Report/Report.h"
#include "HamKaas/Run/CheckPasses.h"
#include "HamKaas/Runtime/Core/Device.h"
#include "HamKaas/Target/Target.h"
#include "TensorOptions.h"
#include "hamkaas-c/Engine.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace hamkaas;

static llvm::Error makeError(const llvm::Twine &text) {
  return llvm::createStringError(text);
}

/// The files that are compared with their digests.
enum class Verify { None, Weights, All };

static Verify getVerify(const ToolCommandLine &line) {
  if (!line.has(OPT_verify))
    return Verify::Weights;
  return llvm::StringSwitch<Verify>(line.get(OPT_verify))
      .Case("none", Verify::None)
      .Case("weights", Verify::Weights)
      .Default(Verify::All);
}

bool hamkaas::runsReference(const ToolCommandLine &line) {
  return line.get(OPT_device) == "reference";
}

bool hamkaas::runsEmulation(const ToolCommandLine &line) {
  return line.get(OPT_device) == "cuda-emulation";
}

static llvm::Error loadLibrary(const ToolCommandLine &line,
                               LoadedModel &loaded) {
  StringRef model = *line.getArgument();
  if (runsReference(line) || line.has(OPT_check_against))
    return makeError(model + ": a compiled model holds no graph that the "
                             "reference could interpret");
  if (std::optional<ToolOption> option = line.findCompileOption())
    return makeError(getFlag(*option) +
                     ": expected a model to compile, got the compiled model '" +
                     model + "'");
  if (llvm::Error error = LoadedProgram::fromSharedLibrary(
                              model, getVerify(line) == Verify::All)
                              .moveInto(loaded.program))
    return error;
  loaded.info = readProgramInfo(loaded.program->program());
  return llvm::Error::success();
}

static llvm::Expected<ModuleOp> parseGraph(const ToolCommandLine &line,
                                           ModelFile &file) {
  auto onnx = readOnnxOptions(file, line.getOnnx());
  if (!onnx)
    return onnx.takeError();
  auto graph = file.parse(
      {line.isOn(OPT_unchecked), {}, std::move(*onnx), line.getSettings()});
  if (graph && file.parameters() && line.has(OPT_weights))
    return makeError("--weights: expected a model without parameters of its "
                     "own, got '" +
                     *line.getArgument() + "'");
  return graph;
}

static SmallVector<TensorDeclaration> getInputs(func::FuncOp function) {
  SmallVector<TensorDeclaration> inputs;
  for (auto [i, type] : llvm::enumerate(function.getArgumentTypes()))
    inputs.push_back(
        {function.getArgAttrOfType<StringAttr>(i, HamKaasDialect::nameAttrName)
             .str(),
         cast<RankedTensorType>(type)});
  return inputs;
}

static SmallVector<TensorDeclaration> getOutputs(func::FuncOp function) {
  SmallVector<TensorDeclaration> outputs;
  for (auto [i, type] : llvm::enumerate(function.getResultTypes()))
    outputs.push_back(
        {function
             .getResultAttrOfType<StringAttr>(i, HamKaasDialect::nameAttrName)
             .str(),
         cast<RankedTensorType>(type)});
  return outputs;
}

/// The passes are checked on what the model will run on.
static llvm::Error loadCheckedTensors(const ToolCommandLine &line,
                                      ArrayRef<TensorDeclaration> declarations,
                                      SmallVector<Tensor> &tensors,
                                      KnownTensors &known) {
  if (llvm::Error error = loadInputs(line, declarations).moveInto(tensors))
    return error;
  auto contents = std::make_shared<ParameterContents>();
  for (auto [declaration, tensor] : llvm::zip_equal(declarations, tensors))
    contents->add(
        declaration.name,
        ArrayRef(static_cast<const char *>(tensor.data()), tensor.bytes()));
  known.inputs = std::move(contents);
  if (!line.has(OPT_weights))
    return llvm::Error::success();
  return readContents(line.get(OPT_weights)).moveInto(known.parameters);
}

/// How the model is compiled for its device.
static CompileOptions getCompileOptions(const ToolCommandLine &line,
                                        ModelFile &file) {
  CompileOptions options;
  static_cast<CompileSettings &>(options) = line.getSettings();
  StringRef device = line.get(OPT_device);
  if (runsEmulation(line)) {
    options.target = "cuda";
    options.gpuArch = "emulation";
  } else if (!runsReference(line)) {
    options.target = rt::targetOfDevice(device.str().c_str(),
                                        getOldestGpu(options.gpuArch).c_str());
  }
  // The best device may be the processor, which has no use for engines of
  // others.
  if (device == "best" && options.target == "cpu")
    options.engine =
        keepRulesFor(HamKaasEngineCpu, options.engine, options.enginePath);
  options.name = getModelName(*line.getArgument());
  options.source = file.text();
  options.parameters = file.parameters();
  return options;
}

/// Lowers the graph as it was written: the reference runs that, so that it
/// finds an optimization that changes the meaning.
static llvm::Error lowerForReference(ModuleOp graph, CompileOptions options) {
  options.noOptimize = "all";
  options.checkEachPass = false;
  return lowerModel(graph, Form::Graph, options);
}

static SmallVector<std::string> getFunctionNames(const LoadedModel &loaded) {
  SmallVector<std::string> names;
  if (loaded.program)
    for (const FunctionInfo *function : loaded.info.functions())
      names.push_back(function->function);
  else
    for (auto function : ModuleOp(loaded.graph).getOps<func::FuncOp>())
      names.push_back(function.getSymName().str());
  return names;
}

/// Finds the function that the options name, or the first one.
static llvm::Error selectFunction(const ToolCommandLine &line,
                                  LoadedModel &loaded) {
  SmallVector<std::string> names = getFunctionNames(loaded);
  StringRef wanted = line.get(OPT_function);
  auto found = wanted.empty() ? names.begin() : llvm::find(names, wanted);
  if (found == names.end())
    return makeError("--function: the model has no function '" + wanted +
                     "'; it has " + llvm::join(names, ", "));
  loaded.function = *found;
  loaded.running = loaded.info;
  if (size_t number = found - names.begin(); loaded.program && number > 0)
    std::swap<FunctionInfo>(loaded.running,
                            loaded.running.furtherFunctions[number - 1]);
  return llvm::Error::success();
}

/// Parses the model, and compiles it unless the reference runs it.
static llvm::Error loadGraph(const ToolCommandLine &line, LoadedModel &loaded) {
  if (llvm::Error error = parseGraph(line, *loaded.file).moveInto(loaded.graph))
    return error;
  CompileOptions options = getCompileOptions(line, *loaded.file);
  if (llvm::Error error = lowerForReference(loaded.graph, options))
    return error;
  loaded.info.name = options.name;
  if (runsReference(line))
    return llvm::Error::success();
  // Before the compilation, which may take long.
  if (llvm::Error error = selectFunction(line, loaded))
    return error;
  func::FuncOp function = findEntryFunction(loaded.graph, loaded.function);
  if (auto files = parseAssignments("output", line.getAll(OPT_output),
                                    getOutputs(function));
      !files)
    return files.takeError();
  SmallVector<TensorDeclaration> inputs = getInputs(function);
  if (auto sources = findSources(line, inputs); !sources)
    return sources.takeError();
  SmallVector<Tensor> checkedInputs;
  if (options.checkEachPass)
    if (llvm::Error error = loadCheckedTensors(line, inputs, checkedInputs,
                                               options.checkedTensors))
      return error;
  OwningOpRef<ModuleOp> copy(loaded.graph.clone());
  ProgressLine progress(options.name, &loaded.file->context(),
                        line.getProgress());
  progress.attach(options);
  auto compiled = compileInMemory(*copy, options);
  if (!compiled)
    return compiled.takeError();
  loaded.info = std::move(compiled->info);
  loaded.program = std::move(compiled->program);
  return llvm::Error::success();
}

llvm::Expected<emulation::ThreadOrder>
hamkaas::parseThreadOrder(const ToolCommandLine &line) {
  using emulation::ThreadOrder;
  StringRef text = line.get(OPT_emulation_order);
  if (text == "forward")
    return ThreadOrder{ThreadOrder::Forward};
  if (text == "backward")
    return ThreadOrder{ThreadOrder::Backward};
  ThreadOrder order = {ThreadOrder::Shuffled};
  if (!text.getAsInteger(10, order.seed))
    return order;
  return makeError("--emulation-order: expected forward, backward or a number, "
                   "got '" +
                   text + "'");
}

static llvm::Error createRunners(const ToolCommandLine &line,
                                 LoadedModel &loaded) {
  RunnerOptions options;
  if (llvm::Error error = selectFunction(line, loaded))
    return error;
  options.function = loaded.function;
  if (llvm::Error error = parseThreadOrder(line).moveInto(options.threadOrder))
    return error;
  options.productSums = line.get(OPT_emulation_sums) == "cut"
                            ? emulation::ProductSums::Cut
                            : emulation::ProductSums::Rounded;
  options.name = loaded.info.name;
  options.device = line.get(OPT_device);
  options.threads = line.getNumber(OPT_threads);
  options.profile = line.has(OPT_profile);
  options.weightsFile = line.get(OPT_weights);
  options.unverified = getVerify(line) == Verify::None;
  options.parameters = loaded.file->parameters().get();
  if (runsReference(line))
    return createReferenceRunner(loaded.graph, options).moveInto(loaded.runner);
  if (line.has(OPT_check_against))
    if (llvm::Error error = createReferenceRunner(loaded.graph, options)
                                .moveInto(loaded.expected))
      return error;
  auto create =
      runsEmulation(line) ? createEmulatedRunner : createProgramRunner;
  return explainWorkspace(
      create(loaded.program->program(), &loaded.file->context(), options)
          .moveInto(loaded.runner),
      loaded.running);
}

llvm::Error hamkaas::loadModel(const ToolCommandLine &line,
                               LoadedModel &loaded) {
  StringRef model = *line.getArgument();
  if (llvm::Error error = ModelFile::open(model).moveInto(loaded.file))
    return error;
  bool isLibrary = loaded.file->kind() == ModelKind::SharedLibrary;
  if (line.has(OPT_verify) && !isLibrary)
    return makeError("--verify: expected a compiled model, got '" + model +
                     "'");
  // No library has a use for options of ONNX models.
  if (isLibrary)
    if (auto onnx = readOnnxOptions(*loaded.file, line.getOnnx()); !onnx)
      return onnx.takeError();
  if (llvm::Error error =
          isLibrary ? loadLibrary(line, loaded) : loadGraph(line, loaded))
    return error;
  return createRunners(line, loaded);
}
