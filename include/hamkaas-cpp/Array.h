//===- Array.h - Arrays and deferred expressions ----------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Arrays whose operations are compiled when their result is assigned:
//
//   hamkaas::Array<float> y;
//   y.device(hamkaas::cpu()) = (clamp(a, lo, hi) - lo) * scale + 0.5f;
//
// is one kernel without temporaries. An operation only makes an expression; the
// assignment compiles it, as one program, and runs that on the arrays' own
// memory. C++17, header only, over hamkaas-c/Graph.h.
//
// Programs: an expression is compiled once for its type, shapes, strides and
// device. Numbers are inputs of the program, so that other numbers need no
// other program. From the second time on, an assignment allocates nothing. The
// 65th program of one expression is an error (see setMaxPrograms).
//
// Values: an Array owns its elements, and its copy has other ones. A View, such
// as array.slice({...}), shares them, as in numpy, and is written to by an
// assignment; as with a pointer, const is the view and not the elements.
// Functions of the same names (reshape, permute, ...) take any expression, and
// view nothing.
//
// Aliases: operands may be the target, or views of it; all are read before
// anything is written. In place where each element depends on the elements at
// its own position alone; otherwise through memory that the program keeps. So
// is a target that is not contiguous.
//
// Types: all operands of an operation have one element type, to which numbers
// are converted; cast<T>(x) converts arrays. There are no empty arrays.
//
// Errors: assignments return a Result, or throw with HAMKAAS_EXCEPTIONS (see
// HamKaas.h); messages begin with the file and line of the assignment, but
// those of `<<` and of conditions, which are operators, have none. Without
// exceptions, a view that cannot be made has a problem(), which is the error of
// what is computed with it.
//
// Threads: different threads may compute with the same arrays if none of them
// writes them, and may compute the same expression at the same time.
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_CPP_ARRAY_H
#define HAMKAAS_CPP_ARRAY_H

#include "hamkaas-cpp/Array/Operations.h"
#include "hamkaas-cpp/Array/Print.h"

#endif // HAMKAAS_CPP_ARRAY_H
