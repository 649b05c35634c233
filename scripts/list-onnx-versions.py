"""Prints lib/Frontend/ONNX/OpVersions.inc: the opsets in which each operator of
ONNX changed. Needs the package onnx."""

import collections

import onnx.defs

versions = collections.defaultdict(list)
for schema in onnx.defs.get_all_schemas_with_history():
    if schema.domain == "":
        versions[schema.name].append(schema.since_version)
print("// Printed by scripts/list-onnx-versions.py from onnx "
      f"{onnx.__version__}.")
for name in sorted(versions):
    numbers = ", ".join(map(str, sorted(versions[name])))
    print(f'{{"{name}", {{{numbers}}}}},')
