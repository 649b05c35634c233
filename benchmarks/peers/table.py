# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The results as Markdown."""

from __future__ import annotations

import math
import pathlib
import platform
from typing import Any, Iterator, Optional

from limits import Limits

Result = dict[str, Any]
OURS = "hamkaas"


def machine() -> str:
    lines = pathlib.Path("/proc/cpuinfo").read_text().splitlines()
    names = [
        line.split(":", 1)[1].strip() for line in lines
        if line.startswith("model name")
    ]
    kind = names[0] if names else platform.machine()
    return f"{len(names) or 'some'} x {kind}, Linux {platform.release()}"


def number(value: float) -> str:
    return f"{value:.4g}"


def row(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def header(cells: list[str]) -> list[str]:
    return [row(cells), "|---" * len(cells) + "|"]


class Table:

    def __init__(self, results: list[Result], workloads: dict[str, Result],
                 limits: Optional[Limits]) -> None:
        """`workloads` has descriptions by name, in the order of the rows."""
        self.results = results
        self.workloads = workloads
        self.limits = limits
        self.times = {
            (result["workload"], result["threads"], result["peer"]): result
            for result in results if "median_ms" in result
        }
        self.peers = list(dict.fromkeys(peer for _, _, peer in self.times))

    def lines(self, settings: str) -> Iterator[str]:
        yield "# HamKaas and its peers"
        yield f"\nOn {machine()}. {settings}"
        for threads in sorted({result["threads"] for result in self.results}):
            yield from self.speed(threads)
        yield from self.costs()
        yield from self.work()
        yield from self.versions()
        yield from self.failures()

    def speed(self, threads: int) -> Iterator[str]:
        yield f"\n## Median ms of a run, {threads} " + (
            "thread" if threads == 1 else "threads")
        yield ("\n*ratio*: time of the best peer to that of HamKaas, above 1 "
               "where HamKaas is faster; *limit*: what the machine needs at "
               "least, and how near HamKaas is to it.\n")
        yield from header([
            "workload", *self.peers, "best peer", "ratio", "limit",
            "% of limit"
        ])
        ratios = []
        for name in self.workloads:
            cells, ratio = self.speed_of(name, threads)
            yield row([name, *cells])
            if ratio:
                ratios.append(ratio)
        if ratios:
            mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
            yield (f"\nGeometric mean of {len(ratios)} ratios: {mean:.2f}, "
                   f"least {min(ratios):.2f}.")

    def speed_of(self, name: str,
                 threads: int) -> tuple[list[str], Optional[float]]:
        times = {
            peer: self.times[name, threads, peer]
            for peer in self.peers if (name, threads, peer) in self.times
        }
        rivals = {
            peer: result["median_ms"]
            for peer, result in times.items() if peer != OURS
        }
        best = min(rivals, key=lambda peer: rivals[peer]) if rivals else ""
        ours = times[OURS]["median_ms"] if OURS in times else None
        ratio = rivals[best] / ours if best and ours else None
        cells = [self.time(times.get(peer)) for peer in self.peers]
        return [
            *cells, best, f"{ratio:.2f}" if ratio else "",
            *self.limit(name, threads, ours)
        ], ratio

    @staticmethod
    def time(result: Optional[Result]) -> str:
        if not result:
            return "-"
        return number(
            result["median_ms"]) + ("?" if result["is_disturbed"] else "")

    def limit(self, name: str, threads: int,
              ours: Optional[float]) -> list[str]:
        if not self.limits:
            return ["", ""]
        limit = self.limits.of(self.workloads[name], threads)
        share = f"{100 * limit.milliseconds / ours:.0f}" if ours else ""
        return [f"{number(limit.milliseconds)} ({limit.kind})", share]

    def costs(self) -> Iterator[str]:
        threads = min(result["threads"] for result in self.results)
        yield "\n## Seconds to compile and MB of memory\n"
        yield ("Loading, compiling and the first run; the largest resident "
               "memory until then.\n")
        yield from header(["workload", *self.peers])
        for name in self.workloads:
            found = [
                self.times.get((name, threads, peer)) for peer in self.peers
            ]
            yield row([name] + [
                f"{result['compile_seconds']:.2f} s, {result['peak_mb']:.0f} MB"
                if result else "-" for result in found
            ])

    def work(self) -> Iterator[str]:
        yield "\n## Work of a run\n"
        yield from header(["workload", "GFLOP", "MB moved at least"])
        for name, workload in self.workloads.items():
            flops = workload["flops"]
            yield row([
                name, "-" if flops is None else f"{flops / 1e9:.4f}",
                f"{workload['bytes'] / 1e6:.2f}"
            ])

    def versions(self) -> Iterator[str]:
        yield "\n## Versions\n"
        versions = {
            result["peer"]: result["version"]
            for result in self.results if "version" in result
        }
        for peer, version in versions.items():
            yield f"- {peer}: {version}"

    def failures(self) -> Iterator[str]:
        """One line for all that one peer failed at for one reason."""
        places: dict[tuple[str, str], list[str]] = {}
        for result in self.results:
            if "error" in result:
                reason = " ".join(result["error"].split())[:240]
                places.setdefault((result["peer"], reason), []).append(
                    f"{result['workload']} ({result['threads']})")
        if places:
            yield "\n## Without a result, with the numbers of threads\n"
        for (peer, reason), names in places.items():
            yield f"- {peer}: {', '.join(names)}: {reason}"
