//===- hamkaas-run.cpp - Compiles, runs, compares and times -----*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Dialect/HamKaas/IR/FormatType.h"
#include "HamKaas/Dialect/HamKaas/IR/HamKaas.h"
#include "HamKaas/Dialect/HamKaas/IR/ProgramSignature.h"
#include "HamKaas/Driver/Compiler.h"
#include "HamKaas/Driver/Model.h"
#include "HamKaas/Driver/Registration.h"
#include "HamKaas/Driver/ToolCommandLine.h"
#include "HamKaas/Engine/EngineHost.h"
#include "HamKaas/Engine/ListEngines.h"
#include "HamKaas/Program/ElementTypes.h"
#include "HamKaas/Program/LoadedProgram.h"
#include "HamKaas/Report/Report.h"
#include "HamKaas/Run/CheckPasses.h"
#include "HamKaas/Run/Runner.h"
#include "HamKaas/Run/Tensors.h"
#include "HamKaas/Runtime/Core/Device.h"
#include "HamKaas/Support/Signals.h"
#include "HamKaas/Target/Target.h"
#include "Outputs.h"
#include "ProfileCommandLine.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include <chrono>

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

/// Splits NAME=VALUE behind the longest declared name, which may have a '='
/// itself; at the first '=' if none fits.
static std::pair<StringRef, StringRef>
splitAssignment(StringRef assignment,
                ArrayRef<TensorDeclaration> declarations) {
  std::pair<StringRef, StringRef> best = assignment.split('=');
  for (const TensorDeclaration &declaration : declarations) {
    StringRef value = assignment;
    if (declaration.name.size() > best.first.size() &&
        value.consume_front(declaration.name) && value.consume_front("="))
      best = {declaration.name, value};
  }
  return best;
}

/// Splits NAME=VALUE for each option; a name must be declared and given once.
static llvm::Expected<llvm::StringMap<std::string>>
parseAssignments(StringRef option, ArrayRef<std::string> assignments,
                 ArrayRef<TensorDeclaration> declarations) {
  llvm::StringMap<std::string> values;
  auto names = llvm::map_range(
      declarations, [](const TensorDeclaration &d) { return d.name; });
  for (StringRef assignment : assignments) {
    auto [name, value] = splitAssignment(assignment, declarations);
    if (value.empty())
      return makeError("--" + option + ": expected NAME=VALUE, got '" +
                       assignment + "'");
    if (!llvm::is_contained(names, name))
      return makeError(
          "--" + option + ": the model has no " + option + " '" + name +
          "'; it has " +
          (declarations.empty() ? "none" : llvm::join(names, ", ")));
    if (!values.try_emplace(name, value.str()).second)
      return makeError("--" + option + ": '" + name + "' is given twice");
  }
  return values;
}

/// `kind` is "input" or "output".
static llvm::Error checkMemory(StringRef kind,
                               const TensorDeclaration &declaration) {
  if (Tensor::canAllocate(declaration.type))
    return llvm::Error::success();
  return makeError("cannot allocate " +
                   llvm::Twine(Tensor::getBytes(declaration.type)) +
                   " bytes for the " + kind + " '" + declaration.name + "'");
}

/// Reads an input from a file, which a misspelt word looks like.
static llvm::Expected<Tensor> readInput(StringRef source,
                                        const TensorDeclaration &declaration) {
  if (source.ends_with(".npy") || llvm::sys::fs::exists(source))
    return readTensor(source, declaration.name, declaration.type);
  std::string meant;
  constexpr unsigned mostEdits = 2;
  for (StringRef word : {"random", "zeros"})
    if (source.edit_distance(word, /*AllowReplacements=*/true, mostEdits) <=
        mostEdits)
      meant = (", did you mean '" + word + "'?").str();
  return makeError("--input: '" + declaration.name +
                   "': expected a .npy file, random or zeros, got '" + source +
                   "', and no such file exists" + meant);
}

/// The value of --input for each of the inputs.
static llvm::Expected<llvm::StringMap<std::string>>
findSources(const ToolCommandLine &line,
            ArrayRef<TensorDeclaration> declarations) {
  auto sources =
      parseAssignments("input", line.getAll(OPT_input), declarations);
  if (!sources)
    return sources;
  std::string missing;
  for (const TensorDeclaration &declaration : declarations)
    if (!sources->contains(declaration.name))
      llvm::raw_string_ostream(missing)
          << "\n  --input " << declaration.name << "=F.npy|random|zeros  ("
          << formatType(declaration.type) << ")";
  if (!missing.empty())
    return makeError("expected contents for every input; missing:" + missing);
  return sources;
}

static llvm::Expected<SmallVector<Tensor>>
loadInputs(const ToolCommandLine &line,
           ArrayRef<TensorDeclaration> declarations) {
  auto sources = findSources(line, declarations);
  if (!sources)
    return sources.takeError();
  SmallVector<Tensor> tensors;
  for (const TensorDeclaration &declaration : declarations) {
    std::string source = sources->lookup(declaration.name);
    if (llvm::Error error = checkMemory("input", declaration))
      return std::move(error);
    Tensor tensor(declaration.type);
    if (source == "random") {
      tensor = makeRandomTensor(declaration.type, declaration.name);
    } else if (source != "zeros") {
      auto read = readInput(source, declaration);
      if (!read)
        return read.takeError();
      tensor = std::move(*read);
    }
    tensors.push_back(std::move(tensor));
  }
  return tensors;
}

static llvm::Expected<SmallVector<Tensor>>
makeOutputs(ArrayRef<TensorDeclaration> declarations) {
  SmallVector<Tensor> tensors;
  for (const TensorDeclaration &declaration : declarations) {
    if (llvm::Error error = checkMemory("output", declaration))
      return std::move(error);
    tensors.emplace_back(declaration.type);
  }
  return tensors;
}

static uint64_t readClock() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

/// Runs once, or `repeat` times, and returns the nanoseconds of each. `profile`
/// may be null.
static llvm::Expected<SmallVector<uint64_t>>
run(Runner &runner, ArrayRef<Tensor> inputs, MutableArrayRef<Tensor> outputs,
    int repeat, Profile *profile) {
  SmallVector<uint64_t> times;
  uint64_t first = readClock();
  for (int i = 0; i < std::max(1, repeat); ++i) {
    uint64_t begin = readClock();
    if (llvm::Error error = runner.run(inputs, outputs))
      return std::move(error);
    times.push_back(readClock() - begin);
    if (profile)
      profile->addRun(begin - first, times.back(), runner.profile());
  }
  return times;
}

static void printTimes(SmallVector<uint64_t> times) {
  llvm::sort(times);
  llvm::outs() << "time of a run: "
               << llvm::format("%.4g ms median of %d, %.4g ms least\n",
                               1e-6 * times[times.size() / 2],
                               int(times.size()), 1e-6 * times.front());
}

//===----------------------------------------------------------------------===//
// The model and its runners
//===----------------------------------------------------------------------===//

namespace {

/// The model of the command line, in the forms that were asked for.
struct LoadedModel {
  std::unique_ptr<ModelFile> file;
  ModuleOp graph; ///< Null for a compiled model.
  std::unique_ptr<LoadedProgram> program;
  ProgramInfo info;
  /// The entry function to run, and `info` with that one as the first.
  std::string function;
  ProgramInfo running;
  /// The runner of the model, and the one its outputs are compared with, if
  /// any.
  std::unique_ptr<Runner> runner, expected;
};

} // namespace

static bool runsReference(const ToolCommandLine &line) {
  return line.get(OPT_device) == "reference";
}
static bool runsEmulation(const ToolCommandLine &line) {
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

/// The value of --emulation-order.
static llvm::Expected<emulation::ThreadOrder>
parseThreadOrder(const ToolCommandLine &line) {
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

static llvm::Error loadModel(const ToolCommandLine &line, LoadedModel &loaded) {
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

//===----------------------------------------------------------------------===//
// The run
//===----------------------------------------------------------------------===//

/// Options that only some devices have a use for.
static llvm::Error checkDevice(const ToolCommandLine &line) {
  StringRef device = line.get(OPT_device);
  if (!runsReference(line) && !runsEmulation(line) &&
      !rt::isDeviceName(device.str().c_str()))
    return makeError("--device: expected cpu, cuda, cuda:N, cuda-emulation, "
                     "reference or best, got '" +
                     device + "'");
  for (ToolOption option : {OPT_emulation_order, OPT_emulation_sums})
    if (line.has(option) && !runsEmulation(line))
      return makeError(
          getFlag(option) +
          ": expected --device=cuda-emulation, got --device=" + device);
  for (ToolOption option : {OPT_profile, OPT_emit_report, OPT_check_each_pass})
    if (line.has(option) && runsReference(line))
      return makeError(getFlag(option) +
                       ": expected a device that runs a program, got "
                       "'reference'");
  if (line.has(OPT_profile) && runsEmulation(line))
    return makeError("--profile: expected a device whose times mean something, "
                     "got 'cuda-emulation'");
  return llvm::Error::success();
}

static llvm::Error checkOptions(const ToolCommandLine &line) {
  if (auto order = parseThreadOrder(line); !order)
    return order.takeError();
  if (llvm::Error error = checkDevice(line))
    return error;
  if (StringRef device = line.get(OPT_check_against);
      line.has(OPT_check_against) && device != "reference")
    return makeError("--check-against: expected reference, got '" + device +
                     "'");
  return llvm::Error::success();
}

/// Runs the model, prints times and writes the profile that were asked for.
static llvm::Error runAndTime(const ToolCommandLine &line,
                              ProfileCommandLine &profiling,
                              LoadedModel &loaded, ArrayRef<Tensor> inputs,
                              MutableArrayRef<Tensor> outputs) {
  // The ceilings are those of the processor.
  bool isOnGpu = loaded.runner->device().starts_with("cuda");
  std::optional<Ceilings> ceilings;
  if (profiling.wantsProfile() && !isOnGpu)
    if (llvm::Error error = profiling.loadCeilings().moveInto(ceilings))
      return error;
  int threads = line.getNumber(OPT_threads);
  Profile profile(loaded.running, threads ? threads : getProcessorCount(),
                  ceilings ? &*ceilings : nullptr,
                  isOnGpu ? loaded.runner->device() : "");
  int repeat = line.getNumber(OPT_repeat);
  auto times = run(*loaded.runner, inputs, outputs, repeat,
                   profiling.wantsProfile() ? &profile : nullptr);
  if (!times)
    return times.takeError();
  if (repeat > 0)
    printTimes(*times);
  if (!profiling.wantsProfile())
    return llvm::Error::success();
  return profiling.write(profile);
}

/// Names the code that runs, which with the model decides the outputs' bits.
static std::string describeCode(const LoadedModel &loaded) {
  StringRef device = loaded.runner->device();
  return device == "cpu" ? loaded.info.targetCpu : device.str();
}

/// Runs the model on the inputs, and what it is compared with.
static llvm::Error runAndCompare(const ToolCommandLine &line,
                                 ProfileCommandLine &profiling,
                                 LoadedModel &loaded,
                                 ArrayRef<Tensor> inputTensors,
                                 const llvm::StringMap<std::string> &files) {
  Runner &runner = *loaded.runner;
  auto results = makeOutputs(runner.outputs());
  if (!results)
    return results.takeError();
  if (llvm::Error error =
          runAndTime(line, profiling, loaded, inputTensors, *results))
    return error;
  if (llvm::Error error = writeOutputs(runner.outputs(), *results, files))
    return error;
  if (line.isOn(OPT_digest))
    if (llvm::Error error =
            printDigests(runner.outputs(), *results, describeCode(loaded),
                         line.getNumber(OPT_threads)))
      return error;
  if (!loaded.expected)
    return llvm::Error::success();
  auto expected = makeOutputs(runner.outputs());
  if (!expected)
    return expected.takeError();
  auto times = run(*loaded.expected, inputTensors, *expected,
                   line.getNumber(OPT_repeat), nullptr);
  if (!times)
    return times.takeError();
  return checkOutputs(runner.outputs(), *results, *expected);
}

static llvm::Error runModel(const ToolCommandLine &line) {
  ProfileCommandLine profiling(line);
  if (llvm::Error error = checkOptions(line))
    return error;
  if (llvm::Error error = profiling.check())
    return error;
  if (profiling.wantsCalibration()) {
    if (llvm::Error error = profiling.calibrate())
      return error;
    if (!line.getArgument())
      return llvm::Error::success();
  }
  if (line.isOn(OPT_list_engines)) {
    printEngines(EngineHost::get(line.get(OPT_engine_path)), llvm::outs());
    if (!line.getArgument())
      return llvm::Error::success();
  }
  if (!line.getArgument())
    return makeError("expected a model: a script, .mlir, .onnx, .gguf or .so");
  LoadedModel loaded;
  if (llvm::Error error = loadModel(line, loaded))
    return error;
  // Before the run, which may take long.
  auto files = parseAssignments("output", line.getAll(OPT_output),
                                loaded.runner->outputs());
  if (!files)
    return files.takeError();
  if (line.isOn(OPT_emit_report))
    printReport(loaded.info, llvm::outs());
  auto inputTensors = loadInputs(line, loaded.runner->inputs());
  if (!inputTensors)
    return inputTensors.takeError();
  return runAndCompare(line, profiling, loaded, *inputTensors, *files);
}

int main(int argc, char **argv) {
  ToolProcess process(argc, argv);
  nameCrashingEngines();
  ToolCommandLine line("hamkaas-run", RunTool, "Runs a model",
                       "MODEL (script, .mlir, .onnx, .gguf or .so)");
  llvm::Error error = line.parse(argc, argv);
  if (!error)
    error = runModel(line);
  return reportError(std::move(error), "hamkaas-run");
}
