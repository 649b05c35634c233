//===- ChoicesTest.cpp - Tests of choices files ---------------------------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Engine/Choices.h"
#include "gtest/gtest.h"
#include <cstdlib>
#include <random>

using namespace hamkaas;

static Choices makeChoices() {
  Choices choices;
  choices.target = "x86-64-v3";
  choices.device = "znver3";
  choices.threads = 2;
  choices.set({getGroupDigest("b"),
               "hamkaas:rows=4",
               "matmul",
               "a.hk:4:6",
               {{"hamkaas", 2e-5}, {"hamkaas:rows=4", 1.5e-5}}});
  choices.set({getGroupDigest("a"),
               "openblas",
               "matmul+add",
               "a.hk:\"5\"",
               {{"hamkaas", 2}, {"openblas", 1}}});
  return choices;
}

static std::string print(const Choices &choices) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  printChoices(choices, stream);
  return text;
}

static std::string errorOf(llvm::StringRef text) {
  auto choices = parseChoices(text);
  return choices ? "" : llvm::toString(choices.takeError());
}

/// The text of the file with `from` replaced by `to`.
static std::string replaced(llvm::StringRef from, llvm::StringRef to) {
  std::string text = print(makeChoices());
  size_t place = text.find(from);
  EXPECT_NE(place, std::string::npos);
  return text.replace(place, from.size(), to);
}

TEST(ChoicesTest, FileIsReadAsItWasWritten) {
  Choices choices = makeChoices();
  auto again = parseChoices(print(choices));
  ASSERT_TRUE(bool(again)) << llvm::toString(again.takeError());
  EXPECT_EQ(print(*again), print(choices));
  ASSERT_EQ(again->groups.size(), 2u);
  EXPECT_LT(again->groups[0].group, again->groups[1].group);
  const Choice *found = again->find(getGroupDigest("b"));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->engine, "hamkaas:rows=4");
  ASSERT_EQ(found->tried.size(), 2u);
  EXPECT_NEAR(found->tried[1].seconds, 1.5e-5, 1e-12);
  EXPECT_EQ(again->find("none"), nullptr);
}

TEST(ChoicesTest, DigestLeavesTheScriptOut) {
  EXPECT_EQ(getGroupDigest("node relu 0\nscript\nversion = 3;\n"),
            getGroupDigest("node relu 0\n"));
  EXPECT_NE(getGroupDigest("node relu 0\n"), getGroupDigest("node relu 1\n"));
}

TEST(ChoicesTest, ErrorsSayWhere) {
  EXPECT_EQ(errorOf("{"), "line 1, column 1: Expected object key");
  EXPECT_EQ(errorOf("[]"), "expected object when parsing choices");
  EXPECT_EQ(errorOf("{}"), "missing value at choices.hamkaas_choices");
  EXPECT_EQ(
      errorOf(replaced("\"hamkaas_choices\": 1", "\"hamkaas_choices\": 2")),
      "expected version 1 of the file, got 2");
  EXPECT_EQ(errorOf(replaced("\"openblas\",\n      \"ops\"", "7, \"ops\"")),
            "expected string at choices.groups[1].engine");
  EXPECT_EQ(
      errorOf(replaced("\"openblas\",\n      \"ops\"", "\"a,b\", \"ops\"")),
      "expected an engine such as 'hamkaas:rows=4' at "
      "choices.groups[1].engine");
  EXPECT_EQ(errorOf(replaced("\"openblas\",\n      \"ops\"",
                             "\"a:rows=1\\u0000\", \"ops\"")),
            "expected an engine such as 'hamkaas:rows=4' at "
            "choices.groups[1].engine");
  EXPECT_EQ(errorOf(replaced(getGroupDigest("a"), "12")),
            "expected 32 digits of 0 to 9 and a to f at "
            "choices.groups[1].group");
  EXPECT_EQ(errorOf(replaced(getGroupDigest("a"), getGroupDigest("b"))),
            "expected each group once, got " + getGroupDigest("b") + " twice");
}

TEST(ChoicesTest, OptionIsReadAsItWasWritten) {
  Choices choices = makeChoices();
  std::string text = encodeChoices(choices.groups);
  auto again = decodeChoices(text);
  ASSERT_TRUE(bool(again));
  EXPECT_EQ(encodeChoices(*again), text);
  EXPECT_TRUE(decodeChoices("")->empty());
  EXPECT_EQ(llvm::toString(decodeChoices("1234=hamkaas").takeError()),
            "expected DIGEST=ENGINE, got '1234=hamkaas'");
}

/// Whatever the bytes: choices that can be printed, or an error.
TEST(ChoicesTest, DamagedFilesAreErrors) {
  const char *count = std::getenv("HAMKAAS_MUTANTS");
  int mutants = count ? std::atoi(count) : 3000;
  std::mt19937 random(1);
  const std::string whole = print(makeChoices());
  int errors = 0;
  for (int i = 0; i < mutants; ++i) {
    std::string text = whole;
    for (int change = random() % 4; change >= 0 && !text.empty(); --change) {
      size_t place = random() % text.size(), length = 1 + random() % 16;
      if (random() % 3 == 0)
        text[place] = char(random());
      else if (random() % 2)
        text.erase(place, length);
      else
        text.insert(place, whole.substr(random() % whole.size(), length));
    }
    auto choices = parseChoices(text);
    if (!choices) {
      ++errors;
      EXPECT_FALSE(llvm::toString(choices.takeError()).empty());
      continue;
    }
    std::string printed = print(*choices);
    auto again = parseChoices(printed);
    ASSERT_TRUE(bool(again)) << llvm::toString(again.takeError()) << printed;
    EXPECT_EQ(print(*again), printed);
    llvm::consumeError(
        decodeChoices(encodeChoices(choices->groups)).takeError());
  }
  EXPECT_GT(errors, mutants / 2);
}
