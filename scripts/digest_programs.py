# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The programs whose code scripts/code-digests.py compares."""

import dataclasses
import importlib
import importlib.util
import pathlib
import sys
from typing import Iterator, Optional

SOURCE = pathlib.Path(__file__).resolve().parent.parent
INTEGRATION = SOURCE / "test/Integration"


@dataclasses.dataclass(frozen=True)
class Program:
    """A model with a name that is the same on every machine."""
    name: str
    path: pathlib.Path


def find_programs(scratch: pathlib.Path,
                  models: Optional[pathlib.Path]) -> list[Program]:
    """All programs. Those that are made are written to `scratch`."""
    programs = [
        *find_scripts(), *split_graphs(scratch), *write_workloads(scratch),
        *write_random_scripts(scratch), *write_random_graphs(scratch),
        *find_onnx_package(), *(find_onnx_models(models) if models else [])]
    names = [program.name for program in programs]
    assert len(set(names)) == len(names), "expected a name for each program"
    return programs


def write(scratch: pathlib.Path, name: str, suffix: str, text: str) -> Program:
    path = scratch / (name.replace("/", "-") + suffix)
    path.write_text(text)
    return Program(name, path)


#===------------------------------------------------------------------------===#
# Programs of this project
#===------------------------------------------------------------------------===#


def find_scripts() -> Iterator[Program]:
    for pattern in ("examples/*/*.hk", "benchmarks/kernels/*.hk",
                    "test/Frontend/Script/Inputs/*.hk"):
        for path in sorted(SOURCE.glob(pattern)):
            yield Program(str(path.relative_to(SOURCE)), path)


def split_graphs(scratch: pathlib.Path) -> Iterator[Program]:
    """The parts of the files that tests split at lines `//--- NAME`."""
    for path in sorted(INTEGRATION.glob("*.mlir")):
        _, *parts = path.read_text().split("\n//--- ")
        for part in parts:
            name, _, text = part.partition("\n")
            if name.endswith(".mlir"):
                yield write(scratch, f"{path.stem}/{name[:-5]}", ".mlir", text)


def load(name: str):
    """A module of the tests, some of which have names that no `import` can
    spell."""
    for folder in (INTEGRATION, INTEGRATION / "Inputs"):
        if str(folder) not in sys.path:
            sys.path.insert(0, str(folder))
    return importlib.import_module(name)


def write_random_scripts(scratch: pathlib.Path) -> Iterator[Program]:
    first, second = load("random_script"), load("random_script2")
    for seed in range(12):
        yield write(scratch, f"random-script/{seed}", ".hk",
                    first.make_script(seed).text())
        yield write(scratch, f"random-script2/{seed}", ".hk",
                    first.make_script(seed, second.Script2).text())


def write_random_graphs(scratch: pathlib.Path) -> Iterator[Program]:
    graphs = load("optimized-graphs")
    for seed in range(12):
        yield write(scratch, f"random-graph/{seed}", ".mlir",
                    graphs.Graph(seed).text())


#===------------------------------------------------------------------------===#
# ONNX models
#===------------------------------------------------------------------------===#


def find_onnx_package() -> Iterator[Program]:
    """Networks without weights that the package onnx brings along."""
    package = importlib.util.find_spec("onnx")
    if package:
        folder = pathlib.Path(package.origin).parent / "backend/test/data/light"
        for name in ("light_resnet50", "light_shufflenet", "light_squeezenet"):
            if (folder / f"{name}.onnx").exists():
                yield Program(f"onnx/{name}", folder / f"{name}.onnx")


def find_onnx_models(folder: pathlib.Path) -> Iterator[Program]:
    for path in sorted(folder.rglob("*.onnx")):
        yield Program(f"models/{path.relative_to(folder)}", path)


#===------------------------------------------------------------------------===#
# The operations of the benchmarks, which PyTorch would export
#===------------------------------------------------------------------------===#


def type_of(shape: tuple[int, ...]) -> str:
    return f"tensor<{'x'.join([*map(str, shape), 'f32'])}>"


class Graph:
    """A graph as text. Values are pairs of a name and a shape."""

    def __init__(self) -> None:
        self.parameters: list[str] = []
        self.inputs: list[str] = []
        self.lines: list[str] = []

    def input(self, *shape):
        name = f"%x{len(self.inputs)}"
        self.inputs.append(f'{name}: {type_of(shape)} '
                           f'{{hamkaas.name = "{name[1:]}"}}')
        return name, shape

    def parameter(self, *shape):
        kind, name = type_of(shape), f"@p{len(self.parameters)}"
        self.parameters.append(
            f"ml_program.global private {name}"
            f"(#ml_program.extern<{kind}>) : {kind}")
        return self.add(f"ml_program.global_load_const {name} : {kind}", shape)

    def add(self, text: str, shape):
        name = f"%v{len(self.lines)}"
        self.lines.append(f"  {name} = {text}")
        return name, tuple(shape)

    def apply(self, op: str, operands, attributes: str = "", shape=None):
        """An operation of the shape of its first operand, if no other."""
        return self.add(
            f"hamkaas.{op} {', '.join(name for name, _ in operands)}"
            f"{attributes} : {', '.join(type_of(s) for _, s in operands)}",
            operands[0][1] if shape is None else shape)

    def matmul(self, x, w):
        return self.apply("matmul", [x, w], shape=(*x[1][:-1], w[1][-1]))

    def conv(self, x, channels, window, stride=1, groups=1):
        n, h, w, c = x[1]
        weights = self.parameter(window, window, c // groups, channels)
        pad = f"[{window // 2}, {window // 2}]"
        return self.apply(
            "conv", [x, weights], f" strides [{stride}, {stride}] "
            f"dilations [1, 1] pad {pad} to {pad} groups {groups}",
            (n, -(-h // stride), -(-w // stride), channels))

    def bias(self, x):
        return self.apply("add", [x, self.parameter(
            *[1] * (len(x[1]) - 1), x[1][-1])])

    def relu(self, x):
        return self.apply("relu", [x])

    def text(self, result) -> str:
        name, shape = result
        return "\n".join([
            *self.parameters, f"func.func @main({', '.join(self.inputs)}) -> "
            f'({type_of(shape)} {{hamkaas.name = "y"}}) {{', *self.lines,
            f"  return {name} : {type_of(shape)}", "}", ""])


def write_workloads(scratch: pathlib.Path) -> Iterator[Program]:
    for name, build in WORKLOADS.items():
        graph = Graph()
        yield write(scratch, f"workload/{name}", ".mlir",
                    graph.text(build(graph)))


def linear(rows: int, depth: int, columns: int):
    """A product with weights, a bias and an activation."""
    return lambda g: g.relu(g.bias(g.matmul(g.input(rows, depth),
                                            g.parameter(depth, columns))))


def product(left, right):
    return lambda g: g.matmul(g.input(*left), g.input(*right))


def transposed_product(rows: int, depth: int, columns: int):
    def build(g):
        w = g.add(f"hamkaas.permute {g.parameter(columns, depth)[0]}[1, 0] : "
                  f"{type_of((columns, depth))}", (depth, columns))
        return g.matmul(g.input(rows, depth), w)
    return build


def convolution(size: int, channels: int, out: int, window: int, **options):
    def build(g):
        x = g.input(1, size, size, channels)
        return g.relu(g.bias(g.conv(x, out, window, **options)))
    return build


def bottleneck(g):
    """A block of ResNet-50."""
    x = g.input(1, 28, 28, 512)
    y = g.relu(g.bias(g.conv(x, 128, 1)))
    y = g.relu(g.bias(g.conv(y, 128, 3)))
    return g.relu(g.apply("add", [g.bias(g.conv(y, 512, 1)), x]))


def attention(heads: int, queries: int, keys: int, size: int):
    return lambda g: g.apply(
        "attention", [g.input(heads, queries, size), g.input(heads, keys, size),
                      g.input(heads, keys, size)], " scale 0.125")


def transformer_layer(rows: int, dim: int, hidden: int, heads: int):
    """A layer of the kind of Llama on a prompt of `rows` tokens."""
    def build(g):
        def split(value):
            shape = (rows, heads, dim // heads)
            value = g.add(f"hamkaas.reshape {value[0]} : {type_of(value[1])} "
                          f"-> {type_of(shape)}", shape)
            return g.add(f"hamkaas.permute {value[0]}[1, 0, 2] : "
                         f"{type_of(shape)}", (heads, rows, dim // heads))

        x = g.input(rows, dim)
        y = g.apply("rms_norm", [x, g.parameter(dim)])
        q, k, v = (split(g.matmul(y, g.parameter(dim, dim))) for _ in range(3))
        y = g.apply("attention", [q, k, v], " scale 0.2")
        y = g.add(f"hamkaas.permute {y[0]}[1, 0, 2] : {type_of(y[1])}",
                  (rows, heads, dim // heads))
        y = g.add(f"hamkaas.reshape {y[0]} : {type_of(y[1])} -> "
                  f"{type_of((rows, dim))}", (rows, dim))
        x = g.apply("add", [x, g.matmul(y, g.parameter(dim, dim))])
        y = g.apply("rms_norm", [x, g.parameter(dim)])
        gate = g.apply("silu", [g.matmul(y, g.parameter(dim, hidden))])
        up = g.matmul(y, g.parameter(dim, hidden))
        down = g.matmul(g.apply("mul", [gate, up]), g.parameter(hidden, dim))
        return g.apply("add", [x, down])
    return build


def unary(op: str, *shape, attributes: str = "", result=None):
    return lambda g: g.apply(op, [g.input(*shape)], attributes, result)


WORKLOADS = {
    **{f"linear-{m}x{k}x{n}": linear(m, k, n) for m, k, n in (
        (1, 784, 1000), (4, 288, 768), (8, 512, 512), (16, 1024, 1024),
        (128, 784, 1000), (128, 1000, 10), (257, 300, 100),
        (1, 2048, 32000))},
    **{f"sgemm-{m}x{k}x{n}": product((m, k), (k, n)) for m, k, n in (
        (1, 512, 512), (7, 100, 64), (512, 512, 512), (1024, 1024, 1024),
        (2048, 2048, 2048))},
    **{f"transposed-{m}x{k}x{n}": transposed_product(m, k, n) for m, k, n in (
        (1, 288, 32000), (3, 512, 512), (512, 512, 512))},
    "bmm-12x128x64x128": product((12, 128, 64), (12, 64, 128)),
    "bmm-64x4x32x512": product((64, 4, 32), (64, 32, 512)),
    "conv-stem": convolution(224, 3, 64, 7, stride=2),
    "conv-3x3-64-56": convolution(56, 64, 64, 3),
    "conv-3x3-256-14": convolution(14, 256, 256, 3),
    "conv-3x3-stride": convolution(29, 48, 80, 3, stride=2),
    "conv-1x1-256-56": convolution(56, 256, 64, 1),
    "conv-1x1-stride": convolution(28, 128, 256, 1, stride=2),
    "conv-grouped": convolution(28, 64, 64, 3, groups=4),
    "conv-depthwise": convolution(56, 144, 144, 3, groups=144),
    "conv-depthwise-stride": convolution(57, 96, 96, 5, stride=2, groups=96),
    "bottleneck": bottleneck,
    **{f"attention-{h}x{q}x{k}x{d}": attention(h, q, k, d)
       for h, q, k, d in ((12, 128, 128, 32), (12, 1, 256, 64),
                          (8, 3, 2048, 64), (2, 1024, 1024, 64),
                          (6, 77, 77, 48), (4, 200, 33, 80))},
    "layer-prompt": transformer_layer(64, 288, 768, 6),
    "layer-token": transformer_layer(1, 288, 768, 6),
    "softmax-1024x1024": unary("sliced_softmax", 1024, 1024,
                               attributes=" static_prefix 1024"),
    "softmax-8x50000": unary("sliced_softmax", 8, 50000,
                             attributes=" static_prefix 50000"),
    "layernorm-1024x1024": unary("layer_norm", 1024, 1024,
                                 attributes=" epsilon 1.0e-5"),
    "layernorm-3x17": unary("layer_norm", 3, 17, attributes=" epsilon 1.0e-5"),
    "logsumexp-64x300": unary("log_sum_exp", 64, 300, result=(64, )),
    "gelu-4m": unary("gelu", 4, 1024, 1024),
    "silu-999": unary("silu", 999),
    "transpose-2048": unary("permute", 2048, 2048, attributes="[1, 0]"),
    "transpose-3x77x45": unary("permute", 3, 77, 45, attributes="[2, 0, 1]",
                               result=(45, 3, 77)),
    "sum-rows": unary("reduce sum", 1000, 1000, attributes=" over [1]",
                      result=(1000, )),
    "sum-columns": unary("reduce sum", 1000, 1000, attributes=" over [0]",
                         result=(1000, )),
    "sum-all": unary("reduce sum", 64, 33, 70, attributes=" over [0, 1, 2]",
                     result=()),
    "mean-pool": unary("reduce sum", 1, 7, 7, 2048, attributes=" over [1, 2]",
                       result=(1, 2048)),
    "max-pool": unary(
        "pool max", 1, 112, 112, 64, attributes=" window [3, 3] "
        "strides [2, 2] dilations [1, 1] pad [1, 1] to [1, 1]",
        result=(1, 56, 56, 64)),
    "pad": unary("pad", 40, 300, attributes=" low [1, 2] high [3, 4] "
                 "interior [0, 0] value 1.0 : f32", result=(44, 306)),
}  # yapf: disable
