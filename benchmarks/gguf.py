# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures language models of GGUF files, beside peers that are there.

usage: PYTHONPATH=build/python gguf.py FILE.gguf... [--threads N,...]
           [--prompt N] [--tokens N] [--rounds N] [--precision P]
           [--cache-types T,...] [--openvino] [--onnxruntime FOLDER]
           [--perplexity TEXT]

Needs the packages hamkaas and numpy; the packages llama-cpp-python and, when
asked for, openvino-genai and onnxruntime-genai are peers. The last one reads a
folder that its model builder made of the same weights (docs/Performance.md). All
contestants read the same prompt and write the same tokens, in turns in one
process; the best round counts. `error` is the largest difference of logits from
those of `exact` on the last token, in parts of their largest magnitude. OpenVINO
writes the tokens of its choice, and gives no logits. With
--perplexity, a text file is read in windows of the prompt's size and each token
but the first of a window is predicted.
"""

from __future__ import annotations

import argparse
import json
import pathlib
import statistics
import sys
import time
from typing import Any, List, Optional, Sequence, Tuple

import hamkaas as hk
import numpy as np
import numpy.typing as npt

Logits = npt.NDArray[np.float32]
CHUNK = 64


class Ours:
    """A program of HamKaas, in one arithmetic."""

    def __init__(self, path: pathlib.Path, context: int, threads: int,
                 arithmetic: str, precision: str, cache: str) -> None:
        self.name = arithmetic + (f", {cache} cache" if cache != "f32" else "")
        self._model: Any = hk.load(path, context=context, chunk=CHUNK,
                                   threads=threads,
                                   quantized_products=arithmetic,
                                   precision=precision, cache_type=cache)

    def read(self, tokens: Sequence[int]) -> None:
        """Takes all tokens from the beginning on, a multiple of a chunk."""
        for first in range(0, len(tokens), CHUNK):
            self._model.prefill.run({
                "tokens": np.array(tokens[first:first + CHUNK]),
                "position": np.array([first])
            })

    def write(self, token: int, position: int) -> Logits:
        logits: Logits = self._model.decode.run({
            "token": np.array([token]),
            "position": np.array([position])
        })
        return logits


class LlamaCpp:
    """The peer, with float16 in its cache."""

    name = "llama.cpp"

    def __init__(self, path: pathlib.Path, context: int, threads: int) -> None:
        import llama_cpp  # type: ignore[import-not-found]
        self._model = llama_cpp.Llama(str(path), n_ctx=context,
                                      n_threads=threads,
                                      n_threads_batch=threads, n_batch=512,
                                      verbose=False)

    def read(self, tokens: Sequence[int]) -> None:
        self._model.reset()
        self._model.eval(tokens)

    def write(self, token: int, position: int) -> Logits:
        self._model.eval([token])
        size = self._model.n_vocab()
        logits = self._model._ctx.get_logits()
        return np.ctypeslib.as_array(logits, shape=(size, )).copy()


class OnnxRuntime:
    """The peer, with a folder of its own."""

    name = "ONNX Runtime GenAI"

    def __init__(self, folder: pathlib.Path, context: int,
                 threads: int) -> None:
        import onnxruntime_genai  # type: ignore[import-not-found]
        self._package = onnxruntime_genai
        config = onnxruntime_genai.Config(str(folder))
        options = {"intra_op_num_threads": threads}
        config.overlay(json.dumps(
            {"model": {"decoder": {"session_options": options}}}))
        self._model = onnxruntime_genai.Model(config)
        self._context = context

    def read(self, tokens: Sequence[int]) -> None:
        parameters = self._package.GeneratorParams(self._model)
        parameters.set_search_options(max_length=self._context)
        self._generator = self._package.Generator(self._model, parameters)
        if tokens:
            self._generator.append_tokens(np.array([tokens], np.int32))

    def write(self, token: int, position: int) -> Logits:
        self._generator.append_tokens(np.array([[token]], np.int32))
        logits: Logits = self._generator.get_logits()[0, -1]
        return logits


class OpenVino:
    """The peer, which reads GGUF files and measures itself."""

    name = "OpenVINO GenAI"

    def __init__(self, path: pathlib.Path, threads: int) -> None:
        import openvino  # type: ignore[import-not-found]
        import openvino_genai  # type: ignore[import-not-found]
        self._tensor = openvino.Tensor
        self._pipeline = openvino_genai.LLMPipeline(
            str(path), "CPU", INFERENCE_NUM_THREADS=threads)

    def measure(self, prompt: Sequence[int],
                tokens: Sequence[int]) -> Tuple[float, float, None]:
        result = self._pipeline.generate(
            self._tensor(np.array([prompt], np.int64)), do_sample=False,
            ignore_eos=True, max_new_tokens=len(tokens) + 1)
        metrics = result.perf_metrics
        return (len(prompt) / metrics.get_ttft().mean * 1000,
                1000 / metrics.get_tpot().mean, None)


def make_contestants(path: pathlib.Path, context: int, threads: int,
                     options: argparse.Namespace) -> List[Any]:
    contestants: List[Any] = [
        Ours(path, context, threads, arithmetic, options.precision, cache)
        for arithmetic in ("exact", "int8")
        for cache in options.cache_types.split(",")
    ]
    if options.onnxruntime:
        contestants.append(OnnxRuntime(options.onnxruntime, context, threads))
    if options.openvino:
        contestants.append(OpenVino(path, threads))
    try:
        contestants.append(LlamaCpp(path, context, threads))
    except ImportError:
        print("llama.cpp is left out: there is no package llama-cpp-python")
    return contestants


def measure(contestant: Any, prompt: Sequence[int],
            tokens: Sequence[int]
            ) -> Tuple[float, float, Optional[Logits]]:
    """Tokens a second of the prompt and of decoding, and the last logits."""
    if isinstance(contestant, OpenVino):
        return contestant.measure(prompt, tokens)
    begin = time.perf_counter()
    contestant.read(prompt)
    prefill = len(prompt) / (time.perf_counter() - begin)
    times = []
    for i, token in enumerate(tokens):
        begin = time.perf_counter()
        logits = contestant.write(token, len(prompt) + i)
        times.append(time.perf_counter() - begin)
    return prefill, 1 / statistics.median(times), logits


def get_perplexity(contestant: Any, windows: Sequence[Sequence[int]]) -> float:
    """The exponential of the mean negative log probability of a token."""
    losses = []
    for window in windows:
        contestant.read([])
        for position, token in enumerate(window[:-1]):
            logits = contestant.write(token, position).astype(np.float64)
            logits -= logits.max()
            losses.append(
                np.log(np.exp(logits).sum()) - logits[window[position + 1]])
    return float(np.exp(np.mean(losses)))


def cut_windows(path: pathlib.Path, text: pathlib.Path,
                size: int) -> List[List[int]]:
    tokens = list(hk.Tokenizer(path).encode(text.read_text()))
    count = len(tokens) // size
    if count == 0:
        sys.exit(f"{text}: expected a text of {size} tokens or more, got "
                 f"{len(tokens)}")
    return [tokens[i * size:(i + 1) * size] for i in range(count)]


def run(path: pathlib.Path, threads: int, options: argparse.Namespace) -> None:
    contestants = make_contestants(path, options.prompt + options.tokens,
                                   threads, options)
    vocabulary = contestants[0].write(0, 0).size
    drawn = np.random.default_rng(1).integers(
        vocabulary, size=options.prompt + options.tokens).tolist()
    prompt, tokens = drawn[:options.prompt], drawn[options.prompt:]
    rounds = {c.name: [] for c in contestants}  # type: ignore[var-annotated]
    for _ in range(options.rounds):
        for contestant in contestants:
            rounds[contestant.name].append(measure(contestant, prompt, tokens))
    windows: Optional[List[List[int]]] = None
    if options.perplexity:
        windows = cut_windows(path, options.perplexity, options.prompt)
    expected = rounds[contestants[0].name][0][2]
    for contestant in contestants:
        name = contestant.name
        prefill, decode = (max(r[i] for r in rounds[name]) for i in range(2))
        last = rounds[name][0][2]
        error = ""
        if last is not None:
            difference = np.abs(last - expected).max() / np.abs(expected).max()
            error = f"{difference:.2g}"
        line = (f"| {path.name} | {threads} | {name} | {prefill:.0f} | "
                f"{decode:.1f} | {error} |")
        if windows and last is not None:
            line += f" {get_perplexity(contestant, windows):.4f} |"
        print(line, flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(
        description="Measures language models of GGUF files.")
    parser.add_argument("files", nargs="+", type=pathlib.Path)
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--prompt", type=int, default=512,
                        help="a multiple of 64")
    parser.add_argument("--tokens", type=int, default=48)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--precision", default="exact",
                        help="of weights in float32: exact or bf16")
    parser.add_argument("--perplexity", type=pathlib.Path,
                        help="a text to predict")
    parser.add_argument("--cache-types", default="f32",
                        help="f32, f16, bf16, int8")
    parser.add_argument("--openvino", action="store_true",
                        help="OpenVINO GenAI is a peer")
    parser.add_argument("--onnxruntime", type=pathlib.Path, metavar="FOLDER",
                        help="ONNX Runtime GenAI is a peer, with this model")
    options = parser.parse_args()
    if options.prompt < CHUNK or options.prompt % CHUNK:
        parser.error(f"argument --prompt: expected a multiple of {CHUNK}, got "
                     f"{options.prompt}")
    title = "| file | threads | | prefill, tokens/s | decode, tokens/s | error |"
    rule = "|---|---|---|---|---|---|"
    if options.perplexity:
        title, rule = title + " perplexity |", rule + "---|"
    print(f"{title}\n{rule}")
    for path in options.files:
        for threads in map(int, options.threads.split(",")):
            run(path, threads, options)


if __name__ == "__main__":
    main()
