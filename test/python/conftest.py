# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fixtures of all tests."""

import signal

import hypothesis
import numpy as np
import pytest

# A program that runs tests in the background may ignore interrupts, which is
# inherited, here and by what the tests start.
signal.signal(signal.SIGINT, signal.default_int_handler)

# Compiling takes the time; the same examples in each run.
hypothesis.settings.register_profile("hamkaas", deadline=None, derandomize=True,
                                     max_examples=25)
hypothesis.settings.load_profile("hamkaas")


@pytest.fixture
def rng():
    return np.random.default_rng(20260101)


@pytest.fixture
def compilations(monkeypatch):
    """The recordings that were compiled, as they are."""
    from hamkaas.array import programs
    found = []
    compile_shared = programs.compile_shared

    def count(nodes, name):
        found.append(nodes)
        return compile_shared(nodes, name)

    programs.PROGRAMS.clear()
    monkeypatch.setattr(programs, "compile_shared", count)
    return found
