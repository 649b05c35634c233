# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""long-names.py FOLDER: has the tools write files whose names are the longest
that the file system allows, and lists them, headers included, in
long-names.txt."""

import os
import subprocess
import sys

os.chdir(sys.argv[1])
longest = os.pathconf(".", "PC_NAME_MAX")


def long_name(suffix):
    return "n" * (longest - len(suffix)) + suffix


for suffix in (".so", ".o", ".a"):
    subprocess.run(["hamkaas-compile", "equals.hk", "-o", long_name(suffix)],
                   check=True)
subprocess.run(["hamkaas-compile", "equals.hk", "--emit=asm", "-o",
                long_name(".s")], check=True)
subprocess.run(["hamkaas-run", "./" + long_name(".so"), "--input", "a=zeros",
                "--input", "a=b=zeros", "--output",
                "result=" + long_name(".npy")], check=True)
with open("long-names.txt", "w", encoding="utf-8") as listing:
    for name in sorted(os.listdir(".")):
        if name.startswith("nnn") and len(name) == longest:
            print(name, file=listing)
