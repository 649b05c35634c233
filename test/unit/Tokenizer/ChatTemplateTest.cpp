//===- ChatTemplateTest.cpp - Forms of chats ------------------------------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Tokenizer/ChatTemplate.h"
#include "Text.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

using namespace hamkaas::tok;
using namespace hamkaas::test;

using Messages = std::vector<ChatMessage>;

static const Messages talk = {
    {"user", "A"}, {"assistant", "B"}, {"user", " C "}};
static const Messages withSystem = {{"system", "S"}, {"user", "A"}};

static std::string write(const char *form, const Messages &messages,
                         bool reply = true) {
  ChatText chat;
  std::string error = textOf(
      writeChat(form, "</s>", messages.data(), messages.size(), reply, chat));
  return error.empty() ? std::string(chat.text.data(), chat.text.size())
                       : "error: " + error;
}

// The expected texts are what Jinja makes of the templates of these models.

static constexpr char qwen2[] =
    "{% for message in messages %}{% if loop.first and messages[0]['role'] != "
    "'system' %}{{ '<|im_start|>system\nYou are a helpful assistant.<|im_end|>"
    "\n' }}{% endif %}{{'<|im_start|>' + message['role'] + '\n' + "
    "message['content'] + '<|im_end|>' + '\n'}}{% endfor %}";

TEST(ChatTemplateTest, ChatMl) {
  EXPECT_EQ(write("chatml", talk),
            "<|im_start|>user\nA<|im_end|>\n<|im_start|>assistant\nB<|im_end|>"
            "\n<|im_start|>user\n C <|im_end|>\n<|im_start|>assistant\n");
  EXPECT_EQ(write("chatml", withSystem, false),
            "<|im_start|>system\nS<|im_end|>\n<|im_start|>user\nA<|im_end|>\n");
}

TEST(ChatTemplateTest, DefaultSystemMessage) {
  EXPECT_EQ(write(qwen2, {{"user", "A"}}, false),
            "<|im_start|>system\nYou are a helpful assistant.<|im_end|>\n"
            "<|im_start|>user\nA<|im_end|>\n");
  EXPECT_EQ(write(qwen2, withSystem, false),
            write("chatml", withSystem, false));
  // Escapes of line ends; what is no literal is none.
  EXPECT_EQ(write("'<|im_start|>system\\n' + x + '<|im_end|>' "
                  "'<|im_start|>system\\nOne\\ntwo<|im_end|>'",
                  {{"user", "A"}}, false),
            "<|im_start|>system\nOne\ntwo<|im_end|>\n"
            "<|im_start|>user\nA<|im_end|>\n");
  EXPECT_EQ(write("<|im_start|>system", {{"user", "A"}}, false),
            "<|im_start|>user\nA<|im_end|>\n");
}

TEST(ChatTemplateTest, Llama2) {
  EXPECT_EQ(write("llama2", talk),
            "[INST] A [/INST] B </s><s>[INST] C [/INST]");
  EXPECT_EQ(write("bos_token + '[INST] ' <<SYS>>", withSystem),
            "[INST] <<SYS>>\nS\n<</SYS>>\n\nA [/INST]");
}

TEST(ChatTemplateTest, Mistral) {
  EXPECT_EQ(write("'[INST] ' + message['content'] + ' [/INST]'", talk),
            "[INST] A [/INST]B</s>[INST]  C  [/INST]");
}

TEST(ChatTemplateTest, Llama3) {
  EXPECT_EQ(write("'<|start_header_id|>' '<|end_header_id|>'", talk),
            "<|start_header_id|>user<|end_header_id|>\n\nA<|eot_id|>"
            "<|start_header_id|>assistant<|end_header_id|>\n\nB<|eot_id|>"
            "<|start_header_id|>user<|end_header_id|>\n\nC<|eot_id|>"
            "<|start_header_id|>assistant<|end_header_id|>\n\n");
  EXPECT_EQ(write("<|start_header_id|><|end_header_id|> "
                  "Cutting Knowledge Date: December 2023",
                  withSystem, false),
            "<|start_header_id|>system<|end_header_id|>\n\n"
            "Cutting Knowledge Date: December 2023\n"
            "Today Date: 26 Jul 2024\n\nS<|eot_id|>"
            "<|start_header_id|>user<|end_header_id|>\n\nA<|eot_id|>");
}

TEST(ChatTemplateTest, Zephyr) {
  EXPECT_EQ(write("'<|user|>\n' + message['content'] + eos_token", withSystem),
            "<|system|>\nS</s>\n<|user|>\nA</s>\n<|assistant|>\n");
}

TEST(ChatTemplateTest, Gemma) {
  EXPECT_EQ(write("<start_of_turn>", talk),
            "<start_of_turn>user\nA<end_of_turn>\n<start_of_turn>model\nB"
            "<end_of_turn>\n<start_of_turn>user\nC<end_of_turn>\n"
            "<start_of_turn>model\n");
  EXPECT_EQ(write("gemma", withSystem, false),
            "<start_of_turn>user\nS\n\nA<end_of_turn>\n");
}

TEST(ChatTemplateTest, WhatIsSaidIsNoControlToken) {
  ChatText chat;
  Messages messages = {{"user", "<|im_end|>"}};
  ASSERT_FALSE(
      writeChat("chatml", "", messages.data(), messages.size(), false, chat));
  std::string said;
  for (const ChatPiece &piece : chat.pieces)
    if (!piece.controls)
      said.append(chat.text.data() + piece.begin, piece.end - piece.begin);
  EXPECT_EQ(said, "user\n<|im_end|>");
}

TEST(ChatTemplateTest, WrongInput) {
  EXPECT_EQ(write("", talk), "error: expected a chat template in the file, or "
                             "the name of one, got none");
  EXPECT_EQ(write("USER: ", talk),
            "error: expected a chat template of the form chatml, llama2, "
            "mistral, llama3, zephyr or gemma, got 'USER: '");
  EXPECT_EQ(write("[INST][AVAILABLE_TOOLS]", talk).substr(0, 31),
            "error: expected a chat template");
  EXPECT_EQ(write("chatml", {{"tool", "x"}}),
            "error: expected the role of message 0 to be system, user or "
            "assistant, got 'tool'");
  EXPECT_EQ(write("chatml", {{"user", "x"}, {"system", "x"}}),
            "error: expected the system message to be the first, got it as "
            "message 1");
}
