# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The Python array API standard 2024.12 on tensors.

A thin layer over the table of operations: it promotes types, broadcasts, takes
Python scalars and negative axes. Each computation is an operation of the table.
"""
