# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Many scripts or graphs translated by one run of hamkaas-translate."""

import subprocess

MARKER = "# -----"


def translate(parts, *flags):
    """The translation of each part."""
    process = subprocess.run(
        ["hamkaas-translate", *flags, f"--split-input-file={MARKER}",
         f"--output-split-marker={MARKER}"],
        input=f"\n{MARKER}\n".join(parts), check=True, stdout=subprocess.PIPE,
        text=True)
    result = process.stdout.split(MARKER)
    assert len(result) == len(parts)
    return [text.strip("\n") + "\n" for text in result]
