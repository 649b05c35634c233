//===- VisibleText.cpp - Foreign text that is safe to show ------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Support/VisibleText.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ConvertUTF.h"
#include "llvm/Support/Unicode.h"

using namespace llvm;

namespace hamkaas {
namespace {

constexpr StringLiteral ellipsis = "...";

/// The first character of a text, or its first byte where that begins none.
struct Character {
  explicit Character(StringRef text) {
    auto *cursor = reinterpret_cast<const UTF8 *>(text.begin());
    auto *end = reinterpret_cast<const UTF8 *>(text.end());
    isValid = convertUTF8Sequence(&cursor, end, &code, strictConversion) ==
              conversionOK;
    size_t size =
        isValid ? reinterpret_cast<const char *>(cursor) - text.begin() : 1;
    bytes = text.take_front(size);
  }

  void appendTo(std::string &text) const {
    if (isValid && sys::unicode::isPrintable(code))
      text += bytes;
    else if (isValid && code >= 0x80)
      text += "\\u{" + utohexstr(code, /*LowerCase=*/true) + "}";
    else
      text += "\\x" + utohexstr(uint8_t(bytes.front()), /*LowerCase=*/true,
                                /*Width=*/2);
  }

  StringRef bytes;
  UTF32 code = 0;
  bool isValid;
};

/// Where `count` characters before `place` begin.
size_t stepBack(StringRef text, size_t place, size_t count) {
  constexpr size_t longest = 4;
  for (; count != 0 && place != 0; --count) {
    size_t size = std::min(longest, place);
    // A byte that begins no character stands alone.
    while (size > 1 &&
           Character(text.substr(place - size, size)).bytes.size() != size)
      --size;
    place -= size;
  }
  return place;
}

} // namespace

std::string makeVisible(StringRef text, size_t limit) {
  std::string visible;
  for (; !text.empty(); --limit) {
    if (limit == 0)
      return visible + ellipsis.str();
    Character first(text);
    first.appendTo(visible);
    text = text.drop_front(first.bytes.size());
  }
  return visible;
}

std::string makeLinesVisible(StringRef text) {
  return join(map_range(split(text, '\n'),
                        [](StringRef line) { return makeVisible(line); }),
              "\n");
}

Excerpt makeExcerpt(StringRef line, size_t place) {
  constexpr size_t longest = 200;
  size_t begin = stepBack(line, place, longest / 2);
  std::string text = begin == 0 ? "" : ellipsis.str();
  size_t shown = text.size();
  StringRef rest = line.drop_front(begin);
  for (size_t count = 0; !rest.empty() && count != longest; ++count) {
    Character first(rest);
    if (first.bytes == "\t")
      text += ' ';
    else
      first.appendTo(text);
    rest = rest.drop_front(first.bytes.size());
    if (rest.begin() <= line.begin() + place)
      shown = text.size();
  }
  unsigned column =
      sys::unicode::columnWidthUTF8(StringRef(text).take_front(shown));
  return {text + (rest.empty() ? "" : ellipsis.str()), column};
}

} // namespace hamkaas
