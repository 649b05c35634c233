# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How the ratios of drawn workloads are distributed, as Markdown."""

from __future__ import annotations

import pathlib
import statistics
import subprocess
import sys
import zipfile
from typing import Any, Iterator

from table import OURS, Result, Table, header, machine, row

# Rows of the worst ratios, and how many of them with a profile.
WORST, PROFILED = 25, 8


class Distribution:

    def __init__(self, results: list[Result], workloads: dict[str, Result],
                 options: Any) -> None:
        """`workloads` has descriptions by name, `options` are those of
        run.py."""
        self.table = Table(results, workloads, limits=None)
        self.workloads = workloads
        self.options = options

    def lines(self, settings: str) -> Iterator[str]:
        command = " ".join(
            ["python3", "benchmarks/peers/run.py", *sys.argv[1:]])
        yield "# HamKaas and its peers on drawn workloads"
        yield f"\nOn {machine()}. {settings}\n\n```\n{command}\n```"
        for threads in self.options.threads:
            yield from self.speed(threads)
        yield from self.table.versions()
        yield from self.table.failures()

    def ratios(self, threads: int, kind: str = "median_ms") -> dict[str, float]:
        """The time of the best peer to ours, by workload, the worst first."""
        times = self.table.times
        found = {}
        for name in self.workloads:
            rivals = [
                times[name, threads, peer][kind] for peer in self.table.peers
                if peer != OURS and (name, threads, peer) in times
            ]
            if (name, threads, OURS) in times and rivals:
                found[name] = min(rivals) / times[name, threads, OURS][kind]
        return dict(sorted(found.items(), key=lambda item: item[1]))

    def speed(self, threads: int) -> Iterator[str]:
        ratios = self.ratios(threads)
        yield f"\n## {threads} " + ("thread" if threads == 1 else "threads")
        yield ("\n*ratio*: time of the best peer to that of HamKaas, above 1 "
               "where HamKaas is faster.\n")
        if not ratios:
            yield "No workload has a result of HamKaas and of a peer."
            return
        yield from header([
            "family", "workloads", "least", "5 %", "median", "95 %",
            "geometric mean", "under 1"
        ])
        yield self.quantiles("all", list(ratios.values()))
        least = self.ratios(threads, "least_ms")
        yield self.quantiles("all, least times", list(least.values()))
        families: dict[str, list[float]] = {}
        for name, ratio in ratios.items():
            families.setdefault(self.workloads[name]["family"],
                                []).append(ratio)
        for family in sorted(families):
            yield self.quantiles(family, families[family])
        yield "\nThe worst:\n"
        yield from header(
            ["workload", *self.table.peers, "ratio", "operations"])
        for name, ratio in list(ratios.items())[:WORST]:
            cells = [
                Table.time(self.table.times.get((name, threads, peer)))
                for peer in self.table.peers
            ]
            text = self.workloads[name]["text"]
            yield row([name, *cells, f"{ratio:.2f}", text])
        for name, ratio in list(ratios.items())[:PROFILED]:
            if ratio < 1:
                yield f"\n{name}:\n\n```\n{self.profile(name, threads)}\n```"

    @staticmethod
    def quantiles(family: str, ratios: list[float]) -> str:
        # Of one ratio there are no quantiles.
        parts = statistics.quantiles(ratios * 2 if len(ratios) == 1 else ratios,
                                     n=20, method="inclusive")
        values = [
            f"{value:.2f}"
            for value in (min(ratios), parts[0], statistics.median(ratios),
                          parts[-1], statistics.geometric_mean(ratios))
        ]
        below = sum(ratio < 1 for ratio in ratios)
        return row([family, str(len(ratios)), *values, str(below)])

    def profile(self, name: str, threads: int) -> str:
        models = pathlib.Path(self.options.models)
        folder = models / f"{name}.in"
        with zipfile.ZipFile(models / f"{name}.in.npz") as inputs:
            inputs.extractall(folder)
        flags = [
            f"--input={path.stem}={path}" for path in sorted(folder.iterdir())
        ]
        result = subprocess.run([
            str(self.options.build / "bin" / "hamkaas-run"),
            str(models / f"{name}.onnx"), *flags, "--repeat=30", "--profile",
            f"--threads={threads}"
        ], capture_output=True, text=True)
        if result.returncode:
            return result.stderr.strip()
        text, _, _ = result.stdout.partition("\nfamilies of kernels")
        return text.strip()
