# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fails unless a second clone takes an object from the cache of the first.

usage: check-compile-cache.py SOURCE BUILD FOLDER

Compiles the precompiled header and one file, and takes the header's checksum, in
two copies of the project in FOLDER, with the commands of the build and the settings
of scripts/ccache.sh.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys

source, build, folder = map(pathlib.Path, sys.argv[1:])
OBJECT = "lib/Dialect/HamKaas/IR/CMakeFiles/HamKaasDialect.dir/Silu.cpp.o"
environment = {name: value for name, value in os.environ.items()
               if not name.startswith("CCACHE_")}
environment["CCACHE_DIR"] = str(folder / "cache")


def get_output(*command):
    return subprocess.run(list(map(str, command)), check=True, env=environment,
                          stdout=subprocess.PIPE, text=True).stdout


def clone(name):
    """A copy of what the object is made from."""
    copy = folder / name
    for path in ("include", "lib/Dialect/HamKaas/IR", "cmake", "scripts"):
        shutil.copytree(source / path, copy / path)
    shutil.copytree(build / "include", copy / "build/include")
    (copy / "build" / OBJECT).parent.mkdir(parents=True)
    return copy


def make(target, copy, launcher=""):
    command = get_output("ninja", "-C", build, "-t", "commands", "-s",
                         target).splitlines()[-1]
    # At once: the copy lies in the folders that it replaces.
    folders = {str(build): str(copy / "build"), str(source): str(copy)}
    command = re.sub("|".join(map(re.escape, folders)),
                     lambda match: folders[match[0]], command)
    if launcher not in command:
        command = launcher + command
    subprocess.run(f". scripts/ccache.sh && cd build && {command}", check=True,
                   shell=True, cwd=copy, env=environment)


for name in ("first", "second"):
    copy = clone(name)
    make("precompiled.pch", copy)
    make("precompiled.pch.sum", copy)
    make(OBJECT, copy, launcher="ccache ")
statistics = dict(line.split("\t") for line in
                  get_output("ccache", "--print-stats").splitlines())
hits, misses = (int(statistics[name])
                for name in ("direct_cache_hit", "cache_miss"))
print(f"{misses} compiled, {hits} from the cache")
if (misses, hits) != (1, 1):
    sys.exit("expected one file compiled and one from the cache")
