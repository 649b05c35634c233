//===- Variant.h - How a file uses the interface ----------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_CPP_VARIANT_H
#define HAMKAAS_CPP_VARIANT_H

// Files of one program may be compiled in different ways; then what is declared
// here differs, and so must its names.
#if __cplusplus >= 202002L && defined(HAMKAAS_EXCEPTIONS)
#define HAMKAAS_CPP_VARIANT throwing20
#elif __cplusplus >= 202002L
#define HAMKAAS_CPP_VARIANT results20
#elif defined(HAMKAAS_EXCEPTIONS)
#define HAMKAAS_CPP_VARIANT throwing17
#else
#define HAMKAAS_CPP_VARIANT results17
#endif

#endif // HAMKAAS_CPP_VARIANT_H
