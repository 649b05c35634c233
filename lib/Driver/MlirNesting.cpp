//===- MlirNesting.cpp - How deep MLIR text nests ---------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MlirNesting.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

using namespace llvm;

namespace {

/// A level of MLIR's parser takes about a kilobyte of stack; threads may have
/// as little as half a megabyte.
constexpr size_t maxDepth = 256;
/// In a list within brackets, between two commas.
constexpr unsigned maxParts = 256;

/// Reads tokens without understanding them.
class NestingScanner {
public:
  explicit NestingScanner(StringRef text) : text(text) {}

  std::optional<size_t> find() {
    while (position < text.size()) {
      size_t begin = position;
      if (skipUncounted())
        continue;
      scanToken();
      if (deepest > maxDepth || tooManyParts())
        return begin;
    }
    return std::nullopt;
  }

private:
  struct Level {
    char opening;
    unsigned parts = 0;
  };

  /// The operations of a region are no expression.
  bool tooManyParts() const {
    return !levels.empty() && levels.back().opening != '{' &&
           levels.back().parts > maxParts;
  }

  bool skipUncounted() {
    char c = text[position];
    if (isSpace(c)) {
      ++position;
      return true;
    }
    StringRef rest = text.drop_front(position);
    if (rest.starts_with("//")) {
      position = std::min(text.find('\n', position), text.size());
      return true;
    }
    // Their ">" closes nothing.
    if (rest.starts_with("->") || rest.starts_with(">=")) {
      position += 2;
      return true;
    }
    return false;
  }

  void scanToken() {
    char c = text[position++];
    if (c == '"')
      skipString();
    else if (StringRef("([{<").contains(c))
      open(c);
    else if (StringRef(")]}>").contains(c))
      close(c);
    else if (c == ',' && !levels.empty())
      levels.back().parts = 0;
    else
      scanPart(c);
  }

  void skipString() {
    while (position < text.size() && text[position] != '"')
      position += text[position] == '\\' ? 2 : 1;
    ++position;
  }

  void open(char opening) {
    levels.push_back({opening});
    deepest = std::max(deepest, levels.size());
  }

  /// An alias stands for all that its definition nests.
  void scanAlias() {
    size_t begin = position;
    while (
        position < text.size() &&
        (isAlnum(text[position]) || StringRef("_$.-").contains(text[position])))
      ++position;
    StringRef name = text.slice(begin, position);
    if (levels.empty() && text.drop_front(position).ltrim().starts_with("=")) {
      defined = name;
      aliasDepths[defined] = 0;
      return;
    }
    size_t depth = levels.size() + aliasDepths.lookup(name);
    deepest = std::max(deepest, depth);
    // Behind the definitions stands the model, which may use the last of them.
    if (!defined.empty() && name != defined)
      aliasDepths[defined] = std::max(aliasDepths[defined], depth);
  }

  void scanPart(char first) {
    if (first == '#' || first == '!')
      scanAlias();
    else if (isAlnum(first))
      while (position < text.size() &&
             (isAlnum(text[position]) || text[position] == '_'))
        ++position;
    if (!levels.empty())
      ++levels.back().parts;
  }

  /// "<" is also a relation: then the bracket around it closes it.
  void close(char closing) {
    if (closing != '>')
      while (!levels.empty() && levels.back().opening == '<')
        levels.pop_back();
    if (!levels.empty() && (closing != '>' || levels.back().opening == '<'))
      levels.pop_back();
  }

  StringRef text;
  size_t position = 0;
  SmallVector<Level> levels;
  size_t deepest = 0;
  StringMap<size_t> aliasDepths;
  StringRef defined; ///< The last alias whose definition began.
};

} // namespace

std::optional<size_t> hamkaas::findDeepNesting(StringRef text) {
  return NestingScanner(text).find();
}
