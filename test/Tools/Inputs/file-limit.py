# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""file-limit.py FOLDER: has the tools write files that a limit forbids, and
prints what they say; then which files there are, and which have changed."""

import os
import resource
import subprocess
import sys

os.chdir(sys.argv[1])
outputs = ["m.s", "m.so", "m.o", "m.a", "m.svg", "m.mlir", "m.npy"]


def run(*command, limit=None, **options):
    def set_limit():
        if limit is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    tool = subprocess.run(command, preexec_fn=set_limit, check=False,
                          text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT,
                          env=dict(os.environ, TMPDIR="."), **options)
    print(tool.returncode, tool.stdout, end="", flush=True)


with subprocess.Popen(["sh", "-c", "head -c1 pipe.npy >/dev/null"]) as reader:
    run("hamkaas-run", "model.hk", "--input", "x=zeros",
        "--output", "result=pipe.npy")
with open("model.hk", "w", encoding="utf-8") as script:
    script.write("$1 = InputTensor(x, float32, [64, 64]);\n"
                 "$2 = ReLUNode($1);\nresult = $2;\n")
for name in outputs:
    with open(name, "w", encoding="utf-8") as file:
        file.write("old")
for output in outputs[:5]:
    option = (["--emit=asm", "-o", output] if output == "m.s" else
              ["--plan-svg=" + output] if output == "m.svg" else
              ["-o", output])
    run("hamkaas-compile", "--no-cache", "model.hk", *option, limit=100)
run("hamkaas-translate", "--import-script", "model.hk", "-o", "m.mlir",
    limit=100)
run("hamkaas-run", "model.hk", "--input", "x=zeros",
    "--output", "result=m.npy", limit=1000)
# Large enough for the objects, not for the program.
for output in outputs[1:4]:
    run("hamkaas-compile", "--no-cache", "model.hk", "-o", output,
        limit=32 << 10)
print("left:", *sorted(os.listdir(".")))
changed = [name for name in outputs if os.path.getsize(name) != 3]
print("changed:", *(changed or ["none"]))
