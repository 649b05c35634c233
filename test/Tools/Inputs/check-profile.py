# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks a profile of three runs of scale.hk, as JSON or as a trace, that was
compared with a machine of 1 GFLOP/s and 1 GB/s."""

import json
import math
import sys

CALL = {
    "call": 0,
    "family": "elementwise",
    "computes": "mul",
    "repetitions": 1,
    "flops": 6,
    "bytes": 60,  # 6 + 3 elements read, 6 written
    "ceiling": "memory",
}


def check_call(call):
    assert CALL.items() <= call.items(), call
    assert "scale.hk:3:" in call["source"], call
    median = call["medianMicroseconds"]
    assert 0 <= call["leastMicroseconds"] <= median, call
    assert math.isclose(call["gflops"], 0.006 / median), call
    assert math.isclose(call["gbs"], 0.06 / median), call
    assert math.isclose(call["percentOfCeiling"], 6 / median), call


def check_profile(profile):
    assert profile["name"] == "scale" and profile["runs"] == 3, profile
    assert 0 < profile["leastMicroseconds"] <= profile["medianMicroseconds"]
    check_call(*profile["calls"])


def check_trace(events):
    assert [event["name"] for event in events] == [
        "run 0", "mul", "run 1", "mul", "run 2", "mul"], events
    end = 0
    for run, call in zip(events[::2], events[1::2]):
        assert run["ph"] == call["ph"] == "X"
        assert run["tid"] == call["tid"] and run["pid"] == call["pid"]
        assert end <= run["ts"] <= call["ts"]
        end = run["ts"] + run["dur"]
        assert call["ts"] + call["dur"] <= end + 1e-6
        assert call["cat"] == "elementwise"
        check_call(call["args"])


with open(sys.argv[1]) as file:
    contents = json.load(file)
if "traceEvents" in contents:
    check_trace(contents["traceEvents"])
else:
    check_profile(contents)
