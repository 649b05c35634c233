# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kills the stages of a bundle at random moments, and looks at what is there.

usage: kill-stages.py BUNDLE RESULTS [RUN.SH-OPTION...]

After each kill, and of all processes at once, every result so far must be
readable, and none may be lost. In the end the stages are left alone, and must
have gone on: each case was run once, each time was measured once.
"""

import json
import os
import pathlib
import random
import signal
import subprocess
import sys
import time

KILLS = 6
STAGES = ["right", "own", "questions"]


def list_descendants(pid):
    """Also those in process groups of their own."""
    found = [pid]
    for task in pathlib.Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            for child in task.read_text().split():
                found += list_descendants(int(child))
        except OSError:  # It has ended.
            pass
    return found


def kill_all(process):
    """Stops them first, so that none starts another one meanwhile."""
    for number in (signal.SIGSTOP, signal.SIGSTOP, signal.SIGKILL):
        for pid in list_descendants(process.pid):
            try:
                os.kill(pid, number)
            except ProcessLookupError:
                pass
    process.wait()


def check_cases(folder):
    """Names of the cases that have a result."""
    file = folder / "conformance.txt"
    if not file.exists():
        return []
    running, done = None, []
    for line in file.read_text().splitlines():
        words = line.split()
        if words[:1] == ["run"]:
            assert running is None, f"{running} has no result before '{line}'"
            running = words[1]
        elif words[:1] in (["passed"], ["FAILED"]):
            assert words[1].rstrip(":") == running, line
            done.append(running)
            running = None
    return done


def check_times(folder):
    """Contestants and workloads that have a result."""
    file = folder / "bench.jsonl"
    lines = file.read_text().split("\n") if file.exists() else [""]
    records = [json.loads(line) for line in lines[:-1]]
    if any(record["kind"] == "time" for record in records[:-1]):
        report = (folder / "report.md").read_text()
        assert report.startswith("# HamKaas on a GPU") and report[-1] == "\n"
    return [(record["contestant"], record["workload"]) for record in records
            if record["kind"] == "time"]


def main():
    bundle, folder = map(pathlib.Path, sys.argv[1:3])
    command = [bundle / "run.sh", *STAGES, f"--results={folder}",
               *sys.argv[3:]]
    random.seed(1)
    before = [], []
    for _ in range(KILLS):
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        time.sleep(random.uniform(0.1, 1.5))
        kill_all(process)
        now = check_cases(folder), check_times(folder)
        for old, new in zip(before, now):
            assert new[:len(old)] == old, f"{old} became {new}"
        before = now
    status = subprocess.run(command, stdout=subprocess.DEVNULL).returncode
    cases, times = check_cases(folder), check_times(folder)
    listed = (bundle / "cases" / "cases.txt").read_text().splitlines()
    assert cases == [line.split()[0] for line in listed], cases
    assert times and len(set(times)) == len(times), times
    json.loads((folder / "questions.jsonl").read_text().splitlines()[0])
    print(f"{len(cases)} cases, {len(times)} times, status {status}")


main()
