//===- LinkProgram.cpp - Programs from object files -------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Program/LinkProgram.h"
#include "FindLibraries.h"
#include "HamKaas/Program/DataObject.h"
#include "HamKaas/Support/ScratchFile.h"
#include "RunLinker.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/ObjCopy/ConfigManager.h"
#include "llvm/ObjCopy/ObjCopy.h"
#include "llvm/Object/ArchiveWriter.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace hamkaas {
namespace {

Error cannotWrite(StringRef path, std::error_code code) {
  return createStringError(code,
                           "cannot write '" + path + "': " + code.message());
}

/// The files of one run of the linker for the program `output`, beside which
/// they lie until it is done.
class LinkFiles {
public:
  explicit LinkFiles(StringRef output)
      : output(output), directory(sys::path::parent_path(output)) {
    if (directory.empty())
      directory = ".";
  }

  /// Writes `contents` to a new file and returns its path.
  Expected<std::string> add(StringRef contents) {
    return add([&](int descriptor) {
      raw_fd_ostream stream(descriptor, /*shouldClose=*/false);
      stream << contents;
      stream.flush();
      std::error_code code = stream.error();
      stream.clear_error();
      return code;
    });
  }

  Expected<std::string>
  add(function_ref<std::error_code(int descriptor)> write) {
    Expected<ScratchFile> file = ScratchFile::create(directory);
    if (!file)
      return file.takeError();
    if (std::error_code code = write(file->descriptor()))
      return cannotWrite(output, code);
    files.push_back(std::move(*file));
    return files.back().path();
  }

private:
  StringRef output;
  std::string directory;
  std::vector<ScratchFile> files;
};

/// Adds the objects, the data and the runtime to the command line.
Error addInputs(const LinkJob &job, LinkFiles &files,
                std::vector<std::string> &arguments) {
  if (!job.keepDebugInfo)
    arguments.push_back("--strip-debug");
  for (MemoryBufferRef object : job.objects) {
    Expected<std::string> path = files.add(object.getBuffer());
    if (!path)
      return path.takeError();
    arguments.push_back(*path);
  }
  if (!job.data.empty()) {
    Expected<std::string> path = files.add(
        [&](int descriptor) { return writeDataObject(descriptor, job.data); });
    if (!path)
      return path.takeError();
    arguments.push_back(*path);
  }
  Expected<std::string> archive =
      job.runtimeArchive.empty() ? findRuntimeArchive()
                                 : Expected<std::string>(job.runtimeArchive);
  if (!archive)
    return archive.takeError();
  arguments.push_back(*archive);
  return Error::success();
}

std::string versionScript(ArrayRef<std::string> exports) {
  std::string text = "{ global:";
  for (const std::string &name : exports)
    text += " " + name + ";";
  return text + " local: *; };\n";
}

Error linkSharedLibrary(const LinkJob &job, StringRef path, StringRef output) {
  LinkFiles files(path);
  Expected<std::string> script = files.add(versionScript(job.exports));
  if (!script)
    return script.takeError();
  std::vector<std::string> arguments = {
      "-shared", "-m", "elf_x86_64",
      "-soname=" + sys::path::filename(path).str(),
      "--version-script=" + *script,
      // Two programs in one process each use their own descriptor.
      "-Bsymbolic", "--exclude-libs=ALL", "--gc-sections", "-z", "now", "-z",
      "relro", "-z", "noexecstack", "--eh-frame-hdr", "--hash-style=gnu",
      "--build-id=fast", "--threads=1"};
#ifndef HAMKAAS_SANITIZE
  // A sanitized runtime has its library's functions from the program around it.
  arguments.insert(arguments.end(), {"-z", "defs"});
#endif
  if (Error error = addInputs(job, files, arguments))
    return error;
  Expected<std::vector<std::string>> libraries = findSystemLibraries();
  if (!libraries)
    return libraries.takeError();
  arguments.push_back("--as-needed");
  arguments.insert(arguments.end(), libraries->begin(), libraries->end());
  return runLinker(path, output, arguments);
}

/// Copies the object `input` to `output` with all symbols but `exports` local,
/// for the file `path` in the end.
Error localizeSymbols(StringRef input, ArrayRef<std::string> exports,
                      StringRef path, StringRef output) {
  Expected<object::OwningBinary<object::ObjectFile>> object =
      object::ObjectFile::createObjectFile(input);
  if (!object)
    return object.takeError();
  objcopy::ConfigManager config;
  for (const std::string &name : exports)
    if (Error error = config.Common.SymbolsToKeepGlobal.addMatcher(
            objcopy::NameOrPattern::create(name, objcopy::MatchStyle::Literal,
                                           [](Error error) { return error; })))
      return error;

  std::error_code code;
  raw_fd_ostream stream(output, code);
  if (code)
    return cannotWrite(path, code);
  if (Error error =
          objcopy::executeObjcopyOnBinary(config, *object->getBinary(), stream))
    return error;
  stream.close();
  code = stream.error();
  stream.clear_error();
  return code ? cannotWrite(path, code) : Error::success();
}

/// One object with all that the program needs but the C library.
Error linkObject(const LinkJob &job, StringRef path, StringRef output) {
  LinkFiles files(path);
  // Never committed: it is removed on return.
  Expected<OutputFile> merged = OutputFile::create(path);
  if (!merged)
    return merged.takeError();
  std::vector<std::string> arguments = {
      "-r", "-m", "elf_x86_64",
      // Groups would be shared with other programs by name.
      "--force-group-allocation", "--gc-sections", "--threads=1"};
  for (const std::string &name : job.exports)
    arguments.push_back("--undefined=" + name);
  if (Error error = addInputs(job, files, arguments))
    return error;
  if (Error error = runLinker(path, merged->temporaryPath(), arguments))
    return error;
  return localizeSymbols(merged->temporaryPath(), job.exports, path, output);
}

Error linkArchive(const LinkJob &job, StringRef path, StringRef output) {
  Expected<OutputFile> object = OutputFile::create(path);
  if (!object)
    return object.takeError();
  if (Error error = linkObject(job, path, object->temporaryPath()))
    return error;
  Expected<NewArchiveMember> member = NewArchiveMember::getFile(
      object->temporaryPath(), /*Deterministic=*/true);
  if (!member)
    return member.takeError();
  std::string memberName = (sys::path::stem(path) + ".o").str();
  member->MemberName = memberName;
  if (Error error = writeArchive(
          output, *member, SymtabWritingMode::NormalSymtab,
          object::Archive::K_GNU, /*Deterministic=*/true, /*Thin=*/false))
    return createStringError("cannot write '" + path +
                             "': " + toString(std::move(error)));
  return Error::success();
}

} // namespace

std::optional<ProgramFileKind> programFileKind(StringRef path) {
  return StringSwitch<std::optional<ProgramFileKind>>(
             sys::path::extension(path))
      .Case(".so", ProgramFileKind::SharedLibrary)
      .Case(".o", ProgramFileKind::Object)
      .Case(".a", ProgramFileKind::Archive)
      .Default(std::nullopt);
}

Expected<OutputFile> linkProgram(const LinkJob &job, StringRef path) {
  std::optional<ProgramFileKind> kind = programFileKind(path);
  if (!kind)
    return createStringError("expected an output that ends in .so, .o or .a, "
                             "got '" +
                             path + "'");
  Expected<OutputFile> output = OutputFile::create(path);
  if (!output)
    return output.takeError();
  auto link = *kind == ProgramFileKind::SharedLibrary ? linkSharedLibrary
              : *kind == ProgramFileKind::Object      ? linkObject
                                                      : linkArchive;
  if (Error error = link(job, path, output->temporaryPath()))
    return std::move(error);
  return output;
}

} // namespace hamkaas
