#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints contraction kernels of many shapes.

Each case is a name, the maps of both sides over the loops, the extents of the
loops, the width of the panels the right side is packed in (0: not packed), and
what follows: nothing, a bias and relu, or the sum with another tensor.
"""

CASES = [
    # One row block and a rest, a part of a panel, two blocks of depth.
    ("tall", "mk", "kn", dict(m=131, n=100, k=600), 48, "bias"),
    ("square", "mk", "kn", dict(m=64, n=64, k=64), 32, "none"),
    ("unpacked", "mk", "kn", dict(m=21, n=45, k=33), 0, "residual"),
    ("deep", "mk", "kn", dict(m=19, n=23, k=1500), 0, "residual"),
    ("narrow", "mk", "kn", dict(m=50, n=3, k=40), 4, "bias"),
    ("column", "mk", "kn", dict(m=37, n=1, k=20), 0, "none"),
    ("one", "mk", "kn", dict(m=1, n=1, k=1), 0, "bias"),
    ("row", "mk", "kn", dict(m=1, n=200, k=90), 64, "bias"),
    # Several panels at once: a rest of panels, of vectors and of lanes.
    ("row_streams", "mk", "kn", dict(m=1, n=1075, k=19), 16, "bias"),
    ("vector_streams", "k", "kn", dict(n=2100, k=33), 32, "residual"),
    ("batch_streams", "bk", "bkn", dict(b=9, n=70, k=12), 16, "none"),
    ("vector", "k", "kn", dict(n=300, k=77), 64, "bias"),
    ("vector_unpacked", "k", "kn", dict(n=35, k=1000), 0, "residual"),
    # Large enough for a tile to copy what it reads of the right side.
    ("copied", "mk", "kn", dict(m=77, n=1550, k=45), 0, "bias"),
    ("copied_deep", "mk", "kn", dict(m=41, n=1537, k=601), 0, "residual"),
    ("copied_batch", "bmk", "bkn", dict(b=3, m=66, n=700, k=95), 0, "none"),
    ("batch", "bmk", "bkn", dict(b=3, m=10, n=40, k=24), 0, "bias"),
    ("batch_packed", "bmk", "bkn", dict(b=2, m=9, n=20, k=24), 16, "residual"),
    ("batch_vector", "bk", "bkn", dict(b=5, n=24, k=16), 0, "none"),
    # A right side whose depth is contiguous, and operands permuted in place.
    ("transposed", "mk", "nk", dict(m=12, n=20, k=30), 0, "none"),
    ("transposed_deep", "mk", "nk", dict(m=21, n=75, k=701), 0, "bias"),
    ("transposed_batch", "bmk", "bnk", dict(b=2, m=70, n=50, k=1031), 0,
     "residual"),
    ("heads", "mbk", "nbk", dict(b=3, m=7, n=11, k=8), 0, "none"),
    ("left_transposed", "km", "kn", dict(m=18, n=33, k=10), 0, "bias"),
    ("left_transposed_deep", "km", "kn", dict(m=61, n=50, k=600), 48, "none"),
    ("both_transposed", "bkm", "bnk", dict(b=2, m=35, n=33, k=21), 0, "bias"),
    ("requested", "mk", "kn", dict(m=37, n=90, k=70), 0, "bias"),
    ("requested_packed", "mk", "kn", dict(m=37, n=90, k=70), 32, "residual"),
    ("requested_row", "mk", "kn", dict(m=1, n=500, k=70), 16, "bias"),
]

# Rows, columns and depth of tiles that are asked for.
REQUESTED = {"requested": [3, 64, 17], "requested_packed": [5, 32, 33],
             "requested_row": [1, 48, 20]}


def dims(shape):
    return "x".join(map(str, shape)) + "xf32"


def kernel(name, left, right, extents, width, epilogue):
    loops = [d for d in "bmnk" if d in extents]
    result = [d for d in loops if d != "k"]
    position = {d: f"d{i}" for i, d in enumerate(loops)}

    def affine(letters):
        return (f"affine_map<({', '.join(position.values())}) -> "
                f"({', '.join(position[d] for d in letters)})>")

    def tensor(letters):
        return f"tensor<{dims(extents[d] for d in letters)}>"

    tile = f", tile = {REQUESTED[name]}" if name in REQUESTED else ""
    types = {"a": tensor(left), "b": tensor(right), "c": tensor(result)}
    lines, arguments = [], [f"%a: {types['a']}"]
    right_value = "%b"
    if width:
        panels = -(-extents["n"] // width)
        batch = [extents["b"]] if "b" in right else []
        packed = f"tensor<{dims(batch + [panels, extents['k'], width])}>"
        arguments.append(f"%b: {packed}")
        order = "[0, 2, 1]" if batch else "[1, 0]"
        lines += [
            f"  %eb = tensor.empty() : {types['b']}",
            f"  %ub = linalg.unpack %b outer_dims_perm = {order} "
            f"inner_dims_pos = [{len(batch) + 1}] inner_tiles = [{width}] "
            f"into %eb : {packed} -> {types['b']}"]
        right_value = "%ub"
    else:
        arguments.append(f"%b: {types['b']}")
    kinds = ", ".join('"reduction"' if d == "k" else '"parallel"'
                      for d in loops)
    lines += [
        "  %zero = arith.constant 0.0 : f32",
        f"  %e = tensor.empty() : {types['c']}",
        f"  %f = linalg.fill ins(%zero : f32) outs(%e : {types['c']}) -> "
        f"{types['c']}",
        f"  %y0 = linalg.generic {{indexing_maps = [{affine(left)}, "
        f"{affine(right)}, {affine(result)}], iterator_types = [{kinds}]}}",
        f"    ins(%a, {right_value} : {types['a']}, {types['b']}) "
        f"outs(%f : {types['c']}) {{",
        "  ^bb0(%l: f32, %r: f32, %s: f32):",
        "    %p = arith.mulf %l, %r : f32",
        "    %q = arith.addf %s, %p : f32",
        "    linalg.yield %q : f32",
        f"  }} -> {types['c']}"]
    last = "%y0"
    if epilogue != "none":
        places = [f"d{i}" for i in range(len(result))]
        outer = ", ".join(places)
        identity = f"affine_map<({outer}) -> ({outer})>"
        if epilogue == "bias":
            reads = ", ".join(["0"] * (len(result) - 1) + places[-1:])
            shape = [1] * (len(result) - 1) + [extents["n"]]
            other = f"tensor<{dims(shape)}>"
        else:
            reads, other = outer, types["c"]
        arguments.append(f"%other: {other}")
        kinds = ", ".join(['"parallel"'] * len(result))
        lines += [
            f"  %y1 = linalg.generic {{indexing_maps = [{identity}, "
            f"affine_map<({outer}) -> ({reads})>, {identity}], "
            f"iterator_types = [{kinds}]}}",
            f"    ins(%y0, %other : {types['c']}, {other}) "
            f"outs(%e : {types['c']}) {{",
            "  ^bb0(%l: f32, %r: f32, %s: f32):",
            "    %p = arith.addf %l, %r : f32",
            "    linalg.yield %p : f32",
            f"  }} -> {types['c']}"]
        last = "%y1"
    if epilogue == "bias":
        lines += [
            f"  %y2 = linalg.generic {{indexing_maps = [{identity}, "
            f"{identity}], iterator_types = [{kinds}]}}",
            f"    ins(%y1 : {types['c']}) outs(%e : {types['c']}) {{",
            "  ^bb0(%l: f32, %s: f32):",
            "    %c = arith.cmpf olt, %l, %zero : f32",
            "    %p = arith.select %c, %zero, %l : f32",
            "    linalg.yield %p : f32",
            f"  }} -> {types['c']}"]
        last = "%y2"
    arguments.append(f"%out: {types['c']}")
    head = (f"func.func private @{name}({', '.join(arguments)}) -> "
            f"{types['c']}\n    attributes "
            f"{{hamkaas.kernel = #hamkaas.kernel<contraction{tile}>}} {{")
    return "\n".join([head, *lines, f"  return {last} : {types['c']}", "}"])


if __name__ == "__main__":
    for case in CASES:
        print(kernel(*case))
