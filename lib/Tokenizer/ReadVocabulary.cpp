//===- ReadVocabulary.cpp - The vocabulary in a GGUF file -----------------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Runtime/Files/Gguf.h"
#include "HamKaas/Tokenizer/VocabularySource.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>

using namespace hamkaas::rt;
using namespace hamkaas::tok;

namespace {

/// Reads keys of a file. Each function leaves `value` alone where the key is
/// not there.
class KeyReader {
public:
  KeyReader(const GgufFile &file, const char *path) : file(file), path(path) {}

  Error readText(const char *key, Text &value) const;
  Error readInteger(const char *key, int64_t &value) const;
  Error readFlag(const char *key, bool &value) const;
  Error readTexts(const char *key, Array<Text> &values) const;
  Error readIntegers(VocabularySource &source) const;
  Error readMerges(VocabularySource &source) const;
  Error readContext(int64_t &context) const;

  Error makeError(const char *key, const char *expected,
                  const GgufValue *found) const;

private:
  Error readScores(VocabularySource &source) const;
  Error readTypes(VocabularySource &source) const;
  Error checkCount(const GgufValue &value, size_t tokens) const;

  const GgufFile &file;
  const char *path;
};

} // namespace

Error KeyReader::makeError(const char *key, const char *expected,
                           const GgufValue *found) const {
  if (!found)
    return Error::format("%s: expected %s to be %s, got no such key", path, key,
                         expected);
  return Error::format(
      "%s: expected %s to be %s, got %s of type %s at %" PRIu64, path, key,
      expected, found->isArray ? "an array" : "a value",
      ggufTypeName(found->type), found->offset);
}

Error KeyReader::readText(const char *key, Text &value) const {
  const GgufValue *found = file.findValue(key);
  GgufText text;
  if (!found)
    return Error();
  if (!found->readText(text))
    return makeError(key, "a text", found);
  value = {text.data, text.size};
  return Error();
}

Error KeyReader::readInteger(const char *key, int64_t &value) const {
  const GgufValue *found = file.findValue(key);
  if (!found)
    return Error();
  if (found->isArray || !found->readInteger(0, value))
    return makeError(key, "an integer", found);
  return Error();
}

Error KeyReader::readFlag(const char *key, bool &value) const {
  const GgufValue *found = file.findValue(key);
  if (!found)
    return Error();
  if (found->isArray || !found->readBool(0, value))
    return makeError(key, "a Boolean", found);
  return Error();
}

Error KeyReader::readTexts(const char *key, Array<Text> &values) const {
  const GgufValue *found = file.findValue(key);
  if (!found || !found->isArray || found->type != GgufType::String)
    return makeError(key, "an array of texts", found);
  if (!values.reserve(found->count))
    return Error::format("%s: out of memory for the %" PRIu64 " texts of %s",
                         path, found->count, key);
  GgufTexts texts(*found);
  for (GgufText text; texts.next(text);)
    if (!values.push({text.data, text.size}))
      return Error::format("%s: out of memory for %s", path, key);
  return Error();
}

Error KeyReader::checkCount(const GgufValue &value, size_t tokens) const {
  if (value.isArray && value.count == tokens)
    return Error();
  return Error::format("%s: expected %s to have an entry for each of %zu "
                       "tokens, got %" PRIu64,
                       path, value.name, tokens, value.count);
}

Error KeyReader::readScores(VocabularySource &source) const {
  const char *key = "tokenizer.ggml.scores";
  const GgufValue *found = file.findValue(key);
  if (!found)
    return makeError(key, "an array of numbers", found);
  if (Error error = checkCount(*found, source.tokens.size()))
    return error;
  for (size_t i = 0; i < source.tokens.size(); ++i) {
    double score;
    if (!found->readFloat(i, score))
      return makeError(key, "an array of numbers", found);
    source.tokens[i].score = static_cast<float>(score);
  }
  return Error();
}

Error KeyReader::readTypes(VocabularySource &source) const {
  const char *key = "tokenizer.ggml.token_type";
  const GgufValue *found = file.findValue(key);
  if (!found)
    return Error();
  if (Error error = checkCount(*found, source.tokens.size()))
    return error;
  for (size_t i = 0; i < source.tokens.size(); ++i) {
    int64_t type;
    if (!found->readInteger(i, type))
      return makeError(key, "an array of integers", found);
    if (type < 0 || type > static_cast<int64_t>(TokenType::Byte))
      return Error::format("%s: expected a type of token %zu from 0 to 6, got "
                           "%" PRId64,
                           path, i, type);
    // 0 is that of a token without a type.
    source.tokens[i].type =
        type == 0 ? TokenType::Normal : static_cast<TokenType>(type);
  }
  return Error();
}

Error KeyReader::readIntegers(VocabularySource &source) const {
  Array<Text> names;
  if (Error error = readTexts("tokenizer.ggml.tokens", names))
    return error;
  if (!source.tokens.assign(names.size(), SourceToken()))
    return Error::format("%s: out of memory for %zu tokens", path,
                         names.size());
  for (size_t i = 0; i < names.size(); ++i)
    source.tokens[i].name = names[i];
  if (source.kind == VocabularyKind::Scores)
    if (Error error = readScores(source))
      return error;
  return readTypes(source);
}

Error KeyReader::readMerges(VocabularySource &source) const {
  const char *key = "tokenizer.ggml.pre";
  Text pre;
  if (Error error = readText(key, pre))
    return error;
  if (!findPreTokenizer(pre, source.preTokenizer))
    return Error::format(
        "%s: expected %s to be %s, got '%.*s'", path, key, preTokenizerNames,
        static_cast<int>(std::min<size_t>(pre.size, 40)), pre.data);
  source.takesWholeWords = source.preTokenizer == PreTokenizer::Llama3;
  source.addsBos = source.preTokenizer == PreTokenizer::Llama3;
  return readTexts("tokenizer.ggml.merges", source.merges);
}

Error KeyReader::readContext(int64_t &context) const {
  Text architecture;
  if (Error error = readText("general.architecture", architecture))
    return error;
  char key[100];
  snprintf(key, sizeof(key), "%.*s.context_length",
           static_cast<int>(std::min<size_t>(architecture.size, 60)),
           architecture.data);
  return readInteger(key, context);
}

Error hamkaas::tok::readVocabulary(const GgufFile &file, const char *path,
                                   VocabularySource &source) {
  KeyReader keys(file, path);
  Text model;
  if (Error error = keys.readText("tokenizer.ggml.model", model))
    return error;
  if (!(model == "gpt2") && !(model == "llama"))
    return Error::format(
        "%s: expected tokenizer.ggml.model to be gpt2 or "
        "llama, got '%.*s'",
        path, static_cast<int>(std::min<size_t>(model.size, 40)), model.data);
  if (model == "llama") {
    source.kind = VocabularyKind::Scores;
    source.addsBos = source.addsSpace = true;
    source.unknown = 0;
    source.bos = 1;
    source.eos = 2;
  } else if (Error error = keys.readMerges(source)) {
    return error;
  }
  if (Error error = keys.readIntegers(source))
    return error;
  const struct {
    const char *key;
    int64_t &token;
  } tokens[] = {{"tokenizer.ggml.bos_token_id", source.bos},
                {"tokenizer.ggml.eos_token_id", source.eos},
                {"tokenizer.ggml.eot_token_id", source.eot},
                {"tokenizer.ggml.eom_token_id", source.eom},
                {"tokenizer.ggml.unknown_token_id", source.unknown}};
  for (const auto &entry : tokens)
    if (Error error = keys.readInteger(entry.key, entry.token))
      return error;
  const struct {
    const char *key;
    bool &flag;
  } flags[] = {{"tokenizer.ggml.add_bos_token", source.addsBos},
               {"tokenizer.ggml.add_eos_token", source.addsEos},
               {"tokenizer.ggml.add_space_prefix", source.addsSpace}};
  for (const auto &entry : flags)
    if (Error error = keys.readFlag(entry.key, entry.flag))
      return error;
  if (Error error = keys.readContext(source.context))
    return error;
  return keys.readText("tokenizer.chat_template", source.chatTemplate);
}
