//===- Commands.h - What the driver program can do ----------------*- C -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_BENCHMARKS_CUDA_COMMANDS_H
#define HAMKAAS_BENCHMARKS_CUDA_COMMANDS_H

/// The command line.
typedef struct Options {
  const char *device;   /* "cpu", or "cuda" and perhaps ":" and a number */
  const char *only;     /* null, or the cases to run, separated by commas */
  const char *after;    /* null, or the case behind which to begin */
  unsigned caseSeconds; /* after which a case ends the process; 0 for never */
  double seconds;       /* to measure a model for, at least */
  double tolerance; /* of a model's outputs, compared with the processor's */
  const char *reference; /* null, or the model that these are computed by */
  int alternates;        /* whether outputs go to two places by turns */
  int listsCalls;        /* whether the time of each call is printed */
  const char *integers;  /* null, or the file of what is not random */
} Options;

/// Each returns the status of the program: 0, 1 if something is wrong, 2 if
/// there is no GPU, or this, if only a new process can use it again.
enum { StatusLost = 3 };

/// Runs the cases that `folder/cases.txt` lists. A line has the name of a case,
/// the number of runs, and the tolerance. The case is `name.so`, its inputs one
/// after the other in `name.in`, and either its outputs in `name.out` or a part
/// of its error in `name.error`. Two words more, `REFERENCE random` or
/// `REFERENCE positive`, are in place of these files: the processor computes
/// the outputs by `REFERENCE.so` from floats that are random.
int runConformance(const char *folder, const Options *options);

/// Measures a model with random floats, and compares its outputs with those of
/// the processor. Prints a line of JSON. `kernels_us` there is the time of the
/// calls of a run by events of the GPU, from which `empty_kernel_us`, the
/// interval of events around an empty kernel, is subtracted for each. All else
/// is 0, or what `options->integers` has: the parameters that are not floats,
/// one after the other, then the inputs.
int runTiming(const char *model, const Options *options);

/// Prints a line for each kernel of a model, the one that takes longest first.
/// Times are those between events, which on a GPU add some microseconds.
int printProfile(const char *model, const Options *options);

/// Runs a model without states for `options->seconds`, and compares all bits of
/// its outputs with those of one run of `options->reference` on the same
/// device: what depends on the order of the GPU's work differs now and then.
/// Prints a line of JSON.
int runAgreement(const char *model, const Options *options);

/// Prints a line for each tensor of a model: `parameter`, `input` or `output`,
/// then `floats` or `integers`, then the name.
int printInterface(const char *model);

/// Prints the GPU, or what it copies and computes in a second, as a line of
/// JSON.
int printGpu(const Options *options);
int printCeilings(const Options *options);

/// Runs a model where the GPU has no memory left, and where another user of its
/// context has lost it. Prints `passed` or `FAILED`, and the error, of each
/// step.
int checkFailures(const char *model, const Options *options);

/// Prints times of what models could do otherwise: a line of JSON for each.
int printQuestions(const Options *options);

#endif
