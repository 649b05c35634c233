# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Shows the option in each function that compiles, and what C is given."""

import inspect

import hamkaas as hk
import hamkaas.onnx
from hamkaas.options import CompileOptions

for function in (hk.compile, hk.load, hamkaas.onnx.prepare):
    default = inspect.signature(function).parameters["probe_depth"].default
    print(f"{function.__name__}: probe_depth={default}")
    print(next(line.strip() for line in function.__doc__.splitlines()
               if "probe_depth" in line))
print(CompileOptions(probe_depth=3).as_native())
try:
    CompileOptions(probe_depth=-1)
except hk.HamKaasError as error:
    print(error)
