# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Libraries that take arrays of any namespace of the standard.

Those that are not installed are skipped, with the name of the package.
"""

import os
import subprocess
import sys

import numpy as np
import pytest

import hamkaas.array as xp

A = np.random.default_rng(3).standard_normal((12, 4)).astype("float32")
CLASSES = (A[:, 0] > 0).astype("int64")
GUESSES = (A[:, 1] > 0).astype("int64")


def agree(result, expected):
    np.testing.assert_allclose(np.asarray(result), expected, rtol=1e-3,
                               atol=1e-5)


def test_einops():
    einops = pytest.importorskip("einops.array_api", reason="needs einops")
    x = xp.asarray(A.reshape(2, 6, 4))
    moved = einops.rearrange(x, "b (h w) c -> (b c) h w", h=2)
    assert isinstance(moved, xp.Array)
    agree(moved, A.reshape(2, 2, 3, 4).transpose(0, 3, 1, 2).reshape(8, 2, 3))
    agree(einops.reduce(x, "b h c -> c b", "max"),
          A.reshape(2, 6, 4).max(1).T)
    agree(einops.repeat(x[0], "h c -> (h 2) c"), A[:6].repeat(2, axis=0))


def test_compat():
    compat = pytest.importorskip("array_api_compat",
                                 reason="needs array-api-compat")
    x = xp.ones((2, 3))
    assert compat.is_array_api_obj(x)
    assert compat.array_namespace(x, x) is xp
    assert compat.size(x) == 6 and compat.device(x) == "cpu"


def test_strict_names():
    strict = pytest.importorskip("array_api_strict",
                                 reason="needs array-api-strict")
    missing = {name for name in strict.__all__ if not hasattr(xp, name)}
    assert {name for name in missing if "strict" not in name.lower()} <= {
        "Device", "__version__", "complex64", "complex128", "fft"}
    strict_linalg = pytest.importorskip("array_api_strict.linalg")
    assert set(strict_linalg.__all__) == set(xp.linalg.__all__)


@pytest.fixture
def sklearn():
    sklearn = pytest.importorskip("sklearn", reason="needs scikit-learn")
    pytest.importorskip("array_api_compat", reason="needs array-api-compat")
    if not os.environ.get("SCIPY_ARRAY_API"):
        pytest.skip("needs SCIPY_ARRAY_API=1, see test_in_another_process")
    with sklearn.config_context(array_api_dispatch=True):
        yield sklearn


def test_sklearn_metrics(sklearn):
    from sklearn import config_context, metrics
    x, classes, guesses = map(xp.asarray, (A, CLASSES, GUESSES))
    for name, ours, theirs in [
            ("accuracy_score", (classes, guesses), (CLASSES, GUESSES)),
            ("f1_score", (classes, guesses), (CLASSES, GUESSES)),
            ("confusion_matrix", (classes, guesses), (CLASSES, GUESSES)),
            ("r2_score", (x[:, 0], x[:, 1]), (A[:, 0], A[:, 1])),
            ("mean_squared_error", (x, x * 2), (A, A * 2)),
            ("mean_absolute_error", (x, x * 2), (A, A * 2))]:
        function = getattr(metrics, name)
        with config_context(array_api_dispatch=False):
            expected = function(*theirs)
        agree(function(*ours), expected)
    for name in ("euclidean_distances", "cosine_similarity", "rbf_kernel"):
        function = getattr(metrics.pairwise, name)
        result = function(x, x)
        assert isinstance(result, xp.Array)
        with config_context(array_api_dispatch=False):
            agree(result, function(A, A))


@pytest.mark.parametrize("name", [
    "MinMaxScaler", "StandardScaler", "MaxAbsScaler", "Normalizer",
    "PolynomialFeatures"])
def test_sklearn_transformers(sklearn, name):
    from sklearn import config_context, preprocessing
    make = getattr(preprocessing, name)
    result = make().fit_transform(xp.asarray(A))
    assert isinstance(result, xp.Array)
    with config_context(array_api_dispatch=False):
        agree(result, make().fit_transform(A))


def test_sklearn_classifier(sklearn):
    from sklearn import config_context
    from sklearn.naive_bayes import GaussianNB
    x, classes = xp.asarray(A), xp.asarray(CLASSES)
    result = GaussianNB().fit(x, classes).predict_proba(x)
    assert isinstance(result, xp.Array)
    with config_context(array_api_dispatch=False):
        agree(result, GaussianNB().fit(A, CLASSES).predict_proba(A))


def test_sklearn_regression(sklearn):
    from sklearn import config_context
    from sklearn.linear_model import Ridge
    x, y = xp.asarray(A), xp.asarray(A[:, 0] * 2 + A[:, 1])
    result = Ridge(solver="svd").fit(x, y).predict(x)
    assert isinstance(result, xp.Array)
    with config_context(array_api_dispatch=False):
        agree(result, Ridge(solver="svd").fit(A, y.numpy()).predict(A))


def test_sklearn_decomposition(sklearn):
    from sklearn import config_context
    from sklearn.decomposition import PCA
    result = PCA(2, svd_solver="full").fit_transform(xp.asarray(A))
    assert isinstance(result, xp.Array)
    with config_context(array_api_dispatch=False):
        agree(result, PCA(2, svd_solver="full").fit_transform(A))


@pytest.fixture
def scipy():
    scipy = pytest.importorskip("scipy", "1.15", reason="needs scipy 1.15")
    if not os.environ.get("SCIPY_ARRAY_API"):
        pytest.skip("needs SCIPY_ARRAY_API=1, see test_in_another_process")
    return scipy


def test_scipy(scipy):
    import scipy.cluster
    import scipy.special
    import scipy.stats
    for function, options in [
            (scipy.special.expit, {}), (scipy.special.softmax, {"axis": 1}),
            (scipy.special.logsumexp, {"axis": 0}),
            (scipy.stats.zscore, {"axis": 1}), (scipy.stats.skew, {}),
            (scipy.stats.kurtosis, {}), (scipy.cluster.vq.whiten, {})]:
        result = function(xp.asarray(A), **options)
        assert isinstance(result, xp.Array), function
        agree(result, function(A, **options))
    ours = scipy.stats.pearsonr(xp.asarray(A[:, 0]), xp.asarray(A[:, 1]))
    theirs = scipy.stats.pearsonr(A[:, 0], A[:, 1])
    assert isinstance(ours.statistic, xp.Array)
    agree(ours.statistic, theirs.statistic)
    agree(ours.pvalue, theirs.pvalue)


def test_in_another_process():
    """SciPy reads its variable when it is imported."""
    pytest.importorskip("scipy", reason="needs scipy")
    if os.environ.get("SCIPY_ARRAY_API"):
        return
    result = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", __file__],
        env={**os.environ, "SCIPY_ARRAY_API": "1"}, capture_output=True,
        text=True)
    assert result.returncode == 0, result.stdout
