//===- ChatTemplate.h - Messages as a model's text --------------*- C++ -*-===//
//-*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Files have a template in the language Jinja, which nothing here runs: each
// known form is recognised by what the template contains.
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_TOKENIZER_CHATTEMPLATE_H
#define HAMKAAS_TOKENIZER_CHATTEMPLATE_H

#include "HamKaas/Runtime/Core/Error.h"
#include "HamKaas/Tokenizer/Array.h"

namespace hamkaas::tok {

struct ChatMessage {
  Text role; // "system", "user" or "assistant"
  Text content;
};

/// Bytes [begin, end) of a text.
struct ChatPiece {
  size_t begin, end;
  /// Names of control tokens here stand for these tokens, as they do in a
  /// template but not in what somebody says.
  bool controls;
};

/// A text of pieces that follow one another.
struct ChatText {
  Array<char> text;
  Array<ChatPiece> pieces;
};

/// Writes the messages in the form of `form`, a template or one of the names
/// "chatml", "llama2", "mistral", "llama3", "zephyr" and "gemma". `eos` is the
/// name of the token that ends a text. `reply` begins a message of the model.
rt::Error writeChat(Text form, Text eos, const ChatMessage *messages,
                    size_t count, bool reply, ChatText &result /* out */);

} // namespace hamkaas::tok

#endif // HAMKAAS_TOKENIZER_CHATTEMPLATE_H
