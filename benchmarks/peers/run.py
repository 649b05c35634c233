#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures HamKaas and other compilers on the same ONNX models.

Makes a virtual environment with the peers, exports the models from PyTorch,
measures the limits of the machine, lets the contestants of each model take
turns, and prints a table in Markdown. All that can be kept lies in a cache
folder, so a second call begins to measure at once. HamKaas must be built (make
build).

--onnx measures models of yours. --drawn measures workloads drawn at random
(drawn.py) and prints how the ratios are distributed, with profiles of the
worst.

benchmarks/training compares training steps.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import pathlib
import subprocess
import sys
from typing import Any, Iterable, Optional

import environment
import turns
import workloads
from distribution import Distribution
from limits import Limits, calibrate
from table import Table

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
# numpy is no rival.
DEFAULT_PEERS = [peer for peer in environment.PACKAGES if peer != "numpy"]


def cache_folder() -> pathlib.Path:
    base = os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache"
    return pathlib.Path(base) / "hamkaas" / "peers"


def choices(allowed: list[str]) -> Any:

    def parse(text: str) -> list[str]:
        names = text.split(",")
        for name in names:
            if name not in allowed:
                raise argparse.ArgumentTypeError(
                    f"expected some of {', '.join(allowed)}, got '{name}'")
        return names

    return parse


def positive(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(
            f"expected a whole number from 1, got '{text}'")
    return int(text)


def model_file(text: str) -> pathlib.Path:
    path = pathlib.Path(text)
    if path.suffix != ".onnx" or not path.is_file():
        raise argparse.ArgumentTypeError(
            f"expected a file F.onnx, got '{text}'")
    return path


def thread_counts(text: str) -> list[int]:
    counts = [int(count) for count in text.split(",")]
    if min(counts) < 1:
        raise argparse.ArgumentTypeError(
            f"expected numbers of threads from 1, got '{text}'")
    return counts


def parse_arguments() -> Any:
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("--peers", type=choices(list(environment.PACKAGES)),
        default=DEFAULT_PEERS, metavar="PEER,...",
        help=f"default: {','.join(DEFAULT_PEERS)}; numpy: onnx's reference; "
        "HamKaas always takes part")
    add("--workloads",
        type=choices(workloads.ALL),
        default=workloads.NAMES, metavar="NAME,...",
        help="default: all but those that only test the benchmark, "
        f"{','.join(workloads.SMALL)}")
    add("--onnx", type=model_file, nargs="+", metavar="F.onnx",
        help="measure these models in place of --workloads, with inputs of "
        "F.in.npz, or random ones")
    add("--drawn", type=positive, metavar="COUNT",
        help="measure so many drawn workloads in place of --workloads")
    add("--operators", action="store_true",
        help="draw single operators that those do not have, all in turns")
    add("--seed", type=int, default=1,
        help="draws other workloads (default: 1)")
    add("--threads", type=thread_counts, default=[1, 2], metavar="N,...",
        help="default: 1,2")
    add("--neighbour", action="store_true",
        help="copy memory on the last processor meanwhile; for one thread")
    add("--rounds", type=int, default=5, help="turns of each (default: 5)")
    add("--seconds", type=float, default=0.3,
        help="how long a turn takes at least (default: 0.3)")
    add("--timeout", type=float, default=300,
        help="seconds to compile or to take a turn (default: 300)")
    add("--output", type=pathlib.Path, metavar="F.md",
        help="where to write the table (default: standard output)")
    add("--json", type=pathlib.Path, metavar="F.json",
        help="where to write all figures")
    add("--cache", type=pathlib.Path, default=cache_folder(),
        help="folder for what can be kept (default: %(default)s)")
    add("--python", help="interpreter that has the peers; nothing is "
        "installed then")
    add("--models", type=pathlib.Path, help="folder of exported workloads")
    add("--ceilings", type=pathlib.Path, metavar="F.json",
        help="file of hamkaas-run --calibrate (default: measured once)")
    add("--build", type=pathlib.Path, default=ROOT / "build",
        help="where HamKaas was built (default: %(default)s)")
    add("--lock", type=pathlib.Path, help="file to lock during each turn")
    arguments = parser.parse_args()
    if arguments.onnx and arguments.drawn:
        parser.error("expected --onnx or --drawn, got both")
    arguments.peers = list(dict.fromkeys(["hamkaas", *arguments.peers]))
    arguments.models = arguments.models or arguments.cache / "models"
    arguments.hamkaas_package = arguments.build / "python"
    # Programs write what they call by these names into the folder of models.
    arguments.program, names = "workloads.py", arguments.workloads
    if arguments.drawn:
        kind = "operators" if arguments.operators else "drawn"
        names = [f"{kind}-{arguments.seed}-{i}" for i in range(arguments.drawn)]
        arguments.program = "drawn.py"
        # Other programs may draw other models of the same names.
        arguments.models /= "drawn-" + digest(
            HERE / name for name in ("drawn.py", "drawn_operators.py",
                                     "model_builder.py"))
    elif arguments.onnx:
        names = [path.stem for path in arguments.onnx]
        arguments.program = "onnx_models.py"
        arguments.models /= "onnx-" + digest(
            file for path in arguments.onnx
            for file in (path, path.with_suffix(".in.npz")) if file.exists())
    arguments.sources = dict(zip(names, arguments.onnx or names))
    if len(arguments.sources) < len(names):
        parser.error("expected files of different names after --onnx")
    return arguments


def digest(paths: Iterable[pathlib.Path]) -> str:
    program = hashlib.sha256()
    for path in paths:
        program.update(path.read_bytes())
    return program.hexdigest()[:8]


def export(python: str, program: str, sources: dict[str, Any],
           folder: pathlib.Path) -> dict[str, Any]:
    """Returns the descriptions of those workloads that could be had."""
    for name, source in sources.items():
        if (folder / f"{name}.json").exists():
            continue
        # One at a time, because one that fails ends the others.
        command = [python, str(HERE / program), str(folder), str(source)]
        result = subprocess.run(command, capture_output=True, text=True)
        if result.returncode:
            reason = (result.stderr.strip() or "no reason given")
            environment.warn(
                f"cannot export {name}: {reason.splitlines()[-1]}")
    return {
        name: json.loads((folder / f"{name}.json").read_text())
        for name in sources if (folder / f"{name}.json").exists()
    }


def load_limits(arguments: Any) -> Optional[Limits]:
    path = arguments.ceilings or arguments.cache / "ceilings.json"
    program = arguments.build / "bin" / "hamkaas-run"
    if not path.exists():
        environment.warn("measuring the limits of the machine")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with turns.locked(arguments.lock):
                calibrate(program, path)
        except (OSError, subprocess.CalledProcessError) as error:
            environment.warn(f"no limits: {error}")
            return None
    return Limits(path)


def can_run(peer: str, workload: str, threads: int) -> bool:
    if peer == "llama2.c":
        return workload in workloads.NAMES and workload.startswith("llama")
    if peer in ("eager", "inductor"):  # These need a module.
        return workload in workloads.NAMES
    return peer != "tract" or threads == 1  # Its Python binding has no more.


def measure(python: str, descriptions: dict[str, Any],
            arguments: Any) -> list[turns.Result]:
    results = []
    for threads in arguments.threads:
        with turns.Measurement(python, threads, arguments) as measurement:
            for name in descriptions:
                results += measurement.measure(name, [
                    peer for peer in arguments.peers
                    if can_run(peer, name, threads)
                ])
                # Drawn workloads are too many for processes of their own.
                if not arguments.drawn:
                    measurement.end()
    return results


def main() -> None:
    arguments = parse_arguments()
    needs_pytorch = not (arguments.drawn or arguments.onnx
                         or set(arguments.workloads) <= set(workloads.SMALL))
    python = arguments.python or environment.prepare(
        arguments.cache / "venv", arguments.peers, needs_pytorch)
    descriptions = export(python, arguments.program, arguments.sources,
                          arguments.models)
    if not descriptions:
        sys.exit("run.py: error: there is no workload to measure")
    has_limits = arguments.program == "workloads.py"
    limits = load_limits(arguments) if has_limits else None
    results = measure(python, descriptions, arguments)
    settings = (f"{arguments.rounds} rounds in which all took turns of "
                f"{arguments.seconds} s; `?`: other processes disturbed all "
                "turns.")
    if arguments.neighbour:
        settings += " A process copied memory on the last processor meanwhile."
    if arguments.drawn:
        lines = Distribution(results, descriptions, arguments).lines(settings)
    else:
        lines = Table(results, descriptions, limits).lines(settings)
    text = "\n".join(lines)
    if arguments.output:
        arguments.output.write_text(text + "\n")
    else:
        print(text)
    if arguments.json:
        arguments.json.write_text(json.dumps(results, indent=1) + "\n")
    failed = [
        result["workload"] for result in results
        if result["peer"] == "hamkaas" and "error" in result
    ]
    if failed:
        names = ", ".join(dict.fromkeys(failed))
        sys.exit(f"run.py: error: HamKaas has no result for {names}")


if __name__ == "__main__":
    main()
