# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints lib/Frontend/ONNX/OpVersions.inc: how many outputs each operator of
ONNX may have, and the opsets in which it changed. Needs the package onnx."""

import collections

import onnx.defs

versions = collections.defaultdict(list)
outputs = collections.defaultdict(int)
for schema in onnx.defs.get_all_schemas_with_history():
    if schema.domain == "":
        versions[schema.name].append(schema.since_version)
        outputs[schema.name] = max(outputs[schema.name], schema.max_output)
print("// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception")
print("// Printed by scripts/list-onnx-versions.py from onnx "
      f"{onnx.__version__}.")
for name in sorted(versions):
    numbers = ", ".join(map(str, sorted(versions[name])))
    print(f'{{"{name}", {outputs[name]}, {{{numbers}}}}},')
