//===- Tokenizer.h - Text to tokens and back --------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_TOKENIZER_TOKENIZER_H
#define HAMKAAS_TOKENIZER_TOKENIZER_H

#include "HamKaas/Tokenizer/ChatTemplate.h"
#include "HamKaas/Tokenizer/MergeRules.h"
#include "HamKaas/Tokenizer/SpecialTokens.h"
#include "HamKaas/Tokenizer/Symbols.h"

namespace hamkaas::tok {

/// The tokenizer of a model. Const functions may run at the same time.
class Tokenizer {
public:
  /// Texts are shorter, so that positions have 32 bits.
  static constexpr uint64_t maximumText = uint64_t{1} << 30;

  /// Once for each object. Copies what it needs.
  rt::Error build(const VocabularySource &source);

  size_t size() const { return vocabulary.size(); }
  /// Appends the tokens of a text. With `ends` the tokens come first and last
  /// that the file says begin and end a text; with `controls` the names of
  /// control tokens become these.
  rt::Error encode(Text text, bool ends, bool controls,
                   Array<int64_t> &tokens) const;

  /// The messages in the form of the chat template, or of `form` if it is not
  /// empty: a template, or the name of one. `reply` begins a reply.
  rt::Error encodeChat(const ChatMessage *messages, size_t count, Text form,
                       bool reply, Array<int64_t> &tokens) const;

  /// The bytes that a token stands for; without `controls` those that have
  /// names instead have none. `token` is below `size`.
  Text bytes(int64_t token, bool controls) const;

  /// Returns whether a space comes before the text, which decoding drops.
  bool addsSpace() const { return spaceComesFirst; }

  /// The special token of that name; -1 if there is none.
  int64_t findSpecial(Text name) const { return special.find(name); }

  int64_t bos = -1, eos = -1, eot = -1; // -1 for none
  int64_t context = 0; // of the model; 0 if the file does not say
  /// Returns whether a model that writes this token has ended its text.
  bool isEnd(int64_t token) const;

  /// Null-terminated; empty if there is none.
  Text chatTemplate() const;

private:
  /// Memory that is used again for each run of a text.
  struct Scratch {
    Symbols symbols;
    Array<char> text;
    int missingByte = -1; // one without a token, if that ended the encoding
  };

  rt::Error checkSpecial(const char *name, int64_t token) const;
  rt::Error takeSpecial(const VocabularySource &source);
  rt::Error encodePieces(Text text, const Array<ChatPiece> &pieces, bool ends,
                         Array<int64_t> &tokens) const;
  bool cutSpecial(Text text, const Array<ChatPiece> &pieces, Scratch &scratch,
                  Array<int64_t> &tokens) const;
  bool encodeRun(Text text, bool isFirst, Scratch &scratch,
                 Array<int64_t> &tokens) const;
  bool encodeWord(Text word, Scratch &scratch, Array<int64_t> &tokens) const;
  bool encodeByScores(Text text, bool isFirst, Scratch &scratch,
                      Array<int64_t> &tokens) const;
  bool encodeSpaced(Text text, Scratch &scratch, Array<int64_t> &tokens) const;
  bool pushBytes(Text text, Scratch &scratch, Array<int64_t> &tokens) const;
  /// The unknown token; if there is none, notes the byte and returns false.
  bool pushMissing(char byte, Scratch &scratch, Array<int64_t> &tokens) const;

  Vocabulary vocabulary;
  SpecialTokens special;
  MergeRules rules;
  VocabularyKind kind = VocabularyKind::Merges;
  PreTokenizer preTokenizer = PreTokenizer::Gpt2;
  bool takesWholeWords = false;
  bool addsBos = false, addsEos = false, spaceComesFirst = false;
  int64_t unknown = -1;
  Array<int64_t> ends; // tokens of `isEnd`
  Array<char> templateText;
};

} // namespace hamkaas::tok

#endif // HAMKAAS_TOKENIZER_TOKENIZER_H
