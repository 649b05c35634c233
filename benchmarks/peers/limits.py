# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The limits of the machine, measured by `hamkaas-run --calibrate`."""

from __future__ import annotations

import dataclasses
import json
import math
import pathlib
import subprocess
from typing import Any

# These write about as much as they read, so they are compared with copying.
COPYING = ("softmax_1024x1024", "layernorm_1024x1024", "transpose_2048",
           "dwconv3x3_144_56", "small_softmax")
# Three reads to a write: the faster of reading and copying.
EITHER = ("eltwise_4m", )


@dataclasses.dataclass
class Limit:
    milliseconds: float
    kind: str  # "compute" or "memory"


def interpolate(points: list[tuple[float, float]], x: float) -> float:
    """Piecewise linear, constant outside of `points`, which are sorted."""
    if x <= points[0][0]:
        return points[0][1]
    for (x0, y0), (x1, y1) in zip(points, points[1:]):
        if x <= x1:
            return y0 + (y1 - y0) * (x - x0) / (x1 - x0)
    return points[-1][1]


class Limits:
    """The contents of a file of ceilings."""

    def __init__(self, path: pathlib.Path) -> None:
        self.counts = json.loads(path.read_text())["threads"]

    def gflops(self, threads: int) -> float:
        return interpolate([(count["threads"], count["gflops"])
                            for count in self.counts], threads)

    def bandwidth(self, kind: str, threads: int, working_set: int) -> float:
        """GB/s of "read" or "copy", by the logarithm of the working set."""

        def of(count: Any) -> float:
            return interpolate([(math.log(point["bytes"]), point["gbs"])
                                for point in count[kind]],
                               math.log(working_set))

        return interpolate([(count["threads"], of(count))
                            for count in self.counts], threads)

    def of(self, workload: dict[str, Any], threads: int) -> Limit:
        """Of a workload with the description that was exported."""
        name, moved = workload["name"], workload["bytes"]
        kinds = (["read", "copy"] if name in EITHER else
                 ["copy"] if name in COPYING else ["read"])
        bandwidth = max(
            self.bandwidth(kind, threads, moved) for kind in kinds)
        compute = workload["flops"] / self.gflops(threads) / 1e6
        memory = moved / bandwidth / 1e6
        if compute >= memory:
            return Limit(compute, "compute")
        return Limit(memory, "memory")


def calibrate(program: pathlib.Path, output: pathlib.Path) -> None:
    subprocess.run([str(program), "--calibrate", f"--ceilings={output}"],
                   stdout=subprocess.DEVNULL, check=True)
