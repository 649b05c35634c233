#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Check the subjects of commits: `[Area] Do one thing`, at most 72 characters.

A subject names no path of a machine. The commits before the one that brought
this file are not looked at, nor are merges; of a shallow clone those that it
has. Prints each subject that is wrong, and fails if there is one.

usage: check-commits.py REPOSITORY
"""

import pathlib
import re
import subprocess
import sys

LIMIT = 72
FORM = re.compile(r"(\[[\w.+-]+(/[\w.+-]+)*\])+ \S")
# Not "and/or", nor the systems' /dev and /proc, the same everywhere.
MACHINE_PATH = re.compile(r"(?<![\w\]./])(~|/(?!dev\b|proc\b|sys\b)\w)\S*/")


def get_output(repository, *arguments):
    # The tree may be somebody else's, as in a container.
    git = ["git", "-c", "safe.directory=*", "-C", repository]
    return subprocess.run([*git, *arguments], check=True,
                          stdout=subprocess.PIPE, text=True).stdout


def find_first(repository):
    """Return the commit that brought this file. In a shallow clone the oldest
    commit there brings all files."""
    own = pathlib.PurePath("scripts") / pathlib.Path(__file__).name
    return get_output(repository, "log", "--diff-filter=A", "--format=%H",
                      "HEAD", "--", own.as_posix()).split()[-1:]


def find_problem(subject):
    if len(subject) > LIMIT:
        return f"expected at most {LIMIT} characters, got {len(subject)}"
    if MACHINE_PATH.search(subject):
        return "expected no path of a machine"
    if not FORM.match(subject):
        return "expected '[Area] Do one thing'"
    return None


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: check-commits.py REPOSITORY")
    repository = pathlib.Path(sys.argv[1])
    if not (repository / ".git").exists():
        print("no git repository, and so no commits")
        return
    first = find_first(repository)
    if not first:
        print("the file of the check is not committed, and so nothing after it")
        return
    log = get_output(repository, "log", "--no-merges", "--format=%h %s",
                     f"{first[0]}..HEAD").splitlines()
    problems = 0
    for line in log:
        name, _, subject = line.partition(" ")
        problem = find_problem(subject)
        if problem:
            print(f"{name}: {problem}: {subject}")
            problems += 1
    print(f"{len(log)} commits, {problems} problems")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
