# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""examples/llama2: tokenizers, and files that are not what they should be."""

import doctest
import math
import struct
import time

import hypothesis
import hypothesis.strategies as st
import numpy as np
import pytest

import llama2_files as files

import merging
import vocabulary
from checkpoint import CheckpointWeights
from generate import read_model
from vocabulary import MergeTokenizer, ScoreTokenizer, split_words
from weights import Config, ModelFileError

CONFIG = Config(dim=8,
                hidden=6,
                layers=1,
                heads=2,
                kv_heads=1,
                vocab=5,
                context=4)


@pytest.mark.parametrize("module", [merging, vocabulary])
def test_doctests(module):
    results = doctest.testmod(module)
    assert results.attempted and not results.failed


# Tokenizers.


@pytest.fixture(scope="module")
def by_score():
    return ScoreTokenizer(
        *files.score_vocabulary([b"he", b"ll", b"hell", b"el"]))


@pytest.fixture(scope="module")
def by_rank():
    names, merges = files.merge_vocabulary()
    return MergeTokenizer(names, merges, {0, 1, 2}, [2])


def texts(tokenizer, tokens):
    return [tokenizer.pieces[token] for token in tokens]


def test_highest_score_joins_first(by_score):
    assert texts(by_score, by_score.encode("hello")) == [b" ", b"hell", b"o"]
    # "he" has a higher score than "el".
    assert texts(by_score, by_score.encode("heel")) == [b" ", b"he", b"el"]


def test_first_rank_joins_first(by_rank):
    assert texts(by_rank, by_rank.encode("hello world")) == [
        b"hell", b"o", b" w", b"o", b"r", b"l", b"d"
    ]


def test_unknown_characters_become_bytes(by_score):
    assert by_score.encode("é") == [by_score.encode(" ")[0], 3 + 0xC3, 3 + 0xA9]


def test_empty_text(by_score, by_rank):
    assert by_score.encode("") == by_rank.encode("") == []


@hypothesis.given(st.text())
def test_text_comes_back(by_score, by_rank, text):
    for tokenizer in (by_score, by_rank):
        expected = text.encode("utf-8", "replace").decode()
        assert tokenizer.decode(tokenizer.encode(text)) == expected


def test_characters_are_streamed_whole(by_rank):
    tokens = by_rank.encode("a🙂b")
    assert list(by_rank.stream(tokens)) == ["a", "", "", "", "🙂", "b", ""]
    # One that is cut off.
    assert list(by_rank.stream(tokens[:3])) == ["a", "", "", "\ufffd"]


def test_no_text_becomes_a_special_token(by_rank):
    assert not {0, 1, 2} & set(by_rank.encode("<|im_end|><|im_start|>"))


def test_bytes_the_vocabulary_lacks_are_left_out():
    names, merges = files.merge_vocabulary()
    names.remove("z")
    tokenizer = MergeTokenizer(names, merges, {0, 1, 2}, [2])
    assert tokenizer.decode(tokenizer.encode("azb")) == "ab"


@pytest.mark.parametrize("text, words", [("I'll go", ["I", "'ll", " go"]),
                                         ("x  y", ["x", " ", " y"]),
                                         ("a 12", ["a", " ", "1", "2"]),
                                         ("²٣Ⅳ一", ["²", "٣", "Ⅳ", "一"]),
                                         ("a_b ?!", ["a", "_", "b", " ?!"]),
                                         ("end \n\n", ["end", " \n\n"]),
                                         ("\n\n a", ["\n\n", " a"]),
                                         ("\x1c", ["\x1c"])])
def test_words(text, words):
    assert split_words(text) == words


def test_long_texts_take_no_time(by_score, by_rank):
    begin = time.process_time()
    for text in ("hell" * 20000, "h" * 50000, "hello " * 10000):
        by_score.encode(text)
        by_rank.encode(text)
    assert time.process_time() - begin < 30


# Wrong tokenizers.


@pytest.fixture
def tokenizer_data(tmp_path):
    files.write_tokenizer(tmp_path / "t.bin", *files.score_vocabulary())
    return (tmp_path / "t.bin").read_bytes()


def read_tokenizer(tmp_path, data, vocab=286):
    (tmp_path / "wrong.bin").write_bytes(data)
    return ScoreTokenizer.read(tmp_path / "wrong.bin", vocab)


def test_tokenizer_reads_back(tmp_path, tokenizer_data):
    tokenizer = read_tokenizer(tmp_path, tokenizer_data)
    assert tokenizer.decode(tokenizer.encode("hello")) == "hello"


def test_endless_tokenizer():
    with pytest.raises(ModelFileError, match="at most [0-9]+ bytes"):
        ScoreTokenizer.read("/dev/zero", 286)


def test_truncated_tokenizer(tmp_path, tokenizer_data):
    for size in range(0, len(tokenizer_data), 7):
        with pytest.raises(ModelFileError, match="wrong.bin: expected"):
            read_tokenizer(tmp_path, tokenizer_data[:size])


@pytest.mark.parametrize(
    "offset, value, message",
    [(8, struct.pack("<i", -1), "length of token 0 from 0"),
     (8, struct.pack("<i", 2**31 - 1), "length of token 0 from 0"),
     (4, struct.pack("<f", math.nan), "score of token 0, got NaN")])
def test_wrong_token(tmp_path, tokenizer_data, offset, value, message):
    data = bytearray(tokenizer_data)
    data[offset:offset + len(value)] = value
    with pytest.raises(ModelFileError, match=message):
        read_tokenizer(tmp_path, bytes(data))


def test_tokenizer_of_another_model(tmp_path, tokenizer_data):
    with pytest.raises(ModelFileError, match="to end after 285 tokens"):
        read_tokenizer(tmp_path, tokenizer_data, 285)
    with pytest.raises(ModelFileError, match="expected 287 tokens, got 286"):
        read_tokenizer(tmp_path, tokenizer_data, 287)
    with pytest.raises(ModelFileError, match="at least 259 tokens, got 5"):
        read_tokenizer(tmp_path, tokenizer_data, 5)


# Wrong checkpoints.


@pytest.fixture
def checkpoint_data(tmp_path):
    files.write_checkpoint(tmp_path / "m.bin", CONFIG,
                           files.random_weights(CONFIG))
    return (tmp_path / "m.bin").read_bytes()


def read_wrong_checkpoint(tmp_path, data):
    (tmp_path / "wrong.bin").write_bytes(data)
    with pytest.raises(ModelFileError, match="wrong.bin: expected") as info:
        CheckpointWeights(tmp_path / "wrong.bin")
    return str(info.value)


def test_truncated_checkpoint(tmp_path, checkpoint_data):
    for size in [*range(40), 100, len(checkpoint_data) - 1]:
        read_wrong_checkpoint(tmp_path, checkpoint_data[:size])
    read_wrong_checkpoint(tmp_path, checkpoint_data + b"\0")


@pytest.mark.parametrize("field", range(7))
@pytest.mark.parametrize("value", [0, -1, -2**31, 2**31 - 1, 1000003])
def test_wrong_header(tmp_path, checkpoint_data, field, value):
    data = bytearray(checkpoint_data)
    struct.pack_into("<i", data, 4 * field, value)
    read_wrong_checkpoint(tmp_path, bytes(data))


def test_heads_that_do_not_fit(tmp_path, checkpoint_data):
    data = bytearray(checkpoint_data)
    struct.pack_into("<i", data, 12, 3)
    assert "dim 8 and 3 heads" in read_wrong_checkpoint(tmp_path, bytes(data))
    struct.pack_into("<ii", data, 12, 4, 3)
    assert "got 4 and 3" in read_wrong_checkpoint(tmp_path, bytes(data))


def test_later_version(tmp_path):
    message = read_wrong_checkpoint(tmp_path, b"24ka" + bytes(300))
    assert "version 0, got one of a later version" in message


def test_folder_is_no_checkpoint(tmp_path):
    with pytest.raises(OSError):
        read_model(tmp_path)


# GGUF.


@pytest.fixture(scope="module")
def gguf():
    return pytest.importorskip("gguf", reason="needs the package gguf")


VOCAB = len(files.merge_vocabulary()[0])
GGUF_CONFIG = Config(dim=32,
                     hidden=64,
                     layers=1,
                     heads=2,
                     kv_heads=1,
                     vocab=VOCAB,
                     context=8,
                     rope_base=5000.0)


def gguf_data(path, **changes):
    files.write_gguf(path, GGUF_CONFIG, files.random_weights(GGUF_CONFIG, 4),
                     **changes)
    return path.read_bytes()


@pytest.mark.parametrize("kind, bound", [("F32", 0), ("F16", 1e-3),
                                         ("Q8_0", 2e-2), ("Q4_1", 0.3)])
def test_types_of_weights(gguf, tmp_path, kind, bound):
    kinds = dict.fromkeys(["blk.0.attn_q", "blk.0.ffn_down", "token_embd"],
                          gguf.GGMLQuantizationType[kind])
    gguf_data(tmp_path / "m.gguf", types=kinds)
    config, source, _ = read_model(tmp_path / "m.gguf")
    weights = source.read()
    assert np.array_equal(source.embed([3, 1]), weights.embedding[[3, 1]])
    expected = files.random_weights(GGUF_CONFIG, 4)
    assert config == GGUF_CONFIG
    for found, original in ((weights.embedding, expected.embedding),
                            (weights.layers[0].wq, expected.layers[0].wq),
                            (weights.layers[0].down, expected.layers[0].down),
                            (weights.layers[0].up, expected.layers[0].up)):
        assert found.dtype == np.float32 and found.flags.c_contiguous
        assert np.abs(found - original).max() <= bound


@pytest.mark.parametrize(
    "changes, message",
    [({
        "architecture": "gpt2"
    }, "architecture llama, got gpt2"),
     ({
         "epsilon": 1e-6
     }, "1e-05 as layer_norm_rms_epsilon.* got 9.99"),
     ({
         "numbers": {
             "block_count": 2
         }
     }, "18 tensors of 2 layers, got 11"),
     ({
         "numbers": {
             "block_count": 2**31
         }
     }, "tensors of 2147483648 layers"),
     ({
         "numbers": {
             "block_count": 0
         }
     }, "expected layers of 1 or more"),
     ({
         "numbers": {
             "attention.head_count": 5
         }
     }, "dim 32 and 5 heads"),
     ({
         "numbers": {
             "rope.dimension_count": 8
         }
     }, "rope over all 16 numbers"),
     ({
         "numbers": {
             "feed_forward_length": 63
         }
     }, r"tensor blk.0.ffn_gate.weight of shape \[63, 32\], got \[64, 32\]"),
     ({
         "model": "llama"
     }, "expected gpt2 as tokenizer.ggml.model, got llama"),
     ({
         "pre": "qwen2"
     }, "expected smollm as tokenizer.ggml.pre, got qwen2"),
     ({
         "merges": ["h e", "q z"]
     }, "merge 1 to be two parts of a token, got 'q z'"),
     ({
         "merges": ["h"]
     }, "merge 0 to be two parts"),
     ({
         "eos": VOCAB
     }, f"eos_token_id from 0 to {VOCAB - 1}, got {VOCAB}"),
     ({
         "tensors": {
             "blk.0.attn_q.bias": np.ones(32, np.float32)
         }
     }, "no tensors but those of 1 layers.* got blk.0.attn_q.bias")])
def test_gguf_of_another_model(gguf, tmp_path, changes, message):
    gguf_data(tmp_path / "wrong.gguf", **changes)
    with pytest.raises(ModelFileError, match="wrong.gguf: .*" + message):
        read_model(tmp_path / "wrong.gguf")


def read_any(path, data):
    """Reads what may be wrong: a model or a ModelFileError."""
    path.write_bytes(data)
    try:
        config, weights, _ = read_model(path)
        return config, weights.read()
    except ModelFileError:
        return None


def test_truncated_gguf(gguf, tmp_path):
    data = gguf_data(tmp_path / "m.gguf")
    assert read_any(tmp_path / "wrong.gguf", data)
    for size in [
            4, *range(5, 40, 5), *range(100, len(data), 997),
            len(data) - 1
    ]:
        assert read_any(tmp_path / "wrong.gguf", data[:size]) is None, size


def test_wrong_counts_in_gguf(gguf, tmp_path):
    """Numbers of tensors, of keys and of elements that would take for ever."""
    data = gguf_data(tmp_path / "m.gguf")
    tokens = data.index(b"tokenizer.ggml.tokens") + len(
        b"tokenizer.ggml.tokens")
    for offset in (8, 16, 24, tokens + 8):
        for value in (2**63, 2**64 - 1, 2**40):
            wrong = bytearray(data)
            struct.pack_into("<Q", wrong, offset, value)
            assert read_any(tmp_path / "wrong.gguf", bytes(wrong)) is None


def test_mutated_gguf(gguf, tmp_path):
    data = gguf_data(tmp_path / "m.gguf")
    random = np.random.default_rng(11)
    for _ in range(150):
        wrong = bytearray(data)
        # The names, sizes and counts, not the weights.
        for at in random.integers(4, 9000, 3):
            wrong[at] = random.integers(256)
        read_any(tmp_path / "wrong.gguf", bytes(wrong))
