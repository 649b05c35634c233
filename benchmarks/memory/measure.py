#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Time of training steps at a part of the workspace that they take freely.

Compiles each network twice, without a limit and with one, runs the two programs
in turn in one process, and compares their losses to the bit. Prints a row a
network: the two workspaces, the median times of a step, and the FLOPs that are
computed again. A network that does not fit has an error in its row.

usage: PYTHONPATH=build/python measure.py [--share=0.5] [--steps=20] [NAME...]
"""

import argparse
import functools
import pathlib
import sys
import time

import numpy as np

import hamkaas as hk

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "training"))
import frameworks  # noqa: E402
import networks  # noqa: E402

RNG = np.random.default_rng(0)


def train_step(scores, labels):
    return hk.train_step(hk.nn.cross_entropy(scores, labels),
                         hk.optim.SGD(lr=0.01))


def make_weights(name, shape):
    """A state with normal contents that keep the size of what goes through."""
    scale = (2 / np.prod(shape[1:] if len(shape) > 2 else shape[:1])) ** 0.5
    return hk.state(shape, name, initial=RNG.normal(0, scale, shape))


def build_mlp(rows=2048, size=256, layers=12):
    """Layers of a product, a bias and a gelu."""
    x, y = hk.input("x", [rows, size]), hk.input("labels", [rows], "int64")
    h = x
    for i in range(layers):
        h = hk.nn.gelu(h @ make_weights(f"w{i}", [size, size])
                    + hk.state([size], f"b{i}"))
    scores = h @ make_weights("out", [size, 10])
    return train_step(scores, y), {
        "x": RNG.normal(size=[rows, size]).astype("float32"),
        "labels": RNG.integers(0, 10, rows)}


def normalize(x, name, channels):
    """Batch normalization by the statistics of the batch."""
    mean = hk.mean(x, axis=(0, 2, 3), keepdims=True)
    centered = x - mean
    variance = hk.mean(centered * centered, axis=(0, 2, 3), keepdims=True)
    scale = hk.state([1, channels, 1, 1], f"{name}.scale",
                     initial=np.ones([1, channels, 1, 1]))
    return (centered / hk.sqrt(variance + 1e-5) * scale
            + hk.state([1, channels, 1, 1], f"{name}.shift"))


def build_resnet(rows=32, channels=32, blocks=4, size=32):
    """Residual blocks of two convolutions, normalizations and relus."""
    def conv(x, name, inputs):
        weights = make_weights(f"{name}.w", [channels, inputs, 3, 3])
        x = hk.nn.conv2d(x, weights, padding=1)
        return normalize(x, name, channels)

    x = hk.input("x", [rows, 3, size, size])
    y = hk.input("labels", [rows], "int64")
    h = hk.nn.relu(conv(x, "first", 3))
    for i in range(blocks):
        inner = hk.nn.relu(conv(h, f"a{i}", channels))
        h = hk.nn.relu(h + conv(inner, f"b{i}", channels))
    scores = hk.mean(h, axis=(2, 3)) @ make_weights("out", [channels, 10])
    return train_step(scores, y), {
        "x": RNG.normal(size=[rows, 3, size, size]).astype("float32"),
        "labels": RNG.integers(0, 10, rows)}


def build_transformer(rows=8, tokens=64, size=128, layers=4, heads=4, words=256):
    """A decoder of attention and gelu layers that predicts tokens."""
    ids = hk.input("ids", [rows, tokens], "int64")
    y = hk.input("labels", [rows * tokens], "int64")
    h = hk.nn.embedding(ids.reshape([rows * tokens]),
                        make_weights("embedding", [words, size]))

    def norm(x, name):
        return hk.nn.layer_norm(
            x, [size], hk.state([size], f"{name}.scale", initial=np.ones(size)),
            hk.state([size], f"{name}.shift"))

    def split(x):
        return x.reshape([rows, tokens, heads, size // heads]).permute(
            [0, 2, 1, 3])

    for i in range(layers):
        x = norm(h, f"n{i}")
        q, k, v = (split(x @ make_weights(f"{part}{i}", [size, size]))
                   for part in "qkv")
        mixed = hk.nn.scaled_dot_product_attention(q, k, v, is_causal=True)
        mixed = mixed.permute([0, 2, 1, 3]).reshape([rows * tokens, size])
        h = h + mixed @ make_weights(f"o{i}", [size, size])
        x = hk.nn.gelu(norm(h, f"m{i}") @ make_weights(f"up{i}", [size, 4 * size])
                    + hk.state([4 * size], f"upb{i}"))
        h = h + x @ make_weights(f"down{i}", [4 * size, size])
    scores = norm(h, "last") @ make_weights("out", [size, words])
    return train_step(scores, y), {
        "ids": RNG.integers(0, words, [rows, tokens]),
        "labels": RNG.integers(0, words, rows * tokens)}


def build_benchmark(name):
    """A network of benchmarks/training with its optimizer."""
    network = networks.NETWORKS[name]()
    step = frameworks.HamKaas(threads=1).build_step(network, with_contents=True)
    return step, network.batches[0]


NETWORKS = {"mlp": build_mlp, "resnet": build_resnet,
            "transformer": build_transformer}
NETWORKS.update({f"training-{name}": functools.partial(build_benchmark, name)
                 for name in networks.NETWORKS})


def run_step(model, batch):
    """The loss of a step, and its seconds."""
    start = time.perf_counter()
    loss = model.train_step.run(batch)["loss"]
    return float(loss), time.perf_counter() - start


def measure(build, share, steps):
    """A row: workspaces, medians of the seconds, FLOPs computed again."""
    step, batch = build()
    step = {"train_step": step}
    free = hk.compile(step, threads=1)
    workspace = free.report.json()["memory"]["workspace"]
    small = hk.compile(step, threads=1, max_workspace=int(workspace * share))
    times = []
    for _ in range(steps):
        (a, free_time), (b, small_time) = (run_step(model, batch)
                                           for model in (free, small))
        if a != b:
            raise SystemExit(f"expected equal losses, got {a!r} and {b!r}")
        times.append((free_time, small_time))
    report = small.report.json()
    medians = np.median(times, axis=0)
    return (workspace, report["memory"]["workspace"], *medians,
            report.get("recomputed", {"flops": 0})["flops"] / report["flops"])


def main():
    """Measure the networks that are named, or all."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME",
                        help=" or ".join(NETWORKS))
    parser.add_argument("--share", type=float, default=0.5)
    parser.add_argument("--steps", type=int, default=20)
    options = parser.parse_args()
    print("network           free MB  limited MB  free ms  limited ms  ratio"
          "  again")
    for name in options.names or NETWORKS:
        try:
            free, small, time_free, time_small, again = measure(
                NETWORKS[name], options.share, options.steps)
        except hk.HamKaasError as error:
            print(f"{name:16} {str(error).splitlines()[0]}", flush=True)
            continue
        print(f"{name:16} {free / 2**20:8.1f} {small / 2**20:11.1f} "
              f"{1e3 * time_free:8.1f} {1e3 * time_small:11.1f} "
              f"{time_small / time_free:6.2f} {100 * again:5.1f} %", flush=True)


if __name__ == "__main__":
    main()
