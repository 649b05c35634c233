# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The graph of a language model, built with hamkaas.

It becomes one program with two functions: `decode` takes one token and gives the
scores of the next; `prefill` takes a chunk of tokens at once and only fills the
cache. Both name the same weights and states, so that they share them.
"""

from __future__ import annotations

import dataclasses
from typing import Any

import hamkaas as hk
import numpy as np
import numpy.typing as npt

from weights import Config, FloatArray, Layer, Weights


@dataclasses.dataclass
class Inputs:
    """The inputs of a run: tokens, the first of them at `position`."""

    rows: hk.Node  # [tokens, dim], the embeddings of the tokens
    rotation: hk.Node  # [tokens, 1, head_size / 2, 2], see rotations()
    # [1, group * tokens, context], -infinity for positions after each token,
    # otherwise 0; once for each of the heads that share keys. For one token,
    # [1, 1, context].
    later: hk.Node
    # For each head of keys: the rows of the cache to fill, int64 [1].
    begins: list[hk.Node]
    ends: list[hk.Node]


def make_inputs(config: Config, tokens: int) -> Inputs:
    heads = range(config.kv_heads)
    return Inputs(
        hk.input("rows", [tokens, config.dim]),
        hk.input("rotation", [tokens, 1, config.head_size // 2, 2]),
        hk.input("later", [1, _mask_rows(config, tokens), config.context]),
        [hk.input(f"begin_{head}", [1], dtype="int64") for head in heads],
        [hk.input(f"end_{head}", [1], dtype="int64") for head in heads])


def _mask_rows(config: Config, tokens: int) -> int:
    return config.group * tokens if tokens > 1 else 1


def input_values(config: Config, rows: FloatArray, rotation: FloatArray,
                 position: int) -> dict[str, npt.NDArray[Any]]:
    """The inputs by name. rotation: that of all positions."""
    tokens = len(rows)
    end = position + tokens
    later = np.full((tokens, config.context), -np.inf, np.float32)
    for token in range(tokens):
        later[token, :position + token + 1] = 0
    repeats = _mask_rows(config, tokens) // tokens
    values: dict[str, npt.NDArray[Any]] = {
        "rows": rows,
        "rotation": rotation[position:end],
        "later": np.tile(later, (repeats, 1))[None]
    }
    for head in range(config.kv_heads):
        begin = head * config.context + position
        values[f"begin_{head}"] = np.array([begin], np.int64)
        values[f"end_{head}"] = np.array([begin + tokens], np.int64)
    return values


def rotations(config: Config) -> FloatArray:
    """For each position the complex numbers that queries and keys are multiplied
    by, [context, 1, head_size / 2, 2]: neighbours are real and imaginary part,
    and the pair i turns by position / rope_base ^ (2 i / head_size)."""
    pairs = np.arange(0, config.head_size, 2) / config.head_size
    angles = np.outer(np.arange(config.context), config.rope_base**-pairs)
    turns = np.stack([np.cos(angles), np.sin(angles)], axis=-1)
    values: FloatArray = turns.astype(np.float32)
    return values[:, None]


def build(config: Config, weights: Weights,
          chunk: int) -> dict[str, hk.Function]:
    """The functions; without prefill for a chunk of 1."""
    functions = {"decode": hk.function(build_decode(config, weights))}
    if chunk > 1:
        functions["prefill"] = hk.function(
            build_prefill(config, weights, chunk))
    return functions


def build_decode(config: Config, weights: Weights) -> hk.Node:
    """Scores of the next token, [1, vocab]."""
    x = _layers(config, weights, tokens=1)
    x = x.rms_norm(hk.constant(weights.final_norm, "final_norm"))
    if weights.classifier is None:
        return x @ _transposed(weights.embedding, "embedding")
    return x @ _transposed(weights.classifier, "classifier")


def build_prefill(config: Config, weights: Weights, tokens: int) -> hk.Node:
    """The output of the last layer, [tokens, dim], without norm and classifier:
    a prefill is run for the cache alone."""
    return _layers(config, weights, tokens)


def _layers(config: Config, weights: Weights, tokens: int) -> hk.Node:
    inputs = make_inputs(config, tokens)
    x = inputs.rows
    for index, layer in enumerate(weights.layers):
        x = _attention(config, inputs, x, layer, f"layer_{index}")
        x = _feed_forward(x, layer, f"layer_{index}")
    return x


def _transposed(matrix: FloatArray, name: str) -> hk.Node:
    """[results, operands] as the right side of a product. The permutation is
    done once, when the program is loaded."""
    return hk.constant(matrix, name).permute([1, 0])


def _feed_forward(x: hk.Node, layer: Layer, name: str) -> hk.Node:
    y = x.rms_norm(hk.constant(layer.ffn_norm, f"{name}.ffn_norm"))
    gate = (y @ _transposed(layer.gate, f"{name}.gate")).silu()
    up = y @ _transposed(layer.up, f"{name}.up")
    return x + (gate * up) @ _transposed(layer.down, f"{name}.down")


def _attention(config: Config, inputs: Inputs, x: hk.Node, layer: Layer,
               name: str) -> hk.Node:
    tokens = x.shape[0]
    y = x.rms_norm(hk.constant(layer.attention_norm, f"{name}.attention_norm"))
    queries = _rotate(config, inputs, y @ _transposed(layer.wq, f"{name}.wq"))
    scale = np.full((1, 1, 1, 1), config.head_size**-0.5, np.float32)
    queries = queries * hk.constant(scale, f"{name}.scale")
    keys = _rotate(config, inputs, y @ _transposed(layer.wk, f"{name}.wk"))
    values = y @ _transposed(layer.wv, f"{name}.wv")

    all_keys = _remember(config, inputs, keys, f"{name}.keys")
    all_values = _remember(config, inputs, values, f"{name}.values")
    # The heads that share keys and values are rows of one product. These lines
    # become one operation, which reads the positions that are not hidden.
    rows, size = config.group * tokens, config.head_size
    queries = _heads_first(queries.reshape([tokens, config.heads, size]))
    queries = queries.reshape([config.kv_heads, rows, size])
    scores = queries @ all_keys.permute([0, 2, 1]) + inputs.later
    mixed = scores.sliced_softmax(config.context) @ all_values
    mixed = _tokens_first(
        mixed.reshape([config.heads, tokens, config.head_size]))
    return x + (mixed.reshape([tokens, config.dim]) @ _transposed(
        layer.wo, f"{name}.wo"))


def _rotate(config: Config, inputs: Inputs, x: hk.Node) -> hk.Node:
    """Turns the pairs of each head, [tokens, heads, head_size / 2, 2]."""
    half = config.head_size // 2
    heads = x.shape[1] // config.head_size
    return x.reshape([x.shape[0], heads, half, 2]).complex_mul(inputs.rotation)


def _remember(config: Config, inputs: Inputs, x: hk.Node, name: str) -> hk.Node:
    """Writes the new rows into the cache, whose rows of one head are neighbours:
    so both products of attention read one contiguous matrix a head. Returns all
    rows, [kv_heads, context, head_size]."""
    tokens, size = x.shape[0], config.head_size
    x = _heads_first(x.reshape([tokens, config.kv_heads, size]))
    x = x.reshape([config.kv_heads * tokens, size])
    cache = hk.state([config.kv_heads * config.context, size], name=name)
    for head in range(config.kv_heads):
        cache = cache.replace(x[head * tokens:(head + 1) * tokens],
                              inputs.begins[head], inputs.ends[head])
    return cache.reshape([config.kv_heads, config.context, size])


def _heads_first(x: hk.Node) -> hk.Node:
    """[tokens, heads, size] as [heads, tokens, size]; free for one token."""
    if 1 in x.shape[:2]:
        return x.reshape([x.shape[1], x.shape[0], x.shape[2]])
    return x.permute([1, 0, 2])


_tokens_first = _heads_first  # the same exchange of two dimensions
