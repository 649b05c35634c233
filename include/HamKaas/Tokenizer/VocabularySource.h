//===- VocabularySource.h - What a tokenizer is made of ---------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_TOKENIZER_VOCABULARYSOURCE_H
#define HAMKAAS_TOKENIZER_VOCABULARYSOURCE_H

#include "HamKaas/Runtime/Core/Error.h"
#include "HamKaas/Tokenizer/Array.h"
#include "HamKaas/Tokenizer/PreTokenizer.h"

namespace hamkaas::rt {
class GgufFile;
}

namespace hamkaas::tok {

/// Types of tokens by their numbers in tokenizer.ggml.token_type.
enum class TokenType : uint8_t {
  Normal = 1,
  Unknown,
  Control,
  UserDefined,
  Unused,
  Byte
};

enum class VocabularyKind : uint8_t {
  /// Pairs of neighbours are joined in the order of a list, within words:
  /// tokenizer.ggml.model "gpt2". Names spell each byte as a character.
  Merges,
  /// Neighbours that are a token together are joined, the highest score first,
  /// as SentencePiece does: "llama". Names spell a space as U+2581.
  Scores
};

struct SourceToken {
  Text name;
  float score = 0; // of VocabularyKind::Scores
  TokenType type = TokenType::Normal;
};

/// A vocabulary as files have it, and not yet checked. Texts are owned by the
/// file.
struct VocabularySource {
  VocabularyKind kind = VocabularyKind::Merges;
  PreTokenizer preTokenizer = PreTokenizer::Gpt2; // of VocabularyKind::Merges
  /// A word that is a token is not merged from its bytes.
  bool takesWholeWords = false;
  Array<SourceToken> tokens;
  Array<Text> merges; // "a b", of VocabularyKind::Merges

  // -1 for none.
  int64_t bos = -1; // begins a text
  int64_t eos = -1; // ends a text
  int64_t eot = -1; // ends a turn of a chat
  int64_t eom = -1; // ends a message of one who uses tools
  int64_t unknown = -1;

  bool addsBos = false;
  bool addsEos = false;
  bool addsSpace = false; // before a text, of VocabularyKind::Scores
  Text chatTemplate;      // empty for none
  int64_t context = 0;    // of the model; 0 if the file does not say
};

/// Reads the keys tokenizer.* and the context of a GGUF file. `path` is for
/// messages.
rt::Error readVocabulary(const rt::GgufFile &file, const char *path,
                         VocabularySource &source /* out */);

} // namespace hamkaas::tok

#endif // HAMKAAS_TOKENIZER_VOCABULARYSOURCE_H
