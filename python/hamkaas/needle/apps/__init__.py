# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Networks of the course, and how they are trained."""
