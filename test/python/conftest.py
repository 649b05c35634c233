"""What the tests share."""

import hypothesis
import numpy as np
import pytest

# Compiling takes the time; the same examples in each run.
hypothesis.settings.register_profile("hamkaas", deadline=None, derandomize=True,
                                     max_examples=25)
hypothesis.settings.load_profile("hamkaas")


@pytest.fixture
def rng():
    return np.random.default_rng(20260101)
