//===- PreTokenizer.cpp - The words of a text -----------------------------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Tokenizer/PreTokenizer.h"

#include "HamKaas/Tokenizer/Characters.h"

using namespace hamkaas::tok;

const char hamkaas::tok::preTokenizerNames[] =
    "gpt-2, smollm, llama-bpe or qwen2";

bool hamkaas::tok::findPreTokenizer(Text name, PreTokenizer &found) {
  static constexpr struct {
    const char *name;
    PreTokenizer kind;
  } known[] = {
      {"gpt-2", PreTokenizer::Gpt2},
      {"smollm", PreTokenizer::SmolLm},
      {"starcoder", PreTokenizer::SmolLm},
      {"refact", PreTokenizer::SmolLm},
      {"llama-bpe", PreTokenizer::Llama3},
      {"llama3", PreTokenizer::Llama3},
      {"llama-v3", PreTokenizer::Llama3},
      {"qwen2", PreTokenizer::Qwen2},
      {"deepseek-r1-qwen", PreTokenizer::Qwen2},
  };
  for (const auto &entry : known)
    if (name == entry.name) {
      found = entry.kind;
      return true;
    }
  return false;
}

namespace {

/// Reads one word. Each function returns its end, or null if the word is not of
/// that kind.
class WordReader {
public:
  WordReader(PreTokenizer kind, const char *next, const char *end)
      : kind(kind), next(next), end(end), first(readCharacter(next, end)) {
    const char *after = next + first.length;
    if (after < end)
      second = readCharacter(after, end);
    hasSecond = after < end;
  }

  const char *readGpt2() const {
    if (const char *found = readContraction(/*anyCase=*/false))
      return found;
    if (first.kind == UnicodeClass::Number && kind == PreTokenizer::SmolLm)
      return next + first.length;
    if (first.code == ' ' && hasSecond && second.kind != UnicodeClass::Space &&
        !standsAlone(second))
      return skip(next + first.length, second.kind);
    return first.kind == UnicodeClass::Space ? readSpace()
                                             : skip(next, first.kind);
  }

  const char *readLlama3() const {
    if (const char *found = readContraction(/*anyCase=*/true))
      return found;
    if (first.kind == UnicodeClass::Letter)
      return skip(next, UnicodeClass::Letter);
    if (first.kind == UnicodeClass::Number)
      return skip(next, UnicodeClass::Number,
                  kind == PreTokenizer::Llama3 ? 3 : 1);
    bool isLineEnd = first.code == '\r' || first.code == '\n';
    if (!isLineEnd && hasSecond && second.kind == UnicodeClass::Letter)
      return skip(next + first.length, UnicodeClass::Letter);
    if (first.kind == UnicodeClass::Other)
      return readPunctuation(next);
    if (first.code == ' ' && hasSecond && second.kind == UnicodeClass::Other)
      return readPunctuation(next + 1);
    const char *found = findLastLineEnd();
    return found ? found : readSpace();
  }

private:
  /// Is cut out of the text before it is cut into words.
  bool standsAlone(const Character &character) const {
    return kind == PreTokenizer::SmolLm &&
           character.kind == UnicodeClass::Number;
  }

  const char *skip(const char *at, UnicodeClass wanted,
                   int limit = INT32_MAX) const {
    for (; at < end && limit > 0; --limit) {
      Character character = readCharacter(at, end);
      if (character.kind != wanted)
        break;
      at += character.length;
    }
    return at;
  }

  const char *readContraction(bool anyCase) const {
    if (first.code != '\'' || !hasSecond)
      return nullptr;
    auto letterAt = [&](ptrdiff_t i) -> char {
      char letter = end - next > i ? next[i] : '\0';
      return anyCase && letter >= 'A' && letter <= 'Z' ? letter + 0x20 : letter;
    };
    char one = letterAt(1), two = letterAt(2);
    if (one == 's' || one == 't' || one == 'm' || one == 'd')
      return next + 2;
    if (((one == 'r' || one == 'v') && two == 'e') ||
        (one == 'l' && two == 'l'))
      return next + 3;
    // U+017F, the long s, is an s without regard to case.
    return anyCase && second.code == 0x17F ? next + 3 : nullptr;
  }

  const char *readPunctuation(const char *at) const {
    at = skip(at, UnicodeClass::Other);
    while (at < end && (*at == '\r' || *at == '\n'))
      ++at;
    return at;
  }

  /// Behind the last end of a line in the white space here.
  const char *findLastLineEnd() const {
    const char *found = nullptr;
    const char *spaceEnd = skip(next, UnicodeClass::Space);
    for (const char *at = next; at < spaceEnd; ++at)
      if (*at == '\r' || *at == '\n')
        found = at + 1;
    return found;
  }

  /// The last white space before a word is left to the word.
  const char *readSpace() const {
    const char *at = next, *last = next;
    while (at < end) {
      Character character = readCharacter(at, end);
      if (character.kind != UnicodeClass::Space)
        return last == next || standsAlone(character) ? at : last;
      last = at;
      at += character.length;
    }
    return at;
  }

  PreTokenizer kind;
  const char *next, *end;
  Character first, second;
  bool hasSecond;
};

} // namespace

const char *hamkaas::tok::findWordEnd(PreTokenizer kind, const char *next,
                                      const char *end) {
  WordReader reader(kind, next, end);
  bool isLlama3 = kind == PreTokenizer::Llama3 || kind == PreTokenizer::Qwen2;
  return isLlama3 ? reader.readLlama3() : reader.readGpt2();
}
