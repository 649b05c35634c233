#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares the results of graphs of nodes with those of torch.

    compare-dnn-with-torch.py FOLDER [--double]

FOLDER has graphs, NAME.json, and their tensors: NAME.UID.bin, and
NAME.UID.emulated.bin for results of an emulated GPU. test/Examples/dnn.test
writes them for the samples. Each result is compared by |a - b| <= t + t |b|
with the tolerance t of its node's kind. With --double torch computes in
float64, which shows the errors of one side alone.
"""

import argparse
import json
import math
import pathlib
import sys

# hipDNN's, for float32. It has none for attention; that of matmul is used.
TOLERANCES = {
    "conv_fprop": 1e-5,
    "batchnorm": 4e-3,
    "batchnorm_backward": 2e-3,
    "matmul": 1e-5,
    "pointwise": 1e-5,
    "sdpa": 1e-5,
}

ADD, GELU_FWD, RELU_FWD = 2, 21, 34


class Graph:
    """A graph and its tensors."""

    def __init__(self, torch, path, dtype):
        self.torch = torch
        self.path = path
        self.dtype = dtype
        self.graph = json.loads(path.read_text())
        self.tensors = {each["uid"]: each for each in self.graph["tensors"]}
        self.values = {}
        # The kinds of the nodes whose tolerances results have: pointwise ones
        # have that of what they follow.
        self.kinds = {}

    def read(self, uid, suffix="bin"):
        tensor = self.tensors[uid]
        path = self.path.with_name(f"{self.path.stem}.{uid}.{suffix}")
        if tensor["data_type"] != "float32":
            sys.exit(f"{path}: expected float32, got {tensor['data_type']}")
        data = self.torch.frombuffer(
            bytearray(path.read_bytes()), dtype=self.torch.float32
        )
        return data.as_strided(tensor["dims"], tensor["strides"])

    def get(self, uid):
        if uid not in self.values:
            tensor = self.tensors[uid]
            if "value" in tensor:
                return float(tensor["value"])
            self.values[uid] = self.read(uid).to(self.dtype)
        return self.values[uid]

    def run(self):
        for node in self.graph["nodes"]:
            kind = node["kind"]
            compute, operands, results = KINDS[kind]
            given = [node[each] for each in operands if each in node]
            values = [self.get(uid) for uid in given]
            computed = compute(self.torch, node, *values)
            if kind == "pointwise":
                followed = [self.kinds[uid] for uid in given if uid in self.kinds]
                kind = (followed + [kind])[0]
            for name, value in zip(results, computed):
                if name in node:
                    dims = self.tensors[node[name]]["dims"]
                    self.values[node[name]] = value.reshape(dims)
                    self.kinds[node[name]] = kind

    def compare(self):
        """Prints a line a result; returns how many are wrong, and how many all are."""
        wrong = count = 0
        for uid, kind in self.kinds.items():
            tensor = self.tensors[uid]
            if tensor.get("is_virtual"):
                continue
            for suffix, device in ("bin", "cpu"), ("emulated.bin", "emulated"):
                exists = self.path.with_name(f"{self.path.stem}.{uid}.{suffix}")
                if not exists.exists():
                    continue
                expected = self.values[uid].to(self.torch.float64)
                error = (self.read(uid, suffix) - expected).abs()
                bound = TOLERANCES[kind] * (1 + expected.abs())
                # NaN is wrong, too.
                right = bool((error <= bound).all())
                wrong += not right
                count += 1
                print(
                    f"{self.path.stem} {tensor.get('name', uid)} {device}: "
                    f"{'right' if right else 'WRONG'}, "
                    f"error {error.max():.2g} of {bound.min():.2g} ({kind})"
                )
        return wrong, count


def conv_fprop(torch, node, x, w):
    pads = [
        each
        for pre, post in zip(node["pre_padding"][::-1], node["post_padding"][::-1])
        for each in (pre, post)
    ]
    convolve = (torch.conv1d, torch.conv2d, torch.conv3d)[x.dim() - 3]
    return [
        convolve(
            torch.nn.functional.pad(x, pads),
            w,
            stride=node["stride"],
            dilation=node["dilation"],
            groups=x.shape[1] // w.shape[1],
        )
    ]


def pointwise(torch, node, a, b=None):
    if node["mode"] == ADD:
        return [a + b]
    if node["mode"] == RELU_FWD:
        return [torch.relu(a)]
    if node["mode"] == GELU_FWD:
        return [torch.nn.functional.gelu(a)]
    sys.exit(f"expected a mode that a sample has, got {node['mode']}")


def batchnorm(torch, node, x, scale, bias, epsilon, mean, variance, momentum):
    mean, variance = mean.flatten().clone(), variance.flatten().clone()
    y = torch.nn.functional.batch_norm(
        x, mean, variance, scale.flatten(), bias.flatten(), True, momentum, epsilon
    )
    dims = [0, *range(2, x.dim())]
    inverse = 1 / torch.sqrt(x.var(dims, unbiased=False) + epsilon)
    return [y, x.mean(dims), inverse, mean, variance]


def batchnorm_backward(torch, node, dy, x, scale, mean, inverse):
    return torch.ops.aten.native_batch_norm_backward(
        dy,
        x,
        scale.flatten(),
        None,
        None,
        mean.flatten(),
        inverse.flatten(),
        True,
        0.0,
        [True, True, True],
    )


def sdpa(torch, node, q, k, v):
    causal = node.get("causal_mask", False)
    scale = node.get("attn_scale", 1 / math.sqrt(q.shape[-1]))
    scores = q @ k.transpose(-1, -2) * scale
    if causal:
        mask = torch.ones(scores.shape[-2:], dtype=torch.bool).tril()
        scores = scores.masked_fill(~mask, -math.inf)
    # Since torch 2.0.
    attention = getattr(
        torch.nn.functional,
        "scaled_dot_product_attention",
        lambda *_, **__: scores.softmax(-1) @ v,
    )
    return [attention(q, k, v, is_causal=causal, scale=scale), scores.logsumexp(-1)]


KINDS = {
    "conv_fprop": (conv_fprop, ["x", "w"], ["y"]),
    "batchnorm": (
        batchnorm,
        [
            "x",
            "scale",
            "bias",
            "epsilon",
            "prev_running_mean",
            "prev_running_variance",
            "momentum",
        ],
        ["y", "mean", "inv_variance", "next_running_mean", "next_running_variance"],
    ),
    "batchnorm_backward": (
        batchnorm_backward,
        ["dy", "x", "scale", "mean", "inv_variance"],
        ["dx", "dscale", "dbias"],
    ),
    "pointwise": (pointwise, ["a", "b"], ["y"]),
    "matmul": (lambda torch, node, a, b: [a @ b], ["a", "b"], ["c"]),
    "sdpa": (sdpa, ["q", "k", "v"], ["o", "stats"]),
}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--double", action="store_true")
    arguments = parser.parse_args()
    import torch

    dtype = torch.float64 if arguments.double else torch.float32
    paths = sorted(arguments.folder.glob("*.json"))
    if not paths:
        sys.exit(f"expected graphs in {arguments.folder}, got none")
    wrong = count = 0
    for path in paths:
        graph = Graph(torch, path, dtype)
        graph.run()
        its_wrong, its_count = graph.compare()
        wrong += its_wrong
        count += its_count
    if not count:
        sys.exit(f"expected results in {arguments.folder}, got none")
    sys.exit(wrong > 0)


main()
