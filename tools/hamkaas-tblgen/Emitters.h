//===- Emitters.h - What is made of TableGen records ------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_TOOLS_TBLGEN_EMITTERS_H
#define HAMKAAS_TOOLS_TBLGEN_EMITTERS_H

#include "llvm/Support/raw_ostream.h"
#include "llvm/TableGen/Record.h"

namespace hamkaas::tblgen {

/// Macros of the compile options, for lib/Options.
void emitCompileOptions(const llvm::RecordKeeper &records,
                        llvm::raw_ostream &os);

/// Macros of all options, for manual pages and completion.
void emitToolOptions(const llvm::RecordKeeper &records, llvm::raw_ostream &os);

/// The C structures.
void emitCCompileOptions(const llvm::RecordKeeper &records,
                         llvm::raw_ostream &os);
void emitCWriteOptions(const llvm::RecordKeeper &records,
                       llvm::raw_ostream &os);

/// The C++ structures over them, and the statements that fill the former.
void emitCxxCompileOptions(const llvm::RecordKeeper &records,
                           llvm::raw_ostream &os);
void emitCxxWriteOptions(const llvm::RecordKeeper &records,
                         llvm::raw_ostream &os);
void emitCxxCompileRequest(const llvm::RecordKeeper &records,
                           llvm::raw_ostream &os);
void emitCxxWriteRequest(const llvm::RecordKeeper &records,
                         llvm::raw_ostream &os);

/// The fields of hamkaas.options.CompileOptions, and parameters and arguments
/// of functions that take all options: of any model, or of a graph.
void emitPythonFields(const llvm::RecordKeeper &records, llvm::raw_ostream &os);
/// Entries of a dictionary of the options' descriptions, for docstrings.
void emitPythonTexts(const llvm::RecordKeeper &records, llvm::raw_ostream &os);
/// Entries of a dictionary of its values by their names in C.
void emitPythonNative(const llvm::RecordKeeper &records, llvm::raw_ostream &os);
/// The same for what may be different when a model is written.
void emitPythonWriteParameters(const llvm::RecordKeeper &records,
                               llvm::raw_ostream &os);
void emitPythonWriteNative(const llvm::RecordKeeper &records,
                           llvm::raw_ostream &os);
void emitPythonParameters(const llvm::RecordKeeper &records,
                          llvm::raw_ostream &os);
void emitPythonGraphParameters(const llvm::RecordKeeper &records,
                               llvm::raw_ostream &os);
void emitPythonArguments(const llvm::RecordKeeper &records,
                         llvm::raw_ostream &os);
void emitPythonGraphArguments(const llvm::RecordKeeper &records,
                              llvm::raw_ostream &os);

/// The tables of docs/CommandLine.md.
void emitCompileTable(const llvm::RecordKeeper &records, llvm::raw_ostream &os);
void emitRunTable(const llvm::RecordKeeper &records, llvm::raw_ostream &os);
/// The table of docs/Python.md: one option in all fronts.
void emitFrontsTable(const llvm::RecordKeeper &records, llvm::raw_ostream &os);

/// The table of operations, for lib/Frontend/Builder.
void emitOperationTable(const llvm::RecordKeeper &records,
                        llvm::raw_ostream &os);
/// The table as functions: hamkaas-cpp/Operations.h.
void emitCxxOperations(const llvm::RecordKeeper &records,
                       llvm::raw_ostream &os);
/// Calls of these functions by name, for a test.
void emitCxxOperationCalls(const llvm::RecordKeeper &records,
                           llvm::raw_ostream &os);

/// The structures of compositions, and the functions that build them.
void emitCompositions(const llvm::RecordKeeper &records, llvm::raw_ostream &os);
/// Their reference page.
void emitCompositionsDocument(const llvm::RecordKeeper &records,
                              llvm::raw_ostream &os);

} // namespace hamkaas::tblgen

#endif // HAMKAAS_TOOLS_TBLGEN_EMITTERS_H
