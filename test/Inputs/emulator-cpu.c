// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loaded before the extension module of bochscpu-python, whose symbols it
// replaces: the CPU model, which the package does not let one choose, and
// functions of glibc 2.38, for systems with an older one.

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

// Creates the identity (CPUID) of the CPU; set by emulator.py.
void *(*create_identity)(void *cpu);

// Cannon Lake, the model of the package: it lacks AVX512-VNNI and AVX-VNNI.
void *_Z23create_corei3_cnl_cpuidP8BX_CPU_C(void *cpu) {
  return create_identity(cpu);
}

unsigned long long __isoc23_strtoull(const char *text, char **end, int base) {
  return strtoull(text, end, base);
}

int __isoc23_sscanf(const char *text, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  int count = vsscanf(text, format, arguments);
  va_end(arguments);
  return count;
}
