//===- OptionTable.h - The options of a tool as data ------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_DRIVER_OPTIONTABLE_H
#define HAMKAAS_LIB_DRIVER_OPTIONTABLE_H

#include "HamKaas/Driver/ToolOptions.h"
#include "llvm/ADT/ArrayRef.h"
#include <string>
#include <vector>

namespace hamkaas {

/// An option as its user sees it.
struct OptionInfo {
  struct Value {
    std::string name, description;
  };
  enum ValueKind { None, Optional, Required };
  enum Type { Switch, Text, Path, Bytes, Number, Real, Choice };

  ToolOption id;
  ToolOption alias; ///< The other way to write it; only a switch has values.
  Type type;
  std::string name; ///< "emit", "o"; empty for what has no name, the model.
  std::string description;
  ValueKind valueKind = None;
  std::string valueName; ///< "file"
  std::string defaultValue;
  std::vector<Value> values;
  bool isRepeated = false;
  bool isHidden = false;

  /// Returns whether a value is the name of a file.
  bool isFile() const { return type == Path; }
  /// "--emit", "-o"
  std::string flag() const { return (name.size() == 1 ? "-" : "--") + name; }
};

/// A tool, for its manual and for shells.
struct ToolInfo {
  std::string name;                ///< "hamkaas-compile"
  std::string overview;            ///< "Compiles a model to one program"
  std::string version;             ///< "HamKaas 0.1.0"
  std::string argument;            ///< "MODEL (a script)"
  std::vector<OptionInfo> options; ///< By name, without hidden ones.
};

/// The parser of the command lines of all tools.
const llvm::opt::OptTable &getOptTable();

/// All options of all tools.
llvm::ArrayRef<OptionInfo> getOptionTable();

/// The option of an id of the parser, which may be an alias; null for what is
/// none.
const OptionInfo *findOption(unsigned id);

/// The options of a tool that are not hidden, by name.
std::vector<OptionInfo> getOptionsOf(ToolVisibility tool);

} // namespace hamkaas

#endif // HAMKAAS_LIB_DRIVER_OPTIONTABLE_H
