# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the parameter of net.mlir as a safetensors file."""

import json
import struct
import sys

values = [0.25 * i - 3 for i in range(30)]
data = struct.pack("<30f", *values)
header = json.dumps({"w": {"dtype": "F32", "shape": [6, 5],
                           "data_offsets": [0, len(data)]}}).encode()
with open(sys.argv[1], "wb") as file:
    file.write(struct.pack("<Q", len(header)) + header + data)
