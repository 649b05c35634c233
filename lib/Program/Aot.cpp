//===- Aot.cpp - Program files for other programs ---------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Program/Aot.h"
#include "HamKaas/Program/CHeader.h"
#include "HamKaas/Program/EmitObject.h"
#include "HamKaas/Program/EntryPoints.h"
#include "HamKaas/Program/LinkProgram.h"
#include "HamKaas/Program/TargetMachine.h"
#include "HamKaas/Runtime/Files/LibraryDigest.h"
#include "HamKaas/Support/Errors.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Target/TargetMachine.h"

using namespace llvm;

namespace hamkaas {
namespace {

/// The C functions. They run before the runtime has checked the processor, so
/// they are for any x86-64.
Expected<std::unique_ptr<MemoryBuffer>>
compileEntryPoints(const ProgramInfo &info, const DescriptorOptions &options) {
  TargetCpu cpu{"x86-64", HamKaasIsaX86_64_V1};
  Expected<std::unique_ptr<TargetMachine>> machine = createTargetMachine(cpu);
  if (!machine)
    return machine.takeError();
  LLVMContext context;
  std::unique_ptr<Module> module =
      createEntryPoints(context, **machine, info, options);
  return emitObject(*module, **machine);
}

std::vector<EmbeddedData> embeddedData(const AotOptions &options) {
  std::vector<EmbeddedData> data;
  for (ArrayRef<char> contents : options.parameters)
    data.push_back({parameterSymbol(data.size()), contents});
  return data;
}

/// Writes the digest of the linked library at `path` to its place in it.
Error writeDigest(StringRef path) {
  auto file = sys::fs::openNativeFileForReadWrite(
      path, sys::fs::CD_OpenExisting, sys::fs::OF_None);
  if (!file)
    return file.takeError();
  scope_exit close([&] { sys::fs::closeFile(*file); });
  sys::fs::file_status status;
  if (std::error_code code = sys::fs::status(*file, status))
    return errorCodeToError(code);
  std::error_code code;
  sys::fs::mapped_file_region contents(
      *file, sys::fs::mapped_file_region::readwrite, status.getSize(),
      /*offset=*/0, code);
  if (code)
    return errorCodeToError(code);
  rt::LibraryDigest digest;
  if (rt::Error error = rt::readLibraryDigest(contents.data(), contents.size(),
                                              path.str().c_str(),
                                              /*threads=*/0, digest))
    return toError(std::move(error));
  std::memcpy(contents.data() + digest.offset, digest.computed.bytes,
              sizeof(digest.computed.bytes));
  return Error::success();
}

} // namespace

Error writeProgram(const ProgramInfo &info, const ProgramObjects &objects,
                   const AotOptions &options) {
  bool isLibrary =
      programFileKind(options.output) == ProgramFileKind::SharedLibrary;
  DescriptorOptions descriptor = options.descriptor;
  descriptor.hasDigest = isLibrary;
  Expected<std::unique_ptr<MemoryBuffer>> entryPoints =
      compileEntryPoints(info, descriptor);
  if (!entryPoints)
    return entryPoints.takeError();
  SmallVector<MemoryBufferRef> all;
  for (const std::unique_ptr<MemoryBuffer> &object : objects)
    all.push_back(*object);
  all.push_back(**entryPoints);
  std::vector<EmbeddedData> data = embeddedData(options);
  std::vector<std::string> exports = entryPointNames(info, descriptor);
  // Objects of several models go into one program; there each descriptor is
  // known to its own model only.
  if (isLibrary)
    exports.push_back(HAMKAAS_PROGRAM_SYMBOL);
  Expected<OutputFile> program = linkProgram(
      {all, data, exports, options.runtimeArchive, options.keepDebugInfo},
      options.output);
  if (!program)
    return program.takeError();
  if (isLibrary)
    if (Error error = writeDigest(program->temporaryPath()))
      return error;

  SmallString<128> headerPath(options.output);
  sys::path::replace_extension(headerPath, ".h");
  Expected<OutputFile> header = OutputFile::create(headerPath);
  if (!header)
    return header.takeError();
  if (Error error = header->write(cHeader(info, descriptor)))
    return error;
  // The header first: it is the one that is easily taken back.
  if (Error error = header->commit())
    return error;
  Error error = program->commit();
  if (error)
    header->remove();
  return error;
}

} // namespace hamkaas
