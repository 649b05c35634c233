# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Small random language models, as files, and a plain forward in numpy."""

import pathlib
import struct
import sys

import numpy as np

EXAMPLE = pathlib.Path(__file__).resolve().parents[2] / "examples" / "llama2"
sys.path.insert(0, str(EXAMPLE))

from weights import Config, Layer, Weights, layer_shapes  # noqa: E402

TEMPLATE = (
    "{% for message in messages %}{% if loop.first and messages[0]['role'] != "
    "'system' %}{{ '<|im_start|>system\nBe brief<|im_end|>\n' }}{% endif %}"
    "{{'<|im_start|>' + message['role'] + '\n' + message['content'] + '<|im_end|>' "
    "+ '\n'}}{% endfor %}{% if add_generation_prompt %}"
    "{{ '<|im_start|>assistant\n' }}{% endif %}")


def random_weights(config, seed=0, classifier=False):
    random = np.random.default_rng(seed)

    def make(shape):
        if len(shape) == 1:
            return random.uniform(0.5, 1.5, shape).astype(np.float32)
        return (random.standard_normal(shape) / shape[1]**0.5).astype(
            np.float32)

    layers = [
        Layer(**{
            name: make(shape)
            for name, shape in layer_shapes(config).items()
        }) for _ in range(config.layers)
    ]
    table = (config.vocab, config.dim)
    return Weights(make(table), layers, make((config.dim, )),
                   make(table) if classifier else None)


def write_checkpoint(path, config, weights):
    """In the format of llama2.c, version 0."""
    vocab = config.vocab if weights.classifier is None else -config.vocab
    parts = [weights.embedding]
    for name in ("attention_norm", "wq", "wk", "wv", "wo", "ffn_norm", "gate",
                 "down", "up"):
        parts += [getattr(layer, name) for layer in weights.layers]
    parts += [
        weights.final_norm,
        np.zeros(config.context * config.head_size, np.float32)
    ]
    if weights.classifier is not None:
        parts.append(weights.classifier)
    header = struct.pack("<7i", config.dim, config.hidden, config.layers,
                         config.heads, config.kv_heads, vocab, config.context)
    path.write_bytes(header + b"".join(part.tobytes() for part in parts))


def score_vocabulary(words=()):
    """Pieces and scores: the bytes, then letters, then `words`."""
    pieces = [b"<unk>", b"\n<s>\n", b"\n</s>\n"]
    pieces += [b"<0x%02X>" % byte for byte in range(256)]
    pieces += [bytes([letter]) for letter in b" abcdefghijklmnopqrstuvwxyz"]
    pieces += words
    return pieces, [-float(i) for i in range(len(pieces))]


def write_tokenizer(path, pieces, scores):
    path.write_bytes(
        struct.pack("<i", max(map(len, pieces))) + b"".join(
            struct.pack("<fi", score, len(piece)) + piece
            for piece, score in zip(pieces, scores)))


def merge_vocabulary():
    """Names and merges of a vocabulary as GPT-2's; tokens 0 to 2 are special."""
    from vocabulary import _byte_characters
    merges = ["h e", "l l", "he ll", "Ġ w"]
    names = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]
    names += _byte_characters().values()
    return names + [merge.replace(" ", "") for merge in merges], merges


def write_merge_tokenizer(path):
    """A GGUF file of `merge_vocabulary` and no tensors."""
    import gguf

    names, merges = merge_vocabulary()
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("smollm")
    writer.add_token_list(names)
    writer.add_token_types([3] * 3 + [1] * (len(names) - 3))
    writer.add_token_merges(merges)
    writer.add_eos_token_id(2)
    _write_metadata(writer)


def write_score_tokenizer(path, pieces, scores):
    """A GGUF file of the pieces of a tokenizer.bin of llama2.c."""
    import gguf

    writer = gguf.GGUFWriter(path, "llama")
    writer.add_tokenizer_model("llama")
    writer.add_token_list([piece.replace(b" ", "\u2581".encode())
                           for piece in pieces])
    writer.add_token_scores(scores)
    writer.add_token_types([2, 3, 3] + [6] * 256 + [1] * (len(pieces) - 259))
    _write_metadata(writer)


def _write_metadata(writer):
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.close()


def write_gguf(path, config, weights, types=None, tensors=None, **metadata):
    """metadata: replaces keys, written with _ for '.'; None leaves one out.
    types: of tensors by name, the default is F32. tensors: replaces some."""
    import gguf

    types, tensors = types or {}, tensors or {}
    writer = gguf.GGUFWriter(path, metadata.get("architecture", "llama"))
    names, merges = merge_vocabulary()
    head = "attention.head_count"
    values = {
        "embedding_length": config.dim,
        "feed_forward_length": config.hidden,
        "block_count": config.layers,
        head: config.heads,
        head + "_kv": config.kv_heads,
        "context_length": config.context,
        "rope.dimension_count": config.head_size
    }
    values.update(metadata.get("numbers", {}))
    for key, value in values.items():
        writer.add_uint32(f"llama.{key}", value)
    writer.add_float32("llama.rope.freq_base", config.rope_base)
    writer.add_float32("llama.attention.layer_norm_rms_epsilon",
                       metadata.get("epsilon", 1e-5))
    writer.add_tokenizer_model(metadata.get("model", "gpt2"))
    writer.add_tokenizer_pre(metadata.get("pre", "smollm"))
    writer.add_token_list(metadata.get("names", names))
    writer.add_token_types([3] * 3 + [1] * (len(names) - 3))
    writer.add_token_merges(metadata.get("merges", merges))
    writer.add_eos_token_id(metadata.get("eos", 2))
    writer.add_chat_template(metadata.get("template", TEMPLATE))

    from gguf_model import LAYER_NAMES
    found = {"token_embd": weights.embedding, "output_norm": weights.final_norm}
    if weights.classifier is not None:
        found["output"] = weights.classifier
    for i, layer in enumerate(weights.layers):
        for field, name in LAYER_NAMES.items():
            found[f"blk.{i}.{name}"] = getattr(layer, field)
    found.update(tensors)
    for name, array in found.items():
        kind = types.get(name, gguf.GGMLQuantizationType.F32)
        writer.add_tensor(f"{name}.weight",
                          gguf.quants.quantize(array, kind),
                          raw_dtype=kind)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


class NumpyModel:
    """The forward as the paper has it: one token, one head at a time."""

    def __init__(self, config, weights):
        self.config, self.weights = config, weights
        shape = (config.layers, config.context, config.kv_heads,
                 config.head_size)
        self.keys, self.values = np.zeros((2, *shape), np.float32)
        self.position = 0

    @staticmethod
    def _norm(x, w):
        return w * (x / np.sqrt(np.mean(x * x) + np.float32(1e-5)))

    def _rotate(self, x):
        """Neighbours (a, b) of each head turn by an angle of the position."""
        size = self.config.head_size
        for head in x.reshape(-1, size):
            for i in range(0, size, 2):
                angle = self.position * self.config.rope_base**(-i / size)
                a, b = float(head[i]), float(head[i + 1])
                head[i] = a * np.cos(angle) - b * np.sin(angle)
                head[i + 1] = a * np.sin(angle) + b * np.cos(angle)
        return x.reshape(-1, size)

    def _attend(self, index, layer, x):
        config, now = self.config, self.position
        queries = self._rotate(layer.wq @ x)
        self.keys[index, now] = self._rotate(layer.wk @ x)
        self.values[index, now] = (layer.wv @ x).reshape(-1, config.head_size)
        mixed = []
        for head, query in enumerate(queries):
            shared = head // (config.heads // config.kv_heads)
            scores = self.keys[index, :now + 1, shared] @ query
            scores = np.exp(
                (scores - scores.max()) / np.float32(config.head_size**0.5))
            mixed.append(
                (scores / scores.sum()) @ self.values[index, :now + 1, shared])
        return layer.wo @ np.concatenate(mixed)

    def feed(self, tokens):
        """Scores of the token after these."""
        for token in tokens:
            x = self.weights.embedding[token].copy()
            for index, layer in enumerate(self.weights.layers):
                x = x + self._attend(index, layer,
                                     self._norm(x, layer.attention_norm))
                y = self._norm(x, layer.ffn_norm)
                gate = layer.gate @ y
                x = x + layer.down @ (gate / (1 + np.exp(-gate)) *
                                      (layer.up @ y))
            self.position += 1
        table = self.weights.classifier
        if table is None:
            table = self.weights.embedding
        return table @ self._norm(x, self.weights.final_norm)
