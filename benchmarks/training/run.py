#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures training steps of HamKaas, jax.jit with optax and torch.compile.

All start from the same parameters and get the same batches. Their losses over
the first steps must agree with the first contestant's; then they take turns,
each in a process of its own that stands still meanwhile. A peer that is not
installed is skipped. Prints a table in Markdown: medians, how many times as
long the best peer takes, and the workspace. HamKaas must be built (make build).
"""

from __future__ import annotations

import argparse
import json
import math
import pathlib
import statistics
import sys
from typing import Any

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.append(str(HERE.parent / "peers"))

import frameworks  # noqa: E402
import networks  # noqa: E402
import turns  # noqa: E402

Result = dict[str, Any]
# Largest difference of losses, relative to the first loss.
TOLERANCE = 2e-3


def choices(allowed: Any) -> Any:

    def parse(text: str) -> list[str]:
        names = text.split(",")
        for name in names:
            if name not in allowed:
                raise argparse.ArgumentTypeError(
                    f"expected some of {', '.join(allowed)}, got '{name}'")
        return names

    return parse


def positive(text: str) -> int:
    if not text.isdigit() or not int(text):
        raise argparse.ArgumentTypeError(
            f"expected a number from 1, got '{text}'")
    return int(text)


def thread_counts(text: str) -> list[int]:
    return [positive(count) for count in text.split(",")]


def parse_arguments() -> Any:
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("--networks", type=choices(networks.NETWORKS), metavar="NAME,...",
        default=list(networks.NETWORKS), help="default: all, "
        f"{','.join(networks.NETWORKS)}")
    add("--peers", type=choices(frameworks.FRAMEWORKS), metavar="PEER,...",
        default=["hamkaas", "jax", "torch"],
        help="default: hamkaas,jax,torch; eager: PyTorch without a compiler")
    add("--threads", type=thread_counts, default=[1, 2], metavar="N,...",
        help="default: 1,2")
    add("--batch", type=positive, help="default: that of the network")
    add("--tiny", action="store_true", help="networks of a few weights")
    add("--steps", type=positive, default=20,
        help="steps whose losses are compared (default: 20)")
    add("--rounds", type=positive, default=5,
        help="turns of each (default: 5)")
    add("--seconds", type=float, default=0.3,
        help="how long a turn takes at least (default: 0.3)")
    add("--timeout", type=float, default=600,
        help="seconds to start or to take a turn (default: 600)")
    add("--json", type=pathlib.Path, metavar="F.json",
        help="where to write all figures")
    add("--python", default=sys.executable,
        help="interpreter that has the peers (default: this one)")
    add("--build", type=pathlib.Path, default=ROOT / "build",
        help="where HamKaas was built (default: %(default)s)")
    return parser.parse_args()


def start(peer: str, name: str, threads: int, options: Any) -> Any:
    sizes = dict(networks.TINY[name]) if options.tiny else {}
    if options.batch:
        sizes["batch"] = options.batch
    task = {"network": name, "sizes": sizes, "peer": peer, "threads": threads,
            "steps": options.steps, "seconds": options.seconds}
    command = [options.python, str(HERE / "trainer.py"), json.dumps(task)]
    package = str(options.build / "python")
    return turns.Contestant(command,
                            turns.environment_of(peer, threads, package),
                            options.timeout)


def compare_losses(result: Result, expected: list[float]) -> None:
    """Makes it an error if they differ; one that is not a number differs."""
    for step, (loss, other) in enumerate(zip(result["losses"], expected)):
        if not abs(loss - other) <= TOLERANCE * abs(expected[0]):
            result["error"] = (f"wrong losses: {loss:.6g} in step {step}, "
                               f"where another has {other:.6g}")
            return


def measure(name: str, threads: int, options: Any) -> list[Result]:
    contestants: dict[str, Any] = {}
    try:
        expected: list[float] = []
        for peer in options.peers:
            contestant = start(peer, name, threads, options)
            contestants[peer] = contestant
            if not contestant.has_failed():
                expected = expected or contestant.result["losses"]
                compare_losses(contestant.result, expected)
        for _ in range(options.rounds):
            for contestant in contestants.values():
                if not contestant.has_failed():
                    contestant.take_turn()
    finally:
        results = [{"workload": name, "peer": peer, "threads": threads,
                    **contestant.finish()}
                   for peer, contestant in contestants.items()]
    for result in results:
        print(turns.describe(result), file=sys.stderr, flush=True)
    return results


def format_time(result: Result) -> str:
    if "error" in result:
        return "-"
    return f"{result['median_ms']:.4g}{'?' if result['is_disturbed'] else ''}"


def format_bytes(result: Result) -> str:
    size = result.get("workspace")
    return "-" if size is None else f"{size / 1e6:.3g}"


def ratio(results: list[Result]) -> float:
    """Time of the best peer over that of HamKaas; 0 if one of them is
    missing."""
    times = {result["peer"]: result["median_ms"] for result in results
             if "error" not in result}
    own = times.pop("hamkaas", None)
    return min(times.values()) / own if own and times else 0


def print_table(threads: int, rows: list[list[Result]],
                peers: list[str]) -> None:
    print(f"\n## Median ms of a training step, {threads} "
          f"{'thread' if threads == 1 else 'threads'}\n")
    spaces = [f"{peer} MB" for peer in peers if peer in ("hamkaas", "jax")]
    print("| network | " + " | ".join([*peers, "ratio", *spaces]) + " |")
    print("|---|" + "---|" * (len(peers) + 1 + len(spaces)))
    for results in rows:
        best = ratio(results)
        cells = [results[0]["workload"], *map(format_time, results),
                 f"{best:.2f}" if best else "-"]
        cells += [format_bytes(result) for result in results
                  if result["peer"] in ("hamkaas", "jax")]
        print("| " + " | ".join(cells) + " |")
    ratios = [value for value in map(ratio, rows) if value]
    if ratios:
        print(f"\nGeometric mean of {len(ratios)} ratios: "
              f"{math.exp(statistics.mean(map(math.log, ratios))):.2f}, "
              f"least {min(ratios):.2f}.")


def print_errors(results: list[Result]) -> None:
    failed = [result for result in results if "error" in result]
    if failed:
        print("\n## Without a result\n")
    for result in failed:
        print(f"- {result['peer']}: {result['workload']} "
              f"({result['threads']}): {' '.join(result['error'].split())}")


def main() -> None:
    options = parse_arguments()
    everything: list[Result] = []
    for threads in options.threads:
        rows = [measure(name, threads, options) for name in options.networks]
        everything += sum(rows, [])
        print_table(threads, rows, options.peers)
    versions = {result["version"] for result in everything
                if "version" in result}
    print("\n" + "; ".join(sorted(versions)))
    print("`?`: other processes ran during all turns.")
    print_errors(everything)
    if options.json:
        options.json.write_text(json.dumps(everything, indent=1))
    wrong = [result for result in everything if "error" in result and
             (result["peer"] == "hamkaas" or "wrong losses" in result["error"])]
    if wrong:
        sys.exit(f"run.py: error: {wrong[0]['peer']}: {wrong[0]['error']}")


if __name__ == "__main__":
    main()
