//===- OptionError.h - Mistakes in options ----------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_OPTIONS_OPTIONERROR_H
#define HAMKAAS_OPTIONS_OPTIONERROR_H

#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Error.h"
#include <string>
#include <variant>
#include <vector>

namespace hamkaas {

/// The rows of CompileOptions.td.
enum class OptionId {
#define COMPILE_OPTION(ID, SPELLING, C_NAME, PYTHON_NAME) ID,
#include "HamKaas/Options/CompileOptions.inc"
};

/// Whoever gave the options, and reads the messages about them.
enum class Front { C, Python, CommandLine };

/// An option, and a value if there is one.
struct NamedOption {
  OptionId id;
  std::string value = {};

  /// "--target=cuda", ".target = \"cuda\"" or "target='cuda'".
  std::string spell(Front front) const;
};

/// "--target", ".target" or "target".
std::string spellOption(OptionId option, Front front);

/// A text that names options.
class OptionText {
public:
  OptionText(const llvm::Twine &text) : parts{text.str()} {}
  OptionText(const char *text) : parts{std::string(text)} {}

  OptionText &operator<<(const llvm::Twine &text) {
    parts.emplace_back(text.str());
    return *this;
  }
  OptionText &operator<<(NamedOption option) {
    parts.emplace_back(std::move(option));
    return *this;
  }

  std::string spell(Front front) const;

private:
  std::vector<std::variant<std::string, NamedOption>> parts;
};

/// An error in an option. Libraries name the option, and the front spells it.
class OptionError : public llvm::ErrorInfo<OptionError> {
public:
  static char ID;

  OptionError(NamedOption option, OptionText text)
      : option(std::move(option)), text(std::move(text)) {}

  /// "--target: expected ..."
  std::string spell(Front front) const;

  void log(llvm::raw_ostream &stream) const override {
    stream << spell(Front::CommandLine);
  }
  std::error_code convertToErrorCode() const override {
    return llvm::inconvertibleErrorCode();
  }

private:
  NamedOption option;
  OptionText text;
};

llvm::Error makeOptionError(OptionId option, OptionText text);
/// For one that is wrong beside another: "--engine=cublaslt: expected ...".
llvm::Error makeOptionError(NamedOption option, OptionText text);

/// `error` with the names that options have in `front`, as a text.
llvm::Error spellOptions(llvm::Error error, Front front);

} // namespace hamkaas

#endif // HAMKAAS_OPTIONS_OPTIONERROR_H
