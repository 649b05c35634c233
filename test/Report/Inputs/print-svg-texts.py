# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints the texts of an SVG file, a line each; fails if it is not well-formed."""

import sys
import xml.etree.ElementTree as ElementTree

root = ElementTree.parse(sys.argv[1]).getroot()
assert root.tag == "{http://www.w3.org/2000/svg}svg", root.tag
for element in root.iter():
    if element.tag.endswith(("}text", "}title")):
        print(element.text)
