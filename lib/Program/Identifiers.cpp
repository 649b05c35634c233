//===- Identifiers.cpp - The C names of models and tensors ------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Program/Identifiers.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace llvm;

namespace hamkaas {
namespace {

/// Keywords of C and C++, and macros of the standard headers and compilers:
/// what a header may not declare.
// clang-format off
constexpr StringRef reservedWords[] = {
    "alignas", "alignof", "and", "and_eq", "asm", "assert", "auto", "bitand",
    "bitor", "bool", "break", "case", "catch", "char", "char8_t", "char16_t",
    "char32_t", "class", "co_await", "co_return", "co_yield", "compl",
    "complex", "concept", "const", "const_cast", "consteval", "constexpr",
    "constinit", "continue", "decltype", "default", "delete", "do", "double",
    "dynamic_cast", "else", "enum", "EOF", "errno", "explicit", "export",
    "extern", "false", "float", "for", "friend", "goto", "I", "if", "imaginary",
    "inline", "int", "linux", "long", "main", "mutable", "namespace", "new",
    "noexcept", "not", "not_eq", "NULL", "nullptr", "operator", "or", "or_eq",
    "private", "protected", "public", "register", "reinterpret_cast",
    "requires", "restrict", "return", "short", "signed", "sizeof", "static",
    "static_assert", "static_cast", "stderr", "stdin", "stdout", "struct",
    "switch", "template", "this", "thread_local", "throw", "true", "try",
    "typedef", "typeid", "typename", "typeof", "union", "unix", "unsigned",
    "using", "virtual", "void", "volatile", "wchar_t", "while", "xor", "xor_eq"};
// clang-format on

/// Types and macros of <stdint.h> and <stddef.h>, which the header includes.
bool isStandardName(StringRef name) {
  for (StringRef ending : {"_MAX", "_MIN", "_C", "_WIDTH"})
    if (name.ends_with(ending))
      return true;
  if (is_contained({"max_align_t", "nullptr_t", "offsetof", "ptrdiff_t",
                    "size_t", "unreachable"},
                   name))
    return true;
  name.consume_front("u");
  if (!name.consume_front("int") || !name.consume_back("_t"))
    return false;
  if (!name.consume_front("_least"))
    name.consume_front("_fast");
  return is_contained({"8", "16", "32", "64", "ptr", "max"}, name);
}

bool isReserved(StringRef name) {
  return is_contained(reservedWords, name) || isStandardName(name);
}

/// `name` with what C does not allow replaced by "_". Names that begin with "_"
/// belong to the C library.
std::string sanitize(StringRef name, StringRef prefix) {
  std::string result;
  for (char c : name)
    result += isAlnum(c) ? c : '_';
  if (result.empty() || !isAlpha(result.front()))
    result.insert(0, prefix);
  return result;
}

/// Gives out names that differ from one another.
class NameScope {
public:
  NameScope(std::initializer_list<StringRef> taken) {
    for (StringRef name : taken)
      used.insert(name.lower());
  }

  std::string add(StringRef name, StringRef prefix) {
    std::string base = sanitize(name, prefix);
    std::string candidate = base;
    for (unsigned number = 2; !take(candidate); ++number)
      candidate = base + "_" + std::to_string(number);
    return candidate;
  }

private:
  bool take(StringRef name) {
    return !isReserved(name) && used.insert(name.lower()).second;
  }

  StringSet<> used;
};

} // namespace

std::string modelIdentifier(StringRef name) {
  std::string result = sanitize(name, "model_");
  return isReserved(result) ? result + "_model" : result;
}

static FunctionIdentifiers nameArguments(const FunctionInfo &info,
                                         StringRef model) {
  // "constants", "state" and "workspace" are regions in the names of macros.
  NameScope arguments = {model,   "model",     "constants",
                         "state", "workspace", "prepare_workspace"};
  FunctionIdentifiers names;
  for (const TensorInfo &tensor : info.inputs)
    names.inputs.push_back(arguments.add(tensor.name, "input_"));
  for (const TensorInfo &tensor : info.outputs)
    names.outputs.push_back(arguments.add(tensor.name, "output_"));
  append_range(names.macros, names.inputs);
  append_range(names.macros, names.outputs);
  return names;
}

Identifiers::Identifiers(const ProgramInfo &info)
    : model(modelIdentifier(info.name)) {
  NameScope functionNames = {"create",      "run",        "destroy",
                             "options",     "verify",     "free_error",
                             "reset_state", "read_state", "write_state",
                             "save_state",  "load_state"};
  NameScope macros = {"constants", "state", "workspace", "prepare_workspace"};
  for (const FunctionInfo *function : info.functions()) {
    FunctionIdentifiers &names =
        functions.emplace_back(nameArguments(*function, model));
    names.function = "run";
    if (info.furtherFunctions.empty())
      continue;
    names.function = functionNames.add(function->function, "function_");
    for (std::string &macro : names.macros)
      macro = macros.add((llvm::Twine(names.function) + "_" + macro).str(), "");
  }
  NameScope fields = {"struct_size", "device", "threads", "weights_file",
                      "unverified"};
  for (const TensorInfo &tensor : info.parameters)
    parameters.push_back(fields.add(tensor.name, "parameter_"));
}

} // namespace hamkaas
