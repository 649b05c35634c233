# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Changes four cases of a folder: outputs, a message, inputs, a reference."""

import pathlib
import sys

folder = pathlib.Path(sys.argv[1])
results = sorted(folder.glob("*.out"))
results[0].write_bytes(bytes(byte ^ 64 for byte in results[0].read_bytes()))
next(folder.glob("*.error")).write_text("nonsense")
results[1].with_suffix(".in").unlink()
(folder / "softmax-reference.so").unlink()
