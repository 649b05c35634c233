# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loads argv[1], a library whose weights are others, with and without a check."""
import sys

import hamkaas as hk

for verify in (None, True):
    try:
        hk.load(sys.argv[1], verify=verify)
    except hk.HamKaasError as error:
        assert "expected a file of weights of" in str(error), error
    else:
        sys.exit(f"verify={verify}: expected an error")
hk.load(sys.argv[1], verify=False)
