//===- TokenizerFunctions.cpp - The C interface of tokenizers -------------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Runtime/Core/HandleTable.h"
#include "HamKaas/Runtime/Files/Gguf.h"
#include "HamKaas/Tokenizer/Tokenizer.h"
#include "Objects.h"
#include "hamkaas-c/Tokenizer.h"

#include <cinttypes>

using namespace hamkaas::rt;
using namespace hamkaas::tok;

static constexpr HandleKind tokenizerKind = {8, "a tokenizer"};
using PinnedTokenizer = PinnedObject<const Tokenizer>;

static Error createTokenizer(const char *path, HamKaasTokenizer *&tokenizer) {
  GgufFile file;
  if (Error error = file.open(path))
    return error;
  VocabularySource source;
  if (Error error = readVocabulary(file, path, source))
    return error;
  Tokenizer *created = createObject<Tokenizer>();
  if (!created)
    return Error::format("out of memory for a tokenizer");
  if (Error error = created->build(source)) {
    destroyObject<Tokenizer>(created);
    return Error::format("%s: %s", path, error.message());
  }
  return addObject(tokenizerKind, created, tokenizer);
}

HamKaasError HamKaasTokenizerCreate(const char *path,
                                    HamKaasTokenizer **tokenizer) {
  if (!path || !tokenizer)
    return Error::format("expected a path and where to put a tokenizer, got "
                         "null")
        .release();
  *tokenizer = nullptr;
  return createTokenizer(path, *tokenizer).release();
}

void HamKaasTokenizerDestroy(HamKaasTokenizer *tokenizer) {
  handleTable().remove(tokenizer, tokenizerKind);
}

int64_t HamKaasTokenizerSize(const HamKaasTokenizer *tokenizer) {
  PinnedTokenizer pinned(tokenizer, tokenizerKind);
  return pinned ? static_cast<int64_t>(pinned->size()) : 0;
}

int64_t HamKaasTokenizerContext(const HamKaasTokenizer *tokenizer) {
  PinnedTokenizer pinned(tokenizer, tokenizerKind);
  return pinned ? pinned->context : 0;
}

//===----------------------------------------------------------------------===//
// Encoding
//===----------------------------------------------------------------------===//

static Error copyTokens(const Array<int64_t> &found, int64_t *tokens,
                        uint64_t capacity, uint64_t &count) {
  count = found.size();
  if (count > capacity)
    return Error::format("expected room for %" PRIu64 " tokens, got room for "
                         "%" PRIu64,
                         count, capacity);
  if (count)
    memcpy(tokens, found.data(), count * sizeof(int64_t));
  return Error();
}

// `encode` fills the array that it is given.
template <typename Encode>
static Error encodeInto(const HamKaasTokenizer *tokenizer, int64_t *tokens,
                        uint64_t capacity, uint64_t *count,
                        const Encode &encode) {
  if (!count || (!tokens && capacity))
    return Error::format("expected where to put the tokens and their number, "
                         "got null");
  *count = 0;
  PinnedTokenizer pinned(tokenizer, tokenizerKind);
  if (!pinned)
    return pinned.explain();
  Array<int64_t> found;
  Error error = encode(*pinned, found);
  return error ? static_cast<Error &&>(error)
               : copyTokens(found, tokens, capacity, *count);
}

HamKaasError HamKaasTokenizerEncode(const HamKaasTokenizer *tokenizer,
                                    const char *text, uint64_t bytes,
                                    uint32_t encoding, int64_t *tokens,
                                    uint64_t capacity, uint64_t *count) {
  if (!text && bytes)
    return Error::format("expected a text of %" PRIu64 " bytes, got null",
                         bytes)
        .release();
  constexpr uint32_t known = HAMKAAS_ENCODE_ENDS | HAMKAAS_ENCODE_CONTROLS;
  if (encoding & ~known)
    return Error::format("expected flags of HamKaasEncoding, got %u", encoding)
        .release();
  return encodeInto(tokenizer, tokens, capacity, count,
                    [&](const Tokenizer &found, Array<int64_t> &result) {
                      return found.encode(
                          {text ? text : "", static_cast<size_t>(bytes)},
                          (encoding & HAMKAAS_ENCODE_ENDS) != 0,
                          (encoding & HAMKAAS_ENCODE_CONTROLS) != 0, result);
                    })
      .release();
}

static Error readMessages(const HamKaasMessage *messages, int32_t count,
                          Array<ChatMessage> &result) {
  if (count < 0 || (count > 0 && !messages))
    return Error::format("expected messages, got %d%s", count,
                         messages ? "" : " at null");
  for (int32_t i = 0; i < count; ++i) {
    if (!messages[i].role || !messages[i].content)
      return Error::format("expected a role and a content of message %d, got "
                           "null",
                           i);
    if (!result.push({messages[i].role, messages[i].content}))
      return Error::format("out of memory for %d messages", count);
  }
  return Error();
}

HamKaasError HamKaasTokenizerChat(const HamKaasTokenizer *tokenizer,
                                  const char *form,
                                  const HamKaasMessage *messages,
                                  int32_t messageCount, int32_t reply,
                                  int64_t *tokens, uint64_t capacity,
                                  uint64_t *count) {
  Array<ChatMessage> known;
  if (Error error = readMessages(messages, messageCount, known))
    return error.release();
  return encodeInto(tokenizer, tokens, capacity, count,
                    [&](const Tokenizer &found, Array<int64_t> &result) {
                      return found.encodeChat(known.data(), known.size(),
                                              form ? form : "", reply != 0,
                                              result);
                    })
      .release();
}

//===----------------------------------------------------------------------===//
// Tokens
//===----------------------------------------------------------------------===//

HamKaasError HamKaasTokenizerDecode(const HamKaasTokenizer *tokenizer,
                                    int64_t token, int32_t controls,
                                    const char **text, uint64_t *bytes) {
  if (!text || !bytes)
    return Error::format("expected where to put the bytes of a token, got null")
        .release();
  PinnedTokenizer pinned(tokenizer, tokenizerKind);
  if (!pinned)
    return pinned.explain().release();
  if (token < 0 || token >= static_cast<int64_t>(pinned->size()))
    return Error::format("expected a token of 0 to %zu, got %" PRId64,
                         pinned->size() - 1, token)
        .release();
  Text found = pinned->bytes(token, controls != 0);
  *text = found.data;
  *bytes = found.size;
  return nullptr;
}

int32_t HamKaasTokenizerAddsSpace(const HamKaasTokenizer *tokenizer) {
  PinnedTokenizer pinned(tokenizer, tokenizerKind);
  return pinned && pinned->addsSpace();
}

int64_t HamKaasTokenizerBos(const HamKaasTokenizer *tokenizer) {
  PinnedTokenizer pinned(tokenizer, tokenizerKind);
  return pinned ? pinned->bos : -1;
}

int64_t HamKaasTokenizerEos(const HamKaasTokenizer *tokenizer) {
  PinnedTokenizer pinned(tokenizer, tokenizerKind);
  return pinned ? pinned->eos : -1;
}

int64_t HamKaasTokenizerEot(const HamKaasTokenizer *tokenizer) {
  PinnedTokenizer pinned(tokenizer, tokenizerKind);
  return pinned ? pinned->eot : -1;
}

int32_t HamKaasTokenizerIsEnd(const HamKaasTokenizer *tokenizer,
                              int64_t token) {
  PinnedTokenizer pinned(tokenizer, tokenizerKind);
  return pinned && pinned->isEnd(token);
}

int64_t HamKaasTokenizerFind(const HamKaasTokenizer *tokenizer,
                             const char *name) {
  PinnedTokenizer pinned(tokenizer, tokenizerKind);
  return pinned && name ? pinned->findSpecial(name) : -1;
}

const char *HamKaasTokenizerChatTemplate(const HamKaasTokenizer *tokenizer) {
  PinnedTokenizer pinned(tokenizer, tokenizerKind);
  return pinned && !pinned->chatTemplate().empty() ? pinned->chatTemplate().data
                                                   : nullptr;
}
