//===- Model.cpp - Reading a model in any of its languages -*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Driver/Model.h"
#include "HamKaas/Dialect/HamKaas/IR/HamKaas.h"
#include "HamKaas/Frontend/Script/Script.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace hamkaas;

ModelKind hamkaas::getModelKind(StringRef content) {
  if (content.starts_with("\x7f"
                          "ELF"))
    return ModelKind::SharedLibrary;
  // The first statement decides. Lines that begin with `#` are comments of a
  // script or aliases of MLIR.
  for (StringRef rest = content; !rest.empty();) {
    StringRef line;
    std::tie(line, rest) = rest.split('\n');
    line = line.trim();
    if (line.empty() || line.starts_with("#") || line.starts_with("//"))
      continue;
    if (line.contains('\0'))
      return ModelKind::Unknown;
    bool isScript = line.starts_with("$") || line.starts_with("version") ||
                    line.starts_with("result");
    return isScript ? ModelKind::Script : ModelKind::Mlir;
  }
  // Nothing but comments: the script parser says what is missing.
  return ModelKind::Script;
}

static void markUnchecked(ModuleOp module) {
  module.walk([](Operation *op) {
    if (op->getName().hasInterface<KernelOpInterface>() &&
        llvm::is_contained(op->getName().getAttributeNames(), "unchecked"))
      op->setAttr("unchecked", UnitAttr::get(op->getContext()));
  });
}

OwningOpRef<ModuleOp> hamkaas::parseModel(llvm::SourceMgr &sourceMgr,
                                          MLIRContext *context,
                                          const ModelOptions &options) {
  const llvm::MemoryBuffer *buffer =
      sourceMgr.getMemoryBuffer(sourceMgr.getMainFileID());
  OwningOpRef<ModuleOp> module;
  switch (getModelKind(buffer->getBuffer())) {
  case ModelKind::Script:
    module = importScript(sourceMgr, context);
    break;
  case ModelKind::Mlir:
    module = parseSourceFile<ModuleOp>(sourceMgr, context);
    break;
  case ModelKind::SharedLibrary:
  case ModelKind::Unknown:
    emitError(FileLineColLoc::get(context, buffer->getBufferIdentifier(), 1, 1),
              "expected a script or MLIR text, got binary data");
    return nullptr;
  }
  if (module && options.unchecked)
    markUnchecked(*module);
  return module;
}

std::string hamkaas::getModelName(StringRef path) {
  std::string name = llvm::sys::path::stem(path).str();
  for (char &c : name)
    if (!llvm::isAlnum(c))
      c = '_';
  if (name.empty() || llvm::isDigit(name[0]))
    name.insert(name.begin(), '_');
  return name;
}
