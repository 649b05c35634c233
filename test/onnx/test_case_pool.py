# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cases that crash, hang or end their process."""

import os
import signal
import time

import pytest

import case_pool


def run_case(number):
    if number == 1:
        os.kill(os.getpid(), signal.SIGSEGV)
    if number == 2:
        time.sleep(60)
    if number == 3:
        os._exit(7)
    if number == 4:
        os.write(2, b"some\nfile.cpp:3: Assertion `x' failed\n")
        os.kill(os.getpid(), signal.SIGABRT)
    return "passed", str(os.getpid())


@pytest.mark.parametrize("processes", [1, 2, 5])
def test_outcomes(processes):
    results = list(case_pool.run_cases(range(6), lambda: run_case, processes,
                                       seconds=1))
    assert sorted(result.number for result in results) == list(range(6))
    outcomes = {result.number: result.outcome for result in results}
    assert outcomes[0][0] == outcomes[5][0] == "passed"
    assert outcomes[1] == ("crashed", "SIGSEGV")
    assert outcomes[2] == ("crashed", "took longer than 1 s")
    assert outcomes[3] == ("crashed", "exit status 7")
    assert outcomes[4] == ("crashed",
                           "SIGABRT: file.cpp:3: Assertion `x' failed")


def test_processes_are_kept():
    results = list(case_pool.run_cases([0] * 10, lambda: run_case, 2, 10))
    assert len({result.outcome[1] for result in results}) == 2


def test_none():
    assert list(case_pool.run_cases([], lambda: run_case, 2, 1)) == []
