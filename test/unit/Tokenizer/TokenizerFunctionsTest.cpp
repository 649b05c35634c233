//===- TokenizerFunctionsTest.cpp - The C interface of tokenizers ---------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TemporaryFolder.h"
#include "Text.h"
#include "Vocabularies.h"
#include "hamkaas-c/Tokenizer.h"

#include <gtest/gtest.h>
#include <random>

using namespace hamkaas::rt;
using namespace hamkaas::tok;
using namespace hamkaas::test;

namespace {

class TokenizerFunctionsTest : public ::testing::Test {
protected:
  void SetUp() override {
    vocabulary.merge("h", "i");
    begin = vocabulary.add("<|im_start|>", TokenType::Control);
    end = vocabulary.add("<|im_end|>", TokenType::Control);
    path = folder.write("m.gguf", vocabulary.makeFile("gpt-2", "<|im_start|>"));
    ASSERT_EQ(takeText(HamKaasTokenizerCreate(path.c_str(), &tokenizer)), "");
  }
  void TearDown() override { HamKaasTokenizerDestroy(tokenizer); }

  std::string errorOf(const std::string &contents) {
    HamKaasTokenizer *created = nullptr;
    std::string wrong = folder.write("wrong.gguf", contents);
    std::string text =
        takeText(HamKaasTokenizerCreate(wrong.c_str(), &created));
    EXPECT_EQ(created == nullptr, !text.empty());
    HamKaasTokenizerDestroy(created);
    return text.rfind(wrong + ": ", 0) == 0 ? text.substr(wrong.size() + 2)
                                            : text;
  }

  TemporaryFolder folder;
  TestVocabulary vocabulary{VocabularyKind::Merges};
  std::string path;
  int64_t begin = 0, end = 0;
  HamKaasTokenizer *tokenizer = nullptr;
};

} // namespace

TEST_F(TokenizerFunctionsTest, Encodes) {
  int64_t tokens[4];
  uint64_t count = 9;
  EXPECT_EQ(HamKaasTokenizerEncode(tokenizer, "hi<|im_end|>!", 13,
                                   HAMKAAS_ENCODE_CONTROLS, tokens, 4, &count),
            nullptr);
  EXPECT_EQ(Tokens(tokens, tokens + count), (Tokens{256, end, '!'}));
  EXPECT_EQ(takeText(HamKaasTokenizerEncode(tokenizer, "hello", 5, 0, tokens, 4,
                                            &count)),
            "expected room for 5 tokens, got room for 4");
  EXPECT_EQ(count, 5u);
  EXPECT_EQ(
      HamKaasTokenizerEncode(tokenizer, nullptr, 0, 0, nullptr, 0, &count),
      nullptr);
  EXPECT_EQ(count, 0u);
}

TEST_F(TokenizerFunctionsTest, Chats) {
  HamKaasMessage message = {"user", "hi"};
  int64_t tokens[64];
  uint64_t count;
  ASSERT_EQ(takeText(HamKaasTokenizerChat(tokenizer, nullptr, &message, 1, 0,
                                          tokens, 64, &count)),
            "");
  EXPECT_EQ(Tokens(tokens, tokens + count),
            (Tokens{begin, 'u', 's', 'e', 'r', '\n', 256, end, '\n'}));
  EXPECT_NE(takeText(HamKaasTokenizerChat(tokenizer, "none", &message, 1, 0,
                                          tokens, 64, &count)),
            "");
  message.content = nullptr;
  EXPECT_EQ(takeText(HamKaasTokenizerChat(tokenizer, nullptr, &message, 1, 0,
                                          tokens, 64, &count)),
            "expected a role and a content of message 0, got null");
  EXPECT_EQ(takeText(HamKaasTokenizerChat(tokenizer, nullptr, nullptr, 1, 0,
                                          tokens, 64, &count)),
            "expected messages, got 1 at null");
}

TEST_F(TokenizerFunctionsTest, Describes) {
  EXPECT_EQ(HamKaasTokenizerSize(tokenizer), 259);
  EXPECT_EQ(HamKaasTokenizerContext(tokenizer), 300);
  EXPECT_EQ(HamKaasTokenizerBos(tokenizer), -1);
  EXPECT_EQ(HamKaasTokenizerEos(tokenizer), -1);
  EXPECT_EQ(HamKaasTokenizerEot(tokenizer), end);
  EXPECT_NE(HamKaasTokenizerIsEnd(tokenizer, end), 0);
  EXPECT_EQ(HamKaasTokenizerFind(tokenizer, "<|im_start|>"), begin);
  EXPECT_STREQ(HamKaasTokenizerChatTemplate(tokenizer), "<|im_start|>");
  EXPECT_EQ(HamKaasTokenizerAddsSpace(tokenizer), 0);
  const char *text;
  uint64_t bytes;
  ASSERT_EQ(HamKaasTokenizerDecode(tokenizer, 256, 0, &text, &bytes), nullptr);
  EXPECT_EQ(std::string(text, bytes), "hi");
  ASSERT_EQ(HamKaasTokenizerDecode(tokenizer, end, 0, &text, &bytes), nullptr);
  EXPECT_EQ(bytes, 0u);
  EXPECT_EQ(takeText(HamKaasTokenizerDecode(tokenizer, 259, 0, &text, &bytes)),
            "expected a token of 0 to 258, got 259");
}

TEST_F(TokenizerFunctionsTest, WrongArguments) {
  uint64_t count;
  int64_t token;
  EXPECT_EQ(
      takeText(HamKaasTokenizerEncode(nullptr, "", 0, 0, &token, 1, &count)),
      "expected a tokenizer, got null");
  EXPECT_EQ(
      takeText(HamKaasTokenizerEncode(tokenizer, "", 0, 8, &token, 1, &count)),
      "expected flags of HamKaasEncoding, got 8");
  EXPECT_EQ(takeText(HamKaasTokenizerEncode(tokenizer, nullptr, 1, 0, &token, 1,
                                            &count)),
            "expected a text of 1 bytes, got null");
  EXPECT_NE(takeText(HamKaasTokenizerCreate(nullptr, &tokenizer)), "");
  EXPECT_EQ(HamKaasTokenizerSize(nullptr), 0);
  EXPECT_EQ(HamKaasTokenizerChatTemplate(nullptr), nullptr);
}

TEST_F(TokenizerFunctionsTest, WrongFiles) {
  EXPECT_NE(takeText(HamKaasTokenizerCreate("/nonexistent", &tokenizer)), "");
  EXPECT_EQ(errorOf(vocabulary.makeFile("tekken")),
            "expected tokenizer.ggml.pre to be gpt-2, smollm, llama-bpe or "
            "qwen2, got 'tekken'");
  EXPECT_EQ(errorOf(GgufContents().make()),
            "expected tokenizer.ggml.model to be gpt2 or llama, got ''");
  GgufContents scores;
  scores.addValue("tokenizer.ggml.model", GgufType::String, ggufText("llama"))
      .addArray("tokenizer.ggml.tokens", GgufType::String, 1, ggufText("a"));
  EXPECT_EQ(errorOf(scores.make()), "expected tokenizer.ggml.scores to be an "
                                    "array of numbers, got no such key");
  scores.addArray("tokenizer.ggml.scores", GgufType::Float32, 2,
                  bytesOf(0.0f) + bytesOf(0.0f));
  EXPECT_EQ(errorOf(scores.make()),
            "expected tokenizer.ggml.scores to have an entry for each of 1 "
            "tokens, got 2");
  vocabulary.types[3] = static_cast<TokenType>(7);
  EXPECT_EQ(errorOf(vocabulary.makeFile()),
            "expected a type of token 3 from 0 to 6, got 7");
}

// Each is a tokenizer that works, or an error.
TEST_F(TokenizerFunctionsTest, Mutants) {
  TestVocabulary scores(VocabularyKind::Scores);
  scores.add("\xE2\x96\x81"
             "a");
  for (const std::string &file :
       {vocabulary.makeFile("llama-bpe", "<|im_start|>"), scores.makeFile()}) {
    std::mt19937 random(1);
    int errors = 0;
    for (int round = 0; round < 2000; ++round) {
      std::string wrong = file;
      for (int i = 0; i < 3; ++i)
        wrong[random() % wrong.size()] = static_cast<char>(random());
      if (round % 4 == 0)
        wrong.resize(random() % wrong.size());
      std::string at = folder.write("mutant.gguf", wrong);
      HamKaasTokenizer *mutant = nullptr;
      HamKaasError error = HamKaasTokenizerCreate(at.c_str(), &mutant);
      errors += error != nullptr;
      HamKaasErrorFree(error);
      int64_t tokens[64];
      uint64_t count;
      HamKaasMessage message = {"user", "hi a\xFF <|im_end|>"};
      HamKaasErrorFree(HamKaasTokenizerEncode(
          mutant, "a hi\xFF \xE2\x96", 8,
          HAMKAAS_ENCODE_CONTROLS | HAMKAAS_ENCODE_ENDS, tokens, 64, &count));
      HamKaasErrorFree(HamKaasTokenizerChat(mutant, nullptr, &message, 1, 1,
                                            tokens, 64, &count));
      HamKaasTokenizerDestroy(mutant);
    }
    EXPECT_GT(errors, 500);
    EXPECT_LT(errors, 2000);
  }
}
