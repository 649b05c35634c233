# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes files of ceilings to the folder of the argument, most of them wrong."""

import copy
import json
import pathlib
import subprocess
import sys

folder = pathlib.Path(sys.argv[1])
measured = json.loads((folder / "measured.json").read_text())


def write(name, change):
    ceilings = copy.deepcopy(measured)
    change(ceilings)
    (folder / f"{name}.json").write_text(json.dumps(ceilings))


def made_up(ceilings):
    """A peak and a bandwidth of 1 each, for one thread."""
    points = [{"bytes": 1, "gbs": 1}]
    ceilings["threads"] = [{"threads": 1, "gflops": 1, "read": points,
                            "copy": points}]


write("made-up", made_up)
write("other-cpu", lambda c: c.update(cpu="i486"))
write("version", lambda c: c.update(version=2))
write("no-threads", lambda c: c.pop("threads"))
write("empty", lambda c: c["threads"].clear())
write("text", lambda c: c["threads"][0].update(gflops="fast"))
write("zero", lambda c: c["threads"][0]["copy"][1].update(gbs=0))
write("order", lambda c: c["threads"][0]["read"].reverse())
(folder / "cut.json").write_text((folder / "measured.json").read_text()[:50])
