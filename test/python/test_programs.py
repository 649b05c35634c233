# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs written for the first HamKaas run without a change."""

import pathlib
import subprocess
import sys

import pytest

pytest.importorskip("torch", reason="needs torch")

PROGRAMS = pathlib.Path(__file__).parent / "programs"

EXPECTED = {
    "mnist.py": "result = $11;\ndigits: 128\n",
    "op_suite.py": "",
    "llama.py": "tokens: 1 ",
    "deep.py": "20002\ntorch.Size([4])\n",
}


@pytest.mark.parametrize("name", EXPECTED)
def test_program(name, tmp_path):
    result = subprocess.run([sys.executable, PROGRAMS / name], cwd=tmp_path,
                            capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    assert EXPECTED[name] in result.stdout
