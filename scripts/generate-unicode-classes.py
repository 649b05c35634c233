#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Write lib/Tokenizer/UnicodeClasses.inc: letters, numbers and white space.

The general categories are those of unicodedata2 where it is installed, else of
Python's unicodedata. The committed file has Unicode 16.0, as the regular
expressions of the package tokenizers 0.23 have:

  pip install unicodedata2==16.0.0
  scripts/generate-unicode-classes.py > lib/Tokenizer/UnicodeClasses.inc
"""

import sys

try:
    import unicodedata2 as unicodedata
except ImportError:
    import unicodedata

# The property White_Space, which unicodedata lacks.
SPACES = {*range(0x09, 0x0E), 0x20, 0x85, 0xA0, 0x1680, *range(0x2000, 0x200B),
          0x2028, 0x2029, 0x202F, 0x205F, 0x3000}


def classify(code):
    """Return the name of the class of a code point."""
    if code in SPACES:
        return "Space"
    return {"L": "Letter", "N": "Number"}.get(
        unicodedata.category(chr(code))[0], "Other")


def main():
    if len(sys.argv) != 1:
        sys.exit("usage: generate-unicode-classes.py > UnicodeClasses.inc")
    print("// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception")
    print(f"// Unicode {unicodedata.unidata_version}, by "
          "scripts/generate-unicode-classes.py: where each class begins.")
    previous = None
    for code in range(sys.maxunicode + 1):
        found = classify(code)
        if found != previous:
            print(f"{{0x{code:X}, UnicodeClass::{found}}},")
        previous = found


main()
