//===- hamkaas-run.cpp - Compiles, runs, compares and times -----*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Dialect/HamKaas/IR/HamKaas.h"
#include "HamKaas/Dialect/HamKaas/IR/ProgramSymbols.h"
#include "HamKaas/Driver/Compiler.h"
#include "HamKaas/Driver/Model.h"
#include "HamKaas/Driver/OnnxOptions.h"
#include "HamKaas/Driver/Registration.h"
#include "HamKaas/Driver/ToolCommandLine.h"
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
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Format.h"
#include <chrono>

using namespace mlir;
using namespace hamkaas;
namespace cl = llvm::cl;

static cl::OptionCategory category("Options of hamkaas-run");
static ToolCommandLine commandLine("hamkaas-run", "Runs a model", category);
static ProgressCommandLine progress(commandLine, category);
static cl::opt<std::string> model(cl::Positional, cl::init(""),
                                  cl::desc("MODEL (script, .mlir, .onnx "
                                           "or .so)"),
                                  cl::cat(category));
static cl::list<std::string>
    inputs("input", cl::desc("Contents of an input, once for each"),
           cl::value_desc("NAME=F.npy|random|zeros"), cl::cat(category));
static OnnxCommandLine onnxOptions(category);
static cl::list<std::string> outputs("output",
                                     cl::desc("Where to write an output"),
                                     cl::value_desc("NAME=F.npy"),
                                     cl::cat(category));
static cl::opt<std::string> weights("weights",
                                    cl::desc("File with the parameters"),
                                    cl::value_desc("F.safetensors"),
                                    cl::cat(category));

/// What is compared with its digest.
enum class Verify { None, Weights, All };
static cl::opt<Verify>
    verify("verify", cl::desc("Compare with their digests:"), cl::ValueOptional,
           cl::init(Verify::Weights),
           cl::values(clEnumValN(Verify::All, "", "as all"),
                      clEnumValN(Verify::All, "all",
                                 "the library and the weights that it names"),
                      clEnumValN(Verify::Weights, "weights",
                                 "the weights, as without the option"),
                      clEnumValN(Verify::None, "none", "nothing")),
           cl::cat(category));
static cl::opt<std::string>
    device("device",
           cl::desc("cpu, cuda, cuda:N (an NVIDIA GPU), cuda-emulation (one "
                    "that is emulated), reference (the interpreter) or best"),
           cl::init("cpu"),
           cl::value_desc("cpu|cuda|cuda:N|cuda-emulation|reference|best"),
           cl::cat(category));
static cl::opt<std::string> emulationOrder(
    "emulation-order",
    cl::desc("In which cuda-emulation runs the threads of a block: forward, "
             "backward, or shuffled by a number"),
    cl::value_desc("forward|backward|SEED"), cl::init("forward"),
    cl::cat(category));

static cl::opt<emulation::ProductSums> emulationSums(
    "emulation-sums",
    cl::desc("How cuda-emulation adds the products of tensor cores:"),
    cl::values(clEnumValN(emulation::ProductSums::Rounded, "rounded",
                          "exactly, then rounded"),
               clEnumValN(emulation::ProductSums::Cut, "cut",
                          "as GPUs do, which cut digits off")),
    cl::init(emulation::ProductSums::Rounded), cl::cat(category));

/// LLVM registers an option of the name we promise. This runs before ours is
/// constructed: the order within a file is that of the text.
[[maybe_unused]] static const bool isNameFree = [] {
  auto &options = cl::getRegisteredOptions();
  if (auto found = options.find("threads"); found != options.end())
    found->second->removeArgument();
  return true;
}();
static cl::opt<int> threads("threads",
                            cl::desc("Threads to run on, 0 for one a core"),
                            cl::init(0), cl::cat(category));
static cl::opt<int> repeat("repeat",
                           cl::desc("Run so many times and print the time"),
                           cl::init(0), cl::cat(category));
static cl::opt<std::string>
    checkAgainst("check-against",
                 cl::desc("Compare the outputs with those of this device"),
                 cl::value_desc("reference"), cl::cat(category));
static cl::opt<bool>
    digest("digest",
           cl::desc("Print the BLAKE3 of each output, to compare with others"),
           cl::cat(category));
static ProfileCommandLine profiling(category);
static cl::opt<bool> emitReport("emit-report",
                                cl::desc("Print what the model needs"),
                                cl::cat(category));
static cl::opt<std::string>
    targetCpu("target-cpu", cl::desc("Instruction set level to compile for"),
              cl::init("host"), cl::value_desc(targetCpuNames),
              cl::cat(category));
static cl::opt<std::string>
    gpuArch("gpu-arch",
            cl::desc("Architectures of NVIDIA GPUs to compile for: sm_NN for "
                     "machine code, or compute_NN"),
            cl::init(CompileOptions().gpuArch), cl::value_desc("sm_NN[,...]"),
            cl::cat(category));
static cl::opt<std::string>
    engine("engine",
           cl::desc("Library that computes products of matrices on a GPU: "
                    "cublaslt"),
           cl::value_desc("cublaslt"), cl::cat(category));
static cl::opt<std::string>
    precision("precision",
              cl::desc("Large products of float32 on a GPU: exact, tf32, "
                       "3xtf32 or bf16"),
              cl::init(CompileOptions().precision),
              cl::value_desc("exact|tf32|3xtf32|bf16"), cl::cat(category));
static cl::list<std::string>
    noOptimize("no-optimize", cl::CommaSeparated,
               cl::desc("Leave out optimizations of the graph, or all"),
               cl::value_desc("NAME[,NAME]"), cl::cat(category));
static cl::opt<double> winogradError(
    "winograd-error",
    cl::desc("Largest error of convolutions by Winograd's method, in parts of "
             "the largest value"),
    cl::init(CompileOptions().winogradError), cl::value_desc("E"),
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

static llvm::Expected<SmallVector<Tensor>>
loadInputs(ArrayRef<TensorDeclaration> declarations) {
  auto sources = parseAssignments("input", inputs, declarations);
  if (!sources)
    return sources.takeError();
  SmallVector<Tensor> tensors;
  std::string missing;
  for (const TensorDeclaration &declaration : declarations) {
    auto source = sources->find(declaration.name);
    if (source == sources->end()) {
      llvm::raw_string_ostream(missing)
          << "\n  --input " << declaration.name << "=F.npy|random|zeros  ("
          << formatType(declaration.type) << ")";
      continue;
    }
    if (llvm::Error error = checkMemory("input", declaration))
      return std::move(error);
    Tensor tensor(declaration.type);
    if (source->second == "random") {
      tensor = makeRandomTensor(declaration.type, declaration.name);
    } else if (source->second != "zeros") {
      auto read =
          readTensor(source->second, declaration.name, declaration.type);
      if (!read)
        return read.takeError();
      tensor = std::move(*read);
    }
    tensors.push_back(std::move(tensor));
  }
  if (!missing.empty())
    return makeError("expected contents for every input; missing:" + missing);
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

/// Runs once, or `--repeat` times, and returns the nanoseconds of each.
/// `profile` may be null.
static llvm::Expected<SmallVector<uint64_t>>
run(Runner &runner, ArrayRef<Tensor> inputs, MutableArrayRef<Tensor> outputs,
    Profile *profile) {
  SmallVector<uint64_t> times;
  uint64_t first = readClock();
  for (int i = 0; i < std::max(1, int(repeat)); ++i) {
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
                               1e-6 * times[times.size() / 2], int(repeat),
                               1e-6 * times.front());
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
  /// What runs the model, and what its outputs are compared with, if anything.
  std::unique_ptr<Runner> runner, expected;
};

} // namespace

static bool runsReference() { return device == "reference"; }
static bool runsEmulation() { return device == "cuda-emulation"; }

static llvm::Error loadLibrary(LoadedModel &loaded) {
  if (runsReference() || !checkAgainst.empty())
    return makeError(model + ": a compiled model holds no graph that the "
                             "reference could interpret");
  // NOTE: a list has an operator & of its own.
  for (const cl::Option *option : std::initializer_list<const cl::Option *>{
           &unchecked, &targetCpu, &gpuArch, &engine, &precision, &noCache,
           &compileThreads, &winogradError, &checkEachPass,
           std::addressof(noOptimize)})
    if (option->getNumOccurrences())
      return makeError(
          "--" + option->ArgStr +
          ": expected a model to compile, got the compiled model '" + model +
          "'");
  if (llvm::Error error =
          LoadedProgram::fromSharedLibrary(model, verify == Verify::All)
              .moveInto(loaded.program))
    return error;
  loaded.info = readProgramInfo(loaded.program->program());
  return llvm::Error::success();
}

static llvm::Expected<ModuleOp> parseGraph(ModelFile &file) {
  auto onnx = readOnnxOptions(file, onnxOptions.get());
  if (!onnx)
    return onnx.takeError();
  auto graph = file.parse({unchecked, {}, std::move(*onnx)});
  if (graph && file.parameters() && !weights.empty())
    return makeError("--weights: expected a model without parameters of its "
                     "own, got the ONNX model '" +
                     model + "'");
  return graph;
}

/// The passes are checked on what the model will run on.
static llvm::Error loadCheckedTensors(ModuleOp graph,
                                      SmallVector<Tensor> &tensors,
                                      KnownTensors &known) {
  auto main = graph.lookupSymbol<func::FuncOp>(mainName);
  SmallVector<TensorDeclaration> declarations;
  for (auto [i, type] : llvm::enumerate(main.getArgumentTypes()))
    declarations.push_back(
        {main.getArgAttrOfType<StringAttr>(i, HamKaasDialect::nameAttrName)
             .str(),
         cast<RankedTensorType>(type)});
  if (llvm::Error error = loadInputs(declarations).moveInto(tensors))
    return error;
  auto contents = std::make_shared<ParameterContents>();
  for (auto [declaration, tensor] : llvm::zip_equal(declarations, tensors))
    contents->add(
        declaration.name,
        ArrayRef(static_cast<const char *>(tensor.data()), tensor.bytes()));
  known.inputs = std::move(contents);
  if (weights.empty())
    return llvm::Error::success();
  return readContents(weights).moveInto(known.parameters);
}

/// Parses the model, and compiles it unless the reference runs it.
static llvm::Error loadGraph(LoadedModel &loaded) {
  if (llvm::Error error = parseGraph(*loaded.file).moveInto(loaded.graph))
    return error;
  CompileOptions options;
  options.gpuArch = gpuArch;
  options.precision = precision;
  if (runsEmulation()) {
    options.target = "cuda";
    options.gpuArch = "emulation";
  } else if (!runsReference()) {
    options.target =
        rt::targetOfDevice(device.c_str(), getOldestGpu(gpuArch).c_str());
  }
  // The best device may be the processor.
  if (device != "best" || options.target != "cpu")
    options.engine = engine;
  options.targetCpu = targetCpu;
  options.name = getModelName(model);
  options.source = loaded.file->text();
  options.parameters = loaded.file->parameters();
  options.useCache = !noCache;
  options.threads = compileThreads;
  // The reference runs what was written, so that it finds an optimization that
  // changes the meaning.
  options.disabledOptimizations = {"all"};
  if (llvm::Error error = lowerModel(loaded.graph, Form::Graph, options))
    return error;
  options.disabledOptimizations = noOptimize;
  options.winogradError = winogradError;
  options.checkEachPass = checkEachPass;
  SmallVector<Tensor> checkedInputs;
  if (checkEachPass)
    if (llvm::Error error = loadCheckedTensors(loaded.graph, checkedInputs,
                                               options.checkedTensors))
      return error;
  loaded.info.name = options.name;
  if (runsReference())
    return llvm::Error::success();
  OwningOpRef<ModuleOp> copy(loaded.graph.clone());
  ProgressLine line(options.name, &loaded.file->context(), progress.get());
  line.attach(options);
  auto compiled = compileInMemory(*copy, options);
  if (!compiled)
    return compiled.takeError();
  loaded.info = std::move(compiled->info);
  loaded.program = std::move(compiled->program);
  return llvm::Error::success();
}

/// What --emulation-order says.
static llvm::Expected<emulation::ThreadOrder> parseThreadOrder() {
  using emulation::ThreadOrder;
  if (emulationOrder == "forward")
    return ThreadOrder{ThreadOrder::Forward};
  if (emulationOrder == "backward")
    return ThreadOrder{ThreadOrder::Backward};
  ThreadOrder order = {ThreadOrder::Shuffled};
  if (!StringRef(emulationOrder).getAsInteger(10, order.seed))
    return order;
  return makeError("--emulation-order: expected forward, backward or a number, "
                   "got '" +
                   emulationOrder + "'");
}

static llvm::Error createRunners(LoadedModel &loaded) {
  RunnerOptions options;
  if (llvm::Error error = parseThreadOrder().moveInto(options.threadOrder))
    return error;
  options.productSums = emulationSums;
  options.name = loaded.info.name;
  options.device = device;
  options.threads = threads;
  options.profile = profiling.wantsProfile();
  options.weightsFile = weights;
  options.unverified = verify == Verify::None;
  options.parameters = loaded.file->parameters().get();
  if (runsReference())
    return createReferenceRunner(loaded.graph, options).moveInto(loaded.runner);
  if (!checkAgainst.empty())
    if (llvm::Error error = createReferenceRunner(loaded.graph, options)
                                .moveInto(loaded.expected))
      return error;
  auto create = runsEmulation() ? createEmulatedRunner : createProgramRunner;
  return explainWorkspace(
      create(loaded.program->program(), &loaded.file->context(), options)
          .moveInto(loaded.runner),
      loaded.info);
}

static llvm::Error loadModel(LoadedModel &loaded) {
  if (llvm::Error error = ModelFile::open(model).moveInto(loaded.file))
    return error;
  bool isLibrary = loaded.file->kind() == ModelKind::SharedLibrary;
  if (verify.getNumOccurrences() && !isLibrary)
    return makeError("--verify: expected a compiled model, got '" + model +
                     "'");
  // No library has a use for options of ONNX models.
  if (isLibrary)
    if (auto onnx = readOnnxOptions(*loaded.file, onnxOptions.get()); !onnx)
      return onnx.takeError();
  if (llvm::Error error = isLibrary ? loadLibrary(loaded) : loadGraph(loaded))
    return error;
  return createRunners(loaded);
}

//===----------------------------------------------------------------------===//
// The run
//===----------------------------------------------------------------------===//

static llvm::Error checkOptions() {
  if (!runsReference() && !runsEmulation() && !rt::isDeviceName(device.c_str()))
    return makeError("--device: expected cpu, cuda, cuda:N, cuda-emulation, "
                     "reference or best, got '" +
                     device + "'");
  if (auto order = parseThreadOrder(); !order)
    return order.takeError();
  if (emulationOrder.getNumOccurrences() && !runsEmulation())
    return makeError("--emulation-order: expected --device=cuda-emulation, got "
                     "--device=" +
                     device);
  if (emulationSums.getNumOccurrences() && !runsEmulation())
    return makeError("--emulation-sums: expected --device=cuda-emulation, got "
                     "--device=" +
                     device);
  if (!checkAgainst.empty() && checkAgainst != "reference")
    return makeError("--check-against: expected reference, got '" +
                     checkAgainst + "'");
  for (auto [name, value] :
       {std::pair("threads", int(threads)), std::pair("repeat", int(repeat))})
    if (value < 0)
      return makeError("--" + llvm::Twine(name) + ": expected 0 or more, got " +
                       llvm::Twine(value));
  for (auto [name, value] : {std::pair("profile", profiling.wantsProfile()),
                             std::pair("emit-report", bool(emitReport)),
                             std::pair("check-each-pass", bool(checkEachPass))})
    if (value && device == "reference")
      return makeError("--" + llvm::Twine(name) +
                       ": expected a device that runs a program, got "
                       "'reference'");
  if (profiling.wantsProfile() && runsEmulation())
    return makeError("--profile: expected a device whose times mean something, "
                     "got 'cuda-emulation'");
  return profiling.check();
}

/// Runs the model, prints times and writes the profile that were asked for.
static llvm::Error runAndTime(LoadedModel &loaded, ArrayRef<Tensor> inputs,
                              MutableArrayRef<Tensor> outputs) {
  // The ceilings are those of the processor.
  bool isOnGpu = loaded.runner->device().starts_with("cuda");
  std::optional<Ceilings> ceilings;
  if (profiling.wantsProfile() && !isOnGpu)
    if (llvm::Error error = profiling.loadCeilings().moveInto(ceilings))
      return error;
  Profile profile(loaded.info, threads ? int(threads) : getProcessorCount(),
                  ceilings ? &*ceilings : nullptr,
                  isOnGpu ? loaded.runner->device() : "");
  auto times = run(*loaded.runner, inputs, outputs,
                   profiling.wantsProfile() ? &profile : nullptr);
  if (!times)
    return times.takeError();
  if (repeat > 0)
    printTimes(*times);
  if (!profiling.wantsProfile())
    return llvm::Error::success();
  return profiling.write(profile);
}

/// What decides the bits of the outputs beside the model: the code that runs.
static std::string describeCode(const LoadedModel &loaded) {
  StringRef device = loaded.runner->device();
  return device == "cpu" ? loaded.info.targetCpu : device.str();
}

/// Runs the model on the inputs, and what it is compared with.
static llvm::Error runAndCompare(LoadedModel &loaded,
                                 ArrayRef<Tensor> inputTensors,
                                 const llvm::StringMap<std::string> &files) {
  Runner &runner = *loaded.runner;
  auto results = makeOutputs(runner.outputs());
  if (!results)
    return results.takeError();
  if (llvm::Error error = runAndTime(loaded, inputTensors, *results))
    return error;
  if (llvm::Error error = writeOutputs(runner.outputs(), *results, files))
    return error;
  if (digest)
    if (llvm::Error error = printDigests(runner.outputs(), *results,
                                         describeCode(loaded), threads))
      return error;
  if (!loaded.expected)
    return llvm::Error::success();
  auto expected = makeOutputs(runner.outputs());
  if (!expected)
    return expected.takeError();
  auto times = run(*loaded.expected, inputTensors, *expected, nullptr);
  if (!times)
    return times.takeError();
  return checkOutputs(runner.outputs(), *results, *expected);
}

static llvm::Error runModel() {
  if (llvm::Error error = checkOptions())
    return error;
  if (profiling.wantsCalibration()) {
    if (llvm::Error error = profiling.calibrate())
      return error;
    if (model.empty())
      return llvm::Error::success();
  }
  if (model.empty())
    return makeError("expected a model: a script, .mlir, .onnx or .so");
  LoadedModel loaded;
  if (llvm::Error error = loadModel(loaded))
    return error;
  // Before the run, which may take long.
  auto files = parseAssignments("output", outputs, loaded.runner->outputs());
  if (!files)
    return files.takeError();
  if (emitReport)
    printReport(loaded.info, llvm::outs());
  auto inputTensors = loadInputs(loaded.runner->inputs());
  if (!inputTensors)
    return inputTensors.takeError();
  return runAndCompare(loaded, *inputTensors, *files);
}

int main(int argc, char **argv) {
  ToolProcess process(argc, argv);
  registerVersion();
  commandLine.parse(argc, argv);
  return reportError(runModel(), "hamkaas-run");
}
