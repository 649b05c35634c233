# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The virtual environment with the peers."""

from __future__ import annotations

import pathlib
import subprocess
import sys

BASE = ["numpy", "onnx"]
# Packages that export workloads; some peers also build with them.
PYTORCH = ["torch", "torchvision", "onnxscript", "onnxsim"]
PACKAGES = {
    "hamkaas": [],
    "numpy": [],
    "eager": [],
    "inductor": [],
    "ort": ["onnxruntime"],
    "openvino": ["openvino"],
    "jax": ["jax"],
    "iree": ["iree-base-compiler", "iree-base-runtime"],
    "tract": ["tract"],
    "mnn": ["mnn"],
    "tvm": ["apache-tvm"],
    "llama2.c": [],
}


def warn(text: str) -> None:
    print(f"run.py: {text}", file=sys.stderr, flush=True)


def install(python: str, packages: list[str]) -> bool:
    result = subprocess.run([
        python, "-m", "pip", "install", "--quiet",
        "--disable-pip-version-check", *packages
    ], capture_output=True, text=True)
    if result.returncode:
        reason = (result.stderr.strip() or "pip failed").splitlines()[-1]
        warn(f"cannot install {' '.join(packages)}: {reason}")
    return result.returncode == 0


def prepare(folder: pathlib.Path, peers: list[str],
            needs_pytorch: bool) -> str:
    """Returns the interpreter of an environment with as many of the peers as
    can be installed; those that cannot are reported, and fail later."""
    python = folder / "bin" / "python"
    if not python.exists():
        warn(f"making the virtual environment {folder}")
        subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
    groups = [BASE, PYTORCH if needs_pytorch else []]
    for packages in [*groups, *(PACKAGES[peer] for peer in peers)]:
        stamp = folder / f"{'+'.join(packages)}.installed"
        if packages and not stamp.exists() and install(str(python), packages):
            stamp.touch()
    return str(python)
