# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The test format: some tests run once for each level of the instruction set.

A file with a line `LEVELS: x86-64 x86-64-v4` is a test for each of them, named
`file/x86-64-v4`. `%level` is the level. Where the machine lacks it, the feature
`isa-x86-64-v4` is missing, and the test unsupported, but for one whose line ends
in `or emulated`: it needs the feature `emulator` instead, and its `hamkaas-run`
is test/Inputs/emulated-run.py.

Tests that would begin after HAMKAAS_TEST_SECONDS, an environment variable, are
skipped.
"""

import copy
import math
import os
import re
import time

import lit.formats
import lit.Test

LEVELS = ["x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4"]
LINE = re.compile(rb"^\W*LEVELS:(.*?)( or emulated)?$", re.MULTILINE)


def up_to(level):
    """The levels that a machine of `level` has."""
    return LEVELS[:LEVELS.index(level) + 1]


class TestOfLevel(lit.Test.Test):
    def __init__(self, test, level, emulated):
        config = copy.copy(test.config)
        config.substitutions = [("%level", level)] + config.substitutions
        if emulated:
            config.environment = config.environment | config.emulation
        super().__init__(test.suite, test.path_in_suite + (level,), config,
                         file_path=test.getSourcePath())
        self.requires = [f"isa-{level}" + " || emulator" * emulated]

    def getSourcePath(self):
        return self.file_path


class LevelTest(lit.formats.ShTest):
    def __init__(self, **options):
        super().__init__(**options)
        self.deadline = time.time() + float(
            os.environ.get("HAMKAAS_TEST_SECONDS", math.inf))

    # NOTE: not lit's --max-time, which bounds the wait for each test.
    def execute(self, test, lit_config):
        if time.time() > self.deadline:
            return lit.Test.Result(lit.Test.SKIPPED, "no time is left")
        return super().execute(test, lit_config)

    def getTestsForPath(self, *arguments):
        for test in super().getTestsForPath(*arguments):
            with open(test.getSourcePath(), "rb") as file:
                line = LINE.search(file.read())
            if not line:
                yield test
                continue
            for level in line[1].decode().split():
                if level not in LEVELS:
                    raise ValueError(f"{test.getSourcePath()}: expected levels "
                                     f"{LEVELS}, got '{level}'")
                yield TestOfLevel(test, level, bool(line[2]))
