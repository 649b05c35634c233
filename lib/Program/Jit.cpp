//===- Jit.cpp - Programs that are compiled and run at once -----*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Program/Jit.h"
#include "llvm/ExecutionEngine/Orc/AbsoluteSymbols.h"
#include "llvm/ExecutionEngine/Orc/Core.h"
#include "llvm/ExecutionEngine/Orc/ExecutionUtils.h"
#include "llvm/ExecutionEngine/Orc/ObjectLinkingLayer.h"
#include "llvm/ExecutionEngine/Orc/SelfExecutorProcessControl.h"
#include "llvm/ExecutionEngine/Orc/TaskDispatch.h"

using namespace llvm;

namespace hamkaas {

/// ORC with no more than a linker: the objects are compiled already, and have
/// no constructors, thread-local data or exceptions that a platform would
/// handle.
struct JitProgram::Session {
  orc::ExecutionSession session;
  orc::ObjectLinkingLayer linker;
  orc::JITDylib &library;

  explicit Session(std::unique_ptr<orc::ExecutorProcessControl> process)
      : session(std::move(process)), linker(session),
        library(session.createBareJITDylib("program")) {}
  ~Session() {
    if (Error error = session.endSession())
      session.reportError(std::move(error));
  }

  /// Defines what the objects may refer to: `data` and the C library.
  Error defineSymbols(ArrayRef<EmbeddedData> data) {
    orc::SymbolMap symbols;
    for (const EmbeddedData &item : data)
      symbols[session.intern(item.symbol)] = {
          orc::ExecutorAddr::fromPtr(item.bytes.data()),
          JITSymbolFlags::Exported};
    if (Error error = library.define(orc::absoluteSymbols(std::move(symbols))))
      return error;
    Expected<std::unique_ptr<orc::DynamicLibrarySearchGenerator>> process =
        orc::DynamicLibrarySearchGenerator::GetForCurrentProcess(
            /*GlobalPrefix=*/'\0');
    if (!process)
      return process.takeError();
    library.addGenerator(std::move(*process));
    return Error::success();
  }
};

JitProgram::JitProgram(std::unique_ptr<Session> session)
    : session(std::move(session)) {}
JitProgram::~JitProgram() = default;

Expected<std::unique_ptr<JitProgram>>
JitProgram::load(ProgramObjects objects, ArrayRef<EmbeddedData> data) {
  auto process = orc::SelfExecutorProcessControl::Create(
      std::make_shared<orc::SymbolStringPool>(),
      std::make_unique<orc::InPlaceTaskDispatcher>());
  if (!process)
    return process.takeError();
  auto session = std::make_unique<Session>(std::move(*process));
  if (Error error = session->defineSymbols(data))
    return std::move(error);
  for (std::unique_ptr<MemoryBuffer> &object : objects)
    if (Error error = session->linker.add(session->library, std::move(object)))
      return std::move(error);
  Expected<orc::ExecutorSymbolDef> symbol = session->session.lookup(
      {&session->library}, session->session.intern(HAMKAAS_PROGRAM_SYMBOL));
  if (!symbol)
    return symbol.takeError();

  std::unique_ptr<JitProgram> program(new JitProgram(std::move(session)));
  const void *address = symbol->getAddress().toPtr<const void *>();
  if (Error error = program->adopt(address, "jit"))
    return std::move(error);
  return program;
}

} // namespace hamkaas
