//===- hamkaas-tblgen.cpp - Code and texts of the tables --------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emitters.h"
#include "Parts.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/TableGen/Error.h"
#include "llvm/TableGen/Main.h"
#include "llvm/TableGen/TableGenBackend.h"

using namespace hamkaas::tblgen;
namespace cl = llvm::cl;

#if LLVM_ADDRESS_SANITIZER_BUILD
// Records live until the process ends.
extern "C" LLVM_ATTRIBUTE_USED int __lsan_is_turned_off() { return 1; }
#endif

static cl::opt<std::string>
    updated("update",
            cl::desc("Print this file with its generated parts made again"),
            cl::value_desc("file"));

static llvm::TableGen::Emitter::Opt
    compileOptions("gen-compile-options", emitCompileOptions,
                   "Generate macros of the compile options");
static llvm::TableGen::Emitter::Opt
    toolOptions("gen-tool-options", emitToolOptions,
                "Generate macros of the options of the tools");
static llvm::TableGen::Emitter::Opt
    operationTable("gen-operation-table", emitOperationTable,
                   "Generate the table of operations");
static llvm::TableGen::Emitter::Opt
    cxxOperations("gen-cxx-operations", emitCxxOperations,
                  "Generate hamkaas-cpp/Operations.h");
static llvm::TableGen::Emitter::Opt
    cxxOperationCalls("gen-cxx-operation-calls", emitCxxOperationCalls,
                      "Generate calls of all functions of Operations.h");
static llvm::TableGen::Emitter::Opt
    compositions("gen-compositions", emitCompositions,
                 "Generate the structures of compositions");
static llvm::TableGen::Emitter::Opt
    compositionsDocument("gen-compositions-doc", emitCompositionsDocument,
                         "Generate the reference of compositions");

/// The generated parts of files that are read by users.
static constexpr Part parts[] = {
    {"c-compile-options", emitCCompileOptions},
    {"c-write-options", emitCWriteOptions},
    {"cxx-compile-options", emitCxxCompileOptions},
    {"cxx-write-options", emitCxxWriteOptions},
    {"cxx-compile-request", emitCxxCompileRequest},
    {"cxx-write-request", emitCxxWriteRequest},
    {"python-fields", emitPythonFields},
    {"python-texts", emitPythonTexts},
    {"python-native", emitPythonNative},
    {"python-write-parameters", emitPythonWriteParameters},
    {"python-write-native", emitPythonWriteNative},
    {"python-parameters", emitPythonParameters},
    {"python-graph-parameters", emitPythonGraphParameters},
    {"python-arguments", emitPythonArguments},
    {"python-graph-arguments", emitPythonGraphArguments},
    {"compile-table", emitCompileTable},
    {"run-table", emitRunTable},
    {"fronts-table", emitFrontsTable}};

/// Runs if there is no option of an emitter.
static bool emit(llvm::raw_ostream &os, const llvm::RecordKeeper &records) {
  if (updated.empty()) {
    os << records;
    return false;
  }
  if (llvm::Error error = updateParts(records, updated, parts, os)) {
    llvm::PrintError(llvm::toString(std::move(error)));
    return true;
  }
  return false;
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  cl::ParseCommandLineOptions(argc, argv, "The tables of HamKaas\n");
  return llvm::TableGenMain(argv[0], llvm::TableGenMainFn(emit));
}
