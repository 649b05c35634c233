#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tells whether two compilers make the same code: the test of a refactoring.

usage: code-digests.py --before BUILD --after BUILD
       code-digests.py --record FILE BUILD
       code-digests.py --check FILE BUILD

BUILD is a build folder. A fixed set of programs (digest_programs.py) is compiled
for each instruction set level and for two GPUs in each precision. Compared are
instructions and constants as text: machine code for a processor, PTX and the
machine code that launches it for a GPU. Source positions, names of files and
digests of programs, which may change while the code does not, are left out.

A program that a compiler refuses has the digest "refused". Digests depend on the
version of LLVM, so a file of another one is not compared with.
"""

import argparse
import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
from typing import Optional

from digest_programs import Program, find_programs

REFUSED = "refused"


def gpu(arch: str, *options: str) -> list[str]:
    return ["--target=cuda", f"--gpu-arch=compute_{arch}", *options]


# The targets: the forms of the text, and the options.
TARGETS = {
    **{level: (["asm"], [f"--target-cpu={level}"])
       for level in ("x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4")},
    "sm_80": (["ptx", "asm"], gpu("80")),
    "sm_90": (["ptx"], gpu("90")),
    **{f"sm_80-{precision}": (["ptx"], gpu("80", f"--precision={precision}"))
       for precision in ("tf32", "3xtf32", "bf16")},
    "sm_80-cublaslt": (["asm"], gpu("80", "--engine=cublaslt")),
}  # yapf: disable


def keeps(section: str, label: str) -> bool:
    """True if the lines of a section behind a label are code. Constants of
    vectors are, and how many threads of a GPU run which kernel. The rest
    describes the program."""
    return (section.startswith(".text") or label.startswith(".LCPI")
            or section.endswith(".Lhamkaas.device_kernels"))


def keep_code(assembly: str) -> str:
    kept, section, label = [], ".text", ""
    for line in assembly.splitlines():
        line = line.partition("#")[0].rstrip()
        if named := re.match(r"\s*(?:\.section\s+)?\"?(\.[.\w-]+)", line):
            if ".section" in line or named[1] in (".text", ".data", ".bss"):
                section, label = named[1], ""
                continue
        if named := re.match(r"([.\w]+):$", line):
            label = named[1]
        if line and keeps(section, label) and not re.match(
                r"\s*\.(file|loc|ident|type)\b|\s*\.quad\s+\.L|\.L(tmp|func_)",
                line):
            kept.append(line)
    return "\n".join(kept)


def keep_device_code(ptx: str) -> str:
    lines = (line.partition("//")[0].rstrip() for line in ptx.splitlines())
    kept = [line for line in lines
            if line and not re.match(r"\s*\.(file|loc)\b|\$L__tmp\w*:", line)]
    # Sections hold nothing but debug information.
    return re.sub(r"\n\t?\.section\s+\.debug.*?\n\s*\}", "", "\n".join(kept),
                  flags=re.S)


class Compiler:

    def __init__(self, build: pathlib.Path, keep: Optional[pathlib.Path]):
        self.program = build / "bin/hamkaas-compile"
        self.keep = keep
        version = subprocess.run([self.program, "--version"], text=True,
                                 capture_output=True, check=True).stdout
        self.llvm = re.search(r"with LLVM (\S+)", version)[1]

    def compile(self, program: Program, target: str) -> str:
        """The digest of the code."""
        forms, options = TARGETS[target]
        texts = []
        for form in forms:
            done = subprocess.run(
                [self.program, program.path, *options, f"--emit={form}",
                 "--compile-threads=1", "-o", "-"], capture_output=True,
                text=True, env={**os.environ, "HAMKAAS_CACHE_DIR": ""})
            if done.returncode < 0 or done.returncode > 1:
                sys.exit(f"{program.name} for {target}: the compiler ended "
                         f"with status {done.returncode}\n{done.stderr}")
            if done.returncode == 1:
                return REFUSED
            texts.append(keep_device_code(done.stdout) if form == "ptx" else
                         keep_code(done.stdout))
        text = "\n".join(texts)
        if self.keep:
            name = f"{program.name} {target}".replace("/", "-")
            (self.keep / f"{name}.s").write_text(text)
        return hashlib.sha256(text.encode()).hexdigest()[:16]


def compute(compiler: Compiler, work, jobs: int) -> dict[str, str]:
    with concurrent.futures.ThreadPoolExecutor(jobs) as executor:
        digests = executor.map(lambda item: compiler.compile(*item), work)
        return {f"{program.name} {target}": digest
                for (program, target), digest in zip(work, digests)}


def compare(before: dict[str, str], after: dict[str, str]) -> bool:
    """True if they are equal. Only what both have is compared."""
    common = [name for name in before if name in after]
    changed = [name for name in common if before[name] != after[name]]
    for name in changed:
        is_refused = REFUSED in (before[name], after[name])
        print(f"changed: {name}" + (
            f" ({before[name]} before, {after[name]} now)" if is_refused
            else ""))
    refused = sum(after[name] == REFUSED for name in common)
    print(f"{len(common)} programs compared, {refused} of them refused by both "
          f"or one, {len(changed)} changed")
    if not len(common) > refused:
        sys.exit("expected programs that compile")
    return not changed


def parse_arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--before", type=pathlib.Path, metavar="BUILD")
    parser.add_argument("--after", type=pathlib.Path, metavar="BUILD")
    parser.add_argument("--record", type=pathlib.Path, metavar="FILE")
    parser.add_argument("--check", type=pathlib.Path, metavar="FILE")
    parser.add_argument("build", type=pathlib.Path, nargs="?")
    parser.add_argument(
        "--models", type=pathlib.Path, default=os.environ.get("HAMKAAS_MODELS"),
        help="folder of further ONNX models (default: $HAMKAAS_MODELS)")
    parser.add_argument("--only", default="", metavar="REGEX",
                        help="of the names 'PROGRAM TARGET'")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--keep", type=pathlib.Path, metavar="FOLDER",
                        help="write what is compared there, to be told apart "
                        "by diff")
    options = parser.parse_args()
    pair = options.before and options.after and not options.build
    single = options.build and bool(options.record) != bool(options.check)
    if bool(pair) == bool(single) or (single and
                                      (options.before or options.after)):
        parser.error("expected --before and --after, or --record or --check "
                     "with one build folder")
    return options


def main() -> bool:
    options = parse_arguments()

    def run(build: pathlib.Path, name: str):
        keep = options.keep and options.keep / name
        if keep:
            keep.mkdir(parents=True, exist_ok=True)
        compiler = Compiler(build, keep)
        return {"llvm": compiler.llvm,
                "digests": compute(compiler, work, options.jobs)}

    with tempfile.TemporaryDirectory() as scratch:
        programs = find_programs(pathlib.Path(scratch), options.models)
        work = [(program, target) for program in programs for target in TARGETS
                if re.search(options.only, f"{program.name} {target}")]
        before = (run(options.before, "before") if options.before else
                  json.loads(options.check.read_text()) if options.check else
                  None)
        after = run(options.after or options.build, "after")
    if options.record:
        options.record.write_text(json.dumps(after, indent=1) + "\n")
        print(f"{len(work)} programs recorded")
        return True
    if before["llvm"] != after["llvm"]:
        sys.exit(f"expected digests of LLVM {after['llvm']}, got those of "
                 f"{before['llvm']}")
    return compare(before["digests"], after["digests"])


if __name__ == "__main__":
    sys.exit(0 if main() else 1)
