//===- ManPage.cpp - The manual page of a tool ------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ManPage.h"
#include "llvm/ADT/StringExtras.h"

using namespace hamkaas;
using llvm::StringRef;

/// A word as roff prints it: a hyphen that can be copied, and no escapes.
static std::string escapeRoff(StringRef word) {
  std::string result;
  for (char c : word)
    if (c == '-')
      result += "\\-";
    else if (c == '\\')
      result += "\\e";
    else
      result += c;
  return result;
}

/// Prints `text` in lines that are short and no requests.
static void printText(StringRef text, llvm::raw_ostream &os) {
  constexpr size_t width = 72;
  size_t column = 0;
  for (StringRef word : llvm::split(text, ' ')) {
    std::string escaped = escapeRoff(word);
    bool fits = column + escaped.size() < width;
    if (column > 0)
      os << (fits ? " " : "\n");
    if (!fits)
      column = 0;
    if (column == 0 && (word.starts_with(".") || word.starts_with("'")))
      os << "\\&";
    os << escaped;
    column += escaped.size() + 1;
  }
  os << '\n';
}

static void printSection(StringRef title, llvm::raw_ostream &os) {
  os << ".SH " << title << '\n';
}

/// "\fB--emit\fR=\fIform\fR"
static std::string formatFlag(const OptionInfo &option) {
  std::string text = "\\fB" + escapeRoff(option.flag()) + "\\fR";
  if (option.valueKind == OptionInfo::None)
    return text;
  std::string value = "\\fI" + escapeRoff(option.valueName) + "\\fR";
  StringRef separator = option.name.size() > 1 ? "=" : " ";
  return option.valueKind == OptionInfo::Optional
             ? text + "[=" + value + "]"
             : text + separator.str() + value;
}

static void printOption(const OptionInfo &option, llvm::raw_ostream &os) {
  os << ".TP\n" << formatFlag(option) << '\n';
  printText(option.description, os);
  // Values without a text of their own are in the name of the value.
  if (option.values.empty() || option.values.front().description.empty())
    return;
  os << ".RS\n";
  for (const OptionInfo::Value &value : option.values) {
    os << ".TP\n\\fB" << escapeRoff(value.name) << "\\fR\n";
    printText(value.description, os);
  }
  os << ".RE\n";
}

/// The part for all tools.
static constexpr StringRef manEnd = R"(.SH EXIT STATUS
0 for success, 1 for an error, which standard error tells.
.SH ENVIRONMENT
.TP
\fBHAMKAAS_CACHE_DIR\fR
The folder of the cache of compiled code; empty for no cache. The default is
hamkaas in \fBXDG_CACHE_HOME\fR or in ~/.cache.
.TP
\fBHAMKAAS_CACHE_SIZE\fR
What the cache may take, such as 512MB. The default is 1GB.
.TP
\fBNO_COLOR\fR
If it is set and not empty, messages have no colour.
)";

void hamkaas::printManPage(const ToolInfo &tool, llvm::raw_ostream &os) {
  std::string name = escapeRoff(tool.name);
  os << ".TH " << StringRef(tool.name).upper() << " 1 \"\" \"" << tool.version
     << "\" \"HamKaas\"\n";
  printSection("NAME", os);
  std::string overview = tool.overview;
  overview[0] = llvm::toLower(overview[0]);
  os << name << " \\-\n";
  printText(overview, os);
  printSection("SYNOPSIS", os);
  // "MODEL (script, .mlir, .onnx or .gguf)", "FILE, - for standard input"
  auto [argument, meaning] = StringRef(tool.argument).split(' ');
  argument = argument.rtrim(',');
  os << "\\fB" << name << "\\fR [\\fIoptions\\fR] \\fI" << escapeRoff(argument)
     << "\\fR\n";
  printSection("DESCRIPTION", os);
  printText(tool.overview + ".", os);
  os << ".TP\n\\fI" << escapeRoff(argument) << "\\fR\n";
  printText(meaning.trim("()"), os);
  printSection("OPTIONS", os);
  for (const OptionInfo &option : tool.options)
    printOption(option, os);
  os << manEnd;
}
