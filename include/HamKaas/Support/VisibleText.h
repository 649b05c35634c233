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

/// `text` in UTF-8 without what a terminal would act upon or not show. A
/// control character of ASCII, or a byte that is no UTF-8, becomes "\x1b"; any
/// other character that is not printable, such as one that changes the
/// direction of writing, "\u{202e}". Of more than `limit` characters the rest
/// becomes "...".
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
