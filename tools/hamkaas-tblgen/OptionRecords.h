//===- OptionRecords.h - The option table as C++ ----------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_TOOLS_TBLGEN_OPTIONRECORDS_H
#define HAMKAAS_TOOLS_TBLGEN_OPTIONRECORDS_H

#include "llvm/ADT/StringRef.h"
#include "llvm/TableGen/Record.h"
#include <string>
#include <vector>

namespace hamkaas::tblgen {

enum class OptionType { Switch, Text, Path, Bytes, Number, Real, Choice };

/// Where an option is named: `--gpu-arch`, `.gpuArch` or `gpu_arch`.
enum class Front { CommandLine, C, Python };

struct OptionValue {
  llvm::StringRef name, help;
};

/// A record of Option.td; see there. The fields behind `isHidden` are those of
/// a CompileOption.
struct Option {
  explicit Option(const llvm::Record &record);

  llvm::StringRef id, spelling, help, placeholder, description, defaultValue,
      valuesText, defaultText;
  OptionType type;
  std::vector<OptionValue> values;
  std::vector<llvm::StringRef> tools; ///< "CompileTool"
  bool isRepeated, isValueOptional, isHidden;

  bool isCompileOption = false;
  std::string cName, pythonName;
  llvm::StringRef since, writeDefault;
  bool isPythonInverse = false, affectsCode = false, isOfWrite = false,
       isOfOnnx = false, isStructured = false, isPythonOptional = false,
       isOfMachine = false;

  bool isOf(llvm::StringRef tool) const;
  bool isText() const {
    return type == OptionType::Text || type == OptionType::Path;
  }
  /// "\"cpu\", \"cuda\"", with `mark` behind the default.
  std::string listValues(llvm::StringRef mark = "") const;
  /// The placeholder of the value: the values themselves if there is none.
  std::string getPlaceholder() const;
};

/// All options, those of the tools too if the table has them, in its order.
std::vector<Option> getOptions(const llvm::RecordKeeper &records);

/// The compile options with one value, which the fronts treat alike.
std::vector<Option> getSettings(const llvm::RecordKeeper &records);

/// A type of Option.td as the generated C++ names it: "Switch".
llvm::StringRef getTypeName(OptionType type);

/// The records of a class in the order of the table.
std::vector<const llvm::Record *> getInOrder(const llvm::RecordKeeper &records,
                                             llvm::StringRef className);

/// The description as a front shows it: options by its names, and without
/// links where nothing can follow them.
std::string describe(const llvm::RecordKeeper &records, llvm::StringRef text,
                     Front front);

/// `text` with a capital letter first.
std::string capitalize(llvm::StringRef text);

} // namespace hamkaas::tblgen

#endif // HAMKAAS_TOOLS_TBLGEN_OPTIONRECORDS_H
