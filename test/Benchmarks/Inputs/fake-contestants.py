# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""In place of contestants_cuda.py: what goes wrong with the processes of peers.

usage: contestants_cuda.py PEER DEVICE SECONDS WORKLOAD...
       contestants_cuda.py --prepare WORKLOAD...

A workload is named for what happens in it. With --prepare, their descriptions
are written.
"""

import json
import os
import pathlib
import subprocess
import sys
import time

PIDS = pathlib.Path(__file__).with_name("pids.txt")
WORKLOADS = pathlib.Path(__file__).with_name("workloads")

if sys.argv[1] == "--prepare":
    names = sys.argv[2:]
    (WORKLOADS / "order.txt").write_text("\n".join(names))
    for name in names:
        (WORKLOADS / f"{name}.json").write_text('{"bytes": 1, "flops": 1}')
    sys.exit()

print("a library says hello")
print(json.dumps(["not an object"]))
print(json.dumps({"best_kernel": "no result"}))
with open(PIDS, "a") as file:
    print(os.getpid(), file=file)
for name in sys.argv[4:]:
    if name == "hangs":
        # As compilers do that go on in the background.
        worker = subprocess.Popen(["sleep", "600"])
        with open(PIDS, "a") as file:
            print(worker.pid, file=file)
        time.sleep(600)
    if name == "crashes":
        print("out of ideas", file=sys.stderr, flush=True)
        os._exit(3)
    result = {"error": "no module"} if name == "fails" else {"median_us": 7}
    print(json.dumps({"workload": name, **result}), flush=True)
    print("between results", flush=True)
