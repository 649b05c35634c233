// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Chats with a language model in the terminal. chat.h and chat.so are what
// hamkaas-compile makes of the model's GGUF file, with --context=1024.
//
//   chat MODEL.gguf [TEMPERATURE]
#include "chat.h"
#include "hamkaas-c/Sampler.h"
#include "hamkaas-c/Tokenizer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { Context = 1024, Chunk = CHAT_PREFILL_TOKENS_BYTES / 8 };
enum { Vocabulary = CHAT_DECODE_LOGITS_BYTES / 4, Messages = 200 };

static chat *model;
static float logits[Vocabulary];
static int64_t cache[Context]; // the tokens that the model has read
static int64_t seen;

static void stopOn(const char *error) {
  if (error) {
    fprintf(stderr, "\n%s\n", error);
    exit(1);
  }
}

// Reads a text from its beginning, but not again what it begins with already.
static void readTokens(const int64_t *tokens, int64_t count) {
  int64_t next[1], known = 0;
  while (known < seen && known < count - 1 && cache[known] == tokens[known])
    ++known;
  memcpy(cache, tokens, count * sizeof(int64_t));
  for (seen = known; seen < count;) {
    // The cache behind a part of a chunk is overwritten before it is read.
    if (count - seen > 3 && seen + Chunk <= Context) {
      stopOn(chat_prefill(model, cache + seen, &seen, next));
      seen = *next < count - 1 ? *next : count - 1;
    } else {
      stopOn(chat_decode(model, cache + seen, &seen, logits));
      ++seen;
    }
  }
}

int main(int argc, char **argv) {
  HamKaasTokenizer *tokenizer;
  HamKaasSampler *sampler;
  HamKaasSamplerOptions options = {.structSize = sizeof(options), .topP = 0.9f};
  HamKaasMessage messages[Messages];
  char line[4096];
  options.temperature = argc > 2 ? strtof(argv[2], NULL) : 0.2f;
  stopOn(argc > 1 ? NULL : "usage: chat MODEL.gguf [TEMPERATURE]");
  stopOn(HamKaasTokenizerCreate(argv[1], &tokenizer));
  stopOn(HamKaasSamplerCreate(&options, &sampler));
  stopOn(chat_create(NULL, &model));
  for (int32_t said = 0; said < Messages && fgets(line, sizeof(line), stdin);) {
    int64_t tokens[Context + 1], token;
    uint64_t count, bytes;
    const char *text;
    char *reply = NULL;
    size_t size;
    FILE *writer = open_memstream(&reply, &size);
    line[strcspn(line, "\n")] = '\0';
    messages[said++] = (HamKaasMessage){"user", strdup(line)};
    stopOn(HamKaasTokenizerChat(tokenizer, NULL, messages, said, 1, tokens,
                                Context, &count));
    for (;;) {
      readTokens(tokens, (int64_t)count);
      stopOn(HamKaasSamplerChoose(sampler, logits, Vocabulary, &token));
      if (HamKaasTokenizerIsEnd(tokenizer, token) || count == Context)
        break;
      stopOn(HamKaasTokenizerDecode(tokenizer, token, 0, &text, &bytes));
      fwrite(text, 1, bytes, stdout);
      fwrite(text, 1, bytes, writer);
      fflush(stdout);
      tokens[count++] = token;
    }
    fclose(writer);
    messages[said++] = (HamKaasMessage){"assistant", reply};
    puts("");
  }
}
