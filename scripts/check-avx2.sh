#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Runs the tests of build/ as on a machine without AVX-512: scripts/check-avx2.sh
# [options of lit]. The tools run in QEMU's emulation of a Haswell processor
# (Debian: qemu-user), a few times slower.
set -eu
cd "$(dirname "$0")/.."
build=$PWD/build
emulated=$build/avx2
qemu=$(command -v qemu-x86_64)
# Without what QEMU does not emulate; no program asks for it.
cpu=Haswell,-pcid,-x2apic,-tsc-deadline,-hle,-invpcid,-rtm

rm -rf "$emulated"
mkdir -p "$emulated/bin" "$emulated/test"
for part in docs include lib python; do
  ln -s "$build/$part" "$emulated/$part"
done
ln -s "$build/test/unit" "$emulated/test/unit"
for tool in "$build"/bin/*; do
  name=$emulated/bin/${tool##*/}
  printf '#!/bin/sh\nexec %s -cpu %s %s "$@"\n' "$qemu" "$cpu" "$tool" \
    >"$name"
  chmod +x "$name"
done
sed "s|^config.hamkaas_binary_dir = .*|config.hamkaas_binary_dir = '$emulated'|" \
  "$build/test/lit.site.cfg.py" >"$emulated/test/lit.site.cfg.py"
"$(sed -n 's/^config.llvm_tools_dir = "\(.*\)"/\1/p' "$build/test/lit.site.cfg.py")/lit" \
  -v "$@" "$emulated/test"
