# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Single operations as workloads."""

from __future__ import annotations

import math
from typing import Callable, Sequence

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from workloads import Workload

# Channels in and out, size of the window, rows and columns, groups.
CONVOLUTIONS = {
    "conv3x3_64_64_56": (64, 64, 3, 56, 1),
    "conv3x3_256_256_14": (256, 256, 3, 14, 1),
    "conv1x1_256_64_56": (256, 64, 1, 56, 1),
    "dwconv3x3_144_56": (144, 144, 3, 56, 144)
}


class Operation(nn.Module):

    def __init__(self, function: Callable[..., Tensor],
                 parameters: Sequence[Tensor]) -> None:
        super().__init__()
        self.function = function
        self.count = len(parameters)
        for i, parameter in enumerate(parameters):
            self.register_parameter(f"p{i}",
                                    nn.Parameter(parameter, False))

    def forward(self, *inputs: Tensor) -> Tensor:
        return self.function(
            *inputs, *[getattr(self, f"p{i}") for i in range(self.count)])


def make(name: str, function: Callable[..., Tensor],
         inputs: dict[str, Tensor],
         parameters: Sequence[Tensor] = ()) -> Workload:
    return Workload(name,
                    Operation(function, parameters).eval(), inputs, ["y"])


def build(name: str) -> Workload:
    random = torch.randn
    if name in CONVOLUTIONS:
        return build_convolution(name, *CONVOLUTIONS[name])
    if name.startswith("sgemm"):
        m, k, n = map(int, name[len("sgemm_"):].split("x"))
        return make(name, torch.matmul,
                    {"a": random(m, k), "b": random(k, n)})
    if name == "bmm_12x128x64x128":
        return make(name, torch.matmul,
                    {"a": random(12, 128, 64), "b": random(12, 64, 128)})
    if name == "softmax_1024x1024":
        return make(name, lambda a: torch.softmax(a, -1),
                    {"a": random(1024, 1024)})
    if name == "layernorm_1024x1024":
        return make(name, lambda a, w, b: F.layer_norm(a, (1024, ), w, b),
                    {"a": random(1024, 1024)}, (random(1024), random(1024)))
    if name == "eltwise_4m":
        return make(name, lambda a, b, c: torch.relu(a * b + c),
                    {key: random(4 << 20) for key in "abc"})
    assert name == "transpose_2048", name
    return make(name, lambda a: a.t().contiguous(),
                {"a": random(2048, 2048)})


def build_convolution(name: str, channels: int, results: int, window: int,
                      size: int, groups: int) -> Workload:
    depth = channels // groups
    weights = torch.randn(results, depth, window, window)
    weights = weights / math.sqrt(depth * window * window)
    return make(
        name, lambda a, w: F.conv2d(a, w, padding=window // 2, groups=groups),
        {"a": torch.randn(1, channels, size, size)}, (weights, ))
