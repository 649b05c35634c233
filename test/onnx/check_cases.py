# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the backend cases of the onnx package and tells what became of them.

Prints a table by operator, compares with the expectation, and exits with 1 if
they differ. The cases of domains other than ai.onnx are left out.
"""

from __future__ import annotations

import argparse
import collections
import json
import os
import pathlib
import re
import sys
import time
from typing import Counter, Dict, List, Sequence, Tuple

import onnx

import backend_cases
import expectation
from backend_cases import RANDOM_CASES, Case
from backends import BACKENDS, Refused
from case_pool import Outcome, Result, RunCase, run_cases
from comparison import find_difference, find_random_difference

OUTCOMES = ("passed", "refused", "wrong", "crashed")

# About a minute on two cores.
FAST_SUBSET = 6


def make_run(backend: str, cases: Sequence[Case]) -> RunCase:
    """A function that runs the case of a number on a backend."""
    prepare = BACKENDS[backend]

    def run_case(number: int) -> Outcome:
        case = cases[number]
        try:
            run = prepare(case.model())
            is_random = RANDOM_CASES.match(case.name)
            compare = find_random_difference if is_random else find_difference
            for inputs, expected in case.data_sets():
                difference = compare(expected, run(inputs),
                                     case.relative_tolerance,
                                     case.absolute_tolerance)
                if difference:
                    return "wrong", difference
        except Refused as error:
            return "refused", expectation.shorten(str(error))
        except Exception as error:
            # A valid model: no error is right.
            text = expectation.shorten(str(error))
            return "crashed", f"{type(error).__name__}: {text}"
        return "passed", ""

    return run_case


#===------------------------------------------------------------------------===#
# Reports
#===------------------------------------------------------------------------===#

Counts = Dict[str, Counter[str]]
"""Outcomes of the cases of each operator; its own cases have the key ''."""


def count(cases: Sequence[Case], results: Sequence[Result]) -> Counts:
    """The outcomes by operator."""
    counts: Counts = collections.defaultdict(collections.Counter)
    for result in results:
        counts[cases[result.number].op][result.outcome[0]] += 1
    return counts


def format_table(counts: Counts) -> List[str]:
    """A table in Markdown, a row for each operator."""
    width = max([len(op) for op in counts] + [8])
    header = " | ".join(["operator".ljust(width), "cases", *OUTCOMES])
    lines = [f"| {header} |",
             f"|{'-' * (width + 2)}|------:|" + "".join(
                 "-" * (len(outcome) + 1) + ":|" for outcome in OUTCOMES)]
    for op, row in sorted(counts.items()):
        numbers = [str(row[outcome] or "").rjust(len(outcome))
                   for outcome in OUTCOMES]
        lines.append(f"| {op.ljust(width)} | {sum(row.values()):5} | " +
                     " | ".join(numbers) + " |")
    return lines


def format_totals(cases: Sequence[Case], results: Sequence[Result]) -> List[str]:
    """How many cases had each outcome, the core cases by themselves."""
    lines = []
    for title, group in (
            ("core cases", [r for r in results if cases[r.number].is_core]),
            ("all cases", results)):
        row = collections.Counter(result.outcome[0] for result in group)
        lines.append(f"{len(group)} {title}: " + ", ".join(
            f"{row[outcome]} {outcome}" for outcome in OUTCOMES))
    return lines


def write_json(path: pathlib.Path, backend: str, cases: Sequence[Case],
               results: Sequence[Result]) -> None:
    """All that is known, for programs."""
    entries = [
        {"name": case.name, "operator": case.op, "core": case.is_core,
         "outcome": result.outcome[0], "reason": result.outcome[1],
         "seconds": round(result.seconds, 4)}
        for result in results for case in [cases[result.number]]
    ]
    path.write_text(json.dumps(
        {"onnx": onnx.__version__, "backend": backend, "cases": entries},
        indent=1) + "\n")


BEGIN, END = "<!-- coverage begin -->\n", "<!-- coverage end -->\n"


def write_document(path: pathlib.Path, lines: Sequence[str]) -> None:
    """Puts the lines between the two marks of a document."""
    before, begin, rest = path.read_text().partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise SystemExit(f"{path}: expected the lines '{BEGIN.strip()}' and "
                         f"'{END.strip()}'")
    path.write_text(before + BEGIN + "\n" + "\n".join(lines) + "\n\n" + END +
                    after)


#===------------------------------------------------------------------------===#
# The program
#===------------------------------------------------------------------------===#


def parse_arguments() -> argparse.Namespace:
    here = pathlib.Path(__file__).parent
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--filter", default="", metavar="REGEX",
                        help="only cases whose name matches")
    parser.add_argument("--subset", choices=["fast"],
                        help="some cases of each operator, the same each time")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1,
                        help="processes (default: one for each core)")
    parser.add_argument("--timeout", type=float, default=60, metavar="S",
                        help="seconds for one case (default: %(default)g)")
    parser.add_argument("--backend", choices=BACKENDS, default="hamkaas")
    parser.add_argument("--expectation", type=pathlib.Path,
                        default=here / "expectation.txt", metavar="FILE")
    parser.add_argument("--update", action="store_true",
                        help="take the outcomes as the new expectation")
    parser.add_argument("--json", type=pathlib.Path, metavar="FILE",
                        help="write the outcome of each case")
    parser.add_argument("--document", type=pathlib.Path, metavar="FILE",
                        help="write the table between the marks of a document")
    parser.add_argument("--verbose", action="store_true",
                        help="print each case that does not pass")
    return parser.parse_args()


def select(arguments: argparse.Namespace) -> Tuple[List[Case], bool]:
    """The cases asked for, and whether these are all."""
    cases = backend_cases.load_cases()
    chosen = cases
    if arguments.subset == "fast":
        chosen = backend_cases.take_subset(chosen, FAST_SUBSET)
    chosen = [case for case in chosen if re.search(arguments.filter, case.name)]
    return chosen, len(chosen) == len(cases)


def run(arguments: argparse.Namespace, cases: Sequence[Case]) -> List[Result]:
    """Runs the cases; the results are in their order."""
    results: List[Result] = []
    for result in run_cases(range(len(cases)),
                            lambda: make_run(arguments.backend, cases),
                            arguments.jobs, arguments.timeout):
        results.append(result)
        if arguments.verbose and result.outcome[0] != "passed":
            what, why = result.outcome
            print(f"{cases[result.number].name}: {what}: {why}", flush=True)
    return sorted(results, key=lambda result: result.number)


def update(path: pathlib.Path, found: expectation.Entries,
           ran: Sequence[str]) -> None:
    """Takes over what the cases that ran have become."""
    entries = {name: entry for name, entry in expectation.read(path).items()
               if name not in set(ran)}
    expectation.write(path, {**entries, **found})


def main() -> int:
    arguments = parse_arguments()
    start = time.monotonic()
    cases, are_all = select(arguments)
    results = run(arguments, cases)
    table = format_table(count(cases, results))
    totals = format_totals(cases, results)
    print("\n".join(["", *table, "", *totals]))
    print(f"onnx {onnx.__version__}, {arguments.backend}, "
          f"{time.monotonic() - start:.0f} s")
    if arguments.json:
        write_json(arguments.json, arguments.backend, cases, results)
    if arguments.document:
        write_document(arguments.document, [*table, "", *totals])
    names = [case.name for case in cases]
    found = {names[result.number]: result.outcome for result in results
             if result.outcome[0] != "passed"}
    if arguments.update:
        # A whole run drops cases that no longer exist.
        update(arguments.expectation, found,
               list(expectation.read(arguments.expectation)) if are_all
               else names)
        return 0
    if arguments.backend != "hamkaas":
        return 0
    differences = expectation.compare(
        expectation.read(arguments.expectation), found, names)
    print("\n".join(differences) or "as expected")
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())
