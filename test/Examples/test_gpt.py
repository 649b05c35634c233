# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The example examples/gpt, in a process of its own."""

import pathlib
import re
import subprocess
import sys

TRAIN = (pathlib.Path(__file__).resolve().parents[2] / "examples" / "gpt" /
         "train.py")


def train(*arguments):
    return subprocess.run([sys.executable, TRAIN, *map(str, arguments)],
                          capture_output=True, text=True, check=False)


def test_a_text_is_learnt(tmp_path):
    text = tmp_path / "text.txt"
    text.write_text("the cat sat on the mat; " * 60)
    process = train(text, "--epochs=8", "--batch=8", "--length=16",
                    "--width=32", "--layers=1", "--sample=40")
    assert process.returncode == 0, process.stderr
    first, last = re.match(r"loss ([\d.]+) at first, ([\d.]+) in",
                           process.stdout).groups()
    assert float(last) < 0.5 * float(first)
    assert "epoch 8/8" in process.stderr
    assert len(process.stdout.split("\n\n", 1)[1].rstrip("\n")) >= 38


def test_texts_have_to_be_there(tmp_path):
    process = train(tmp_path / "none")
    assert process.returncode == 1
    assert "expected a file of text" in process.stderr
    short = tmp_path / "short.txt"
    short.write_text("short")
    process = train(short)
    assert process.returncode == 1
    assert "expected more than 320 characters, got 5" in process.stderr
