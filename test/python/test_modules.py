# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Modules of hamkaas.nn: values, gradients and states are those of torch."""

import copy

import numpy as np
import pytest

import hamkaas as hk
from hamkaas import nn


def find_torch():
    return pytest.importorskip("torch", reason="needs torch")


def first(value):
    return value[0] if isinstance(value, tuple) else value


def run_both(ours, theirs, x, training, *args):
    """Results, gradients and states of both, with a seed for the result."""
    torch = find_torch()
    theirs = theirs.double().train(training)
    ours.load_state_dict({name: value.numpy().copy()
                          for name, value in theirs.state_dict().items()})
    given = torch.tensor(x, requires_grad=x.dtype == np.float64)
    expected = first(theirs(given, *[torch.tensor(a) for a in args]))
    node = hk.input("x", x.shape, x.dtype)
    y = first(ours(node, *args, training=training))
    seed = np.random.default_rng(1).standard_normal(y.shape)
    expected.backward(torch.tensor(seed))
    xs = ours.parameters() + ([node] if given.requires_grad else [])
    slopes = [p.grad for p in theirs.parameters()] + (
        [given.grad] if given.requires_grad else [])
    results = {"y": y}
    if xs:
        results["slopes"] = hk.gradient(y, xs, seed=seed)
    model = hk.compile(results)
    got = model.run({"x": x})
    check(got["y"], expected.detach())
    for value, slope in zip(got.get("slopes", []), slopes):
        check(value, slope)
    for name, value in theirs.state_dict().items():
        if name in model.state:
            check(model.state[name], value)


def check(value, expected):
    assert tuple(value.shape) == tuple(expected.shape)
    np.testing.assert_allclose(value, expected, rtol=1e-8, atol=1e-9)


D = {"dtype": "float64"}
LAYERS = {
    "linear": ("Linear", (5, 3), D, (4, 5)),
    "linear-no-bias": ("Linear", (5, 3, False), D, (2, 4, 5)),
    "conv1d": ("Conv1d", (4, 6, 3, 2, 1), D, (2, 4, 9)),
    "conv2d": ("Conv2d", (4, 6, (3, 2)), {**D, "groups": 2}, (2, 4, 7, 6)),
    "conv3d": ("Conv3d", (2, 3, 2), {**D, "bias": False}, (2, 2, 4, 3, 4)),
    "batch-norm-1d": ("BatchNorm1d", (3,), D, (6, 3)),
    "batch-norm-length": ("BatchNorm1d", (3,), D, (4, 3, 5)),
    "batch-norm-2d": ("BatchNorm2d", (3,), {**D, "momentum": None},
                      (4, 3, 5, 2)),
    "batch-norm-3d": ("BatchNorm3d", (3,), {**D, "affine": False},
                      (4, 3, 2, 2, 3)),
    "batch-norm-untracked": ("BatchNorm2d", (3,), {
        **D, "track_running_stats": False}, (4, 3, 5, 2)),
    "layer-norm": ("LayerNorm", ([3, 4],), D, (5, 3, 4)),
    "group-norm": ("GroupNorm", (2, 6), D, (3, 6, 4)),
    "gru": ("GRU", (5, 4), D, (6, 3, 5)),
    "gru-deep": ("GRU", (5, 4, 2), {**D, "bidirectional": True}, (4, 3, 5)),
    "lstm": ("LSTM", (5, 4, 2), {**D, "batch_first": True}, (3, 6, 5)),
    "lstm-both": ("LSTM", (5, 4), {**D, "bidirectional": True, "bias": False},
                  (4, 3, 5)),
    "rnn": ("RNN", (5, 4), D, (6, 3, 5)),
    "rnn-relu": ("RNN", (5, 4), {**D, "nonlinearity": "relu"}, (6, 3, 5)),
    "gru-cell": ("GRUCell", (5, 4), D, (3, 5)),
    "gru-cell-alone": ("GRUCell", (5, 4, False), D, (5,)),
    "lstm-cell": ("LSTMCell", (5, 4), D, (3, 5)),
    "rnn-cell": ("RNNCell", (5, 4), D, (3, 5)),
    "rnn-cell-relu": ("RNNCell", (5, 4, True, "relu"), D, (3, 5)),
    "encoder": ("TransformerEncoderLayer", (8, 2, 12, 0.0), D, (5, 3, 8)),
    "encoder-first": ("TransformerEncoderLayer", (8, 2, 12, 0.0), {
        **D, "norm_first": True, "batch_first": True, "activation": "gelu"},
        (3, 5, 8)),
    "max-pool": ("MaxPool2d", (2,), {}, (2, 3, 6, 4)),
    "avg-pool": ("AvgPool1d", (3,), {"stride": 2}, (2, 3, 9)),
    "adaptive-pool": ("AdaptiveAvgPool2d", (2,), {}, (2, 3, 5, 4)),
    "conv-transpose-1d": ("ConvTranspose1d", (4, 6, 3, 2, 1, 1), D, (2, 4, 9)),
    "conv-transpose-2d": ("ConvTranspose2d", (4, 6, (3, 2)), {
        **D, "groups": 2, "dilation": 2}, (2, 4, 5, 6)),
    "conv-transpose-3d": ("ConvTranspose3d", (2, 3, 2), {**D, "bias": False},
                          (2, 2, 4, 3, 4)),
    "instance-norm-1d": ("InstanceNorm1d", (3,), D, (2, 3, 5)),
    "instance-norm-2d": ("InstanceNorm2d", (3,), {**D, "affine": True},
                         (2, 3, 5, 4)),
    "instance-norm-3d": ("InstanceNorm3d", (3,), D, (2, 3, 2, 3, 4)),
    "prelu": ("PReLU", (3,), D, (2, 3, 5)),
    "constant-pad-1d": ("ConstantPad1d", ((1, 2), 1.5), {}, (2, 3, 5)),
    "constant-pad-2d": ("ConstantPad2d", (1, -2.0), {}, (2, 3, 5, 4)),
    "constant-pad-3d": ("ConstantPad3d", (1, 0.5), {}, (2, 2, 3, 4)),
    "zero-pad-1d": ("ZeroPad1d", (2,), {}, (3, 5)),
    "zero-pad-2d": ("ZeroPad2d", ((1, 2, 0, -1),), {}, (2, 3, 5, 4)),
    "zero-pad-3d": ("ZeroPad3d", (1,), {}, (2, 1, 2, 3, 4)),
    "reflection-pad-1d": ("ReflectionPad1d", (2,), {}, (2, 3, 5)),
    "reflection-pad-2d": ("ReflectionPad2d", ((1, 2, 0, 1),), {}, (2, 3, 5, 4)),
    "replication-pad-1d": ("ReplicationPad1d", ((0, 3),), {}, (2, 3, 5)),
    "replication-pad-2d": ("ReplicationPad2d", (2,), {}, (2, 3, 5, 4)),
    "flatten": ("Flatten", (), {}, (2, 3, 4)),
    "unflatten": ("Unflatten", (1, (2, -1)), {}, (3, 6, 2)),
    "upsample": ("Upsample", (), {"scale_factor": 2}, (2, 3, 4, 5)),
    "upsample-linear": ("Upsample", (), {
        "size": (7, 6), "mode": "bilinear", "align_corners": True},
        (2, 3, 4, 5)),
    "pixel-shuffle": ("PixelShuffle", (2,), {}, (2, 8, 3, 4)),
    "pixel-unshuffle": ("PixelUnshuffle", (2,), {}, (2, 3, 4, 6)),
    "celu": ("CELU", (1.5,), {}, (4, 5)),
    "glu": ("GLU", (), {"dim": 0}, (4, 5)),
    "hardshrink": ("Hardshrink", (0.3,), {}, (4, 5)),
    "hardtanh": ("Hardtanh", (-0.5, 0.7), {}, (4, 5)),
    "logsigmoid": ("LogSigmoid", (), {}, (4, 5)),
    "softmin": ("Softmin", (1,), {}, (4, 5)),
    "softshrink": ("Softshrink", (), {}, (4, 5)),
    "softsign": ("Softsign", (), {}, (4, 5)),
    "tanhshrink": ("Tanhshrink", (), {}, (4, 5)),
    "threshold": ("Threshold", (0.1, 2.0), {}, (4, 5)),
    "gelu": ("GELU", (), {}, (4, 5)),
    "relu": ("ReLU", (), {}, (4, 5)),
    "softmax": ("Softmax", (1,), {}, (4, 5)),
}


@pytest.mark.parametrize("training", [True, False])
@pytest.mark.parametrize("name", LAYERS)
def test_layers_are_those_of_torch(name, training, rng):
    torch = find_torch()
    kind, args, options, shape = LAYERS[name]
    if not hasattr(torch.nn, kind):
        pytest.skip(f"needs a torch with {kind}")
    theirs = {key: value for key, value in options.items() if key != "dtype"}
    run_both(getattr(nn, kind)(*args, **options),
             getattr(torch.nn, kind)(*args, **theirs),
             rng.standard_normal(shape), training)


# PyTorch has no gradient of the one, and a float32 factor in the other.
@pytest.mark.parametrize("kind,function,args", [
    ("ChannelShuffle", nn.channel_shuffle, (2,)),
    ("Hardsigmoid", nn.hardsigmoid, ())])
def test_modules_are_functions(kind, function, args, rng):
    x = hk.input("x", [2, 6, 3])
    model = hk.compile([getattr(nn, kind)(*args)(x), function(x, *args)])
    y, expected = model.run({"x": rng.standard_normal(x.shape, "float32")})
    np.testing.assert_array_equal(y, expected)


PAIRS = {
    "BCELoss": ({"reduction": "sum"}, "probabilities"),
    "BCEWithLogitsLoss": ({}, "probabilities"),
    "CrossEntropyLoss": ({"label_smoothing": 0.1}, "classes"),
    "HuberLoss": ({"delta": 0.5}, "numbers"),
    "KLDivLoss": ({"reduction": "batchmean"}, "probabilities"),
    "L1Loss": ({}, "numbers"),
    "MSELoss": ({"reduction": "none"}, "numbers"),
    "NLLLoss": ({"ignore_index": 1}, "classes"),
    "SmoothL1Loss": ({"beta": 0.5}, "numbers"),
    "CosineSimilarity": ({"dim": 0}, "numbers"),
    "PairwiseDistance": ({"p": 1.0}, "numbers"),
}


@pytest.mark.parametrize("kind", PAIRS)
def test_modules_of_two_inputs_are_those_of_torch(kind, rng):
    torch = find_torch()
    options, other = PAIRS[kind]
    x = rng.random((4, 5))
    y = {"numbers": rng.standard_normal((4, 5)), "probabilities":
         rng.random((4, 5)), "classes": rng.integers(0, 5, 4)}[other]
    result = getattr(nn, kind)(**options)(hk.input("x", x.shape, "float64"),
                                          hk.input("y", y.shape, y.dtype))
    expected = getattr(torch.nn, kind)(**options)(torch.tensor(x),
                                                  torch.tensor(y))
    check(hk.compile(result).run({"x": x, "y": y}), expected)


def test_bilinear_is_that_of_torch(rng):
    torch = find_torch()
    x = rng.standard_normal((2, 4, 3))
    theirs = torch.nn.Bilinear(3, 3, 2).double()
    ours = nn.Bilinear(3, 3, 2, **D)
    ours.load_state_dict({name: value.detach().numpy().copy()
                          for name, value in theirs.state_dict().items()})
    nodes = [hk.input(name, [4, 3], "float64") for name in "ab"]
    expected = theirs(*map(torch.tensor, x)).detach()
    check(hk.compile(ours(*nodes)).run({"a": x[0], "b": x[1]}), expected)


@pytest.mark.parametrize("spatial", [1, 2, 3])
def test_dropout_of_channels(spatial):
    shape = [50, 20, 2, 3, 2][:2 + spatial]
    layer = getattr(nn, f"Dropout{spatial}d")(0.5)
    ones = np.ones(shape, "float32")
    model = hk.compile(layer(hk.input("x", shape)))
    result = model.run({"x": ones}).reshape(1000, -1)
    assert (result == result[:, :1]).all() and set(result[:, 0]) == {0, 2}
    assert 400 < (result[:, 0] == 0).sum() < 600
    use = layer(hk.input("x", shape), training=False)
    assert (hk.compile(use * 1.0).run({"x": ones}) == 1).all()


def test_embedding_is_that_of_torch(rng):
    torch = find_torch()
    run_both(nn.Embedding(7, 4, **D), torch.nn.Embedding(7, 4),
             rng.integers(0, 7, (3, 5)), True)
    for padding in (0, -2):
        run_both(nn.Embedding(7, 4, padding, **D),
                 torch.nn.Embedding(7, 4, padding),
                 rng.integers(0, 7, (3, 5)), True)


@pytest.mark.parametrize("masked", [False, True])
def test_attention_is_that_of_torch(masked, rng):
    torch = find_torch()
    theirs = torch.nn.MultiheadAttention(8, 2).double()
    ours = nn.MultiheadAttention(8, 2, **D)
    ours.load_state_dict({name: value.numpy().copy()
                          for name, value in theirs.state_dict().items()})
    q, k = rng.standard_normal((4, 3, 8)), rng.standard_normal((6, 3, 8))
    options = {}
    if masked:
        options = {"attn_mask": np.triu(np.ones((4, 6), bool), 3),
                   "key_padding_mask": rng.random((3, 6)) < 0.2}
        options["key_padding_mask"][:, 0] = False
    expected = theirs(*map(torch.tensor, (q, k, k)), **{
        name: torch.tensor(value) for name, value in options.items()})
    inputs = [hk.input(name, x.shape, "float64")
              for name, x in (("q", q), ("k", k))]
    model = hk.compile(ours(inputs[0], inputs[1], inputs[1], **options))
    for value, other in zip(model.run({"q": q, "k": k}), expected):
        check(value, other.detach())


def test_rms_norm(rng):
    x = rng.standard_normal((3, 8)).astype("float32")
    model = hk.compile(nn.RMSNorm(8, 1e-6)(hk.input("x", x.shape)))
    np.testing.assert_allclose(
        model.run({"x": x}), x / np.sqrt((x * x).mean(1, keepdims=True) + 1e-6),
        rtol=1e-5)


def test_defaults_and_limits_are_those_of_torch():
    torch = find_torch()
    for kind, args in (("Linear", (64, 400)), ("Conv2d", (8, 200, 3)),
                       ("LSTM", (16, 64)), ("Embedding", (500, 40)),
                       ("ConvTranspose2d", (8, 400, 3)), ("PReLU", ()),
                       ("Bilinear", (16, 8, 400))):
        theirs = getattr(torch.nn, kind)(*args).state_dict()
        ours = getattr(nn, kind)(*args).state_dict()
        assert set(ours) == set(theirs)
        for name, value in theirs.items():
            assert ours[name].shape == tuple(value.shape)
            np.testing.assert_allclose(ours[name].std(), value.numpy().std(),
                                       rtol=0.15)
            np.testing.assert_allclose(ours[name].mean(), value.numpy().mean(),
                                       atol=0.05)


class Tree(nn.Module):
    """Modules in lists, dictionaries and attributes; one of them twice."""

    def __init__(self):
        self.layers = [nn.Linear(2, 2), nn.Residual(nn.Linear(2, 2))]
        self.parts = {"a": nn.Linear(2, 2)}
        self.shared = self.layers[0]
        self.scale = nn.Parameter(np.ones(2))

    def forward(self, x):
        for layer in (*self.layers, self.parts["a"], self.shared):
            x = layer(x)
        return x * self.scale


def test_names_are_paths(tmp_path):
    nn.manual_seed(3)
    tree = Tree()
    names = ["layers.0.weight", "layers.0.bias", "layers.1.module.weight",
             "layers.1.module.bias", "parts.a.weight", "parts.a.bias", "scale"]
    assert [name for name, _ in tree.named_parameters()] == names
    model = hk.compile(tree(hk.input("x", [3, 2])))
    assert sorted(model.state) == sorted(names)
    nn.save_arrays(tmp_path / "tree.safetensors", tree.state_dict(model))
    nn.manual_seed(3)
    same = Tree().state_dict()
    for name, value in nn.load_arrays(tmp_path / "tree.safetensors").items():
        np.testing.assert_array_equal(same[name], value)
    other = Tree()
    other.load_state_dict(tmp_path / "tree.safetensors")
    x = np.ones([3, 2], "float32")
    result = hk.compile(other(hk.input("x", [3, 2]))).run({"x": x})
    np.testing.assert_array_equal(result, model.run({"x": x}))


class Tied(nn.Module):
    """A parameter of two layers, and ways back to what a module is in."""

    def __init__(self):
        self.embedding = nn.Embedding(5, 4)
        self.head = nn.Linear(4, 5, bias=False)
        self.head.weight = self.embedding.weight
        self.head.parent = self
        self.parts = [self]

    def forward(self, x):
        return self.head(self.embedding(x))


def test_shared_parameters_have_all_their_names():
    tied = Tied()
    names = {"embedding.weight", "head.weight"}
    assert [name for name, _ in tied.named_parameters()] == ["embedding.weight"]
    assert set(tied.state_dict()) == names
    model = hk.compile(tied(hk.input("x", [2], "int64")))
    assert list(model.state) == ["embedding.weight"]
    assert set(tied.state_dict(model)) == names
    values = np.random.default_rng(0).standard_normal((5, 4)).astype("float32")
    for given in ({name: values for name in names}, {"head.weight": values + 1},
                  {"embedding.weight": values + 2}):
        tied.load_state_dict(given, model=model)
        np.testing.assert_array_equal(tied.state_dict(model)["head.weight"],
                                      list(given.values())[0])
    for given, text in (({"head.weight": values, "embedding.weight": -values},
                         "embedding.weight: expected the array of head.weight"),
                        ({}, "missing: head.weight")):
        with pytest.raises(hk.HamKaasError, match=text):
            tied.load_state_dict(given)


def test_copies_have_parameters_of_their_own():
    nn.manual_seed(2)
    module = nn.Sequential(Tied(), nn.BatchNorm1d(5))
    x = hk.input("x", [3], "int64")
    module(x)
    before = module.state_dict()
    twin = copy.deepcopy(module)
    assert twin[0].head.weight is twin[0].embedding.weight
    assert twin[0].head.parent is twin[0]
    for name, value in twin.state_dict().items():
        np.testing.assert_array_equal(value, before[name])
    twin.load_state_dict({name: np.zeros_like(value)
                          for name, value in before.items()})
    for name, value in module.state_dict().items():
        np.testing.assert_array_equal(value, before[name])
    # The copy of a module that has names gets its own.
    twin.name_states("twin.")
    model = hk.compile({
        "step": hk.train_step(hk.mean((module(x) - twin(x)) ** 2),
                              hk.optim.SGD(0.1), states=module.parameters()),
    })
    assert len(model.state) == 2 * (len(before) - 1) + 1
    model.step.run({"x": np.int64([0, 1, 2])})
    assert (model.state["twin.0.embedding.weight"] == 0).all()
    assert (model.state["0.embedding.weight"] !=
            before["0.embedding.weight"]).any()
    assert isinstance(twin[1].running_mean, nn.Buffer)


def test_copies_of_dropout_draw_other_numbers():
    layer = nn.Dropout(0.5)
    for given in (layer, nn.Dropout(0.5, hk.random.Generator(3))):
        pair = nn.ModuleList([given, copy.deepcopy(given)])
        pair.forward = lambda x: [part(x) for part in pair]
        model = hk.compile(pair(hk.input("x", [100])))
        a, b = model.run({"x": np.ones(100, "float32")})
        assert (a != b).any()


def test_encoder_is_that_of_torch(rng):
    torch = find_torch()
    layers = [kind.TransformerEncoderLayer(8, 2, 12, 0.0, **options)
              for kind, options in ((nn, D), (torch.nn, {}))]
    run_both(nn.TransformerEncoder(layers[0], 2, nn.LayerNorm(8, **D)),
             torch.nn.TransformerEncoder(layers[1], 2, torch.nn.LayerNorm(8)),
             rng.standard_normal((5, 3, 8)), True)
    with pytest.raises(hk.HamKaasError, match="at least 1, got 0"):
        nn.TransformerEncoder(layers[0], 0)


@pytest.mark.parametrize("norm_first", [False, True])
def test_decoder_is_that_of_torch(norm_first, rng):
    torch = find_torch()
    layer = torch.nn.TransformerDecoderLayer(8, 2, 12, 0.0,
                                             norm_first=norm_first)
    theirs = torch.nn.TransformerDecoder(layer, 2,
                                         torch.nn.LayerNorm(8)).double()
    ours = nn.TransformerDecoder(nn.TransformerDecoderLayer(
        8, 2, 12, 0.0, norm_first=norm_first, **D), 2, nn.LayerNorm(8, **D))
    ours.load_state_dict({name: value.numpy().copy()
                          for name, value in theirs.state_dict().items()})
    x, memory = rng.standard_normal((4, 3, 8)), rng.standard_normal((6, 3, 8))
    padding = rng.random((3, 6)) < 0.3
    padding[:, 0] = False
    mask = np.triu(np.ones((4, 4), bool), 1)
    nodes = [hk.input("x", x.shape, "float64"),
             hk.input("memory", memory.shape, "float64")]
    y = ours(*nodes, tgt_mask=mask, memory_key_padding_mask=padding)
    causal = ours(*nodes, memory_key_padding_mask=padding, tgt_is_causal=True)
    seed = rng.standard_normal(x.shape)
    model = hk.compile([y, causal, *hk.gradient(
        y, nodes + ours.parameters(), seed=seed)])
    given = [torch.tensor(value, requires_grad=True) for value in (x, memory)]
    expected = theirs(*given, tgt_mask=torch.tensor(mask),
                      memory_key_padding_mask=torch.tensor(padding))
    expected.backward(torch.tensor(seed))
    got, got_causal, *slopes = model.run({"x": x, "memory": memory})
    for value in (got, got_causal):
        check(value, expected.detach())
    for value, tensor in zip(slopes, given + list(theirs.parameters())):
        check(value, tensor.grad)


def test_models_without_the_module_are_errors():
    layer = nn.Linear(2, 2)
    model = hk.compile(nn.Linear(2, 2).name_states("other.")(
        hk.input("x", [1, 2])))
    layer.name_states()
    for call in (lambda: layer.state_dict(model),
                 lambda: layer.load_state_dict(layer.state_dict(),
                                               model=model)):
        with pytest.raises(hk.HamKaasError, match="expected a model with states"
                           " of this module"):
            call()
    assert nn.ReLU().state_dict(model) == {}


def test_contents_of_other_modules_are_errors(tmp_path):
    layer = nn.Linear(2, 3)
    before = layer.state_dict()
    with pytest.raises(hk.HamKaasError) as error:
        layer.load_state_dict({"weight": np.zeros([2, 3]), "more": np.ones(1)})
    for text in ("missing: bias", "unexpected: more",
                 "weight: expected [3, 2], got [2, 3]"):
        assert text in str(error.value)
    layer.load_state_dict({"bias": np.ones(3), "more": 1}, strict=False)
    np.testing.assert_array_equal(layer.state_dict()["weight"],
                                  before["weight"])
    assert layer.state_dict()["bias"].tolist() == [1, 1, 1]
    for content in (b"", b"12345678", (9).to_bytes(8, "little") + b"no json..",
                    (2).to_bytes(8, "little") + b"[]"):
        path = tmp_path / "broken.safetensors"
        path.write_bytes(content)
        with pytest.raises(hk.HamKaasError, match="expected a safetensors"):
            layer.load_state_dict(path)
    with pytest.raises(hk.HamKaasError, match="none.safetensors: expected a "
                       "safetensors file, got an error: No such file"):
        layer.load_state_dict(tmp_path / "none.safetensors")


def test_modes_decide(rng):
    """Dropout draws anew in training alone; the compiled model is loaded."""
    model = nn.Sequential(nn.Linear(4, 50), nn.Dropout(0.5))
    x = hk.input("x", [2, 4])
    compiled = hk.compile({"train": hk.function(model(x)),
                           "use": hk.function(model(x, training=False))})
    batch = {"x": rng.standard_normal((2, 4)).astype("float32")}
    assert model.training and model[1].training
    drawn = [compiled.train.run(batch) for _ in range(2)]
    assert (drawn[0] == 0).any() and (drawn[0] != drawn[1]).any()
    assert (compiled.use.run(batch) != 0).all()
    assert not model.eval()[1].training
    zeros = {name: np.zeros_like(value)
             for name, value in model.state_dict().items()}
    model.load_state_dict(zeros, model=compiled)
    assert (compiled.use.run(batch) == 0).all()


def test_two_modules_of_one_program():
    parts = [nn.Linear(2, 2).name_states(f"{name}.") for name in ("a", "b")]
    x = hk.input("x", [1, 2])
    model = hk.compile(parts[1](parts[0](x)))
    assert sorted(model.state) == ["a.bias", "a.weight", "b.bias", "b.weight"]


def test_layers_with_equal_names():
    x = hk.input("x", [2, 3])
    first, second = nn.Linear(3, 4), nn.Linear(4, 2)
    with pytest.raises(hk.HamKaasError, match=(
            r"^[^\n]*test_modules.py:\d+: error: expected states of different "
            "names, got two called 'weight'; put the layers into one nn.Module "
            r"or nn.Sequential, or call layer.name_states\('first.'\) before "
            r"it is called\n[^\n]*test_modules.py:\d+: note: named here$")):
        hk.compile(second(nn.relu(first(x))))
    first, second = nn.Linear(3, 4).name_states("first."), nn.Linear(4, 2)
    assert "first.weight" in hk.compile(second(nn.relu(first(x)))).state
    with pytest.raises(hk.HamKaasError, match="got two called 's'\n"):
        hk.compile(hk.state([1], "s") + hk.state([1], "s"))


def test_training_with_all_layers(rng):
    """The loss falls, and running averages follow the batches."""
    model = nn.Sequential(
        nn.Conv2d(1, 4, 3), nn.BatchNorm2d(4), nn.ReLU(), nn.MaxPool2d(2),
        nn.Flatten(), nn.Dropout(0.1), nn.Linear(36, 3))
    x, labels = hk.input("x", [6, 1, 8, 8]), hk.input("labels", [6], "int64")
    loss = nn.cross_entropy(model(x), labels)
    compiled = hk.compile({
        "step": hk.train_step(loss, hk.optim.Adam(0.01)),
        "use": hk.function(hk.argmax(model(x, training=False), axis=1))})
    batch = {"x": rng.standard_normal((6, 1, 8, 8)).astype("float32"),
             "labels": np.arange(6) % 3}
    losses = [float(compiled.step.run(batch)["loss"]) for _ in range(60)]
    assert losses[-1] < 0.2 * losses[0]
    assert compiled.state["1.num_batches_tracked"] == 60
    assert compiled.use.run({"x": batch["x"]}).tolist() == [0, 1, 2, 0, 1, 2]


def test_mistakes():
    x = hk.input("x", [2, 4])
    for make, text in (
            (lambda: nn.BatchNorm2d(4)(x), "4 dimensions"),
            (lambda: nn.BatchNorm1d(4)(hk.input("y", [1, 4])), "more than one"),
            (lambda: nn.BatchNorm1d(5)(x), r"'BatchNorm1d': expected 5 "
             r"channels, dimension 1, got \[2, 4\]"),
            (lambda: nn.InstanceNorm1d(4)(x), "3 dimensions"),
            (lambda: nn.InstanceNorm1d(4)(hk.input("y", [1, 3, 2])),
             "expected 4 channels"),
            (lambda: nn.Dropout(1.5), "'Dropout': expected 'p' from 0 to 1"),
            (lambda: nn.Dropout2d("a"), "'Dropout2d': expected 'p'"),
            (lambda: nn.ZeroPad2d((1, 2)), "one number or 4, got"),
            (lambda: nn.ZeroPad2d(1)(x), "3 or 4 dimensions"),
            (lambda: nn.Flatten(2)(x), "'start_dim' from -2 to 1, got 2"),
            (lambda: nn.Unflatten(1, (3, -1))(x), "whose product is 4"),
            (lambda: nn.Unflatten(2, (2, 2))(x), "'dim' from -2 to 1"),
            (lambda: nn.ConvTranspose2d(3, 4, 3, groups=2),
             "that groups divides"),
            (lambda: nn.LSTM(4, 3)(x), "3 dimensions"),
            (lambda: nn.Conv2d(3, 4, 3, groups=2), "that groups divides"),
            (lambda: nn.MultiheadAttention(8, 3), "heads that divide"),
            (lambda: nn.RNN(2, 2, nonlinearity="cos"), "'tanh' and 'relu'"),
            (lambda: nn.Linear(5, 2)(x), r"Linear\(5, 2\): expected 5 features "
             r"in the last dimension, got 4 \(shape \[2, 4\]\)"),
            (lambda: nn.Conv2d(3, 16, 3)(hk.input("y", [8, 32, 32, 3])),
             r"Conv2d\(3, 16\): expected 3 channels in dimension 1, got 32 "
             r"\(shape \[8, 32, 32, 3\]\); images are \[N, C, H, W\]"),
            (lambda: nn.Conv2d(3, 16, 3)(hk.input("y", [32, 32, 3])),
             r"3 channels in dimension 0, got 32 .* images are \[C, H, W\]"),
            (lambda: nn.Conv1d(4, 6, 3, groups=2)(hk.input("y", [2, 9, 4])),
             r"Conv1d\(4, 6\): expected 4 channels in dimension 1, got 9 .* "
             r"sequences are \[N, C, L\]"),
            (lambda: nn.ConvTranspose3d(4, 6, 3, groups=2)(
                hk.input("y", [1, 5, 5, 5, 4])),
             r"ConvTranspose3d\(4, 6\): expected 4 channels in dimension 1, "
             r"got 5 .* volumes are \[N, C, D, H, W\]")):
        with pytest.raises(hk.HamKaasError, match=text):
            make()
    with pytest.raises(TypeError, match="'Sequential': expected modules or "
                       "functions as arguments, got list$"):
        nn.Sequential([nn.Linear(3, 2)])
