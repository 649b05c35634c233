//===- TokenizerTest.cpp - Text to tokens and back ------------------------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Tokenizer/Tokenizer.h"
#include "Text.h"
#include "Vocabularies.h"

#include <gtest/gtest.h>
#include <limits>

using namespace hamkaas;
using namespace hamkaas::tok;
using namespace hamkaas::test;

static rt::Error build(Tokenizer &tokenizer, const TestVocabulary &vocabulary,
                       void (*change)(VocabularySource &) = nullptr) {
  VocabularySource source;
  vocabulary.fill(source);
  if (change)
    change(source);
  return tokenizer.build(source);
}

static std::string errorOf(const TestVocabulary &vocabulary,
                           void (*change)(VocabularySource &) = nullptr) {
  Tokenizer tokenizer;
  return textOf(build(tokenizer, vocabulary, change));
}

//===----------------------------------------------------------------------===//
// Merges
//===----------------------------------------------------------------------===//

TEST(MergesTest, JoinsTheFirstOfTheListFirst) {
  TestVocabulary vocabulary(VocabularyKind::Merges);
  int64_t bc = vocabulary.merge("b", "c");
  int64_t ab = vocabulary.merge("a", "b");
  int64_t abc = vocabulary.merge("a", "bc");
  Tokenizer tokenizer;
  ASSERT_FALSE(build(tokenizer, vocabulary));
  EXPECT_EQ(encode(tokenizer, "abc"), Tokens{abc});
  EXPECT_EQ(encode(tokenizer, "ab"), Tokens{ab});
  EXPECT_EQ(encode(tokenizer, "bcbc"), (Tokens{bc, bc}));
  // Not across words.
  EXPECT_EQ(encode(tokenizer, "b'c"), (Tokens{'b', '\'', 'c'}));
  EXPECT_EQ(encode(tokenizer, ""), Tokens{});
}

TEST(MergesTest, OfEqualPairsTheFirstIsJoined) {
  TestVocabulary vocabulary(VocabularyKind::Merges);
  int64_t aa = vocabulary.merge("a", "a");
  Tokenizer tokenizer;
  ASSERT_FALSE(build(tokenizer, vocabulary));
  EXPECT_EQ(encode(tokenizer, "aaa"), (Tokens{aa, 'a'}));
}

TEST(MergesTest, WholeWordsNeedNoMerges) {
  TestVocabulary vocabulary(VocabularyKind::Merges);
  int64_t word = vocabulary.add("word");
  Tokenizer without, with;
  ASSERT_FALSE(build(without, vocabulary));
  ASSERT_FALSE(build(with, vocabulary, [](VocabularySource &source) {
    source.takesWholeWords = true;
  }));
  EXPECT_EQ(encode(without, "word"), (Tokens{'w', 'o', 'r', 'd'}));
  EXPECT_EQ(encode(with, "word"), Tokens{word});
}

TEST(MergesTest, AllBytesComeBack) {
  TestVocabulary vocabulary(VocabularyKind::Merges);
  Tokenizer tokenizer;
  ASSERT_FALSE(build(tokenizer, vocabulary));
  std::string bytes;
  for (int byte = 255; byte >= 0; --byte)
    bytes += static_cast<char>(byte);
  EXPECT_EQ(encode(tokenizer, bytes).size(), 256u);
  EXPECT_EQ(decode(tokenizer, encode(tokenizer, bytes)), bytes);
}

TEST(MergesTest, BytesThatAreMissingAreUnknown) {
  TestVocabulary vocabulary(VocabularyKind::Merges);
  vocabulary.names['z'] = "zz";
  int64_t joined = vocabulary.merge("a", "b");
  Tokenizer tokenizer;
  ASSERT_FALSE(build(tokenizer, vocabulary,
                     [](VocabularySource &source) { source.unknown = 7; }));
  EXPECT_EQ(encode(tokenizer, "azzbab"), (Tokens{'a', 7, 7, 'b', joined}));
}

/// Of both kinds.
TEST(TokenizerTest, BytesWithoutATokenAreAnError) {
  for (VocabularyKind kind : {VocabularyKind::Merges, VocabularyKind::Scores}) {
    TestVocabulary vocabulary(kind);
    vocabulary.names['z'] = "zz";
    vocabulary.types['z'] = TokenType::Normal;
    Tokenizer tokenizer;
    ASSERT_FALSE(build(tokenizer, vocabulary));
    Array<int64_t> tokens;
    EXPECT_EQ(textOf(tokenizer.encode({"az", 2}, /*ends=*/false,
                                      /*controls=*/false, tokens)),
              "expected a text of the bytes that the vocabulary has, which has "
              "no token for what is unknown, got the byte 0x7A");
  }
}

TEST(MergesTest, WrongMerges) {
  for (const char *line : {"a", "a bb", "\xE2\x82\xAC a", " ", ""}) {
    TestVocabulary vocabulary(VocabularyKind::Merges);
    vocabulary.merge("a", "b");
    vocabulary.merges.push_back(line);
    EXPECT_EQ(errorOf(vocabulary),
              std::string("expected merge 1 to be two tokens that are a token "
                          "together, got '") +
                  line + "'");
  }
}

//===----------------------------------------------------------------------===//
// Scores
//===----------------------------------------------------------------------===//

TEST(ScoresTest, JoinsTheHighestScoreFirst) {
  TestVocabulary vocabulary(VocabularyKind::Scores);
  int64_t a = vocabulary.add("a", TokenType::Normal, -9);
  int64_t b = vocabulary.add("b", TokenType::Normal, -9);
  int64_t c = vocabulary.add("c", TokenType::Normal, -9);
  int64_t ab = vocabulary.add("ab", TokenType::Normal, -2);
  int64_t bc = vocabulary.add("bc", TokenType::Normal, -1);
  int64_t cc = vocabulary.add("cc", TokenType::Normal, 3);
  Tokenizer tokenizer;
  ASSERT_FALSE(build(tokenizer, vocabulary));
  EXPECT_EQ(encode(tokenizer, "abc"), (Tokens{a, bc}));
  EXPECT_EQ(encode(tokenizer, "abcc"), (Tokens{ab, cc}));
  EXPECT_EQ(encode(tokenizer, "ccc"), (Tokens{cc, c}));
  EXPECT_EQ(encode(tokenizer, "b"), Tokens{b});
}

TEST(ScoresTest, SpacesAreSpelled) {
  TestVocabulary vocabulary(VocabularyKind::Scores);
  int64_t space = vocabulary.add("\xE2\x96\x81");
  int64_t a = vocabulary.add("a");
  int64_t spaceA = vocabulary.add("\xE2\x96\x81"
                                  "a");
  int64_t literal = vocabulary.add(" a", TokenType::Normal, 5);
  Tokenizer tokenizer;
  ASSERT_FALSE(build(tokenizer, vocabulary, [](VocabularySource &source) {
    source.addsSpace = true;
  }));
  EXPECT_EQ(encode(tokenizer, "a"), Tokens{spaceA});
  EXPECT_EQ(encode(tokenizer, "aa a"), (Tokens{spaceA, a, spaceA}));
  EXPECT_EQ(encode(tokenizer, " a"), (Tokens{space, spaceA}));
  EXPECT_EQ(encode(tokenizer, "\xE2\x96\x81"
                              "a"),
            (Tokens{space, spaceA}));
  EXPECT_EQ(encode(tokenizer, ""), Tokens{});
  EXPECT_EQ(decode(tokenizer, {spaceA, literal}), " a a");
}

TEST(ScoresTest, SpacesWithinTokens) {
  TestVocabulary vocabulary(VocabularyKind::Scores);
  vocabulary.add("a");
  vocabulary.add("\xE2\x96\x81");
  vocabulary.add("a\xE2\x96\x81");
  int64_t both = vocabulary.add("a\xE2\x96\x81"
                                "a");
  Tokenizer tokenizer;
  ASSERT_FALSE(build(tokenizer, vocabulary));
  EXPECT_EQ(encode(tokenizer, "a aa a"), (Tokens{both, both}));
}

TEST(ScoresTest, OtherCharactersAreSpelledInBytes) {
  TestVocabulary vocabulary(VocabularyKind::Scores);
  Tokenizer tokenizer;
  ASSERT_FALSE(build(tokenizer, vocabulary));
  EXPECT_EQ(encode(tokenizer, "\xC3\xA9\xFF"), (Tokens{0xC3, 0xA9, 0xFF}));
  EXPECT_EQ(decode(tokenizer, {0xC3, 0xA9}), "\xC3\xA9");
  // The name of a byte is no byte.
  EXPECT_EQ(encode(tokenizer, "<0x41>").size(), 6u);
}

TEST(ScoresTest, UnknownIsTheLastResort) {
  TestVocabulary vocabulary(VocabularyKind::Scores);
  for (int byte = 0; byte < 256; ++byte)
    vocabulary.names[byte] = "t" + std::to_string(byte);
  int64_t a = vocabulary.add("a");
  Tokenizer tokenizer;
  ASSERT_FALSE(build(tokenizer, vocabulary,
                     [](VocabularySource &source) { source.unknown = 7; }));
  EXPECT_EQ(encode(tokenizer, "a\xC3\xA9"), (Tokens{a, 7}));
}

TEST(ScoresTest, NoScoreIsNaN) {
  TestVocabulary vocabulary(VocabularyKind::Scores);
  vocabulary.scores[3] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(errorOf(vocabulary),
            "expected a number as the score of token 3, got NaN");
}

//===----------------------------------------------------------------------===//
// Special tokens
//===----------------------------------------------------------------------===//

TEST(SpecialTokensTest, AreCutOutWhereAskedFor) {
  TestVocabulary vocabulary(VocabularyKind::Merges);
  int64_t end = vocabulary.add("<e>", TokenType::Control);
  int64_t longer = vocabulary.add("<e><", TokenType::Control);
  int64_t user = vocabulary.add("ab", TokenType::UserDefined);
  Tokenizer tokenizer;
  ASSERT_FALSE(build(tokenizer, vocabulary));
  EXPECT_EQ(encode(tokenizer, "x<e>y", true), (Tokens{'x', end, 'y'}));
  EXPECT_EQ(encode(tokenizer, "<e><e", true), (Tokens{longer, 'e'}));
  EXPECT_EQ(encode(tokenizer, "<e>"), (Tokens{'<', 'e', '>'}));
  EXPECT_EQ(encode(tokenizer, "cab<e>"), (Tokens{'c', user, '<', 'e', '>'}));
  EXPECT_EQ(tokenizer.findSpecial("<e>"), end);
  EXPECT_EQ(tokenizer.findSpecial("<e"), -1);
  EXPECT_EQ(tokenizer.bytes(end, false).size, 0u);
  EXPECT_EQ(tokenizer.bytes(user, false), Text("ab"));
}

TEST(SpecialTokensTest, EndsOfTexts) {
  TestVocabulary vocabulary(VocabularyKind::Merges);
  int64_t end = vocabulary.add("<|im_end|>", TokenType::Control);
  Tokenizer tokenizer;
  ASSERT_FALSE(build(tokenizer, vocabulary, [](VocabularySource &source) {
    source.bos = 1;
    source.eos = 2;
    source.addsBos = source.addsEos = true;
  }));
  EXPECT_EQ(encode(tokenizer, "a", false, true), (Tokens{1, 'a', 2}));
  EXPECT_EQ(tokenizer.eot, end);
  EXPECT_TRUE(tokenizer.isEnd(end));
  EXPECT_TRUE(tokenizer.isEnd(2));
  EXPECT_FALSE(tokenizer.isEnd(1));
  EXPECT_FALSE(tokenizer.isEnd(-1));
}

TEST(SpecialTokensTest, OutsideOfTheVocabulary) {
  TestVocabulary vocabulary(VocabularyKind::Merges);
  EXPECT_EQ(
      errorOf(vocabulary, [](VocabularySource &source) { source.eos = 256; }),
      "expected the number of the eos token to be 0 to 255, got 256");
}

//===----------------------------------------------------------------------===//
// Long texts
//===----------------------------------------------------------------------===//

// With a step for each pair of symbols this would take hours.
TEST(TokenizerTest, LongTextsTakeLittleTime) {
  TestVocabulary merges(VocabularyKind::Merges);
  TestVocabulary scores(VocabularyKind::Scores);
  scores.add("a");
  std::string name = "a";
  for (int i = 0; i < 6; ++i) {
    merges.merge(name, name);
    name += name;
    scores.add(name, TokenType::Normal, static_cast<float>(i));
  }
  Tokenizer first, second;
  ASSERT_FALSE(build(first, merges));
  ASSERT_FALSE(build(second, scores));
  std::string text(1 << 20, 'a');
  EXPECT_EQ(encode(first, text).size(), size_t{1} << 14);
  EXPECT_EQ(encode(second, text).size(), size_t{1} << 14);
  EXPECT_EQ(encode(first, std::string(1 << 20, ' ')).size(), size_t{1} << 20);
}
