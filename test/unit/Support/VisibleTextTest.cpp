//===- VisibleTextTest.cpp - Foreign text that is safe to show ------------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Support/VisibleText.h"
#include "llvm/ADT/StringExtras.h"
#include "gtest/gtest.h"

using namespace hamkaas;
using llvm::StringRef;

TEST(VisibleTextTest, KeepsWhatIsPrintable) {
  EXPECT_EQ(makeVisible("weight.0 = Größe 重み 😀"),
            "weight.0 = Größe 重み 😀");
}

TEST(VisibleTextTest, EscapesControlsAndBytesThatAreNoText) {
  EXPECT_EQ(makeVisible(StringRef("a\0b", 3)), "a\\x00b");
  EXPECT_EQ(makeVisible("\x1b[31m\x7f\t\n"), "\\x1b[31m\\x7f\\x09\\x0a");
  // CSI of Latin-1, and characters that change the direction of writing.
  EXPECT_EQ(makeVisible("\u009b1m"), "\\u{9b}1m");
  for (StringRef control :
       {"\u061c", "\u200e", "\u200f", "\u202a", "\u202b", "\u202c", "\u202d",
        "\u202e", "\u2066", "\u2067", "\u2068", "\u2069"})
    EXPECT_EQ(makeVisible(control).substr(0, 3), "\\u{") << control.str();
  // A surrogate, a sequence that is cut off, one that is too long.
  EXPECT_EQ(makeVisible("\xed\xa0\x80"), "\\xed\\xa0\\x80");
  EXPECT_EQ(makeVisible("\xe2\x82"), "\\xe2\\x82");
  EXPECT_EQ(makeVisible("\xc0\xaf"), "\\xc0\\xaf");
}

TEST(VisibleTextTest, HasALimitInCharacters) {
  EXPECT_EQ(makeVisible("größer", 4), "größ...");
  EXPECT_EQ(makeVisible("größer", 6), "größer");
}

TEST(VisibleTextTest, KeepsTheLinesOfAMessage) {
  EXPECT_EQ(makeLinesVisible("a\n\x1b\n"), "a\n\\x1b\n");
}

TEST(VisibleTextTest, ExcerptPointsAtThePlace) {
  Excerpt excerpt = makeExcerpt("\t$2 = A\x1b", 7);
  EXPECT_EQ(excerpt.text, " $2 = A\\x1b");
  EXPECT_EQ(excerpt.column, 7u);
  // "重" takes three bytes and two columns.
  EXPECT_EQ(makeExcerpt("重$2", 3).column, 2u);
  // Behind the end, and on a line without text.
  EXPECT_EQ(makeExcerpt("$2", 2).column, 2u);
  EXPECT_EQ(makeExcerpt("", 0).text, "");
}

TEST(VisibleTextTest, ExcerptIsShort) {
  std::string line = std::string(1000, 'a') + "!" + std::string(1000, 'b');
  Excerpt excerpt = makeExcerpt(line, 1000);
  EXPECT_EQ(excerpt.text.size(), 200 + 2 * strlen("..."));
  EXPECT_EQ(excerpt.text[excerpt.column], '!');
  EXPECT_TRUE(StringRef(excerpt.text).starts_with("..."));
  EXPECT_TRUE(StringRef(excerpt.text).ends_with("..."));
  // The limits are in characters, not in bytes.
  std::string umlauts;
  for (int i = 0; i < 500; ++i)
    umlauts += "ä";
  EXPECT_EQ(makeExcerpt(umlauts, 500).column, 103u);
  // Nothing is said to be left out where nothing is.
  EXPECT_EQ(makeExcerpt(std::string(200, 'a'), 100).text.size(), 200u);
}
