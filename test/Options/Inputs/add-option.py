# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Adds an option to a copy of the table.

usage: add-option.py [--of-type=TYPE] CompileOptions.td
"""

import argparse
import pathlib

parser = argparse.ArgumentParser()
parser.add_argument("--of-type", default="Number")
parser.add_argument("table", type=pathlib.Path)
arguments = parser.parse_args()

text = arguments.table.read_text()
last = "#endif // HAMKAAS_OPTIONS_COMPILEOPTIONS"
assert text.count(last) == 1
name = f"probe_{'depth' if arguments.of_type == 'Number' else 'kind'}"
arguments.table.write_text(text.replace(last, f"""
def {name} : CompileOption<{arguments.of_type}, "How deep the probe goes"> {{
  let Placeholder = "N";
  let Default = "7";
  let Description = "how deep the probe goes";
  let Since = "99.0";
}}

{last}"""))
