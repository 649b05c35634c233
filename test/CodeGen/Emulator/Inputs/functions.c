// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <immintrin.h>
#include <stdlib.h>
#include <string.h>

long digits(long a, long b, long c, long d, long e, long f, long g, long h) {
  return a +
         10 * (b +
               10 * (c + 10 * (d + 10 * (e + 10 * (f + 10 * (g + 10 * h))))));
}

__attribute__((target("avx512f"))) void multiply_add(const float *x,
                                                     const float *y, float *z) {
  _mm512_storeu_ps(z, _mm512_fmadd_ps(_mm512_loadu_ps(x), _mm512_loadu_ps(y),
                                      _mm512_loadu_ps(z)));
}

__attribute__((target("avx512vnni"))) void dot512(const void *x, const void *y,
                                                  void *z) {
  _mm512_storeu_si512(z, _mm512_dpbusd_epi32(_mm512_loadu_si512(z),
                                             _mm512_loadu_si512(x),
                                             _mm512_loadu_si512(y)));
}

__attribute__((target("avxvnni"))) void
dot256(const __m256i_u *x, const __m256i_u *y, __m256i_u *z) {
  *z = _mm256_dpbusd_avx_epi32(*z, *x, *y);
}

// Calls other libraries, which run natively.
long length_of_copy(const char *text) {
  char *copy = malloc(strlen(text) + 1);
  strcpy(copy, text);
  long length = (long)strlen(copy);
  free(copy);
  return length;
}

void write_to(int *address) { *address = 1; }

void trap(void) { __builtin_trap(); }

#define PRODUCT(NAME)                                                          \
  __attribute__((target("amx-int8"))) void NAME(                               \
      const void *configuration, const void *a, long aStride, const void *b,   \
      long bStride, void *c, long cStride) {                                   \
    _tile_loadconfig(configuration);                                           \
    _tile_loadd(1, a, aStride);                                                \
    _tile_stream_loadd(7, b, bStride);                                         \
    _tile_loadd(0, c, cStride);                                                \
    _tile_##NAME(0, 1, 7);                                                     \
    _tile_stored(0, c, cStride);                                               \
    _tile_release();                                                           \
  }

PRODUCT(dpbssd)
PRODUCT(dpbsud)
PRODUCT(dpbusd)
PRODUCT(dpbuud)

__attribute__((target("amx-tile"))) void zero(const void *configuration,
                                              void *c, long stride) {
  _tile_loadconfig(configuration);
  _tile_loadd(0, c, stride);
  _tile_zero(0);
  _tile_stored(0, c, stride);
  _tile_release();
}

__attribute__((target("amx-tile"))) void copy_configuration(const void *from,
                                                            void *to) {
  _tile_loadconfig(from);
  _tile_storeconfig(to);
}

// The load has a displacement and a base and an index of r8 to r15.
__attribute__((target("amx-tile"))) void
copy_tile(const void *configuration, const void *from, void *to, long stride) {
  _tile_loadconfig(configuration);
  __asm__ volatile("mov %0, %%r9\n\tmov %2, %%r12\n\t"
                   "tileloadd 1000(%%r9,%%r12,2), %%tmm3\n\t"
                   "tilestored %%tmm3, -4(%1,%2)"
                   :
                   : "r"((const char *)from - 1000), "r"((char *)to + 4),
                     "r"(stride)
                   : "r9", "r12", "memory");
}

__attribute__((target("amx-tile"))) void release_and_zero(const void *from) {
  _tile_loadconfig(from);
  _tile_release();
  _tile_zero(0);
}
