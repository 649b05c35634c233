//===- ShellCompletion.cpp - What shells know of our options ----*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ShellCompletion.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace hamkaas;
using llvm::StringRef;

/// "hamkaas_compile", for the name of a function.
static std::string makeIdentifier(StringRef name) {
  std::string identifier = name.str();
  llvm::replace(identifier, '-', '_');
  return identifier;
}

/// `text` with a backslash before each of `special`.
static std::string escape(StringRef text, StringRef special) {
  std::string result;
  for (char c : text) {
    if (special.contains(c))
      result += '\\';
    result += c;
  }
  return result;
}

/// Within single quotes of a POSIX shell, which know no escapes.
static std::string quote(StringRef text) {
  std::string result = "'";
  for (char c : text)
    result += c == '\'' ? "'\\''" : std::string(1, c);
  return result + "'";
}

static std::string joinValues(const OptionInfo &option) {
  return llvm::join(llvm::map_range(option.values,
                                    [](const OptionInfo::Value &value) {
                                      return value.name;
                                    }),
                    " ");
}

//===----------------------------------------------------------------------===//
// bash
//===----------------------------------------------------------------------===//

/// Completes an option's value. The value may be a separate word, or follow
/// '=', which separates words unless the user changed that.
static constexpr StringRef bashBegin = R"(() {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}
  local option= prefix=
  if [[ $word == = ]]; then
    option=$before word=
  elif [[ $before == = ]]; then
    option=${COMP_WORDS[COMP_CWORD-2]}
  elif [[ $word == --*=* ]]; then
    option=${word%%=*} word=${word#*=} prefix=$option=
  elif [[ $word != -* ]]; then
    option=$before
  fi
  COMPREPLY=()
  case $option in
)";

static constexpr StringRef bashEnd = R"(  esac
  if [[ $word == -* && -z $prefix ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$options" -- "$word")
    [[ ${COMPREPLY[0]} == *= ]] && compopt -o nospace
    return
  fi
  compopt -o filenames 2>/dev/null
  mapfile -t COMPREPLY < <(compgen -P "$prefix" -f -- "$word")
}
)";

void hamkaas::printBashCompletion(const ToolInfo &tool, llvm::raw_ostream &os) {
  std::string function = "_" + makeIdentifier(tool.name);
  os << "# Completion of " << tool.name << " for bash.\n\n"
     << function << bashBegin;
  for (const OptionInfo &option : tool.options)
    if (!option.values.empty())
      os << "  " << option.flag()
         << ")\n    mapfile -t COMPREPLY < <(compgen -P \"$prefix\" -W "
         << quote(joinValues(option)) << " -- \"$word\")\n    return ;;\n";
    // No file can be meant.
    else if (option.valueKind == OptionInfo::Required && !option.isFile() &&
             !StringRef(option.valueName).contains("F."))
      os << "  " << option.flag() << ") return ;;\n";
  os << "  esac\n  local options='";
  for (const OptionInfo &option : tool.options)
    os << option.flag()
       << (option.valueKind == OptionInfo::Required && option.name.size() > 1
               ? "= "
               : " ");
  os << "'\n" << bashEnd.drop_front(StringRef("  esac\n").size());
  os << "complete -F " << function << ' ' << tool.name << '\n';
}

//===----------------------------------------------------------------------===//
// zsh
//===----------------------------------------------------------------------===//

/// The action of zsh's _arguments for a value.
static std::string makeZshAction(const OptionInfo &option) {
  std::string name = escape(option.valueName, ":\\[]");
  if (!option.values.empty())
    return ":" + name + ":(" + joinValues(option) + ")";
  if (option.isFile())
    return ":" + name + ":_files";
  return ":" + name + ": ";
}

void hamkaas::printZshCompletion(const ToolInfo &tool, llvm::raw_ostream &os) {
  os << "#compdef " << tool.name << "\n\n# Completion of " << tool.name
     << " for zsh.\n\n_arguments";
  for (const OptionInfo &option : tool.options) {
    std::string spec = (option.isRepeated ? "*" : "") + option.flag();
    // Behind '=' alone, or as the next word as well.
    if (option.valueKind == OptionInfo::Optional)
      spec += "=-";
    else if (option.valueKind == OptionInfo::Required)
      spec += option.name.size() > 1 ? "=" : "+";
    spec += "[" + escape(option.description, "[]\\:") + "]";
    if (option.valueKind == OptionInfo::Optional)
      spec += ":";
    if (option.valueKind != OptionInfo::None)
      spec += makeZshAction(option);
    os << " \\\n  " << quote(spec);
  }
  os << " \\\n  " << quote(":" + escape(tool.argument, ":\\[]") + ":_files")
     << '\n';
}

//===----------------------------------------------------------------------===//
// fish
//===----------------------------------------------------------------------===//

/// Within single quotes of fish.
static std::string quoteFish(StringRef text) {
  return "'" + escape(text, "\\'") + "'";
}

void hamkaas::printFishCompletion(const ToolInfo &tool, llvm::raw_ostream &os) {
  os << "# Completion of " << tool.name << " for fish.\n\n";
  for (const OptionInfo &option : tool.options) {
    os << "complete -c " << tool.name
       << (option.name.size() > 1 ? " -l " : " -s ") << option.name;
    if (option.valueKind == OptionInfo::Required)
      os << (option.values.empty() ? " -r" : " -x");
    if (!option.values.empty()) {
      // The shell reads this text once more.
      std::string values;
      for (const OptionInfo::Value &value : option.values)
        values += (values.empty() ? "" : " ") + value.name +
                  (value.description.empty()
                       ? ""
                       : "\\t\"" + escape(value.description, "\"$\\") + "\"");
      os << " -a " << quoteFish(values);
    }
    os << " -d " << quoteFish(option.description) << '\n';
  }
}
