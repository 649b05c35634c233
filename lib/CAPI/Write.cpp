//===- Write.cpp - Models as programs of their own --------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Arguments.h"
#include "HamKaas/Program/Aot.h"
#include "HamKaas/Program/LinkProgram.h"
#include "HamKaas/Program/Weights.h"
#include "HamKaas/Support/Signals.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace hamkaas;
using namespace hamkaas::capi;

namespace {

/// The parameters to embed, in the order of the model.
class GivenParameters {
public:
  explicit GivenParameters(const HamKaasWriteOptions &options)
      : options(options) {}

  bool isEmpty() const {
    return options.parameterCount == 0 && !options.weightsFile;
  }

  llvm::Error check() const;

  /// Finds those of `info`; the error lists all problems.
  llvm::Error resolve(const ProgramInfo &info);

  ArrayRef<ArrayRef<char>> contents() const { return found; }

private:
  llvm::Error resolveNamed(const ProgramInfo &info);

  const HamKaasWriteOptions &options;
  std::optional<Weights> weights;
  std::vector<ArrayRef<char>> found;
};

} // namespace

llvm::Error GivenParameters::check() const {
  if (options.parameterCount < 0)
    return llvm::createStringError(
        "expected a parameterCount of at least 0, got " +
        Twine(options.parameterCount));
  if (options.parameterCount > 0 && !options.parameters)
    return llvm::createStringError("expected " + Twine(options.parameterCount) +
                                   " parameters, got null");
  if (options.parameterCount > 0 && options.weightsFile)
    return llvm::createStringError(
        "expected parameters or a weightsFile, got both");
  for (const HamKaasNamedData &given :
       ArrayRef(options.parameters, options.parameterCount)) {
    if (llvm::Error error = checkText(given.name, "a name of a parameter"))
      return error;
    if (!given.data)
      return llvm::createStringError("parameter '" + StringRef(given.name) +
                                     "': expected data, got null");
  }
  return options.weightsFile ? checkText(options.weightsFile, "a weightsFile")
                             : llvm::Error::success();
}

llvm::Error GivenParameters::resolve(const ProgramInfo &info) {
  if (!options.weightsFile)
    return resolveNamed(info);
  auto opened = Weights::open(options.weightsFile, info);
  if (!opened)
    return opened.takeError();
  weights.emplace(std::move(*opened));
  found = weights->contents();
  return llvm::Error::success();
}

llvm::Error GivenParameters::resolveNamed(const ProgramInfo &info) {
  std::string problems;
  llvm::raw_string_ostream stream(problems);
  llvm::StringMap<const HamKaasNamedData *> byName;
  for (const HamKaasNamedData &given :
       ArrayRef(options.parameters, options.parameterCount))
    if (!byName.try_emplace(given.name, &given).second)
      stream << "\nparameter '" << given.name << "' is given twice";
  for (const TensorInfo &parameter : info.parameters) {
    auto given = byName.find(parameter.name);
    if (given == byName.end()) {
      stream << "\nparameter '" << parameter.name << "' is missing";
      continue;
    }
    const HamKaasNamedData &data = *given->second;
    if (data.bytes != parameter.bytes())
      stream << "\nparameter '" << parameter.name << "': expected "
             << parameter.bytes() << " bytes, got " << data.bytes;
    found.push_back(ArrayRef(static_cast<const char *>(data.data), data.bytes));
    byName.erase(given);
  }
  for (const auto &unknown : byName)
    stream << "\nmodel '" << info.name << "' has no parameter '"
           << unknown.getKey() << "'";
  return problems.empty()
             ? llvm::Error::success()
             : llvm::createStringError(StringRef(problems).drop_front());
}

static llvm::Error writeModel(const Model &model, StringRef path,
                              const HamKaasWriteOptions &options) {
  if (model.isLibrary())
    return llvm::createStringError(
        "a model that was loaded from a library is written already");
  if (!programFileKind(path))
    return llvm::createStringError("expected a path that ends in .so, .o or "
                                   ".a, got '" +
                                   path + "'");
  GivenParameters parameters(options);
  if (llvm::Error error = parameters.check())
    return error;
  leaveSignalsAlone();
  auto graph = ParsedGraph::parse(model.source, createContext());
  if (!graph)
    return graph.takeError();
  CompileOptions compileOptions = getCompileOptions(model.source);
  compileOptions.name = getModelName(path);
  compileOptions.parameters = (*graph)->parameters();
  if (compileOptions.parameters && !parameters.isEmpty())
    return llvm::createStringError("expected no parameters for a model that "
                                   "holds its own");
  compileOptions.descriptor.embedParameters =
      compileOptions.parameters || !parameters.isEmpty();
  if (llvm::Error error = readSettings(options, compileOptions))
    return error;
  auto compiled = compileModel((*graph)->module(), compileOptions);
  if (!compiled)
    return (*graph)->describe(compiled.takeError());
  AotOptions aot;
  aot.output = path;
  aot.descriptor = compileOptions.descriptor;
  aot.keepDebugInfo = compileOptions.debugInfo;
  std::vector<ArrayRef<char>> own;
  if (compileOptions.parameters) {
    own = getParameterContents(compiled->info, *compileOptions.parameters);
    aot.parameters = own;
  } else if (!parameters.isEmpty()) {
    if (llvm::Error error = parameters.resolve(compiled->info))
      return error;
    aot.parameters = parameters.contents();
  }
  return writeProgram(compiled->info, compiled->objects, aot);
}

static llvm::Error write(const Model &model, const char *path,
                         const HamKaasWriteOptions *given) {
  if (llvm::Error error = checkText(path, "a path"))
    return error;
  auto options = readOptions(given, "HamKaasWriteOptions",
                             offsetof(HamKaasWriteOptions, target));
  if (!options)
    return options.takeError();
  return writeModel(model, path, *options);
}

HamKaasError HamKaasModelWrite(HamKaasModel *model, const char *path,
                               const HamKaasWriteOptions *options) {
  auto known = findModel(model);
  if (!known)
    return fromError(known.takeError());
  return fromError(write(**known, path, options), (*known)->source.front);
}
