# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints PTX that keeps more values than there are registers."""

COUNT = 300

print(f""".version 8.0
.target sm_80
.address_size 64
.visible .entry spill(.param .u64 data)
{{
  .reg .b64 %rd<2>;
  .reg .f32 %f<{COUNT}>;
  ld.param.u64 %rd1, [data];""")
for i in range(COUNT):
    print(f"  ld.volatile.global.f32 %f{i}, [%rd1+{4 * i}];")
for i in range(COUNT):
    print(f"  st.volatile.global.f32 [%rd1+{4 * i}], %f{COUNT - 1 - i};")
print("  ret;\n}")
