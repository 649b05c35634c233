//===- ChatTemplate.cpp - Messages as a model's text ----------------------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Tokenizer/ChatTemplate.h"

#include <algorithm>

using namespace hamkaas::rt;
using namespace hamkaas::tok;

namespace {

enum class Form { ChatMl, Llama2, Mistral, Llama3, Zephyr, Gemma, Unknown };

/// Writes one conversation. Running out of memory is remembered.
class ChatWriter {
public:
  ChatWriter(Text form, Text eos, ChatText &result)
      : form(form), eos(eos), result(result) {}

  void write(Form kind, const ChatMessage *messages, size_t count, bool reply);
  bool ranOut() const { return failed; }

private:
  void add(Text text, bool controls);
  void control(Text text) { add(text, /*controls=*/true); }
  void content(Text text) { add(text, /*controls=*/false); }

  void writeChatMl(const ChatMessage *messages, size_t count, bool reply);
  void writeLlama3(const ChatMessage *messages, size_t count, bool reply);
  void writeZephyr(const ChatMessage *messages, size_t count, bool reply);
  void writeGemma(const ChatMessage *messages, size_t count, bool reply);
  void writeLlama2(const ChatMessage *messages, size_t count);
  void writeMistral(const ChatMessage *messages, size_t count);

  Text form, eos;
  ChatText &result;
  bool failed = false;
};

} // namespace

//===----------------------------------------------------------------------===//
// Which form it is
//===----------------------------------------------------------------------===//

static Form findForm(Text form) {
  static constexpr struct {
    const char *name;
    Form form;
  } known[] = {{"chatml", Form::ChatMl},   {"llama2", Form::Llama2},
               {"mistral", Form::Mistral}, {"llama3", Form::Llama3},
               {"zephyr", Form::Zephyr},   {"gemma", Form::Gemma}};
  for (const auto &entry : known)
    if (form == entry.name)
      return entry.form;
  if (form.contains("<|im_start|>") && !form.contains("<|im_sep|>"))
    return Form::ChatMl;
  if (form.contains("[INST]")) {
    // Later ones of Mistral put spaces elsewhere.
    if (form.contains("[SYSTEM_PROMPT]") ||
        form.contains("[AVAILABLE_TOOLS]") || form.contains("' [INST] '"))
      return Form::Unknown;
    return form.contains("<<SYS>>") ? Form::Llama2 : Form::Mistral;
  }
  if (form.contains("<|start_header_id|>") &&
      form.contains("<|end_header_id|>"))
    return Form::Llama3;
  if (form.contains("<|user|>") && !form.contains("<|end|>") &&
      (form.contains("eos_token") || form.contains("<|endoftext|>")))
    return Form::Zephyr;
  return form.contains("<start_of_turn>") ? Form::Gemma : Form::Unknown;
}

static bool isSpace(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

static Text trimEnd(Text text) {
  size_t end = text.size;
  while (end > 0 && isSpace(text.data[end - 1]))
    --end;
  return text.slice(0, end);
}

static Text trim(Text text) {
  size_t begin = 0;
  while (begin < text.size && isSpace(text.data[begin]))
    ++begin;
  return trimEnd(text.slice(begin, text.size));
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

void ChatWriter::add(Text text, bool controls) {
  size_t begin = result.text.size();
  if (failed || !result.text.append(text.data, text.size)) {
    failed = true;
    return;
  }
  // The name of a token lies within one piece.
  Array<ChatPiece> &pieces = result.pieces;
  if (!pieces.empty() && pieces.back().controls == controls)
    pieces.back().end += text.size;
  else
    failed = !pieces.push({begin, begin + text.size, controls});
}

/// The system message that a ChatML template writes where there is none: the
/// text of '<|im_start|>system\n...<|im_end|>' that is one literal.
static Text findDefaultSystem(Text form) {
  static constexpr Text begin = "<|im_start|>system";
  static constexpr Text end = "<|im_end|>";
  for (size_t at = 0; (at = form.find(begin, at)) != SIZE_MAX;) {
    at += begin.size;
    // A line end is there as such or as an escape.
    size_t skipped = form.slice(at, form.size).find("\n") == 0    ? 1
                     : form.slice(at, form.size).find("\\n") == 0 ? 2
                                                                  : 0;
    size_t found = form.find(end, at);
    if (skipped == 0 || found == SIZE_MAX)
      continue;
    Text literal = form.slice(at + skipped, found);
    bool isOne = !literal.contains("'") && !literal.contains("\"") &&
                 !literal.contains("{");
    if (isOne)
      return literal;
  }
  return Text();
}

void ChatWriter::writeChatMl(const ChatMessage *messages, size_t count,
                             bool reply) {
  bool hasSystem = count > 0 && messages[0].role == "system";
  Text system = hasSystem ? Text() : findDefaultSystem(form);
  if (!system.empty()) {
    control("<|im_start|>system\n");
    // Line ends within it are escapes, too.
    for (size_t at = 0; at < system.size;) {
      size_t found = std::min(system.find("\\n", at), system.size);
      content(system.slice(at, found));
      if (found < system.size)
        content("\n");
      at = found + 2;
    }
    control("<|im_end|>\n");
  }
  for (size_t i = 0; i < count; ++i) {
    control("<|im_start|>");
    content(messages[i].role);
    content("\n");
    content(messages[i].content);
    control("<|im_end|>\n");
  }
  if (reply)
    control("<|im_start|>assistant\n");
}

void ChatWriter::writeLlama3(const ChatMessage *messages, size_t count,
                             bool reply) {
  // From Llama 3.1 on, a system message is always there and begins with dates,
  // today's being this one where nobody says otherwise.
  bool hasDates = form.contains("Cutting Knowledge Date: December 2023");
  size_t first = 0;
  if (hasDates) {
    control("<|start_header_id|>system<|end_header_id|>\n\n"
            "Cutting Knowledge Date: December 2023\n"
            "Today Date: 26 Jul 2024\n\n");
    if (count > 0 && messages[0].role == "system")
      content(trim(messages[first++].content));
    control("<|eot_id|>");
  }
  for (size_t i = first; i < count; ++i) {
    control("<|start_header_id|>");
    content(messages[i].role);
    control("<|end_header_id|>\n\n");
    content(trim(messages[i].content));
    control("<|eot_id|>");
  }
  if (reply)
    control("<|start_header_id|>assistant<|end_header_id|>\n\n");
}

void ChatWriter::writeZephyr(const ChatMessage *messages, size_t count,
                             bool reply) {
  for (size_t i = 0; i < count; ++i) {
    control("<|");
    control(messages[i].role);
    control("|>\n");
    content(messages[i].content);
    control(eos.empty() ? Text("<|endoftext|>") : eos);
    control("\n");
  }
  if (reply)
    control("<|assistant|>\n");
}

void ChatWriter::writeGemma(const ChatMessage *messages, size_t count,
                            bool reply) {
  // Gemma has no system message: it begins the first of the user.
  Text system;
  for (size_t i = 0; i < count; ++i) {
    if (messages[i].role == "system") {
      system = trim(messages[i].content);
      continue;
    }
    bool isModel = messages[i].role == "assistant";
    control(isModel ? "<start_of_turn>model\n" : "<start_of_turn>user\n");
    if (!system.empty() && !isModel) {
      content(system);
      content("\n\n");
      system = Text();
    }
    content(trim(messages[i].content));
    control("<end_of_turn>\n");
  }
  if (reply)
    control("<start_of_turn>model\n");
}

void ChatWriter::writeLlama2(const ChatMessage *messages, size_t count) {
  // A system message is within the first of the user.
  const ChatMessage *system = nullptr;
  bool isFirst = true;
  for (size_t i = 0; i < count; ++i) {
    if (messages[i].role == "system") {
      system = &messages[i];
      continue;
    }
    if (messages[i].role == "assistant") {
      content(" ");
      content(trim(messages[i].content));
      content(" ");
      control(eos.empty() ? Text("</s>") : eos);
      continue;
    }
    control(isFirst ? "[INST] " : "<s>[INST] ");
    isFirst = false;
    if (system) {
      content("<<SYS>>\n");
      content(system->content);
      content("\n<</SYS>>\n\n");
      system = nullptr;
      content(trimEnd(messages[i].content));
    } else {
      content(trim(messages[i].content));
    }
    content(" [/INST]");
  }
}

void ChatWriter::writeMistral(const ChatMessage *messages, size_t count) {
  const ChatMessage *system = nullptr;
  for (size_t i = 0; i < count; ++i) {
    if (messages[i].role == "system") {
      system = &messages[i];
      continue;
    }
    if (messages[i].role == "assistant") {
      content(messages[i].content);
      control(eos.empty() ? Text("</s>") : eos);
      continue;
    }
    control("[INST] ");
    if (system) {
      content(system->content);
      content("\n\n");
      system = nullptr;
    }
    content(messages[i].content);
    control(" [/INST]");
  }
}

void ChatWriter::write(Form kind, const ChatMessage *messages, size_t count,
                       bool reply) {
  switch (kind) {
  case Form::ChatMl:
    return writeChatMl(messages, count, reply);
  case Form::Llama2: // Both begin the reply with the end of the last message.
    return writeLlama2(messages, count);
  case Form::Mistral:
    return writeMistral(messages, count);
  case Form::Llama3:
    return writeLlama3(messages, count, reply);
  case Form::Zephyr:
    return writeZephyr(messages, count, reply);
  case Form::Gemma:
    return writeGemma(messages, count, reply);
  case Form::Unknown:
    return;
  }
}

static Error checkRoles(const ChatMessage *messages, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    Text role = messages[i].role;
    if (role == "system" ? i == 0 : role == "user" || role == "assistant")
      continue;
    if (role == "system")
      return Error::format("expected the system message to be the first, got "
                           "it as message %zu",
                           i);
    return Error::format("expected the role of message %zu to be system, user "
                         "or assistant, got '%.*s'",
                         i, static_cast<int>(std::min<size_t>(role.size, 40)),
                         role.data);
  }
  return Error();
}

Error hamkaas::tok::writeChat(Text form, Text eos, const ChatMessage *messages,
                              size_t count, bool reply, ChatText &result) {
  if (form.empty())
    return Error::format("expected a chat template in the file, or the name of "
                         "one, got none");
  Form kind = findForm(form);
  if (kind == Form::Unknown)
    return Error::format(
        "expected a chat template of the form chatml, llama2, mistral, llama3, "
        "zephyr or gemma, got '%.*s'",
        static_cast<int>(std::min<size_t>(form.size, 200)), form.data);
  if (Error error = checkRoles(messages, count))
    return error;
  ChatWriter writer(form, eos, result);
  writer.write(kind, messages, count, reply);
  return writer.ranOut() ? Error::format("out of memory for a chat") : Error();
}
