//===- Vocabularies.h - Small vocabularies ----------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_TEST_UNIT_TOKENIZER_VOCABULARIES_H
#define HAMKAAS_TEST_UNIT_TOKENIZER_VOCABULARIES_H

#include "GgufContents.h"
#include "HamKaas/Tokenizer/Tokenizer.h"

#include <string>
#include <vector>

namespace hamkaas::test {

using Tokens = std::vector<int64_t>;

/// A vocabulary with all bytes, in the order of the bytes from token 0 on, then
/// what is added to it.
struct TestVocabulary {
  tok::VocabularyKind kind;
  std::vector<std::string> names, merges = {};
  std::vector<tok::TokenType> types = {};
  std::vector<float> scores = {};
  tok::PreTokenizer preTokenizer = tok::PreTokenizer::Gpt2;

  explicit TestVocabulary(tok::VocabularyKind kind) : kind(kind) {
    for (int byte = 0; byte < 256; ++byte)
      if (kind == tok::VocabularyKind::Merges)
        add(spell(byte));
      else
        add(hexadecimal(byte), tok::TokenType::Byte);
  }

  int64_t add(const std::string &name,
              tok::TokenType type = tok::TokenType::Normal, float score = 0) {
    names.push_back(name);
    types.push_back(type);
    scores.push_back(score);
    return static_cast<int64_t>(names.size() - 1);
  }
  /// A merge and the token that it makes.
  int64_t merge(const std::string &left, const std::string &right) {
    merges.push_back(left + " " + right);
    return add(left + right);
  }

  /// Points into this.
  void fill(tok::VocabularySource &source) const {
    source.kind = kind;
    source.preTokenizer = preTokenizer;
    for (size_t i = 0; i < names.size(); ++i)
      (void)source.tokens.push(
          {{names[i].data(), names[i].size()}, scores[i], types[i]});
    for (const std::string &line : merges)
      (void)source.merges.push({line.data(), line.size()});
  }

  /// Printable ASCII as itself, others from U+0100 on, as GPT-2 does.
  static std::string spell(int byte) {
    int code = byte;
    bool isPrintable = (byte >= 0x21 && byte <= 0x7E) ||
                       (byte >= 0xA1 && byte <= 0xFF && byte != 0xAD);
    if (!isPrintable)
      code = 0x100 + (byte < 0x21   ? byte
                      : byte < 0xA1 ? byte - 0x7F + 0x21
                                    : 67);
    if (code < 0x80)
      return std::string(1, static_cast<char>(code));
    return {static_cast<char>(0xC0 | code >> 6),
            static_cast<char>(0x80 | (code & 0x3F))};
  }

  static std::string hexadecimal(int byte) {
    const char *digits = "0123456789ABCDEF";
    return std::string("<0x") + digits[byte / 16] + digits[byte % 16] + ">";
  }

  /// The vocabulary as a GGUF file, with more values.
  std::string makeFile(const std::string &pre = "gpt-2",
                       const std::string &chatTemplate = "") const {
    using rt::GgufType;
    std::string texts, lines, numbers, floats;
    for (size_t i = 0; i < names.size(); ++i) {
      texts += ggufText(names[i]);
      numbers += bytesOf(int32_t(types[i]));
      floats += bytesOf(scores[i]);
    }
    for (const std::string &line : merges)
      lines += ggufText(line);
    bool isMerges = kind == tok::VocabularyKind::Merges;
    GgufContents file;
    file.addValue("general.architecture", GgufType::String, ggufText("tiny"))
        .addValue("tiny.context_length", GgufType::UInt32,
                  bytesOf(uint32_t{300}))
        .addValue("tokenizer.ggml.model", GgufType::String,
                  ggufText(isMerges ? "gpt2" : "llama"))
        .addValue("tokenizer.ggml.pre", GgufType::String, ggufText(pre))
        .addArray("tokenizer.ggml.tokens", GgufType::String, names.size(),
                  texts)
        .addArray("tokenizer.ggml.token_type", GgufType::Int32, names.size(),
                  numbers)
        .addArray("tokenizer.ggml.scores", GgufType::Float32, names.size(),
                  floats)
        .addArray("tokenizer.ggml.merges", GgufType::String, merges.size(),
                  lines);
    if (!chatTemplate.empty())
      file.addValue("tokenizer.chat_template", GgufType::String,
                    ggufText(chatTemplate));
    return file.make();
  }
};

/// The tokens of a text.
inline Tokens encode(const tok::Tokenizer &tokenizer, const std::string &text,
                     bool controls = false, bool ends = false) {
  tok::Array<int64_t> tokens;
  rt::Error error =
      tokenizer.encode({text.data(), text.size()}, ends, controls, tokens);
  return error ? Tokens{-1} : Tokens(tokens.begin(), tokens.end());
}

/// The text of tokens.
inline std::string decode(const tok::Tokenizer &tokenizer,
                          const Tokens &tokens) {
  std::string text;
  for (int64_t token : tokens) {
    tok::Text piece = tokenizer.bytes(token, /*controls=*/true);
    text.append(piece.data, piece.size);
  }
  return text;
}

} // namespace hamkaas::test

#endif // HAMKAAS_TEST_UNIT_TOKENIZER_VOCABULARIES_H
