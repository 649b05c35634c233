//===- Tokenizer.cpp - Text to tokens and back ----------------------------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Tokenizer/Tokenizer.h"

#include "HamKaas/Tokenizer/Characters.h"

#include <bit>
#include <cinttypes>

using namespace hamkaas::rt;
using namespace hamkaas::tok;

//===----------------------------------------------------------------------===//
// Building
//===----------------------------------------------------------------------===//

Error Tokenizer::build(const VocabularySource &source) {
  kind = source.kind;
  preTokenizer = source.preTokenizer;
  takesWholeWords = source.takesWholeWords;
  addsBos = source.addsBos;
  addsEos = source.addsEos;
  spaceComesFirst = source.addsSpace;
  context = source.context;
  if (Error error = vocabulary.build(source))
    return error;
  if (Error error = special.build(vocabulary))
    return error;
  if (kind == VocabularyKind::Merges)
    if (Error error = rules.build(source, vocabulary))
      return error;
  if (!templateText.append(source.chatTemplate.data,
                           source.chatTemplate.size) ||
      !templateText.push('\0'))
    return Error::format("out of memory for the chat template");
  return takeSpecial(source);
}

Error Tokenizer::checkSpecial(const char *name, int64_t token) const {
  if (token >= -1 && token < static_cast<int64_t>(size()))
    return Error();
  return Error::format("expected the number of the %s token to be 0 to %zu, "
                       "got %" PRId64,
                       name, size() - 1, token);
}

Error Tokenizer::takeSpecial(const VocabularySource &source) {
  const struct {
    const char *name;
    int64_t token;
  } given[] = {{"bos", source.bos},
               {"eos", source.eos},
               {"eot", source.eot},
               {"eom", source.eom},
               {"unknown", source.unknown}};
  for (const auto &entry : given)
    if (Error error = checkSpecial(entry.name, entry.token))
      return error;
  bos = source.bos;
  eos = source.eos;
  eot = source.eot;
  unknown = source.unknown;
  // Files often name only one of the tokens that end a reply.
  static constexpr const char *turnEnds[] = {"<|eot_id|>", "<|im_end|>",
                                             "<|end|>", "<end_of_turn>"};
  static constexpr const char *otherEnds[] = {"<|endoftext|>",
                                              "<|end_of_text|>", "<|eom_id|>"};
  bool done = ends.push(eos) && ends.push(eot) && ends.push(source.eom);
  for (const char *name : turnEnds) {
    int64_t token = special.find(name);
    if (eot < 0)
      eot = token;
    done = done && ends.push(token);
  }
  for (const char *name : otherEnds)
    done = done && ends.push(special.find(name));
  return done ? Error() : Error::format("out of memory for special tokens");
}

bool Tokenizer::isEnd(int64_t token) const {
  for (int64_t end : ends)
    if (end == token && token >= 0)
      return true;
  return false;
}

Text Tokenizer::chatTemplate() const {
  return {templateText.data(), templateText.size() - 1};
}

Text Tokenizer::bytes(int64_t token, bool controls) const {
  int32_t number = static_cast<int32_t>(token);
  return !controls && vocabulary.isControl(number) ? Text()
                                                   : vocabulary.bytes(number);
}

//===----------------------------------------------------------------------===//
// Encoding
//===----------------------------------------------------------------------===//

Error Tokenizer::encode(Text text, bool withEnds, bool controls,
                        Array<int64_t> &tokens) const {
  Array<ChatPiece> pieces;
  if (!pieces.push({0, text.size, controls}))
    return Error::format("out of memory for a text");
  return encodePieces(text, pieces, withEnds, tokens);
}

Error Tokenizer::encodeChat(const ChatMessage *messages, size_t count,
                            Text form, bool reply,
                            Array<int64_t> &tokens) const {
  ChatText chat;
  Text eosName = eos < 0 ? Text() : vocabulary.bytes(static_cast<int32_t>(eos));
  if (Error error = writeChat(form.empty() ? chatTemplate() : form, eosName,
                              messages, count, reply, chat))
    return error;
  // The end of a text comes after the reply.
  Text text(chat.text.data(), chat.text.size());
  if (addsBos && bos >= 0 && !tokens.push(bos))
    return Error::format("out of memory for a chat");
  return encodePieces(text, chat.pieces, /*ends=*/false, tokens);
}

Error Tokenizer::encodePieces(Text text, const Array<ChatPiece> &pieces,
                              bool withEnds, Array<int64_t> &tokens) const {
  if (text.size >= maximumText)
    return Error::format("expected a text of less than %" PRIu64
                         " bytes, got %zu",
                         maximumText, text.size);
  Scratch scratch;
  bool first = withEnds && addsBos && bos >= 0;
  bool last = withEnds && addsEos && eos >= 0;
  bool done = (!first || tokens.push(bos)) &&
              cutSpecial(text, pieces, scratch, tokens) &&
              (!last || tokens.push(eos));
  if (scratch.missingByte >= 0)
    return Error::format("expected a text of the bytes that the vocabulary "
                         "has, which has no token for what is unknown, got "
                         "the byte 0x%02X",
                         static_cast<unsigned>(scratch.missingByte));
  if (!done)
    return Error::format("out of memory for the tokens of a text of %zu bytes",
                         text.size);
  return Error();
}

bool Tokenizer::cutSpecial(Text text, const Array<ChatPiece> &pieces,
                           Scratch &scratch, Array<int64_t> &tokens) const {
  size_t runBegin = 0;
  bool isFirst = true; // or follows a special token
  for (const ChatPiece &piece : pieces)
    for (size_t at = piece.begin; at < piece.end;) {
      int32_t token =
          special.findAt(text.data + at, text.data + piece.end, piece.controls);
      if (token < 0) {
        ++at;
        continue;
      }
      if (!encodeRun(text.slice(runBegin, at), isFirst, scratch, tokens) ||
          !tokens.push(token))
        return false;
      at += vocabulary.bytes(token).size;
      runBegin = at;
      isFirst = true;
    }
  return encodeRun(text.slice(runBegin, text.size), isFirst, scratch, tokens);
}

bool Tokenizer::encodeRun(Text text, bool isFirst, Scratch &scratch,
                          Array<int64_t> &tokens) const {
  if (text.empty())
    return true;
  if (kind == VocabularyKind::Scores)
    return encodeByScores(text, isFirst, scratch, tokens);
  for (const char *next = text.begin(); next < text.end();) {
    const char *end = findWordEnd(preTokenizer, next, text.end());
    if (!encodeWord({next, static_cast<size_t>(end - next)}, scratch, tokens))
      return false;
    next = end;
  }
  return true;
}

bool Tokenizer::encodeWord(Text word, Scratch &scratch,
                           Array<int64_t> &tokens) const {
  int32_t whole = takesWholeWords ? vocabulary.find(word) : -1;
  if (whole >= 0)
    return tokens.push(whole);
  Symbols &symbols = scratch.symbols;
  symbols.clear();
  for (size_t i = 0; i < word.size; ++i) {
    int32_t token = vocabulary.findByte(static_cast<uint8_t>(word.data[i]));
    if (!symbols.push({static_cast<uint32_t>(i), 1, token}))
      return false;
  }
  auto rule = [&](const Symbol &left, const Symbol &right, uint32_t &priority,
                  int32_t &joined) {
    const MergeRules::Rule *found = left.token >= 0 && right.token >= 0
                                        ? rules.find(left.token, right.token)
                                        : nullptr;
    if (!found)
      return false;
    priority = found->rank;
    joined = found->joined;
    return true;
  };
  return symbols.join(rule) && symbols.visit([&](const Symbol &symbol) {
    return symbol.token >= 0
               ? tokens.push(symbol.token)
               : pushMissing(word.data[symbol.begin], scratch, tokens);
  });
}

// The higher a score, the lower the number.
static uint32_t rankScore(float score) {
  uint32_t bits = std::bit_cast<uint32_t>(score + 0.0f); // No -0.
  return bits >> 31 ? bits : ~(bits | 0x80000000u);
}

/// The first space behind another character.
static const char *findNextSpace(const char *next, const char *end) {
  while (next < end && *next == ' ')
    ++next;
  const void *found = memchr(next, ' ', static_cast<size_t>(end - next));
  return found ? static_cast<const char *>(found) : end;
}

bool Tokenizer::encodeByScores(Text text, bool isFirst, Scratch &scratch,
                               Array<int64_t> &tokens) const {
  Array<char> &spaced = scratch.text;
  spaced.clear();
  if (isFirst && spaceComesFirst && !spaced.push(' '))
    return false;
  // Vocabularies cannot tell U+2581 from a space.
  static constexpr Text spelledSpace = "\xE2\x96\x81";
  size_t at = 0;
  for (size_t found; (found = text.find(spelledSpace, at)) != SIZE_MAX;
       at = found + spelledSpace.size)
    if (!spaced.append(text.data + at, found - at) || !spaced.push(' '))
      return false;
  if (!spaced.append(text.data + at, text.size - at))
    return false;
  for (const char *next = spaced.begin(); next < spaced.end();) {
    const char *end = vocabulary.spacesLead()
                          ? findNextSpace(next, spaced.end())
                          : spaced.end();
    if (!encodeSpaced({next, static_cast<size_t>(end - next)}, scratch, tokens))
      return false;
    next = end;
  }
  return true;
}

bool Tokenizer::encodeSpaced(Text text, Scratch &scratch,
                             Array<int64_t> &tokens) const {
  Symbols &symbols = scratch.symbols;
  symbols.clear();
  for (const char *next = text.begin(); next < text.end();) {
    uint32_t length = readCharacter(next, text.end()).length;
    if (!symbols.push({static_cast<uint32_t>(next - text.begin()), length,
                       vocabulary.find({next, length})}))
      return false;
    next += length;
  }
  auto rule = [&](const Symbol &left, const Symbol &right, uint32_t &priority,
                  int32_t &joined) {
    joined = vocabulary.find(
        {text.data + left.begin, size_t{left.size} + right.size});
    if (joined >= 0)
      priority = rankScore(vocabulary.score(joined));
    return joined >= 0;
  };
  return symbols.join(rule) && symbols.visit([&](const Symbol &symbol) {
    return symbol.token >= 0
               ? tokens.push(symbol.token)
               : pushBytes({text.data + symbol.begin, symbol.size}, scratch,
                           tokens);
  });
}

bool Tokenizer::pushMissing(char byte, Scratch &scratch,
                            Array<int64_t> &tokens) const {
  if (unknown >= 0)
    return tokens.push(unknown);
  scratch.missingByte = static_cast<uint8_t>(byte);
  return false;
}

bool Tokenizer::pushBytes(Text text, Scratch &scratch,
                          Array<int64_t> &tokens) const {
  for (char byte : text)
    if (vocabulary.findByte(static_cast<uint8_t>(byte)) < 0)
      return pushMissing(byte, scratch, tokens);
  for (char byte : text)
    if (!tokens.push(vocabulary.findByte(static_cast<uint8_t>(byte))))
      return false;
  return true;
}
