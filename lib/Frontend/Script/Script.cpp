//===- Script.cpp - Entry points of the script frontend ---------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Frontend/Script/Script.h"
#include "GraphParser.h"
#include "HamKaas/Dialect/HamKaas/IR/HamKaas.h"
#include "Parser.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MLProgram/IR/MLProgram.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ConvertUTF.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace hamkaas;
using namespace hamkaas::script;

/// Reports the first byte that no text has.
static LogicalResult checkEncoding(StringRef text, StringAttr fileName) {
  auto *cursor = reinterpret_cast<const llvm::UTF8 *>(text.begin());
  llvm::isLegalUTF8String(&cursor,
                          reinterpret_cast<const llvm::UTF8 *>(text.end()));
  size_t bad = reinterpret_cast<const char *>(cursor) - text.begin();
  bad = std::min(bad, text.find('\0'));
  if (bad >= text.size())
    return success();
  StringRef before = text.take_front(bad);
  Location location = FileLineColLoc::get(fileName, before.count('\n') + 1,
                                          bad - (before.rfind('\n') + 1) + 1);
  return emitError(location)
         << "expected text in UTF-8, got the byte 0x"
         << llvm::utohexstr(uint8_t(text[bad]), /*LowerCase=*/true,
                            /*Width=*/2);
}

/// True if the first statement is `version = 3`.
static bool isVersion3(StringRef text) {
  Lexer lexer(text, /*version=*/3);
  return lexer.lex().isWord("version") && lexer.lex().is('=') &&
         lexer.lex().text == "3";
}

OwningOpRef<ModuleOp>
hamkaas::importScript(llvm::SourceMgr &sources, MLIRContext *context,
                      const ScriptImportOptions &options) {
  context->loadDialect<HamKaasDialect, arith::ArithDialect, func::FuncDialect,
                       ml_program::MLProgramDialect>();
  const llvm::MemoryBuffer *buffer =
      sources.getMemoryBuffer(sources.getMainFileID());
  StringRef text = buffer->getBuffer();
  auto fileName = StringAttr::get(context, buffer->getBufferIdentifier());
  // Positions are numbers of 32 bits.
  if (text.size() > UINT32_MAX) {
    // NOTE: at a place in the script, the message would show its line.
    emitError(FileLineColLoc::get(fileName, 0, 0))
        << "expected a script below 4 GiB, got " << text.size() << " bytes";
    return {};
  }
  if (failed(checkEncoding(text, fileName)))
    return {};
  OwningOpRef<ModuleOp> module =
      isVersion3(text) ? GraphParser(text, fileName, options.lines).parse()
                       : Parser(text, fileName, options.lines).parse();
  if (module && options.unchecked)
    markUnchecked(*module);
  return module;
}
