//===- PreTokenizer.h - The words of a text ---------------------*- C++ -*-===//
//-*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_TOKENIZER_PRETOKENIZER_H
#define HAMKAAS_TOKENIZER_PRETOKENIZER_H

#include "HamKaas/Tokenizer/Array.h"

namespace hamkaas::tok {

/// How a text is cut into words, by the names in tokenizer.ggml.pre. Each is a
/// regular expression whose matches cover any text:
///
/// Gpt2:   's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+
///         |\s+(?!\S)|\s+
/// SmolLm: \p{N} first, then Gpt2 on the text between these
/// Llama3: (?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}
///         | ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+
/// Qwen2:  Llama3 with \p{N} in place of \p{N}{1,3}
enum class PreTokenizer : uint8_t { Gpt2, SmolLm, Llama3, Qwen2 };

/// Returns false for a name of another one.
bool findPreTokenizer(Text name, PreTokenizer &found /* out */);

/// All names, for messages.
extern const char preTokenizerNames[];

/// The end of the word at `next`, which is before `end`. Bytes that are not
/// UTF-8 count as punctuation.
const char *findWordEnd(PreTokenizer kind, const char *next, const char *end);

} // namespace hamkaas::tok

#endif // HAMKAAS_TOKENIZER_PRETOKENIZER_H
