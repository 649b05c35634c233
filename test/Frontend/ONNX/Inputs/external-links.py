# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads a model whose data lies behind links of all kinds.

usage: external-links.py MODEL FOLDER

MODEL has data at 'good', 32 numbers from 0 on, for which each case has another
name of four letters. FOLDER is where the files are made.
"""

import os
import pathlib
import subprocess
import sys
import threading

import numpy as np

LINK = ("expected no symbolic link, but from snapshots/X to ../../blobs/Y in a "
        "cache of the Hugging Face hub; --external-data-root=DIR allows those "
        "to files in DIR")
OUT = ("expected a file in the folder of --external-data-root, got a "
       "symbolic link that leads out of it")
NAMES = "expected a file with one name, got one with 2 hard links"
KIND = "expected a regular file"
NOTHING = "No such file or directory"

# Links in hub/snapshots/r, and what comes of them.
HUB = {
    "good": ("../../blobs/d", ""),
    "note": ("../../blobs/nothing", LINK),
    "hard": ("../../blobs/names", NAMES),
    "pipe": ("../../blobs/pipe", KIND),
    "sub1": ("../../blobs/sub", KIND),
    "chai": ("../../blobs/chain", LINK),
    "near": ("../blobs/d", LINK),
    "faar": ("../../../blobs/d", LINK),
    "up_1": ("../../blobs/../secret", LINK),
    "up_2": ("../../blobs/..", LINK),
    "sub2": ("../../blobs/sub/d", LINK),
    "secr": ("../../secret", LINK),
    "abso": ("{folder}/hub/blobs/d", LINK),
    "dots": ("./../../blobs/d", LINK),
    "twic": ("../..//blobs/d", LINK),
    "loop": ("loop", LINK),
}

# Links in model, and what comes of them if `root` is the user's folder.
ROOT = {
    "good": ("../root/d", ""),
    "abso": ("{folder}/root/sub/d", ""),
    "chai": ("abso", ""),
    "fo": ("../root", None),
    "up_1": ("../root/../out/d", OUT),
    "outs": ("../out/d", OUT),
    "arou": ("../root/back/d", OUT),
    "hard": ("../root/names", NAMES),
    "pipe": ("../root/pipe", KIND),
    "dire": ("../root/sub", KIND),
    "dots": ("../root/.", KIND),
    "loop": ("loop", "expected at most 40 symbolic links on the way"),
    "noth": ("../root/nothing", NOTHING),
    "path": ("../root/nothing/d", NOTHING),
}


class Test:
    def __init__(self, model, folder):
        self.bytes, self.folder = pathlib.Path(model).read_bytes(), folder
        self.count = 0

    def write(self, place, name):
        """The model with its data under that name, in a folder."""
        path = self.folder / place / f"{name.replace('/', '-')}.onnx"
        path.write_bytes(self.bytes.replace(b"good", name.encode()))
        return path

    def run(self, path, *options, cwd=None):
        self.count += 1
        return subprocess.run(
            ["hamkaas-run", path, "--input=x=zeros", *options], cwd=cwd,
            capture_output=True, text=True)

    def expect(self, path, name, problem, *options, cwd=None):
        done = self.run(path, *options, cwd=cwd)
        text = done.stderr or done.stdout
        wanted = (f"external data in '{name}': {problem}" if problem
                  else "y: float32 [2, 32] = 0 1 2 3")
        if done.returncode != bool(problem) or wanted not in text:
            sys.exit(f"{path} {options}: expected '{wanted}', got exit status "
                     f"{done.returncode} and {text}")

    def make_files(self):
        for place in ("hub/snapshots/r/onnx", "hub/snapshots/blobs",
                      "hub/blobs/sub", "hub/other/r", "blobs", "model",
                      "root/sub", "out"):
            (self.folder / place).mkdir(parents=True)
        for place in ("hub/blobs/d", "hub/blobs/sub/d", "hub/blobs/two",
                      "hub/secret", "hub/snapshots/blobs/d", "blobs/d",
                      "root/d", "root/sub/d", "root/two"):
            np.arange(32, dtype=np.float32).tofile(self.folder / place)
        np.full(32, 7, np.float32).tofile(self.folder / "out/d")
        for place in ("hub/blobs", "root"):
            os.link(self.folder / place / "two", self.folder / place / "names")
            os.mkfifo(self.folder / place / "pipe")
        (self.folder / "hub/blobs/chain").symlink_to("d")
        (self.folder / "root/back").symlink_to("../out")
        for place, links in (("hub/snapshots/r", HUB), ("model", ROOT)):
            for name, (target, _) in links.items():
                (self.folder / place / name).symlink_to(
                    target.format(folder=self.folder))

    def check_hub(self):
        revision = self.folder / "hub/snapshots/r"
        for name, (_, problem) in HUB.items():
            self.expect(self.write("hub/snapshots/r", name), name, problem)
        self.expect("good.onnx", "good", "", cwd=revision)
        # The model is a link, too, and may lie deeper.
        (revision / "good.onnx").rename(self.folder / "hub/blobs/model")
        (revision / "good.onnx").symlink_to("../../blobs/model")
        self.expect(revision / "good.onnx", "good", "")
        for name, target in (("good.onnx", "model"), ("good", "d")):
            (revision / "onnx" / name).symlink_to(f"../../../blobs/{target}")
        self.expect(revision / "onnx/good.onnx", "good", "")
        # No folder is called snapshots.
        (self.folder / "hub/other/r/good").symlink_to("../../blobs/d")
        self.expect(self.write("hub/other/r", "good"), "good", LINK)

    def check_root(self):
        root = f"--external-data-root={self.folder / 'root'}"
        for name, (_, problem) in ROOT.items():
            if problem is not None:
                self.expect(self.write("model", name), name, problem, root)
        below = self.write("model", "fo/d")
        self.expect(below, "fo/d", "", root)
        self.expect(below, "fo/d", LINK)
        good = self.folder / "model/good.onnx"
        self.expect(good, "good", LINK)
        self.expect(good, "good", "", "--external-data-root=/")
        self.expect(good, "good", "", "--external-data-root=fo",
                    cwd=self.folder / "model")
        self.expect(good, "good", OUT,
                    f"--external-data-root={self.folder / 'root/sub'}")
        file = self.folder / "root/d"
        self.expect(good, "good", f"--external-data-root: '{file}': Not a "
                    "directory", f"--external-data-root={file}")

    def check_exchanged(self, model, link, targets, *options):
        """Reads often while a thread exchanges the link."""
        is_done = threading.Event()

        def exchange():
            while not is_done.is_set():
                for target in targets:
                    other = link.with_name("next")
                    other.symlink_to(target)
                    other.replace(link)

        thread = threading.Thread(target=exchange)
        thread.start()
        try:
            for _ in range(30):
                done = self.run(model, *options)
                self.count -= 1
                if done.returncode == 0 and "= 0 1 2 3" in done.stdout:
                    continue
                if done.returncode != 1 or (
                        "external data in 'good'" not in done.stderr):
                    sys.exit(f"{model} {options}, links exchanged: exit status "
                             f"{done.returncode}\n{done.stdout}{done.stderr}")
        finally:
            is_done.set()
            thread.join()


def main():
    test = Test(sys.argv[1], pathlib.Path(sys.argv[2]).resolve())
    test.make_files()
    test.check_hub()
    test.check_root()
    test.check_exchanged(test.folder / "hub/snapshots/r/good.onnx",
                         test.folder / "hub/snapshots/r/good",
                         ["../../blobs/d", "../../../out/d"])
    test.check_exchanged(test.folder / "model/good.onnx",
                         test.folder / "model/good",
                         ["../root/d", "../out/d"],
                         f"--external-data-root={test.folder / 'root'}")
    print(f"{test.count} models, no errors")


if __name__ == "__main__":
    main()
