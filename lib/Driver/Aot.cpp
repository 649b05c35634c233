//===- Aot.cpp - Program files for other programs ---------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Driver/Aot.h"
#include "HamKaas/Driver/CHeader.h"
#include "HamKaas/Driver/EntryPoints.h"
#include "HamKaas/Driver/Link.h"
#include "HamKaas/Driver/Object.h"
#include "HamKaas/Driver/Target.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
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
  Expected<TargetCpu> cpu = resolveTargetCpu("x86-64");
  if (!cpu)
    return cpu.takeError();
  Expected<std::unique_ptr<TargetMachine>> machine = createTargetMachine(*cpu);
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

} // namespace

Error writeProgram(const ProgramInfo &info, const ProgramObjects &objects,
                   const AotOptions &options) {
  Expected<std::unique_ptr<MemoryBuffer>> entryPoints =
      compileEntryPoints(info, options.descriptor);
  if (!entryPoints)
    return entryPoints.takeError();
  SmallVector<MemoryBufferRef> all;
  for (const std::unique_ptr<MemoryBuffer> &object : objects)
    all.push_back(*object);
  all.push_back(**entryPoints);
  std::vector<EmbeddedData> data = embeddedData(options);
  std::vector<std::string> exports = entryPointNames(info);
  // Objects of several models go into one program; there each descriptor is
  // known to its own model only.
  if (programFileKind(options.output) == ProgramFileKind::SharedLibrary)
    exports.push_back(HAMKAAS_PROGRAM_SYMBOL);
  Expected<OutputFile> program =
      linkProgram({all, data, exports, options.runtimeArchive}, options.output);
  if (!program)
    return program.takeError();

  SmallString<128> headerPath(options.output);
  sys::path::replace_extension(headerPath, ".h");
  Expected<OutputFile> header = OutputFile::create(headerPath);
  if (!header)
    return header.takeError();
  if (Error error = header->write(cHeader(info, options.descriptor)))
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
