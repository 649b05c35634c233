# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""version2_operations.py MLIR PAGE...: fails if the pages of the generated
reference have an operation that is neither in the file MLIR nor in the table of
reasons below, or if it has a reason without need."""

import re
import sys

REASONS = {
    "scan": "a script is a sequence of statements, an operation with a body "
            "is none",
    "custom_gradient": "a composition, which version 3 has",
    "yield": "ends the body of another operation",
    "group": "form KERNELS",
    "dequantize_panels": "form KERNELS",
    "dequantize_rows": "form KERNELS",
    "engine_call": "form KERNELS",
    "repeat": "form KERNELS",
    "has_cpu_feature": "form TARGET",
    "check": "form TARGET",
    "check_nan": "the option --check-nan makes it",
}

mlir = open(sys.argv[1], encoding="utf-8").read()
known = set()
for page in sys.argv[2:]:
    known |= set(re.findall(r"^### `hamkaas\.(\w+)`",
                            open(page, encoding="utf-8").read(), re.MULTILINE))
written = set(re.findall(r"= hamkaas\.(\w+)", mlir))
assert len(known) > 60, known
missing = sorted(known - written - set(REASONS))
needless = sorted(set(REASONS) & written) + sorted(set(REASONS) - known)
if missing:
    print("expected a script form or a reason for:", *missing)
if needless:
    print("expected no reason for:", *needless)
sys.exit(bool(missing or needless))
