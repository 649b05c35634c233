//===- TokenReader.h - Tokens of a script, and messages ---------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_FRONTEND_SCRIPT_TOKENREADER_H
#define HAMKAAS_LIB_FRONTEND_SCRIPT_TOKENREADER_H

#include "HamKaas/Frontend/Script/SourceLine.h"
#include "Lexer.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace hamkaas::script {

/// More errors, or more warnings, than this help nobody.
inline constexpr unsigned messageLimit = 100;

/// Tokens one by one, with messages about them, for the parsers of all
/// versions.
class TokenReader {
protected:
  /// `lines` are ScriptImportOptions::lines, which outlive the reader.
  TokenReader(llvm::StringRef text, mlir::StringAttr fileName,
              llvm::ArrayRef<SourceLine> lines, unsigned version);

  mlir::Location getLocation(Position position) const;
  mlir::InFlightDiagnostic error(Position position);
  bool mayWarn(Position position);
  llvm::LogicalResult expected(const llvm::Twine &what);
  Token take();
  Token peek() const;
  llvm::LogicalResult takePunctuation(char punctuation,
                                      const llvm::Twine &place);
  llvm::LogicalResult
  parseSeparated(char end, llvm::StringRef item,
                 llvm::function_ref<llvm::LogicalResult()> parseItem);
  llvm::LogicalResult endStatement();
  llvm::FailureOr<int64_t> parseInteger();

  mlir::MLIRContext *context;
  mlir::StringAttr fileName;
  llvm::ArrayRef<SourceLine> lines;
  Lexer lexer;
  /// The one that is next, and the one before it.
  Token token, lastTaken;
  unsigned errorCount = 0;
  unsigned warningCount = 0;
};

} // namespace hamkaas::script

#endif // HAMKAAS_LIB_FRONTEND_SCRIPT_TOKENREADER_H
