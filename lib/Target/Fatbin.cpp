//===- Fatbin.cpp - Machine code for several GPUs ---------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Target/Fatbin.h"
#include "CudaToolkit.h"
#include "HamKaas/Options/OptionError.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace hamkaas {

//===----------------------------------------------------------------------===//
// The toolkit
//===----------------------------------------------------------------------===//

static Expected<std::string> findProgram(StringRef name, const GpuArch &arch) {
  std::string path = findCudaProgram(name);
  if (!path.empty())
    return path;
  return makeOptionError(
      OptionId::gpu_arch,
      "expected " + name + " of a CUDA toolkit, which makes machine code for " +
          join(arch.machineCode, ", ") +
          ": set CUDA_PATH to the folder of the toolkit, in which 'bin/" +
          name + "' is, or take compute_" + StringRef(arch.name).drop_front(3) +
          " for PTX alone");
}

Expected<std::string> findAssembler(const GpuArch &arch) {
  std::string text;
  if (arch.machineCode.empty())
    return text;
  raw_string_ostream stream(text);
  for (StringRef name : {"ptxas", "fatbinary"}) {
    auto path = findProgram(name, arch);
    if (!path)
      return path.takeError();
    sys::fs::file_status status;
    if (std::error_code code = sys::fs::status(*path, status))
      return createStringError(code, "cannot find '" + *path +
                                         "': " + code.message());
    stream << *path << ' ' << status.getSize() << ' '
           << sys::toTimeT(status.getLastModificationTime()) << ' ';
  }
  return text;
}

//===----------------------------------------------------------------------===//
// Files for its programs
//===----------------------------------------------------------------------===//

namespace {

/// A file that other programs read and write, gone with this object or with
/// the process. A ScratchFile has no name that they could open.
class SharedFile {
public:
  static Expected<SharedFile> create(StringRef ending) {
    SmallString<128> folder;
    sys::path::system_temp_directory(/*ErasedOnReboot=*/true, folder);
    SmallString<128> model(folder);
    sys::path::append(model, "hamkaas-%%%%%%%%%%%%." + ending);
    auto file = sys::fs::TempFile::create(model, sys::fs::owner_read |
                                                     sys::fs::owner_write);
    if (file)
      return SharedFile(std::move(*file));
    return createStringError("cannot write a temporary file in '" + folder +
                             "': " + toString(file.takeError()));
  }
  SharedFile(SharedFile &&other) = default;
  ~SharedFile() {
    // A file that is gone already is no error.
    consumeError(file.discard());
  }

  StringRef path() const { return file.TmpName; }

  Error write(StringRef text) {
    raw_fd_ostream stream(file.FD, /*shouldClose=*/false);
    stream << text;
    stream.flush();
    std::error_code code = stream.error();
    stream.clear_error();
    if (!code)
      return Error::success();
    return createStringError(code, "cannot write '" + path() +
                                       "': " + code.message());
  }

  /// The present contents of the file.
  Expected<std::string> read() const {
    auto buffer = MemoryBuffer::getFile(path());
    if (buffer)
      return (*buffer)->getBuffer().str();
    return createStringError(buffer.getError(),
                             "cannot read '" + path() +
                                 "': " + buffer.getError().message());
  }

private:
  explicit SharedFile(sys::fs::TempFile file) : file(std::move(file)) {}

  sys::fs::TempFile file;
};

} // namespace

/// Runs a program until it ends. Empty, or what it says if it fails.
static Expected<std::string> run(StringRef program, ArrayRef<StringRef> rest) {
  auto log = SharedFile::create("log");
  if (!log)
    return log.takeError();
  SmallVector<StringRef> arguments = {program};
  arguments.append(rest.begin(), rest.end());
  // No input; both outputs are what it says.
  std::optional<StringRef> streams[] = {StringRef(), log->path(), log->path()};
  std::string problem;
  int status = sys::ExecuteAndWait(program, arguments, /*Env=*/std::nullopt,
                                   streams, /*SecondsToWait=*/0,
                                   /*MemoryLimit=*/0, &problem);
  if (status == 0)
    return "";
  auto text = log->read();
  if (!text)
    return text.takeError();
  StringRef said = StringRef(*text).trim();
  if (!said.empty())
    return said.str();
  return problem.empty() ? "it ended with status " + std::to_string(status)
                         : problem;
}

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

/// The kernel in whose text the line is; empty if in none.
static StringRef findKernelOfLine(StringRef ptx, unsigned line) {
  StringRef kernel;
  for (StringRef rest = ptx; line > 0 && !rest.empty(); --line) {
    auto [text, next] = rest.split('\n');
    rest = next;
    if (size_t entry = text.find(".entry "); entry != StringRef::npos)
      kernel = text.substr(entry).split(' ').second.split('(').first.trim();
  }
  return kernel;
}

/// The kernel that ptxas speaks of: by its name, or by a line. Empty if of
/// none.
static StringRef findKernel(StringRef ptx, StringRef said,
                            const ProgramInfo &info) {
  for (const DeviceKernelInfo &kernel : info.device.kernels)
    if (said.contains("'" + kernel.name + "'"))
      return kernel.name;
  StringRef rest = said.split(", line ").second;
  unsigned line = 0;
  return rest.consumeInteger(10, line) ? "" : findKernelOfLine(ptx, line);
}

/// An error of ptxas, at the line of the model if that is known.
static Error explain(StringRef ptx, StringRef arch, StringRef said,
                     const ProgramInfo &info) {
  StringRef kernel = findKernel(ptx, said, info);
  StringRef called = kernel;
  called.consume_back("_checks");
  std::string text = "ptxas cannot make machine code for " + arch.str();
  if (!kernel.empty())
    text += " of kernel '" + kernel.str() + "'";
  for (const FunctionInfo *function : info.functions()) {
    auto call = find_if(function->calls, [&](const CallInfo &call) {
      return call.kernel == called;
    });
    if (call != function->calls.end()) {
      text = call->location + ": error: " + text + " (" + call->ops + ")";
      break;
    }
  }
  return createStringError(text + ": " + said);
}

//===----------------------------------------------------------------------===//
// The image
//===----------------------------------------------------------------------===//

/// Makes the machine code for one architecture in `code`.
static Error assemble(StringRef assembler, StringRef ptx,
                      const SharedFile &source, StringRef arch,
                      const SharedFile &code, const ProgramInfo &info) {
  auto said = run(assembler, {"-arch", arch, "-o", code.path(), source.path()});
  if (!said)
    return said.takeError();
  return said->empty() ? Error::success() : explain(ptx, arch, *said, info);
}

/// "kind=elf,sm=90,file=..." as fatbinary takes it.
static std::string describeImage(StringRef kind, StringRef arch,
                                 const SharedFile &file) {
  return ("--image3=kind=" + kind + ",sm=" + arch.drop_front(3) +
          ",file=" + file.path())
      .str();
}

namespace {
/// The files of a version of the code.
struct VersionFiles {
  const GpuArch &arch;
  SharedFile source;
  std::vector<SharedFile> codes;
};
} // namespace

/// Joins files. They are not compressed: drivers before CUDA 12.4 do not know
/// the compression of later toolkits.
static Expected<std::string> joinCode(ArrayRef<VersionFiles> versions) {
  auto joiner = findProgram("fatbinary", versions.front().arch);
  if (!joiner)
    return joiner.takeError();
  auto image = SharedFile::create("fatbin");
  if (!image)
    return image.takeError();
  SmallVector<std::string> arguments = {("--create=" + image->path()).str(),
                                        "--64", "--compress=false"};
  for (const VersionFiles &version : versions)
    for (auto [name, code] : zip_equal(version.arch.machineCode, version.codes))
      arguments.push_back(describeImage("elf", name, code));
  for (const VersionFiles &version : versions)
    arguments.push_back(
        describeImage("ptx", version.arch.name, version.source));
  auto said = run(*joiner, to_vector_of<StringRef>(arguments));
  if (!said)
    return said.takeError();
  if (!said->empty())
    return createStringError("fatbinary cannot join the code for GPUs: " +
                             *said);
  return image->read();
}

static Expected<VersionFiles> assemble(StringRef assembler,
                                       const PtxVersion &version,
                                       const ProgramInfo &info) {
  auto source = SharedFile::create("ptx");
  if (!source)
    return source.takeError();
  VersionFiles files{version.arch, std::move(*source), {}};
  if (Error error = files.source.write(version.ptx))
    return std::move(error);
  for (StringRef name : version.arch.machineCode) {
    auto code = SharedFile::create("cubin");
    if (!code)
      return code.takeError();
    files.codes.push_back(std::move(*code));
    if (Error error = assemble(assembler, version.ptx, files.source, name,
                               files.codes.back(), info))
      return std::move(error);
  }
  return files;
}

Expected<std::string> makeFatbin(ArrayRef<PtxVersion> versions,
                                 const ProgramInfo &info) {
  auto assembler = findProgram("ptxas", versions.front().arch);
  if (!assembler)
    return assembler.takeError();
  std::vector<VersionFiles> files;
  for (const PtxVersion &version : versions) {
    auto assembled = assemble(*assembler, version, info);
    if (!assembled)
      return assembled.takeError();
    files.push_back(std::move(*assembled));
  }
  return joinCode(files);
}

} // namespace hamkaas
