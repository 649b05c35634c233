# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random expressions of arrays against numpy, a few of random_arrays.py."""

import pytest

from random_arrays import grow


@pytest.mark.filterwarnings("ignore::hamkaas.array.RecompilationWarning")
@pytest.mark.parametrize("seed", range(30))
def test_random_arrays(seed):
    grow(seed).check()
