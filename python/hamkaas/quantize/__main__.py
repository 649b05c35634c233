# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The program hamkaas-quantize."""

from .command import main

if __name__ == "__main__":
    main()
