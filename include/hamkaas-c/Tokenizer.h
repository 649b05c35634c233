//===- Tokenizer.h - Text to tokens and back, and chats -----------*- C -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The tokenizer of a language model, made from the tables in its GGUF file.
// Plain C99; needs only libc, throws nothing, never aborts.
//
// Two kinds of vocabulary: byte pair encoding (tokenizer.ggml.model "gpt2")
// with the pre-tokenizers gpt-2, smollm, llama-bpe and qwen2, and
// SentencePiece's
// ("llama"). Others are errors. Texts are not normalised, also where a model's
// authors did so.
//
// Texts are any bytes. Those that are not UTF-8 become the tokens of bytes, so
// that they come back from these tokens as they were. Where a vocabulary lacks
// the token of a byte, a character (SentencePiece) or the byte (byte pair
// encoding) becomes the unknown token; without one it is an error.
//
// Time is that of n log n for a text of n bytes.
//
// Errors: as in hamkaas-c/Runtime.h, null or a message that HamKaasErrorFree
// releases.
//
// Threads: one tokenizer may be used by several threads at the same time.
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_C_TOKENIZER_H
#define HAMKAAS_C_TOKENIZER_H

#include "hamkaas-c/Runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct HamKaasTokenizer HamKaasTokenizer;

/// Reads the tokenizer of the GGUF file at `path`, which is not needed later.
/// On success `*tokenizer` is owned by the caller, who frees it with
/// HamKaasTokenizerDestroy.
HAMKAAS_API HamKaasError HamKaasTokenizerCreate(
    const char *path, HamKaasTokenizer **tokenizer /* out */);

/// Does nothing on null and on other values that are not a tokenizer.
HAMKAAS_API void HamKaasTokenizerDestroy(HamKaasTokenizer *tokenizer);

/// Number of tokens, which are 0 to this; 0 if `tokenizer` is not valid.
HAMKAAS_API int64_t HamKaasTokenizerSize(const HamKaasTokenizer *tokenizer);

/// Tokens that a text of the model has at most, as the file says; 0 if it does
/// not.
HAMKAAS_API int64_t HamKaasTokenizerContext(const HamKaasTokenizer *tokenizer);

/// How a text is encoded; flags to be added.
typedef enum HamKaasEncoding {
  /// Names of control tokens in the text are ordinary text. Tokens that the
  /// file calls user-defined are always recognised.
  HAMKAAS_ENCODE_TEXT = 0,
  /// First and last come the tokens that the file says begin and end a text.
  HAMKAAS_ENCODE_ENDS = 1,
  /// Names of control tokens, "<|im_start|>", become these tokens. Not for
  /// texts
  /// of strangers.
  HAMKAAS_ENCODE_CONTROLS = 2
} HamKaasEncoding;

/// Writes the tokens of a text of `bytes` bytes to `tokens`, which has room for
/// `capacity`, and their number to `*count`. If they are more, this is an error
/// and `*count` says how many.
HAMKAAS_API HamKaasError HamKaasTokenizerEncode(
    const HamKaasTokenizer *tokenizer, const char *text, uint64_t bytes,
    uint32_t encoding, int64_t *tokens /* out */, uint64_t capacity,
    uint64_t *count /* out */);

/// The bytes of one token, perhaps part of a character, owned by the tokenizer.
/// Control tokens have none, or with `controls` not 0 their name. SentencePiece
/// puts a space before a text, see HamKaasTokenizerAddsSpace.
HAMKAAS_API HamKaasError HamKaasTokenizerDecode(
    const HamKaasTokenizer *tokenizer, int64_t token, int32_t controls,
    const char **text /* out */, uint64_t *bytes /* out */);

/// Not 0 if encoding puts a space before a text, so that the first token
/// decodes to one more space than the text has.
HAMKAAS_API int32_t
HamKaasTokenizerAddsSpace(const HamKaasTokenizer *tokenizer);

/// The token that begins a text, ends a text, or ends a turn of a chat; -1 if
/// there is none or if `tokenizer` is not valid.
HAMKAAS_API int64_t HamKaasTokenizerBos(const HamKaasTokenizer *tokenizer);
HAMKAAS_API int64_t HamKaasTokenizerEos(const HamKaasTokenizer *tokenizer);
HAMKAAS_API int64_t HamKaasTokenizerEot(const HamKaasTokenizer *tokenizer);

/// Not 0 if a model that writes `token` has ended its text: one of the above,
/// or one with a name of that meaning, as "<|im_end|>".
HAMKAAS_API int32_t HamKaasTokenizerIsEnd(const HamKaasTokenizer *tokenizer,
                                          int64_t token);

/// The control or user-defined token called `name`; -1 if there is none.
HAMKAAS_API int64_t HamKaasTokenizerFind(const HamKaasTokenizer *tokenizer,
                                         const char *name);

/// The chat template of the file, in the language Jinja; null if it has none.
/// Owned by the tokenizer.
HAMKAAS_API const char *
HamKaasTokenizerChatTemplate(const HamKaasTokenizer *tokenizer);

/// One message of a chat. `role` is "system" (the first message only), "user"
/// or "assistant".
typedef struct HamKaasMessage {
  const char *role;
  const char *content; /* null-terminated */
} HamKaasMessage;

/// Writes the tokens of a chat, as HamKaasTokenizerEncode does, from the token
/// that begins a text on. With `reply` not 0 they end where the reply of the
/// model begins.
///
/// `form` is a template or the name of one: "chatml", "llama2", "mistral",
/// "llama3", "zephyr" or "gemma". If it is null, the template of the file
/// counts. Templates are not run but recognised by their text, and others are
/// an error. Of "chatml" the default system message of the template is written
/// if there is no other.
///
/// Names of control tokens in the messages are ordinary text.
HAMKAAS_API HamKaasError HamKaasTokenizerChat(
    const HamKaasTokenizer *tokenizer, const char *form,
    const HamKaasMessage *messages, int32_t messageCount, int32_t reply,
    int64_t *tokens /* out */, uint64_t capacity, uint64_t *count /* out */);

#ifdef __cplusplus
}
#endif

#endif // HAMKAAS_C_TOKENIZER_H
