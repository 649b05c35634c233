# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random numbers: their bits, their distributions, and the state of a
generator. All seeds are fixed, so no test fails by chance."""

import math
import pathlib
import sys

import numpy as np
import pytest

import hamkaas as hk
from hamkaas import nn, random

sys.path.append(str(pathlib.Path(__file__).parents[1] / "Integration/Inputs"))
from philox import random_bits  # noqa: E402

COUNT = 100_000

# Chi-square values that one of 10^4 sequences exceeds, by degrees of freedom.
LIMITS = {6: 27.9, 15: 44.3, 31: 68.9}


def draw(node, device="cpu", **options):
    return hk.compile(node, device=device, **options).run({})


def chi_square(counts, expected):
    return float(np.sum((counts - expected) ** 2 / expected))


#===------------------------------------------------------------------------===#
# Bits
#===------------------------------------------------------------------------===#


def test_bits_are_those_of_philox():
    generator = random.Generator(2**64 - 5)
    model = hk.compile((random.bits(generator, [3, 5]),
                        random.bits(generator, [2])))
    for run in range(2):
        first, second = model.run({})
        state = [2**64 - 5, 5 * run, 0]
        np.testing.assert_array_equal(first, random_bits(state, [3, 5]))
        np.testing.assert_array_equal(second, random_bits(state, [2], 4))


def draw_all(generator):
    shape = [7, 33]
    return {
        "bits": random.bits(generator, shape),
        "uniform": random.uniform(generator, shape, -1, 3),
        "double": random.uniform(generator, shape, dtype="float64"),
        "half": random.uniform(generator, shape, dtype="float16"),
        "bernoulli": random.bernoulli(generator, shape, 0.3),
        "integers": random.integers(generator, shape, -5, 5),
        "wide": random.integers(generator, shape, -2**62, 2**62),
        "permutation": random.permutation(generator, 50),
        "normal": random.normal(generator, shape),
        "truncated": random.truncated_normal(generator, shape),
        "dropout": nn.dropout(hk.ones(shape), 0.3, generator=generator),
    }


def test_devices_and_threads_agree():
    nodes = draw_all(random.Generator(11))
    expected = hk.compile(nodes).run({})
    for device, threads in (("reference", 0), ("cpu", 1), ("cpu", 2)):
        got = hk.compile(nodes, device=device, threads=threads).run({})
        for name, value in expected.items():
            if name in ("normal", "truncated") and device == "reference":
                # Logarithms are rounded otherwise.
                np.testing.assert_allclose(got[name], value, rtol=1e-4,
                                           atol=2e-6)
            else:
                np.testing.assert_array_equal(got[name], value, name)


#===------------------------------------------------------------------------===#
# Distributions
#===------------------------------------------------------------------------===#


def test_uniform():
    x = draw(random.uniform(random.Generator(1), [COUNT], -1, 3))
    assert x.dtype == np.float32 and x.min() >= -1 and x.max() <= 3
    counts = np.histogram(x, 16, (-1, 3))[0]
    assert chi_square(counts, COUNT / 16) < LIMITS[15]
    # Neighbours are independent.
    assert abs(np.corrcoef(x[:-1], x[1:])[0, 1]) < 4 / math.sqrt(COUNT)


def test_uniform_of_doubles_has_their_digits():
    x = draw(random.uniform(random.Generator(1), [1000], dtype="float64"))
    assert np.any(np.modf(x * 2**40)[0])
    np.testing.assert_array_equal(np.modf(x * 2**53)[0], 0)


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16"])
def test_normal(dtype):
    x = draw(random.normal(random.Generator(2), [COUNT], 1, 2, dtype))
    assert x.dtype == dtype
    x = (x.astype(float) - 1) / 2
    assert abs(x.mean()) < 4 / math.sqrt(COUNT)
    assert abs(x.var() - 1) < 4 * math.sqrt(2 / COUNT)
    check_cells(x, [0.5 * (1 + math.erf(v / math.sqrt(2))) for v in EDGES])


EDGES = np.linspace(-1.9, 1.9, 31)


def check_cells(x, below):
    """``below``: the probabilities of numbers below each of the edges."""
    expected = COUNT * np.diff([0, *below, 1])
    edges = [-np.inf, *EDGES, np.inf]
    counts = np.histogram(x, edges)[0]
    assert chi_square(counts, expected) < LIMITS[31]


def test_truncated_normal():
    x = draw(random.truncated_normal(random.Generator(3), [COUNT]))
    assert x.min() >= -2 and x.max() <= 2
    inside = math.erf(math.sqrt(2))
    check_cells(x, [0.5 + 0.5 * math.erf(v / math.sqrt(2)) / inside
                    for v in EDGES])
    y = draw(random.truncated_normal(random.Generator(3), [COUNT], 4, 0.5, 4,
                                     5))
    assert y.min() >= 4 and y.max() <= 5 and abs(y.mean() - 4.3627) < 0.004


def test_bernoulli():
    generator = random.Generator(4)
    x = draw({str(p): random.bernoulli(generator, [COUNT], p)
              for p in (0.0, 0.25, 1.0)})
    assert not x["0.0"].any() and x["1.0"].all()
    assert abs(x["0.25"].mean() - 0.25) < 4 * math.sqrt(0.1875 / COUNT)


def test_integers():
    x = draw(random.integers(random.Generator(5), [COUNT], -3, 4))
    assert x.dtype == np.int64 and x.min() == -3 and x.max() == 3
    assert chi_square(np.bincount(x + 3), COUNT / 7) < LIMITS[6]
    for dtype in ("int8", "uint8"):
        info = np.iinfo(dtype)
        y = draw(random.integers(random.Generator(5), [COUNT], int(info.min),
                                 int(info.max) + 1, dtype))
        assert y.dtype == dtype and len(np.unique(y)) == 256


def test_permutation():
    generator = random.Generator(6)
    x = hk.input("x", [20, 2])
    model = hk.compile((random.permutation(generator, 500),
                        random.permutation(generator, x)))
    rows = np.arange(40, dtype=np.float32).reshape(20, 2)
    order, moved = model.run({"x": rows})
    assert sorted(order) == list(range(500)) and list(order) != sorted(order)
    assert sorted(map(tuple, moved)) == list(map(tuple, rows))
    other, _ = model.run({"x": rows})
    assert list(order) != list(other)
    # Each element is equally likely at the first place.
    first = hk.compile(random.permutation(generator, 7))
    counts = np.bincount([first.run({})[0] for _ in range(1400)], minlength=7)
    assert chi_square(counts, 200) < LIMITS[6]


def test_erfinv():
    torch = pytest.importorskip("torch")
    for dtype, error in (("float32", 6e-7), ("float64", 1e-14)):
        x = np.concatenate([np.linspace(-0.999, 0.999, 2001),
                            [1, -1, 1e-30, 2, np.nan]]).astype(dtype)
        node = hk.ops.erfinv(hk.input("x", x.shape, dtype))
        expected = torch.erfinv(torch.tensor(x)).numpy()
        for device in ("cpu", "reference"):
            got = hk.compile(node, device=device).run({"x": x})
            np.testing.assert_allclose(got, expected, rtol=error)


#===------------------------------------------------------------------------===#
# The state
#===------------------------------------------------------------------------===#


def test_runs_draw_anew_and_go_on(tmp_path):
    def make():
        return hk.compile(random.normal(random.Generator(8), [10]))

    model = make()
    all_runs = [model.run({}) for _ in range(4)]
    assert not np.array_equal(all_runs[0], all_runs[1])
    again = make()
    again.run({}), again.run({})
    again.state.save(tmp_path / "state.safetensors")
    other = make()
    other.state.load(tmp_path / "state.safetensors")
    for expected in all_runs[2:]:
        np.testing.assert_array_equal(other.run({}), expected)
    np.testing.assert_array_equal(model.state["generator"], [8, 24, 0])


def test_functions_do_not_share_numbers():
    generator = random.Generator(9)
    model = hk.compile({
        "one": hk.function(random.bits(generator, [8])),
        "two": hk.function(random.bits(generator, [8])),
        "none": hk.function(hk.input("x", [1]) + 1)})
    drawn = [getattr(model, name).run({}) for name in
             ("one", "two", "one", "one", "two", "two")]
    assert len(np.unique(np.concatenate(drawn))) == 48
    before = model.state["generator"]
    model.none.run({"x": np.float32([1])})
    np.testing.assert_array_equal(model.state["generator"], before)


def test_counter_carries():
    model = hk.compile(random.bits(random.Generator(3), [12]))
    state = np.array([3, 2**64 - 2, 2**64 - 1], np.uint64)
    model.state["generator"] = state
    np.testing.assert_array_equal(model.run({}), random_bits(state, [12]))
    np.testing.assert_array_equal(model.state["generator"], [3, 1, 0])


def test_draws_for_a_loop():
    generator = random.Generator(10)

    def step(total, noise):
        return total + noise, noise

    noises = random.uniform(generator, [6, 4])
    total, rows = draw(hk.scan(step, np.zeros(4, "float32"), noises))
    np.testing.assert_allclose(rows.sum(0), total, rtol=1e-6)
    assert len(np.unique(rows)) == 24

    def wrong(total, _):
        return total + random.uniform(generator, [4]), None

    with pytest.raises(hk.HamKaasError, match=r"test_random.py:\d+.*in the "
                       "body of a loop"):
        hk.scan(wrong, np.zeros(4, "float32"), length=6)
    random.uniform(generator, [4])  # The error has ended the body.


#===------------------------------------------------------------------------===#
# Dropout
#===------------------------------------------------------------------------===#


def test_dropout():
    x = hk.input("x", [COUNT])
    model = hk.compile(nn.dropout(x, 0.2, generator=random.Generator(12)))
    ones = np.ones(COUNT, np.float32)
    y = model.run({"x": ones})
    assert set(np.unique(y)) == {0, np.float32(1.25)}
    assert abs(np.mean(y == 0) - 0.2) < 4 * math.sqrt(0.16 / COUNT)
    assert not np.array_equal(y, model.run({"x": ones}))
    z = draw(nn.dropout(hk.ones([9]), 1.0, generator=random.Generator(12)))
    np.testing.assert_array_equal(z, 0)


@pytest.mark.parametrize("spatial", [1, 2, 3])
def test_dropout_of_channels(spatial):
    drop = getattr(nn, f"dropout{spatial}d")
    x = hk.ones([8, 16, *[3] * spatial])
    y = draw(drop(x, generator=random.Generator(13))).reshape(128, -1)
    assert np.all(y == y[:, :1]) and 40 < np.sum(y[:, 0] == 2) < 88


def test_gradient_of_dropout():
    """By finite differences, with the generator at one position."""
    x = hk.input("x", [6, 5], "float64")
    y = nn.dropout(x * x, 0.4, generator=random.Generator(14))
    loss = hk.sum(y * y)
    model = hk.compile({"loss": loss, "slope": hk.gradient(loss, x)})

    def run(at):
        model.state.reset()
        return model.run({"x": at})

    at = np.random.default_rng(0).normal(size=(6, 5))
    slope = run(at)["slope"]
    assert 0 < np.sum(slope == 0) < 30
    for index in np.ndindex(6, 5):
        step = np.zeros((6, 5))
        step[index] = 1e-5
        difference = run(at + step)["loss"] - run(at - step)["loss"]
        assert abs(difference / 2e-5 - slope[index]) < 1e-6


def test_training_with_dropout_resumes(tmp_path):
    def make():
        x, labels = hk.input("x", [16, 4]), hk.input("labels", [16], "int64")
        w = hk.state([4, 3], "w", initial=nn.init.xavier_normal([4, 3], rng=0))
        dropped = nn.dropout(x, 0.3, generator=random.Generator(15))
        loss = nn.cross_entropy(dropped @ w, labels)
        return hk.compile({"step": hk.train_step(loss, hk.optim.Adam(0.01))})

    rng = np.random.default_rng(1)
    batches = [{"x": rng.normal(size=(16, 4)).astype("float32"),
                "labels": rng.integers(0, 3, 16)} for _ in range(6)]
    model, stopped, resumed = make(), make(), make()
    for batch in batches:
        model.step.run(batch)
    for batch in batches[:3]:
        stopped.step.run(batch)
    stopped.state.save(tmp_path / "state.safetensors")
    resumed.state.load(tmp_path / "state.safetensors")
    for batch in batches[3:]:
        resumed.step.run(batch)
    for name in model.state:
        np.testing.assert_array_equal(resumed.state[name], model.state[name])


#===------------------------------------------------------------------------===#
# Bad input
#===------------------------------------------------------------------------===#

GENERATOR = random.Generator(1)


@pytest.mark.parametrize("call, message", [
    (lambda: random.bits(GENERATOR, [2, 0]), "dimension of at least 1, got 0"),
    (lambda: random.uniform(GENERATOR, [2], 3, 1), "low <= high"),
    (lambda: random.uniform(GENERATOR, [2], 0, math.inf), "finite 'low'"),
    (lambda: random.uniform(GENERATOR, [2], dtype="int32"),
     "expected 'type' to be a type of floats, got int32"),
    (lambda: random.normal(GENERATOR, [2], 0, -1), "'std' of at least 0"),
    (lambda: random.truncated_normal(GENERATOR, [2], 0, 1, 6, 7),
     r"within 5 \* std of the mean"),
    (lambda: random.bernoulli(GENERATOR, [2], 1.5),
     "expected 'p' from 0 to 1, got 1.5"),
    (lambda: random.bernoulli(GENERATOR, [2], math.nan), "from 0 to 1, got nan"),
    (lambda: random.integers(GENERATOR, [2], 3, 3), "got 3 and 3"),
    (lambda: random.integers(GENERATOR, [2], -1, 3, "uint8"),
     "of the type uint8, got -1 and 3"),
    (lambda: random.integers(GENERATOR, [2], 0, 2, "float32"),
     "type of integers"),
    (lambda: random.permutation(GENERATOR, 0), "at least one number, got 0"),
    (lambda: random.permutation(GENERATOR, hk.input("x", [])), "a scalar"),
    (lambda: random.Generator(-1), "a seed of at least 0"),
    (lambda: nn.dropout(hk.ones([2]), 1.5, generator=GENERATOR),
     "expected 'p' from 0 to 1, got 1.5"),
    (lambda: nn.dropout(hk.ones([2])), "pass generator="),
    (lambda: nn.dropout(hk.ones([2], dtype="int32"), generator=GENERATOR),
     "float"),
    (lambda: nn.dropout2d(hk.ones([2]), generator=GENERATOR),
     "at least 2 dimensions"),
    (lambda: hk.ops.random_bits(hk.input("g", [3], "int64"), shape=[2]),
     "int64"),
    (lambda: hk.ops.random_bits(hk.input("g", [2], "uint64"), shape=[2]),
     "shape 3"),
    (lambda: hk.ops.random_uniform(hk.input("g", [3], "uint64"), shape=[2],
                                   type="float32", offset=-1), "'offset'"),
    (lambda: hk.ops.random_advance(hk.input("g", [3], "uint64"), blocks=-1),
     "'blocks' of at least 0, got -1"),
])
def test_errors(call, message):
    with pytest.raises(hk.HamKaasError, match=message):
        call()


def test_wrong_generator():
    for call in (lambda: random.bits(3, [2]),
                 lambda: nn.dropout(hk.ones([2]), generator="g")):
        with pytest.raises(TypeError, match="hamkaas.random.Generator"):
            call()


def test_generator_that_is_replaced():
    generator = random.Generator(1)
    drawn = random.bits(generator, [2])
    changed = generator.state.replace(np.zeros(3, np.uint64), 0, 3)
    with pytest.raises(hk.HamKaasError, match="changed by draws alone"):
        hk.compile((drawn, changed))


def test_integers_have_no_gradient():
    x = hk.input("x", [3], "uint64")
    y = hk.sum(hk.ops.random_uniform(x, shape=[2], type="float32"))
    with pytest.raises(hk.HamKaasError, match="no gradient"):
        hk.gradient(y, x)
