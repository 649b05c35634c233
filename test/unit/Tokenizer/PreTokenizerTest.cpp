//===- PreTokenizerTest.cpp - How texts are cut into words ----------------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Tokenizer/PreTokenizer.h"
#include "HamKaas/Tokenizer/Characters.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

using namespace hamkaas::tok;

using Words = std::vector<std::string>;

static Words cut(PreTokenizer kind, const std::string &text) {
  Words words;
  const char *next = text.data(), *end = next + text.size();
  while (next < end) {
    const char *after = findWordEnd(kind, next, end);
    words.emplace_back(next, after);
    next = after;
  }
  return words;
}

// The expected words are those of the package tokenizers 0.23 with the regular
// expressions in PreTokenizer.h.

TEST(PreTokenizerTest, Gpt2) {
  auto gpt2 = [](const std::string &text) {
    return cut(PreTokenizer::Gpt2, text);
  };
  EXPECT_EQ(gpt2("I'll go, OK?"), (Words{"I", "'ll", " go", ",", " OK", "?"}));
  EXPECT_EQ(gpt2("I'LL"), (Words{"I", "'", "LL"}));
  EXPECT_EQ(gpt2("x  y"), (Words{"x", " ", " y"}));
  EXPECT_EQ(gpt2("a 123 4"), (Words{"a", " 123", " 4"}));
  EXPECT_EQ(gpt2("end \n\n"), (Words{"end", " \n\n"}));
  EXPECT_EQ(gpt2("\n\n a"), (Words{"\n\n", " a"}));
  EXPECT_EQ(gpt2("\ta"), (Words{"\t", "a"}));
  EXPECT_EQ(gpt2("''s"), (Words{"''", "s"}));
  EXPECT_EQ(gpt2("\xC3\xA9t\xC3\xA9 \xE6\x97\xA5"),
            (Words{"\xC3\xA9t\xC3\xA9", " \xE6\x97\xA5"}));
}

TEST(PreTokenizerTest, SmolLmCutsOutDigits) {
  auto smollm = [](const std::string &text) {
    return cut(PreTokenizer::SmolLm, text);
  };
  EXPECT_EQ(smollm("a 12"), (Words{"a", " ", "1", "2"}));
  EXPECT_EQ(smollm("a  1"), (Words{"a", "  ", "1"}));
  EXPECT_EQ(smollm("\xC2\xB2\xD9\xA3"), (Words{"\xC2\xB2", "\xD9\xA3"}));
}

TEST(PreTokenizerTest, Llama3) {
  auto llama3 = [](const std::string &text) {
    return cut(PreTokenizer::Llama3, text);
  };
  EXPECT_EQ(llama3("I'LL go"), (Words{"I", "'LL", " go"}));
  EXPECT_EQ(llama3("A'\xC5\xBFtuff"), (Words{"A", "'\xC5\xBF", "tuff"}));
  EXPECT_EQ(llama3("1234567 8"), (Words{"123", "456", "7", " ", "8"}));
  EXPECT_EQ(llama3("\ta.b"), (Words{"\ta", ".b"}));
  EXPECT_EQ(llama3("a \n \n  b"), (Words{"a", " \n \n", " ", " b"}));
  EXPECT_EQ(llama3("f();\n\n}"), (Words{"f", "();\n\n", "}"}));
  EXPECT_EQ(llama3(" !!\r\nx"), (Words{" !!\r\n", "x"}));
  EXPECT_EQ(llama3("\n\nx"), (Words{"\n\n", "x"}));
  EXPECT_EQ(llama3("a  "), (Words{"a", "  "}));
}

TEST(PreTokenizerTest, Qwen2TakesDigitsAlone) {
  EXPECT_EQ(cut(PreTokenizer::Qwen2, "v12 3"),
            (Words{"v", "1", "2", " ", "3"}));
}

TEST(PreTokenizerTest, OtherBytesArePunctuation) {
  for (PreTokenizer kind : {PreTokenizer::Gpt2, PreTokenizer::SmolLm,
                            PreTokenizer::Llama3, PreTokenizer::Qwen2})
    EXPECT_EQ(cut(kind, "a\xFF\xC3!b"), (Words{"a", "\xFF\xC3!", "b"}));
}

TEST(PreTokenizerTest, Names) {
  PreTokenizer kind;
  EXPECT_TRUE(findPreTokenizer("llama-bpe", kind));
  EXPECT_EQ(kind, PreTokenizer::Llama3);
  EXPECT_FALSE(findPreTokenizer("tekken", kind));
}

TEST(PreTokenizerTest, Classes) {
  EXPECT_EQ(classifyCharacter(0), UnicodeClass::Other);
  EXPECT_EQ(classifyCharacter('z'), UnicodeClass::Letter);
  EXPECT_EQ(classifyCharacter(0x1C), UnicodeClass::Other);
  EXPECT_EQ(classifyCharacter(0x3000), UnicodeClass::Space);
  EXPECT_EQ(classifyCharacter(0x2160), UnicodeClass::Number);
  EXPECT_EQ(classifyCharacter(0x0301), UnicodeClass::Other);
  EXPECT_EQ(classifyCharacter(0x10FFFF), UnicodeClass::Other);
}
