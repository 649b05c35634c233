//===- Model.h - Compiling models, and writing them -------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_CPP_MODEL_H
#define HAMKAAS_CPP_MODEL_H

#include "hamkaas-c/Compiler.h"
#include "hamkaas-cpp/Instance.h"

#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hamkaas {
inline namespace HAMKAAS_CPP_VARIANT {

/// As HamKaasCompileOptions. `progress` stops the compilation by returning
/// false.
struct CompileOptions {
  // From include/HamKaas/Options/CompileOptions.td.
  // hamkaas-tblgen begin: cxx-compile-options
  std::string name = {};
  std::string targetCpu = {};
  uint64_t maxWorkspace = 0;
  bool unchecked = false;
  std::vector<HamKaasSourceLine> lines = {};
  std::vector<HamKaasDimension> dimensions = {};
  std::vector<HamKaasConstantInput> constantInputs = {};
  std::function<bool(std::string_view step, int done, int total)> progress = {};
  bool noCache = false;
  int compileThreads = 0;
  std::string target = {};
  std::string gpuArch = {};
  std::string engine = {};
  std::string precision = {};
  bool verify = false;
  std::string externalDataRoot = {};
  std::string noOptimize = {};
  double winogradError = 0;
  std::string graphPasses = {};
  bool checkEachPass = false;
  bool debugInfo = false;
  bool train = false;
  std::string loss = {};
  std::string optimizer = {};
  std::string freeze = {};
  std::string trainOutput = {};
  bool checkNan = false;
  std::string enginePath = {};
  std::string choose = {};
  std::string choices = {};
  bool verifyEngines = false;
  int context = 0;
  int chunk = 0;
  std::string quantizedProducts = {};
  std::string cacheType = {};
  // hamkaas-tblgen end
};

/// As HamKaasWriteOptions.
struct WriteOptions {
  std::vector<Input> parameters = {};
  std::string weightsFile = {};
  // hamkaas-tblgen begin: cxx-write-options
  std::string targetCpu = {};
  std::string target = {};
  std::string gpuArch = {};
  std::string engine = {};
  std::string precision = {};
  // hamkaas-tblgen end
};

namespace detail {

/// HamKaasCompileOptions of CompileOptions, which it refers to.
class CompileRequest {
public:
  explicit CompileRequest(const CompileOptions &given) : given(given) {
    options.structSize = sizeof(options);
    options.name = orNull(given.name);
    options.lineCount = static_cast<int32_t>(given.lines.size());
    options.lines = given.lines.data();
    options.dimensionCount = static_cast<int32_t>(given.dimensions.size());
    options.dimensions = given.dimensions.data();
    options.constantInputCount =
        static_cast<int32_t>(given.constantInputs.size());
    options.constantInputs = given.constantInputs.data();
    options.progress = given.progress ? &callProgress : nullptr;
    options.progressContext = this;
    options.verify = given.verify;
    // hamkaas-tblgen begin: cxx-compile-request
    options.targetCpu = detail::orNull(given.targetCpu);
    options.maxWorkspace = given.maxWorkspace;
    options.unchecked = given.unchecked;
    options.noCache = given.noCache;
    options.compileThreads = given.compileThreads;
    options.target = detail::orNull(given.target);
    options.gpuArch = detail::orNull(given.gpuArch);
    options.engine = detail::orNull(given.engine);
    options.precision = detail::orNull(given.precision);
    options.externalDataRoot = detail::orNull(given.externalDataRoot);
    options.noOptimize = detail::orNull(given.noOptimize);
    options.winogradError = given.winogradError;
    options.graphPasses = detail::orNull(given.graphPasses);
    options.checkEachPass = given.checkEachPass;
    options.debugInfo = given.debugInfo;
    options.train = given.train;
    options.loss = detail::orNull(given.loss);
    options.optimizer = detail::orNull(given.optimizer);
    options.freeze = detail::orNull(given.freeze);
    options.trainOutput = detail::orNull(given.trainOutput);
    options.checkNan = given.checkNan;
    options.enginePath = detail::orNull(given.enginePath);
    options.choose = detail::orNull(given.choose);
    options.choices = detail::orNull(given.choices);
    options.verifyEngines = given.verifyEngines;
    options.context = given.context;
    options.chunk = given.chunk;
    options.quantizedProducts = detail::orNull(given.quantizedProducts);
    options.cacheType = detail::orNull(given.cacheType);
    // hamkaas-tblgen end
  }
  CompileRequest(const CompileRequest &) = delete;
  CompileRequest &operator=(const CompileRequest &) = delete;

  const HamKaasCompileOptions *get() const { return &options; }

  /// Throws what `progress` threw: no exception may pass through the library.
  void rethrow() const {
#ifdef HAMKAAS_EXCEPTIONS
    if (thrown)
      std::rethrow_exception(thrown);
#endif
  }

private:
  static int32_t callProgress(void *context, const char *step, int32_t done,
                              int32_t total) noexcept {
    auto *request = static_cast<CompileRequest *>(context);
#ifdef HAMKAAS_EXCEPTIONS
    try {
      return request->given.progress(step, done, total) ? 0 : 1;
    } catch (...) {
      request->thrown = std::current_exception();
      return 1;
    }
#else
    return request->given.progress(step, done, total) ? 0 : 1;
#endif
  }

  const CompileOptions &given;
  HamKaasCompileOptions options = {};
  std::exception_ptr thrown;
};

} // namespace detail

/// As HamKaasLibraryVerify.
inline Result<void> verifyLibrary(const std::string &path,
                                  int32_t threads = 0) {
  return detail::check(
      detail::takeText(HamKaasLibraryVerify(path.c_str(), threads)));
}

class Graph;

/// A compiled model.
class Model {
public:
  /// Compiles a script, MLIR text, or the contents of an ONNX or GGUF file.
  static Result<Model> compile(std::string_view source,
                               const CompileOptions &options = {}) {
    return make(
        options, "",
        [&](const HamKaasCompileOptions *request, HamKaasModel **model) {
          return HamKaasModelCompile(source.data(), source.size(), request,
                                     model);
        });
  }

  /// Compiles the script, MLIR, ONNX or GGUF file at `path`, or loads the
  /// `model.so` there.
  static Result<Model> load(const std::string &path,
                            const CompileOptions &options = {}) {
    return make(
        options, "",
        [&](const HamKaasCompileOptions *request, HamKaasModel **model) {
          return HamKaasModelLoad(path.c_str(), request, model);
        });
  }

  /// Names, types, shapes and sizes; live as long as the model.
  const HamKaasProgram &program() const { return *tables; }
  Span<const HamKaasTensorInfo> inputs() const {
    return {tables->inputs, static_cast<size_t>(tables->inputCount)};
  }
  Span<const HamKaasTensorInfo> outputs() const {
    return {tables->outputs, static_cast<size_t>(tables->outputCount)};
  }
  /// The names of the entry functions. `inputs` and `outputs` are those of the
  /// first.
  std::vector<std::string> functions() const {
    std::vector<std::string> names;
    for (int32_t i = 0; i < HamKaasProgramFunctionCount(tables); ++i)
      names.push_back(
          HamKaasProgramFunctionName(HamKaasProgramFunction(tables, i)));
    return names;
  }
  /// The tables of the entry function of that name.
  Result<const HamKaasProgram *> function(std::string_view name) const {
    const HamKaasProgram *found = HamKaasProgramFunction(
        tables, HamKaasProgramFindFunction(tables, std::string(name).c_str()));
    return detail::give(found ? std::string()
                              : "the model has no function '" +
                                    std::string(name) + "'",
                        found);
  }
  Span<const HamKaasTensorInfo> parameters() const {
    return {tables->parameters, static_cast<size_t>(tables->parameterCount)};
  }
  Span<const HamKaasTensorInfo> states() const {
    return {tables->states, static_cast<size_t>(tables->stateCount)};
  }

  Result<Instance> createInstance(const InstanceOptions &given = {}) const {
    std::vector<HamKaasNamedData> parameters =
        detail::toNamedData(given.parameters);
    HamKaasInstanceOptions options = {};
    options.structSize = sizeof(options);
    options.device = detail::orNull(given.device);
    options.threads = given.threads;
    options.parameters = parameters.data();
    options.parameterCount = static_cast<int32_t>(parameters.size());
    options.weightsFile = detail::orNull(given.weightsFile);
    options.profile = given.profile;
    options.constantsOf =
        given.constantsOf ? given.constantsOf->handle() : nullptr;
    options.stateOf = given.stateOf ? given.stateOf->handle() : nullptr;
    options.unverified = given.unverified;
    options.sharedThreads = given.sharedThreads;
    HamKaasInstance *instance = nullptr;
    std::string problem = checkParameters(given.parameters);
    if (problem.empty())
      problem = detail::takeText(
          HamKaasModelCreateInstance(owned.get(), &options, &instance));
    return detail::give(std::move(problem), Instance(instance, tables));
  }

  /// A HamKaasDescription: tables, drawings, the graph.
  Result<std::string> describe(HamKaasDescription description) const {
    char *text = nullptr;
    std::string problem =
        detail::takeText(HamKaasModelDescribe(owned.get(), description, &text));
    std::string copy = text ? text : "";
    HamKaasTextFree(text);
    return detail::give(std::move(problem), std::move(copy));
  }

  /// Writes a .so, .o or .a with its C header beside it.
  Result<void> write(const std::string &path,
                     const WriteOptions &given = {}) const {
    std::vector<HamKaasNamedData> parameters =
        detail::toNamedData(given.parameters);
    HamKaasWriteOptions options = {};
    options.structSize = sizeof(options);
    options.parameters = parameters.data();
    options.parameterCount = static_cast<int32_t>(parameters.size());
    options.weightsFile = detail::orNull(given.weightsFile);
    // hamkaas-tblgen begin: cxx-write-request
    options.targetCpu = detail::orNull(given.targetCpu);
    options.target = detail::orNull(given.target);
    options.gpuArch = detail::orNull(given.gpuArch);
    options.engine = detail::orNull(given.engine);
    options.precision = detail::orNull(given.precision);
    // hamkaas-tblgen end
    std::string problem = checkParameters(given.parameters);
    if (problem.empty())
      problem = detail::takeText(
          HamKaasModelWrite(owned.get(), path.c_str(), &options));
    return detail::check(std::move(problem));
  }

  HamKaasModel *handle() const { return owned.get(); }

private:
  friend class Graph;

  struct Destroy {
    void operator()(HamKaasModel *model) const {
      HamKaasErrorFree(HamKaasModelDestroy(model));
    }
  };

  Model(HamKaasModel *handle, const HamKaasProgram *tables)
      : owned(handle), tables(tables) {}

  /// Calls `create` unless there is a problem before.
  template <typename Create>
  static Result<Model> make(const CompileOptions &options, std::string problem,
                            Create create) {
    detail::CompileRequest request(options);
    HamKaasModel *model = nullptr;
    const HamKaasProgram *tables = nullptr;
    if (problem.empty())
      problem = detail::takeText(create(request.get(), &model));
    request.rethrow();
    if (problem.empty())
      problem = detail::takeText(HamKaasModelGetProgram(model, &tables));
    return detail::give(std::move(problem), Model(model, tables));
  }

  /// Checks the element types, which the C interface cannot see.
  std::string checkParameters(const std::vector<Input> &given) const {
    std::string problems;
    for (const Input &parameter : given) {
      const HamKaasTensorInfo *tensor =
          detail::find(parameters(), parameter.name);
      std::string problem =
          tensor ? detail::checkFit("parameter", *tensor, parameter.type,
                                    parameter.elements)
                 : "";
      if (!problem.empty())
        problems += (problems.empty() ? "" : "\n") + problem;
    }
    return problems;
  }

  std::unique_ptr<HamKaasModel, Destroy> owned;
  const HamKaasProgram *tables;
};

} // namespace HAMKAAS_CPP_VARIANT
} // namespace hamkaas

#endif // HAMKAAS_CPP_MODEL_H
