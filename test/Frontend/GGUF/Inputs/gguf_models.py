# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Small random language models as GGUF files, and their plain forward in numpy.

usage: gguf_models.py FILE [--architecture=A] [--format=F] [--set KEY=TYPE:VALUE]
                      [--drop NAME] [--add NAME=N,M]

Writes a model, with keys and tensors that are changed, removed and added.
"""

import argparse
import dataclasses
import struct
import zlib

import numpy as np

TENSOR_TYPES = {"F32": 0, "F16": 1, "Q4_0": 2, "Q4_1": 3, "Q5_0": 6, "Q5_1": 7,
                "Q8_0": 8, "Q2_K": 10, "Q3_K": 11, "Q4_K": 12, "Q5_K": 13,
                "Q6_K": 14, "IQ4_NL": 20, "BF16": 30}
# Numbers and bytes of a block, and where its scales of float16 are.
BLOCKS = {"Q4_0": (32, 18, [0]), "Q4_1": (32, 20, [0, 2]),
          "Q5_0": (32, 22, [0]), "Q5_1": (32, 24, [0, 2]),
          "Q8_0": (32, 34, [0]), "Q2_K": (256, 84, [80, 82]),
          "Q3_K": (256, 110, [108]), "Q4_K": (256, 144, [0, 2]),
          "Q5_K": (256, 176, [0, 2]), "Q6_K": (256, 210, [208]),
          "IQ4_NL": (32, 18, [0])}
VALUE_TYPES = {"u32": (4, "<I"), "i32": (5, "<i"), "f32": (6, "<f"),
               "bool": (7, "<?"), "u64": (10, "<Q")}
ALIGNMENT = 32


def _text(text):
    data = text.encode()
    return struct.pack("<Q", len(data)) + data


def _value(kind, value):
    if kind == "str":
        return struct.pack("<I", 8) + _text(value)
    if kind == "strs":
        return (struct.pack("<IIQ", 9, 8, len(value)) +
                b"".join(map(_text, value)))
    number, form = VALUE_TYPES[kind]
    return struct.pack("<I", number) + struct.pack(form, value)


def write(path, values, tensors):
    """values: (type, value) by key. tensors: (type, shape, bytes) by name."""
    head = b"GGUF" + struct.pack("<IQQ", 3, len(tensors), len(values))
    for key, (kind, value) in values.items():
        head += _text(key) + _value(kind, value)
    data = b""
    for name, (kind, shape, contents) in tensors.items():
        data += b"\0" * (-len(data) % ALIGNMENT)
        head += _text(name) + struct.pack("<I", len(shape))
        head += struct.pack(f"<{len(shape)}Q", *reversed(shape))
        head += struct.pack("<IQ", TENSOR_TYPES[kind], len(data))
        data += contents
    path.write_bytes(head + b"\0" * (-len(head) % ALIGNMENT) + data)


@dataclasses.dataclass
class Config:
    architecture: str = "llama"
    dim: int = 64
    hidden: int = 96
    layers: int = 2
    heads: int = 4
    kv_heads: int = 2
    head_size: int = 16
    vocab: int = 50
    context: int = 40
    epsilon: float = 1e-5
    base: float = 10000.0
    scale: float = 1.0  # rope.scaling.factor
    factors: bool = False  # rope_freqs.weight
    classifier: bool = False
    bias: bool = False  # of queries, keys and values

    def values(self):
        values = {"general.architecture": ("str", self.architecture)}
        model = {
            "context_length": ("u32", self.context),
            "embedding_length": ("u32", self.dim),
            "block_count": ("u32", self.layers),
            "feed_forward_length": ("u32", self.hidden),
            "attention.head_count": ("u32", self.heads),
            "attention.head_count_kv": ("u32", self.kv_heads),
            "attention.key_length": ("u32", self.head_size),
            "attention.value_length": ("u32", self.head_size),
            "attention.layer_norm_rms_epsilon": ("f32", self.epsilon),
            "rope.freq_base": ("f32", self.base)
        }
        if self.scale != 1:
            model["rope.scaling.type"] = ("str", "linear")
            model["rope.scaling.factor"] = ("f32", self.scale)
        values |= {f"{self.architecture}.{key}": value
                   for key, value in model.items()}
        values["tokenizer.ggml.tokens"] = \
            ("strs", [f"t{i}" for i in range(self.vocab)])
        return values

    def shapes(self):
        query, key = self.heads * self.head_size, self.kv_heads * self.head_size
        shapes = {"token_embd.weight": (self.vocab, self.dim),
                  "output_norm.weight": (self.dim, )}
        if self.classifier:
            shapes["output.weight"] = (self.vocab, self.dim)
        if self.factors:
            shapes["rope_freqs.weight"] = (self.head_size // 2, )
        for i in range(self.layers):
            layer = {"attn_norm.weight": (self.dim, ),
                     "attn_q.weight": (query, self.dim),
                     "attn_k.weight": (key, self.dim),
                     "attn_v.weight": (key, self.dim),
                     "attn_output.weight": (self.dim, query),
                     "ffn_norm.weight": (self.dim, ),
                     "ffn_gate.weight": (self.hidden, self.dim),
                     "ffn_up.weight": (self.hidden, self.dim),
                     "ffn_down.weight": (self.dim, self.hidden)}
            if self.bias:
                layer |= {"attn_q.bias": (query, ), "attn_k.bias": (key, ),
                          "attn_v.bias": (key, )}
            shapes |= {f"blk.{i}.{name}": shape
                       for name, shape in layer.items()}
        return shapes


def _random_blocks(random, kind, shape):
    """Any codes, with scales that make weights of a usual size."""
    numbers, size, scales = BLOCKS[kind]
    blocks = random.integers(0, 256, (shape[0], shape[1] // numbers, size),
                             dtype=np.uint8)
    for i in scales:
        # Codes of Q6_K and Q3_K are multiplied by another scale.
        usual = 0.001 if numbers == 256 else 0.02
        values = random.uniform(-usual, usual, blocks.shape[:2])
        blocks[:, :, i:i + 2] = np.ascontiguousarray(
            values.astype(np.float16)[..., None]).view(np.uint8)
    return blocks.tobytes()


def random_tensor(random, name, kind, shape):
    """(type, shape, bytes). Vectors are float32."""
    if len(shape) == 1:
        low = 1.0 if name == "rope_freqs.weight" else -0.5
        values = random.uniform(low, low + 2, shape)
        if name.endswith("norm.weight"):
            values = random.uniform(0.5, 1.5, shape)
        return "F32", shape, values.astype("<f4").tobytes()
    if kind in BLOCKS:
        return kind, shape, _random_blocks(random, kind, shape)
    values = random.standard_normal(shape) / shape[1]**0.5
    if kind == "BF16":
        bits = values.astype("<f4").view("<u4") >> 16
        return kind, shape, bits.astype("<u2").tobytes()
    return kind, shape, values.astype("<f4" if kind == "F32" else "<f2") \
        .tobytes()


def random_tensors(config, format_of, seed=0):
    """format_of: the type of a matrix by its name."""
    random = np.random.default_rng(seed)
    return {name: random_tensor(random, name, format_of(name), shape)
            for name, shape in config.shapes().items()}


def decode(tensor):
    """The numbers of a tensor. Blocks of other types than Q8_0 need the package
    gguf."""
    kind, shape, data = tensor
    if kind == "F32":
        return np.frombuffer(data, "<f4").reshape(shape)
    if kind == "F16":
        return np.frombuffer(data, "<f2").reshape(shape).astype(np.float32)
    if kind == "BF16":
        bits = np.frombuffer(data, "<u2").astype("<u4") << 16
        return bits.view("<f4").reshape(shape)
    if kind == "Q8_0":
        blocks = np.frombuffer(data, np.uint8).reshape(-1, 34)
        scales = np.ascontiguousarray(blocks[:, :2]).view("<f2")
        codes = np.ascontiguousarray(blocks[:, 2:]).view(np.int8)
        return (scales.astype(np.float32) * codes).reshape(shape)
    import gguf

    numbers, size, _ = BLOCKS[kind]
    blocks = np.frombuffer(data, np.uint8).reshape(
        shape[0], shape[1] // numbers * size)
    return gguf.quants.dequantize(blocks, gguf.GGMLQuantizationType[kind])


class NumpyModel:
    """A plain forward in float64, which has seen some tokens."""

    def __init__(self, config, tensors):
        self.config = config
        self.w = {name: decode(tensor).astype(np.float64)
                  for name, tensor in tensors.items()}
        self.keys = [[] for _ in range(config.layers)]
        self.values = [[] for _ in range(config.layers)]

    def feed(self, token):
        """The scores after the next token."""
        x = self.w["token_embd.weight"][token]
        if self.config.architecture == "gemma":
            x = x * self.config.dim**0.5
        for layer in range(self.config.layers):
            x = x + self._attention(x, layer)
            x = x + self._feed_forward(x, f"blk.{layer}.")
        x = self._norm(x, "output_norm.weight")
        return self.w.get("output.weight", self.w["token_embd.weight"]) @ x

    def _norm(self, x, name):
        return self.w[name] * x / np.sqrt(
            np.mean(x * x) + np.float32(self.config.epsilon))

    def _linear(self, x, name):
        return self.w[name + ".weight"] @ x + self.w.get(name + ".bias", 0)

    def _rotate(self, x, position):
        c = self.config
        x = x.reshape(-1, c.head_size)
        half = c.head_size // 2
        frequencies = c.base**(-2 * np.arange(half) / c.head_size) / c.scale
        frequencies = frequencies / self.w.get("rope_freqs.weight", 1)
        cos, sin = np.cos(position * frequencies), np.sin(position * frequencies)
        first, second = (x[:, ::2], x[:, 1::2]) if c.architecture == "llama" \
            else (x[:, :half], x[:, half:])
        result = np.empty_like(x)
        turned = first * cos - second * sin, first * sin + second * cos
        if c.architecture == "llama":
            result[:, ::2], result[:, 1::2] = turned
        else:
            result[:, :half], result[:, half:] = turned
        return result

    def _attention(self, x, layer):
        c, name = self.config, f"blk.{layer}.attn_"
        x = self._norm(x, name + "norm.weight")
        position = len(self.keys[layer])
        queries = self._rotate(self._linear(x, name + "q"), position)
        self.keys[layer].append(self._rotate(self._linear(x, name + "k"),
                                             position))
        self.values[layer].append(self._linear(x, name + "v").reshape(
            c.kv_heads, c.head_size))
        keys, values = map(np.array, (self.keys[layer], self.values[layer]))
        mixed = []
        for head in range(c.heads):
            shared = head // (c.heads // c.kv_heads)
            scores = keys[:, shared] @ queries[head] / c.head_size**0.5
            weights = np.exp(scores - scores.max())
            mixed.append(weights @ values[:, shared] / weights.sum())
        return self._linear(np.concatenate(mixed), name + "output")

    def _feed_forward(self, x, name):
        x = self._norm(x, name + "ffn_norm.weight")
        gate = self._linear(x, name + "ffn_gate")
        if self.config.architecture == "gemma":
            gate = 0.5 * gate * (1 + np.tanh(
                (2 / np.pi)**0.5 * (gate + 0.044715 * gate**3)))
        else:
            gate = gate / (1 + np.exp(-gate))
        return self._linear(gate * self._linear(x, name + "ffn_up"),
                            name + "ffn_down")


def main():
    import pathlib

    parser = argparse.ArgumentParser()
    parser.add_argument("file", type=pathlib.Path)
    parser.add_argument("--architecture", default="llama")
    parser.add_argument("--format", default="F32")
    parser.add_argument("--set", action="append", default=[])
    parser.add_argument("--drop", action="append", default=[])
    parser.add_argument("--add", action="append", default=[])
    given = parser.parse_args()
    config = Config(given.architecture)
    values = config.values()
    tensors = random_tensors(config, lambda name: given.format)
    for change in given.set:
        key, value = change.split("=", 1)
        kind, text = value.split(":", 1)
        values[key] = (kind, text if kind == "str" else
                       float(text) if kind == "f32" else int(text))
    for addition in given.add:
        name, sizes = addition.split("=")
        shape = tuple(map(int, sizes.split(",")))
        random = np.random.default_rng(zlib.crc32(name.encode()))
        tensors[name] = random_tensor(random, name, given.format, shape)
    for name in given.drop:
        (tensors if name in tensors else values).pop(name)
    write(given.file, values, tensors)


if __name__ == "__main__":
    main()
