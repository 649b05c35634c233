//===- Compiler.cpp - Compiling and loading models --------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Compilation.h"
#include "HamKaas/Program/Descriptor.h"
#include "HamKaas/Runtime/Core/Device.h"
#include "HamKaas/Support/Signals.h"
#include "HamKaas/Target/Target.h"
#include "llvm/Support/Errno.h"
#include "llvm/Support/FileSystem.h"
#include <fcntl.h>
#include <unistd.h>

using namespace mlir;
using namespace hamkaas;
using namespace hamkaas::capi;

//===----------------------------------------------------------------------===//
// Models
//===----------------------------------------------------------------------===//

llvm::Expected<HamKaasModel *>
capi::compile(ModelSource source, const HamKaasCompileOptions &options,
              CompileNotes &notes) {
  auto model = std::make_shared<Model>();
  model->source = std::move(source);
  auto graph = ParsedGraph::parse(model->source, createContext(), &notes);
  if (!graph)
    return graph.takeError();
  CompileOptions compileOptions = getCompileOptions(model->source);
  setProgress(options, compileOptions);
  model->parameters = compileOptions.parameters = (*graph)->parameters();
  leaveSignalsAlone();
  auto compiled = compileInMemory((*graph)->module(), compileOptions);
  if (!compiled)
    return (*graph)->describe(compiled.takeError());
  model->info = std::move(compiled->info);
  model->program = std::move(compiled->program);
  return addModel(std::move(model));
}

static llvm::Expected<HamKaasModel *>
compileText(const char *text, uint64_t bytes,
            const HamKaasCompileOptions &options, CompileNotes &notes) {
  ModelSource source;
  if (llvm::Error error = readSource(text, bytes).moveInto(source.text))
    return std::move(error);
  if (llvm::Error error = applyOptions(options, source))
    return std::move(error);
  if (source.name.empty())
    source.name = source.file = "model";
  return compile(std::move(source), options, notes);
}

const char *HamKaasDeviceTarget(const char *device, const char *gpuArch) {
  if (!device)
    return nullptr;
  // The interpreter has what it needs in every model.
  if (StringRef(device) == "reference")
    return "cpu";
  std::string oldest =
      getOldestGpu(gpuArch ? gpuArch : CompileSettings().gpuArch);
  return rt::targetOfDevice(device, oldest.c_str());
}

static llvm::Expected<HamKaasModel *> loadLibrary(StringRef path, bool verify) {
  auto model = std::make_shared<Model>();
  if (llvm::Error error = LoadedProgram::fromSharedLibrary(path, verify)
                              .moveInto(model->program))
    return std::move(error);
  model->info = readProgramInfo(model->program->program());
  return addModel(std::move(model));
}

/// A file that is open.
struct OpenFile {
  int descriptor = -1;
  /// Before it is read.
  llvm::sys::fs::file_status status;

  ~OpenFile() {
    if (descriptor >= 0)
      close(descriptor);
  }
};

/// A pipe to which nobody writes is empty, and not waited for.
static llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>>
readFile(const char *path, OpenFile &file) {
  int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0)
    return llvm::errnoAsErrorCode();
  file.descriptor = descriptor;
  if (std::error_code error = llvm::sys::fs::status(descriptor, file.status))
    return error;
  fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) & ~O_NONBLOCK);
  return llvm::MemoryBuffer::getOpenFile(
      llvm::sys::fs::convertFDToNativeFile(descriptor), path,
      /*FileSize=*/-1);
}

/// Smaller models are copied, so that the file may change while they are used:
/// 16 MB take 10 ms on AMD EPYC (Zen 3).
static bool isMapped(const llvm::MemoryBuffer &file) {
  constexpr size_t least = 16 << 20;
  ModelKind kind = getModelKind(file.getBuffer());
  return file.getBufferKind() == llvm::MemoryBuffer::MemoryBuffer_MMap &&
         file.getBufferSize() >= least &&
         (kind == ModelKind::Onnx || kind == ModelKind::Gguf);
}

static llvm::Expected<HamKaasModel *> load(const char *path,
                                           const HamKaasCompileOptions &options,
                                           CompileNotes &notes) {
  if (llvm::Error error = checkText(path, "a path"))
    return std::move(error);
  // A file without an end cannot be read whole.
  llvm::sys::fs::file_status status;
  if (!llvm::sys::fs::status(path, status) &&
      status.type() == llvm::sys::fs::file_type::character_file)
    return llvm::createStringError("cannot read '" + StringRef(path) +
                                   "': it is a device");
  OpenFile file;
  auto buffer = readFile(path, file);
  if (!buffer)
    return llvm::createStringError(buffer.getError(),
                                   "cannot read '" + StringRef(path) +
                                       "': " + buffer.getError().message());
  if (llvm::Error error = checkModelText((*buffer)->getBuffer(), path))
    return std::move(error);
  if (getModelKind((*buffer)->getBuffer()) == ModelKind::SharedLibrary) {
    if (llvm::Error error = checkLibraryOptions(options, path))
      return std::move(error);
    return loadLibrary(path, options.verify);
  }
  ModelSource source;
  source.file = source.path = path;
  if (isMapped(**buffer))
    source.mapped = std::make_shared<const MappedModel>(
        std::move(*buffer), std::exchange(file.descriptor, -1), file.status);
  else
    source.text = withoutByteOrderMark((*buffer)->getBuffer()).str();
  if (source.getText().empty())
    return llvm::createStringError("expected a model in '" + StringRef(path) +
                                   "', the file is empty");
  if (llvm::Error error = applyOptions(options, source))
    return std::move(error);
  if (source.name.empty())
    source.name = getModelName(path);
  return compile(std::move(source), options, notes);
}

//===----------------------------------------------------------------------===//
// The C interface
//===----------------------------------------------------------------------===//

int32_t HamKaasInterfaceVersion(void) {
  return 1000 * HAMKAAS_C_VERSION_MAJOR + HAMKAAS_C_VERSION_MINOR;
}

const char *HamKaasCompilerVersion(void) {
  // NOTE: the text is a constant of the compiler and ends with a zero.
  return compilerVersion().data();
}

HamKaasError capi::giveModel(const HamKaasCompileOptions *given,
                             HamKaasModel **model, MakeModel make) {
  if (!model)
    return noPlace("the model");
  *model = nullptr;
  auto options = readCompileOptions(given);
  if (!options)
    return fromError(options.takeError());
  auto front = readFront(*options);
  if (!front)
    return fromError(front.takeError());
  CompileNotes notes;
  HamKaasError error =
      fromError(make(*options, notes).moveInto(*model), *front);
  if (options->failure)
    *options->failure = error ? notes.failure : HamKaasNoFailure;
  if (options->summary)
    *options->summary =
        notes.summary.empty() ? nullptr : copyText(notes.summary);
  return error;
}

HamKaasError HamKaasModelCompile(const char *source, uint64_t bytes,
                                 const HamKaasCompileOptions *options,
                                 HamKaasModel **model) {
  return giveModel(
      options, model,
      [&](const HamKaasCompileOptions &known, CompileNotes &notes) {
        return compileText(source, bytes, known, notes);
      });
}

HamKaasError HamKaasModelLoad(const char *path,
                              const HamKaasCompileOptions *options,
                              HamKaasModel **model) {
  return giveModel(
      options, model,
      [&](const HamKaasCompileOptions &known, CompileNotes &notes) {
        return load(path, known, notes);
      });
}

HamKaasError HamKaasModelDestroy(HamKaasModel *model) {
  return model ? fromError(removeModel(model)) : nullptr;
}

HamKaasError HamKaasModelGetProgram(HamKaasModel *handle,
                                    const HamKaasProgram **program) {
  if (!program)
    return noPlace("the program");
  *program = nullptr;
  auto model = findModel(handle);
  if (!model)
    return fromError(model.takeError());
  *program = &(*model)->program->program();
  return nullptr;
}
