//===- Model.cpp - A compiled model -----------------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Model.h"
#include <deque>
#include <exception>
#include <nanobind/stl/string.h>

using namespace hamkaas::python;

namespace {

//===----------------------------------------------------------------------===//
// Options with one value
//===----------------------------------------------------------------------===//

using Texts = std::deque<std::string>;

void readText(nb::handle given, const char *&value, Texts &texts) {
  texts.push_back(nb::cast<std::string>(given));
  value = texts.back().c_str();
}

void readPath(nb::handle given, const char *&value, Texts &texts) {
  texts.push_back(toPath(nb::cast<nb::bytes>(given)));
  value = texts.back().c_str();
}

void readSwitch(nb::handle given, int32_t &value, Texts &) {
  value = nb::cast<bool>(given);
}

void readBytes(nb::handle given, uint64_t &value, Texts &) {
  value = nb::cast<uint64_t>(given);
}

void readNumber(nb::handle given, int32_t &value, Texts &) {
  value = nb::cast<int32_t>(given);
}

void readReal(nb::handle given, double &value, Texts &) {
  value = nb::cast<double>(given);
}

/// Takes the values over; what they point to goes to `texts`.
void readSettings(nb::dict given, HamKaasCompileOptions &options,
                  Texts &texts) {
#define COMPILE_SETTING(ID, TYPE, FIELD, ...)                                  \
  if (given.contains(#FIELD))                                                  \
    read##TYPE(given[#FIELD], options.FIELD, texts);
#include "HamKaas/Options/CompileOptions.inc"
}

void readSettings(nb::dict given, HamKaasWriteOptions &options, Texts &texts) {
#define WRITE_SETTING(ID, TYPE, FIELD)                                         \
  if (given.contains(#FIELD))                                                  \
    read##TYPE(given[#FIELD], options.FIELD, texts);
#include "HamKaas/Options/CompileOptions.inc"
}

/// Compile options in C, and what they point to.
class Options {
public:
  explicit Options(const CompileArguments &arguments, bool verify = false);
  Options(const Options &) = delete;
  Options &operator=(const Options &) = delete;
  ~Options() { HamKaasTextFree(summary); }

  const HamKaasCompileOptions *get() const { return &options; }

  /// Copies what the compilation tells about the model to the arguments.
  void takeSummary() const {
    if (summary)
      arguments.summary = summary;
  }

  /// True if an exception of Python code ended the compilation; `rethrow`
  /// throws it.
  bool raised() const { return exception != nullptr; }
  [[noreturn]] void rethrow() {
    std::rethrow_exception(std::exchange(exception, nullptr));
  }

private:
  static int32_t onProgress(void *context, const char *step, int32_t done,
                            int32_t total);

  const CompileArguments &arguments;
  std::vector<HamKaasSourceLine> lines;
  std::vector<HamKaasDimension> dimensions;
  std::vector<HamKaasConstantInput> constantInputs;
  std::deque<std::string> texts; ///< Storage of the strings in `options`.
  char *summary = nullptr;
  HamKaasCompileOptions options = {};
  std::exception_ptr exception;
};

Options::Options(const CompileArguments &arguments, bool verify)
    : arguments(arguments) {
  for (const auto &[file, line] : arguments.lines)
    lines.push_back({file.c_str(), line});
  for (const auto &[name, size] : arguments.dims)
    dimensions.push_back({name.c_str(), size});
  for (const ConstantInput &input : arguments.constantInputs)
    constantInputs.push_back(
        {input.name.c_str(), parseElementType(input.elementType),
         static_cast<int32_t>(input.shape.size()), input.shape.data(),
         input.elements.data(), input.elements.size()});
  options.structSize = sizeof(options);
  // A model of a file has its own name.
  options.name = arguments.name.empty() ? nullptr : arguments.name.c_str();
  options.verify = verify;
  readSettings(arguments.options, options, texts);
  options.lineCount = static_cast<int32_t>(lines.size());
  options.lines = lines.empty() ? nullptr : lines.data();
  options.progress = onProgress;
  options.progressContext = this;
  options.optionNames = HamKaasNamesOfPython;
  options.dimensions = dimensions.data();
  options.dimensionCount = static_cast<int32_t>(dimensions.size());
  options.constantInputs = constantInputs.data();
  options.constantInputCount = static_cast<int32_t>(constantInputs.size());
  options.failure = &arguments.failure;
  options.summary = &summary;
}

int32_t Options::onProgress(void *context, const char *step, int32_t done,
                            int32_t total) {
  auto *self = static_cast<Options *>(context);
  WithLock guard;
  try {
    // Ctrl-C during a compilation.
    if (PyErr_CheckSignals() != 0)
      throw nb::python_error();
    if (!self->arguments.progress.is_none())
      callPython(self->arguments.progress, step, done, total);
    return 0;
  } catch (...) {
    self->exception = std::current_exception();
    return 1;
  }
}

/// Makes a model by `function` without the GIL. Throws its error.
template <typename Function>
std::unique_ptr<Model> makeModel(Options *options, const Function &function) {
  HamKaasModel *handle = nullptr;
  HamKaasError error;
  {
    WithoutLock guard;
    error = function(&handle);
  }
  if (options)
    options->takeSummary();
  if (options && options->raised()) {
    HamKaasErrorFree(error);
    HamKaasErrorFree(HamKaasModelDestroy(handle));
    options->rethrow();
  }
  check(error);
  return std::make_unique<Model>(handle);
}

} // namespace

//===----------------------------------------------------------------------===//
// Making models
//===----------------------------------------------------------------------===//

std::unique_ptr<Model> Model::compile(std::string_view source,
                                      const CompileArguments &arguments) {
  Options options(arguments);
  return makeModel(&options, [&](HamKaasModel **model) {
    return HamKaasModelCompile(source.data(), source.size(), options.get(),
                               model);
  });
}

std::unique_ptr<Model> Model::compileGraph(HamKaasGraph *graph,
                                           const CompileArguments &arguments) {
  Options options(arguments);
  return makeModel(&options, [&](HamKaasModel **model) {
    return HamKaasGraphCompile(graph, options.get(), model);
  });
}

std::unique_ptr<Model>
Model::load(nb::bytes path, const CompileArguments &arguments, bool verify) {
  std::string file = toPath(path);
  Options options(arguments, verify);
  return makeModel(&options, [&](HamKaasModel **model) {
    return HamKaasModelLoad(file.c_str(), options.get(), model);
  });
}

Model::Model(HamKaasModel *handle) : handle(handle) {
  const HamKaasProgram *program = nullptr;
  HamKaasError error = HamKaasModelGetProgram(handle, &program);
  if (error)
    HamKaasErrorFree(HamKaasModelDestroy(handle));
  check(error);
  tables = std::make_shared<const Tables>(*program);
}

Model::~Model() { HamKaasErrorFree(HamKaasModelDestroy(handle)); }

//===----------------------------------------------------------------------===//
// Using models
//===----------------------------------------------------------------------===//

std::unique_ptr<Instance>
Model::createInstance(const std::string &device, int32_t threads,
                      nb::dict parameters, std::optional<nb::bytes> weights,
                      const Instance *constantsOf, const Instance *stateOf,
                      bool isUnverified, bool sharesThreads) {
  // Missing parameters may come from the file or from the program.
  Arguments given(tables->title(), tables->parameters, parameters, "parameter",
                  /*areAllNeeded=*/false);
  std::vector<HamKaasNamedData> named = given.named();
  std::string deviceName = withoutZeros(device, "a device");
  std::string file = weights ? toPath(*weights) : "";
  HamKaasInstanceOptions options = {};
  options.structSize = sizeof(options);
  options.device = deviceName.c_str();
  options.threads = threads;
  options.parameters = named.data();
  options.parameterCount = static_cast<int32_t>(named.size());
  options.weightsFile = weights ? file.c_str() : nullptr;
  options.constantsOf = constantsOf ? constantsOf->get() : nullptr;
  options.stateOf = stateOf ? stateOf->get() : nullptr;
  options.unverified = isUnverified;
  options.sharedThreads = sharesThreads;
  HamKaasInstance *instance = nullptr;
  callWithoutLock(
      [&] { return HamKaasModelCreateInstance(handle, &options, &instance); });
  return std::make_unique<Instance>(instance, tables);
}

std::string Model::describe(int32_t description) {
  char *text = nullptr;
  callWithoutLock(
      [&] { return HamKaasModelDescribe(handle, description, &text); });
  std::string copy = text;
  HamKaasTextFree(text);
  return copy;
}

void Model::write(nb::bytes path, nb::dict parameters,
                  std::optional<nb::bytes> weights, nb::dict settings) {
  Arguments given(tables->title(), tables->parameters, parameters, "parameter",
                  /*areAllNeeded=*/false);
  std::vector<HamKaasNamedData> named = given.named();
  std::string output = toPath(path);
  std::string file = weights ? toPath(*weights) : "";
  HamKaasWriteOptions options = {};
  options.structSize = sizeof(options);
  options.parameters = named.data();
  options.parameterCount = static_cast<int32_t>(named.size());
  options.weightsFile = weights ? file.c_str() : nullptr;
  Texts texts;
  readSettings(settings, options, texts);
  callWithoutLock(
      [&] { return HamKaasModelWrite(handle, output.c_str(), &options); });
}

std::pair<std::string, nb::tuple>
hamkaas::python::inferResult(const std::string &source) {
  HamKaasTensorType type = {};
  callWithoutLock(
      [&] { return HamKaasInferResult(source.data(), source.size(), &type); });
  nb::list shape;
  for (int32_t i = 0; i < type.rank; ++i)
    shape.append(type.shape[i]);
  return {elementTypeName(type.elementType), nb::tuple(shape)};
}
