//===- VisibleText.h - Foreign text that is safe to show --------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_SUPPORT_VISIBLETEXT_H
#define HAMKAAS_SUPPORT_VISIBLETEXT_H

#include "llvm/ADT/StringRef.h"
#include <string>

namespace hamkaas {

/// `text` with everything escaped that a terminal would interpret or not show.
/// An ASCII control character, or a byte that is not UTF-8, becomes "\x1b"; any
/// other unprintable character, such as one that changes the writing direction,
/// becomes "\u{202e}". Text beyond `limit` characters becomes "...".
std::string makeVisible(llvm::StringRef text,
                        size_t limit = llvm::StringRef::npos);

/// The same for a message, which keeps its line breaks.
std::string makeLinesVisible(llvm::StringRef text);

/// A line of a file around a place in it.
struct Excerpt {
  std::string text;
  /// How many columns of a terminal stand before the place.
  unsigned column = 0;
};

/// At most 200 characters of `line` around its byte `place`; "..." stands for
/// what is left out. A tab becomes a space.
Excerpt makeExcerpt(llvm::StringRef line, size_t place);

} // namespace hamkaas

#endif // HAMKAAS_SUPPORT_VISIBLETEXT_H
