//===- Identifiers.h - The C names of a model and its tensors ---*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_PROGRAM_IDENTIFIERS_H
#define HAMKAAS_PROGRAM_IDENTIFIERS_H

#include "HamKaas/Program/ProgramInfo.h"
#include "llvm/ADT/StringRef.h"

namespace hamkaas {

/// `name`, or what is left of it in a C identifier: "my-net.v2" gives
/// "my_net_v2". For the name of a model take the stem of its file.
std::string modelIdentifier(llvm::StringRef name);

/// The names of an entry function in the C interface of a model: "run", or its
/// own if there are several, and those of its arguments. `macros` has what
/// stands for each input, then each output, in the names of macros.
struct FunctionIdentifiers {
  std::string function;
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
  std::vector<std::string> macros;
};

/// The names that the C interface of a model uses, in the order of its tables.
/// No two are equal, also not in upper case, within the arguments of a function
/// and within `parameters`; neither are any two macros or functions.
struct Identifiers {
  explicit Identifiers(const ProgramInfo &info);

  std::string model;
  std::vector<FunctionIdentifiers> functions;
  std::vector<std::string> parameters;
};

} // namespace hamkaas

#endif // HAMKAAS_PROGRAM_IDENTIFIERS_H
