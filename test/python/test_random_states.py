# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random programs that write to states, and fail at places that runs compute."""

import random

import numpy as np
import pytest

import hamkaas as hk

SIZE = 16
TOO_LARGE = 1000


class Program:
    """Statements on states and on what was made of them, beside numpy's."""

    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.x = hk.input("x", [SIZE])
        self.states = {f"s{i}": hk.state([SIZE], f"s{i}") for i in range(3)}
        self.nodes, self.outputs, self.steps = [self.x], {}, []
        for _ in range(self.rng.randint(3, 14)):
            self.rng.choice([self.add_value, self.add_value, self.add_product,
                             self.write_all, self.write_all, self.write_part,
                             self.check])()

    def pick(self):
        """An operand: its node, and how to find its value."""
        if self.rng.random() < 0.5:
            name = self.rng.choice(sorted(self.states))
            return self.states[name], ("state", name)
        i = self.rng.randrange(len(self.nodes))
        return self.nodes[i], ("value", i)

    def compute(self, node, function, *places):
        """A sum as output lets the graph visit the statements in order."""
        self.nodes.append(node)
        self.outputs[f"sum{len(self.nodes)}"] = hk.sum(node)
        self.steps.append((function, places, None))

    def add_value(self):
        (a, at_a), (b, at_b) = self.pick(), self.pick()
        op = self.rng.choice(["add", "subtract", "maximum", "minimum"])
        self.compute(getattr(hk, op)(a, b) * 0.5,
                     lambda a, b: getattr(np, op)(a, b) * np.float32(0.5),
                     at_a, at_b)

    def add_product(self):
        """A kernel that reads each element many times."""
        (a, at_a) = self.pick()
        turn = np.roll(np.eye(SIZE, dtype="float32"), 3, axis=1)
        self.compute(a.reshape([1, SIZE]).__matmul__(hk.constant(turn))
                     .reshape([SIZE]), lambda a: a @ turn, at_a)

    def write_all(self):
        name = self.rng.choice(sorted(self.states))
        (a, at_a), (b, at_b) = self.pick(), (self.states[name], ("state", name))
        self.write(name, (b + a) * 0.5, 0, SIZE,
                   lambda a, b: (b + a) * np.float32(0.5), at_a, at_b)

    def write_part(self):
        name, begin = self.rng.choice(sorted(self.states)), 4
        (a, at_a) = self.pick()
        self.write(name, hk.abs(a)[:6], begin, begin + 6,
                   lambda a: abs(a)[:6], at_a)

    def write(self, name, node, begin, end, function, *places):
        self.states[name] = self.states[name].replace(node, begin, end)
        self.outputs[f"write{len(self.steps)}"] = hk.sum(self.states[name])
        self.steps.append((function, places, (name, begin, end)))

    def check(self):
        (a, _) = self.pick()
        place = hk.where(hk.max(a + self.x * 4) > TOO_LARGE, 9.0, 1.0)
        table = hk.constant(np.zeros([5, 2], "float32"))
        self.outputs[f"row{len(self.outputs)}"] = hk.take(
            table, place.astype("int64").reshape([1]), axis=0)

    def run(self, x, states):
        """The states that numpy computes."""
        states, values = dict(states), [x]
        for function, places, target in self.steps:
            value = function(*(values[at] if kind == "value" else states[at]
                               for kind, at in places))
            if target is None:
                values.append(value)
                continue
            name, begin, end = target
            states[name] = states[name].copy()
            states[name][begin:end] = value
        return states


def make_input(seed):
    """Numbers whose sums and halves are exact."""
    return np.random.default_rng(seed).integers(-9, 9, SIZE).astype("float32")


@pytest.mark.parametrize("start", range(0, 160, 20))
def test_states_are_those_of_numpy(start):
    failures = 0
    for seed in range(start, start + 20):
        program = Program(seed)
        if not any(target for _, _, target in program.steps):
            continue
        program.outputs["x"] = hk.sum(program.x)
        model = hk.compile(program.outputs)
        states = {name: np.zeros(SIZE, "float32") for name in model.state}
        states = {**{f"s{i}": np.zeros(SIZE, "float32") for i in range(3)},
                  **states}
        for run in range(3):
            states = program.run(make_input(seed + run), states)
            model.run({"x": make_input(seed + run)})
            for name in model.state:
                np.testing.assert_array_equal(model.state[name], states[name],
                                              f"seed {seed}, run {run}, {name}")
        if any(name.startswith("row") for name in program.outputs):
            failures += 1
            with pytest.raises(hk.HamKaasError, match="got 9$"):
                model.run({"x": np.full(SIZE, TOO_LARGE, "float32")})
            for name in model.state:
                np.testing.assert_array_equal(model.state[name], states[name],
                                              f"seed {seed}, failed, {name}")
    assert failures >= 5
