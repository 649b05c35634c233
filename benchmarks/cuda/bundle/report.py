#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes FOLDER/report.md of the lines of bench.jsonl files.

usage: report.py FOLDER FILE.jsonl...

Lines of several calls may be in files of their own. The last result of a
contestant on a workload counts.
"""

import contextlib
import json
import os
import pathlib
import statistics
import sys

HERE = pathlib.Path(__file__).resolve().parent
# Whose kernels the limits are of.
MAIN = "hamkaas"
# Peers that round factors; they are beside programs that do, and no measure for
# exact ones.
ROUNDING = ("tf32", "bf16")


def read_records(files):
    """All whole lines: of a program that was ended, the last may be in part."""
    records = []
    for file in files:
        if not file.exists():
            continue
        for line in file.read_text(errors="replace").splitlines():
            with contextlib.suppress(ValueError):
                record = json.loads(line)
                if isinstance(record, dict):
                    records.append(record)
    return records


def find_last(records, kind):
    found = [record["result"] for record in records if record["kind"] == kind]
    return found[-1] if found else {"error": "not measured"}


def format_time(result):
    if "median_us" not in result:
        return ""
    return f"{result['median_us']:.1f}" + " (wrong)" * ("error" in result)


def format_kernels(result):
    return f"{result['kernels_us']:.1f}" if "kernels_us" in result else ""


def describe_limit(description, ceilings, result):
    """Share of the time of the kernels that moving each byte once, or all
    arithmetic, would take alone: the longer one of these."""
    if not result.get("kernels_us") or "error" in ceilings:
        return ""
    least, limit = max(
        (description["bytes"] / ceilings["copy_gbs"] / 1e3, "memory"),
        (description["flops"] / ceilings["float32_gflops"] / 1e3, "compute"))
    return f"{100 * least / result['kernels_us']:.0f} ({limit})"


def make_row(name, description, results, ceilings, contestants):
    own = results.get(MAIN, {})
    others = {peer: result["median_us"] for peer, result in results.items()
              if not peer.startswith(MAIN) and peer not in ROUNDING
              and "median_us" in result}
    best, ratio = "", ""
    if others and "median_us" in own and "error" not in own:
        best = min(others, key=others.get)
        ratio = f"{others[best] / own['median_us']:.2f}"
    times = [format_time(results.get(one, {})) for one in contestants]
    cells = [name, *times, best, ratio, format_kernels(own),
             describe_limit(description, ceilings, own)]
    return f"| {' | '.join(cells)} |"


def make_report(records, workloads):
    gpu = find_last(records, "gpu")
    ceilings = find_last(records, "ceilings")
    lines = ["# HamKaas on a GPU", ""]
    if "error" not in gpu:
        lines += [f"{gpu['name']} ({gpu['architecture']}, "
                  f"{gpu['multiprocessors']} multiprocessors), driver "
                  f"{gpu['driver']}."]
    if "error" not in ceilings:
        lines += [f"Copies within its memory read and write "
                  f"{ceilings['copy_gbs']:.0f} GB/s; products and sums of "
                  f"float32 in registers are "
                  f"{ceilings['float32_gflops'] / 1e3:.1f} TFLOP/s."]
    lines += ["", "## Median microseconds of a run", ""]
    times = [record for record in records if record["kind"] == "time"]
    contestants = list(dict.fromkeys(one["contestant"] for one in times))
    measured = {}
    for record in times:
        results = measured.setdefault(record["workload"], {})
        results[record["contestant"]] = record["result"]
    head = ["workload", *contestants, "best peer", "ratio",
            f"kernels of {MAIN}", "% of limit"]
    lines += [f"| {' | '.join(head)} |", "|---" * len(head) + "|"]
    for name, results in measured.items():
        description = json.loads((workloads / f"{name}.json").read_text())
        lines.append(
            make_row(name, description, results, ceilings, contestants))
    empty = [results[MAIN]["empty_kernel_us"] for results in measured.values()
             if "empty_kernel_us" in results.get(MAIN, {})]
    if empty:
        lines += ["", "Times of kernels are by events of the GPU. An empty "
                  f"kernel takes {statistics.median(empty):.1f} us between two "
                  "of them, which is subtracted for each kernel."]
    missing = [f"- {contestant}, {name}: {result['error']}"
               for name, results in measured.items()
               for contestant, result in results.items() if "error" in result]
    if missing:
        lines += ["", "## Errors", "", *missing]
    return "\n".join(lines) + "\n"


def write(records, workloads, folder):
    """Whole, at every moment."""
    file = folder / "report.md"
    scratch = folder / ".report.md"
    scratch.write_text(make_report(records, workloads))
    os.replace(scratch, file)


def main():
    folder, *files = map(pathlib.Path, sys.argv[1:])
    write(read_records(files), HERE / "workloads", folder)


if __name__ == "__main__":
    main()
