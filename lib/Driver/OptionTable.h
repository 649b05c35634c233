//===- OptionTable.h - The options of a tool as data ------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_DRIVER_OPTIONTABLE_H
#define HAMKAAS_LIB_DRIVER_OPTIONTABLE_H

#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/CommandLine.h"
#include <string>
#include <vector>

namespace hamkaas {

/// The values that an option can have, by the parser of its type.
using OptionValues =
    llvm::DenseMap<const llvm::cl::Option *, llvm::cl::generic_parser_base *>;

/// An option as its user sees it.
struct OptionInfo {
  struct Value {
    std::string name, description;
  };
  enum ValueKind { None, Optional, Required };

  std::string name; ///< "emit", "o"; empty for what has no name, the model.
  std::string description;
  ValueKind valueKind = None;
  std::string valueName; ///< "file"
  std::vector<Value> values;
  bool isFile = false; ///< Whether a value is the name of a file.
  bool isRepeated = false;

  /// "--emit", "-o"
  std::string flag() const { return (name.size() == 1 ? "-" : "--") + name; }
};

/// A tool, for its manual and for shells.
struct ToolInfo {
  std::string name;     ///< "hamkaas-compile"
  std::string overview; ///< "Compiles a model to one program"
  std::string version;  ///< "HamKaas 0.1.0"
  OptionInfo argument;
  std::vector<OptionInfo> options; ///< By name.
};

/// Reads LLVM's table of the options of `category` that are not hidden, and of
/// --help and --version. `values` are those of options with a type of their
/// own; those of others are in the names of their values, "cpu|cuda".
ToolInfo collectOptions(llvm::StringRef name, llvm::StringRef overview,
                        llvm::cl::OptionCategory &category,
                        const OptionValues &values);

} // namespace hamkaas

#endif // HAMKAAS_LIB_DRIVER_OPTIONTABLE_H
