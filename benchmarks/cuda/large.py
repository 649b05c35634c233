# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models of the large kernels of a GPU, which the tests that are recorded are
too small for: more than 48 KB of shared memory, blocks of eight warps, more
blocks than the GPU runs at a time, deep sums.

Their contents are random when they run, and the processor there computes what
the outputs are compared with.
"""

import dataclasses

PRECISIONS = ["exact", "tf32", "3xtf32", "bf16"]
# In parts of the largest value. Sums of thousands of float32 in another order
# differ by a few 1e-6; a factor of tf32 has an error of 1e-3, one of bf16 4e-3.
TOLERANCE = {"exact": 2e-5, "tf32": 2e-3, "3xtf32": 1e-5, "bf16": 1e-2}


@dataclasses.dataclass
class Large:
    name: str
    model: str
    precision: str = "exact"
    contents: str = "random"
    # As of hamkaas-compile; of the bundle if it is none.
    architecture: str | None = None


def tensor(shape):
    return f"tensor<{'x'.join(map(str, shape))}xf32>"


def make_model(operation, inputs, result, constants=()):
    """`operation` is text in which %NAME stands for an input or a constant."""
    types = {name: tensor(shape) for name, shape in inputs.items()}
    arguments = ", ".join(f'%{name}: {kind} {{hamkaas.name = "{name}"}}'
                          for name, kind in types.items()
                          if name not in constants)
    head, loads = [], []
    for name in constants:
        kind = types[name]
        head.append(f"ml_program.global private @{name}"
                    f"(#ml_program.extern<{kind}>) : {kind}")
        loads.append(f"  %{name} = ml_program.global_load_const @{name} : "
                     f"{kind}")
    return "\n".join([
        *head, f"func.func @main({arguments}) -> ({tensor(result)} "
        f'{{hamkaas.name = "y"}}) {{', *loads,
        f"  %result = {operation} : {', '.join(types.values())}",
        f"  return %result : {tensor(result)}", "}", ""])


def make_matmul(rows, depth, columns, has_constant=False):
    return make_model("hamkaas.matmul %x, %w",
                      {"x": (rows, depth), "w": (depth, columns)},
                      (rows, columns), ["w"] if has_constant else [])


def make_softmax(rows, columns):
    return make_model(f"hamkaas.sliced_softmax %x static_prefix {columns}",
                      {"x": (rows, columns)}, (rows, columns))


def list_large(factor=1):
    """All cases, every dimension divided by `factor`."""
    of = lambda *numbers: [max(1, number // factor) for number in numbers]
    whole, ragged = of(2048, 256, 2048), of(1030, 520, 1030)
    # Of positive numbers errors add up that else cancel each other.
    deep = of(512, 4096, 512)
    cases = []
    for precision in PRECISIONS:
        cases += [
            Large(f"matmul-{precision}", make_matmul(*whole), precision),
            Large(f"matmul-ragged-{precision}",
                  make_matmul(*ragged, has_constant=True), precision),
            Large(f"matmul-deep-{precision}", make_matmul(*deep), precision,
                  "positive"),
        ]
    queries, keys, head = of(128, 2048, 64)
    rows, columns = of(2050, 1030)
    return [
        Large("jit", make_matmul(*of(256, 256, 256)),
              architecture="compute_80"),
        *cases,
        Large("gemv", make_matmul(*of(1, 4096, 4096), has_constant=True)),
        Large("gemv-ragged",
              make_matmul(*of(3, 4096, 1000), has_constant=True)),
        Large("softmax", make_softmax(*of(4096, 4096))),
        Large("softmax-ragged", make_softmax(*of(7, 50257))),
        Large("attention", make_model(
            "hamkaas.attention %q, %k, %v scale 0.125",
            {"q": (8, queries, head), "k": (8, keys, head),
             "v": (8, keys, head)}, (8, queries, head))),
        Large("transpose", make_model(
            "hamkaas.permute %x[1, 0]", {"x": (rows, columns)},
            (columns, rows))),
    ]
