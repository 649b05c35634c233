//===- Graph.h - Graphs, built operation by operation -------------*- C -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Builds a graph by calls and compiles it, with every operation of the dialect
// and every composition of several (docs/reference). Functions of
// libhamkaas.so. Plain C99.
//
// Errors, texts, structures and threads are as in hamkaas-c/Compiler.h. Types
// are inferred at once: a call that is wrong fails itself, changes nothing, and
// its message begins with the position that the caller gives:
// "net.c:12: error: 'conv': expected the operand 'w' to be ..., got ...". Calls
// on one graph from several threads wait for each other.
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_C_GRAPH_H
#define HAMKAAS_C_GRAPH_H

#include "hamkaas-c/Compiler.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A graph: inputs, parameters, states, operations and outputs.
typedef struct HamKaasGraph HamKaasGraph;

/// A tensor of a graph: a number that no other graph has. 0 is none.
typedef uint64_t HamKaasValue;

/// On success `*graph` is owned by the caller, who frees it with
/// HamKaasGraphDestroy.
HAMKAAS_API HamKaasError HamKaasGraphCreate(HamKaasGraph **graph /* out */);

/// Does nothing on null. Models compiled from the graph stay valid.
HAMKAAS_API HamKaasError HamKaasGraphDestroy(HamKaasGraph *graph);

/// Begins the entry function `name`: the inputs, operations, stores and outputs
/// that follow belong to it. The function before must have its outputs. All
/// functions use the parameters and states of the graph; other values belong to
/// the function that they were added in. Without this call, a graph has one
/// function, "main". Parameters and states may be added before the first one.
HAMKAAS_API HamKaasError HamKaasGraphBeginFunction(HamKaasGraph *graph,
                                                   const char *name);

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

/// A tensor from outside a graph.
typedef struct HamKaasGraphTensor {
  size_t structSize;
  /// Null for a constant; otherwise inputs have names of their own, and so have
  /// parameters and states.
  const char *name;
  int32_t elementType;  /* a HamKaasElementType */
  int32_t rank;         /* at most 8 */
  const int64_t *shape; /* of `rank` entries, each at least 1 */
  /// The elements of a parameter, state or constant, dense and row-major,
  /// `bytes` long; otherwise null.
  const void *data;
  uint64_t bytes;
  /// Where the caller adds it, for messages and reports. Null for no position.
  const char *file;
  int64_t line; /* from 1 */
} HamKaasGraphTensor;

/// An argument of each run; inputs are in the order of these calls.
HAMKAAS_API HamKaasError HamKaasGraphAddInput(HamKaasGraph *graph,
                                              const HamKaasGraphTensor *tensor,
                                              HamKaasValue *value /* out */);

/// A tensor that is constant while a program is loaded, such as weights. `data`
/// is not copied: the caller owns it and keeps it unchanged while the graph,
/// models compiled from it, or their instances exist. It is null if the caller
/// of HamKaasInstanceCreate provides it. Either all parameters of a graph have
/// data, or none has.
HAMKAAS_API HamKaasError
HamKaasGraphAddParameter(HamKaasGraph *graph, const HamKaasGraphTensor *tensor,
                         HamKaasValue *value /* out */);

/// A tensor that lasts from run to run. `value` is its contents at the
/// beginning of a run; see HamKaasGraphStoreState. `data` is what it holds at
/// first: all elements, or one that is repeated; zero if null. Up to 65536
/// elements are copied. More are not, and count as a parameter's data: the
/// caller keeps them, and all parameters need data too. With `bytes` of all
/// elements and null `data`, it is a parameter without data in the same way:
/// HamKaasInstanceCreate is given its first contents.
HAMKAAS_API HamKaasError HamKaasGraphAddState(HamKaasGraph *graph,
                                              const HamKaasGraphTensor *tensor,
                                              HamKaasValue *value /* out */);

/// A tensor that is part of the program. `data` is copied; it has all elements,
/// at most 65536, or one element that is repeated.
HAMKAAS_API HamKaasError
HamKaasGraphAddConstant(HamKaasGraph *graph, const HamKaasGraphTensor *tensor,
                        HamKaasValue *value /* out */);

/// Stores `value` into `state`, a value of HamKaasGraphAddState with the same
/// type, at the end of a run. At most one store for each state in a function; a
/// state without one keeps its contents. `position` may be null.
HAMKAAS_API HamKaasError
HamKaasGraphStoreState(HamKaasGraph *graph, HamKaasValue state,
                       HamKaasValue value, const HamKaasSourceLine *position);

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

/// The field of a HamKaasAttribute that has its value.
typedef enum HamKaasAttributeKind {
  HamKaasIntegerAttribute = 0,  /* `integer`; 0 or 1 for a flag */
  HamKaasRealAttribute = 1,     /* `real` */
  HamKaasIntegersAttribute = 2, /* `integers`, of `count` entries */
  HamKaasWordAttribute = 3,     /* `word`, of an enumeration, or a text */
  HamKaasTypeAttribute = 4      /* `integer`, a HamKaasElementType */
} HamKaasAttributeKind;

/// An attribute of an operation. Where a number is expected, an integer will
/// do.
typedef struct HamKaasAttribute {
  const char *name; /* not null */
  int32_t kind;     /* a HamKaasAttributeKind */
  int32_t count;
  int64_t integer;
  double real;
  const int64_t *integers;
  const char *word;
} HamKaasAttribute;

typedef struct HamKaasGraphOperation {
  size_t structSize;
  /// As in docs/reference, without the dialect: "conv".
  const char *name;
  /// In the order of the reference; 0 for an optional one that is left out.
  const HamKaasValue *operands;
  int32_t operandCount;
  int32_t attributeCount;
  /// In any order. The attributes "shape" (integers) and "type" give the result
  /// type of an operation that does not infer it; each defaults to that of the
  /// first operand.
  const HamKaasAttribute *attributes;
  /// Where the caller adds it, for messages and reports. Null for no position.
  const char *file;
  int64_t line; /* from 1 */
} HamKaasGraphOperation;

/// Adds an operation. `results` has `resultCount` entries, as many as the
/// operation has results: those that the reference lists, where the last may be
/// variadic. Then the attributes decide how many there are, as its document
/// says; HamKaasInferOperation counts them, and another number is an error that
/// names the right one.
HAMKAAS_API HamKaasError HamKaasGraphAddOperation(
    HamKaasGraph *graph, const HamKaasGraphOperation *operation,
    HamKaasValue *results /* out */, int32_t resultCount);

/// The element type and shape of a value.
HAMKAAS_API HamKaasError HamKaasGraphGetType(HamKaasGraph *graph,
                                             HamKaasValue value,
                                             HamKaasTensorType *type /* out */);

/// An operation on tensors that are known by their types alone.
typedef struct HamKaasOperationTypes {
  size_t structSize;
  /// As in HamKaasGraphOperation.
  const char *name;
  /// Null for an optional one that is left out.
  const HamKaasTensorType *const *operands;
  int32_t operandCount;
  int32_t attributeCount;
  const HamKaasAttribute *attributes;
} HamKaasOperationTypes;

/// Checks an operation as HamKaasGraphAddOperation does, without a graph.
/// `types` has room for `typeCapacity` results, `*typeCount` is set to their
/// number, also if they do not fit, which is an error; to 0 after any other.
/// The error names the operation, but no position.
HAMKAAS_API HamKaasError HamKaasInferOperation(
    const HamKaasOperationTypes *operation, HamKaasTensorType *types /* out */,
    int32_t typeCapacity, int32_t *typeCount /* out */);

/// Sets `*text` to JSON that describes each operation, for bindings to other
/// languages; the caller frees it with HamKaasTextFree.
///
///     {"operations": [{
///        "name": "conv", "summary": "...", "document": "Markdown",
///        "operands": [{"name": "x", "constraint": "tensor of ...",
///                      "count": "one" | "optional" | "variadic",
///                      "types": ["float32", ...]}],
///        "attributes": [{"name": "groups", "kind": "integer" | "real" |
///                        "number" | "integers" | "flag" | "word" | "text" |
///                        "type",
///                        "optional": false, "default": "1e-5",
///                        "words": ["sum", ...]}],
///        "results": [as operands],
///        "example": "inputs, calls and results"}],
///      "closed": [{"name": "constant", "reason": "..."}]}
///
/// A "number" is one of the element type of the first operand. "default" and
/// "words" are there for attributes that have them. Compositions have an
/// "example", operations have it in their document. "closed" are operations
/// that cannot be added by name.
HAMKAAS_API HamKaasError HamKaasDescribeOperations(char **text /* out */);

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// A loop over the rows of tensors, `scan` of the reference. A row is a slice
/// at one index of the first dimension.
typedef struct HamKaasGraphScan {
  size_t structSize;
  /// The values that the first step is given; later ones get what the step
  /// before yields.
  const HamKaasValue *inits;
  /// The tensors that have the rows, one in each step.
  const HamKaasValue *inputs;
  int32_t initCount;
  int32_t inputCount;
  /// The number of steps. 0 for that of the rows, which each input then has.
  int64_t steps;
  /// 1 to go from the last row to the first.
  int32_t reversed;
  /// Where the caller adds it, for messages and reports. Null for no position.
  const char *file;
  int64_t line; /* from 1 */
} HamKaasGraphScan;

/// Begins the body of a loop, to which the operations and constants belong that
/// are added until HamKaasGraphEndScan: one step. `arguments` has a place for
/// each init, then for each input: what the step is given, and the row. The
/// body may also use values from outside. Bodies nest, 64 deep. Until it ends,
/// nothing else can be added, and the graph cannot be compiled or described.
HAMKAAS_API HamKaasError
HamKaasGraphBeginScan(HamKaasGraph *graph, const HamKaasGraphScan *scan,
                      HamKaasValue *arguments /* out */);

/// Ends the innermost body. `yielded` is what is handed on to the next step,
/// as many as there are inits and with their types, then a row of each further
/// result. `results` has `yieldedCount` entries: what the last step hands on,
/// then the rows of all steps, that of row t at t. The values of the body can
/// no longer be used. `position` may be null. After an error the body goes on.
HAMKAAS_API HamKaasError HamKaasGraphEndScan(HamKaasGraph *graph,
                                             const HamKaasValue *yielded,
                                             int32_t yieldedCount,
                                             const HamKaasSourceLine *position,
                                             HamKaasValue *results /* out */);

/// Drops the innermost body and the loop, as if it had not begun.
HAMKAAS_API HamKaasError HamKaasGraphAbandonScan(HamKaasGraph *graph);

//===----------------------------------------------------------------------===//
// Gradients
//===----------------------------------------------------------------------===//

/// Derivatives of a value, a vector-Jacobian product. Since version 1.8.
typedef struct HamKaasGraphGradient {
  size_t structSize;
  /// The value to differentiate, of floats.
  HamKaasValue y;
  /// The gradient of `y`, of its type. 0 for 1, if `y` has one element.
  HamKaasValue seed;
  /// The values to differentiate by, of floats, on each of which `y` depends.
  const HamKaasValue *xs;
  int32_t xCount;
  /// Where the caller adds it, for messages and reports. Null for no position.
  const char *file;
  int64_t line; /* from 1 */
} HamKaasGraphGradient;

/// Adds the operations that compute the gradients, behind those that are there.
/// `results` has `xCount` entries, each of the type of its x: the sum over the
/// elements of `y` of their derivatives times the seed. They can be
/// differentiated again.
HAMKAAS_API HamKaasError HamKaasGraphAddGradient(
    HamKaasGraph *graph, const HamKaasGraphGradient *gradient,
    HamKaasValue *results /* out */);

//===----------------------------------------------------------------------===//
// Training
//===----------------------------------------------------------------------===//

/// A step that changes states so that a loss falls. Since version 1.8.
typedef struct HamKaasGraphTrainingStep {
  size_t structSize;
  /// The value to minimize: one element of floats.
  HamKaasValue loss;
  /// The optimizer and its options, "adam:lr=1e-3,clip_norm=1": sgd, adam,
  /// adamw, rmsprop or lion. Options are `lr`, `clip_norm`, `clip_value`, those
  /// of the update in docs/reference/Compositions.md (`adam_update`), and for
  /// rmsprop `centered`. With `momentum`, sgd is `momentum_update`. `name` is
  /// what names of its states begin with in place of "adam"; `no_decay` is a
  /// pattern, as `frozen`, of names of states that `weight_decay` leaves alone.
  /// "group={PATTERN:lr=1e-5,weight_decay=0}", as often as needed, has options
  /// of states of that pattern, and `lr_scale`, a factor of the rate.
  const char *optimizer;
  /// A scalar of floats in place of `lr`; 0 for none.
  HamKaasValue learningRate;
  /// The states to train, all of floats that the loss depends on; null for all
  /// such.
  const HamKaasValue *states;
  int32_t stateCount;
  /// A pattern of names of states that are not trained, with `*`, `?`, `[a-z]`
  /// and `{a,b}`. Null for none.
  const char *frozen;
  /// Where the caller adds it, for messages and reports. Null for no position.
  const char *file;
  int64_t line; /* from 1 */
} HamKaasGraphTrainingStep;

/// Adds the gradients of the loss and the updates of the states, which are
/// stored; the graph cannot store them itself. The moments of a state `w` are
/// states such as "adam.mean.w", zero at first; the state "adam.step", int64
/// [], counts the steps that are done. States of these names that are there
/// already are used. Where functions before count steps of other states alone
/// in "adam.step", and the update depends on it, the optimizer needs another
/// name. A run computes the loss, and all else, of the states as they are
/// before the step.
HAMKAAS_API HamKaasError HamKaasGraphAddTrainingStep(
    HamKaasGraph *graph, const HamKaasGraphTrainingStep *step);

//===----------------------------------------------------------------------===//
// Whole graphs
//===----------------------------------------------------------------------===//

typedef struct HamKaasGraphOutput {
  const char *name; /* not null; each output has one of its own */
  HamKaasValue value;
} HamKaasGraphOutput;

/// The outputs of a run of this function, in their order. Replaces those that
/// were set before.
HAMKAAS_API HamKaasError
HamKaasGraphSetOutputs(HamKaasGraph *graph, const HamKaasGraphOutput *outputs,
                       int32_t outputCount);

/// Compiles the graph as it is now, which needs outputs; it may grow and be
/// compiled again. `options` may be null; `lines`, `dimensions` and
/// `constantInputs` in it mean nothing here. On success `*model` is owned by
/// the caller, who frees it with HamKaasModelDestroy.
HAMKAAS_API HamKaasError
HamKaasGraphCompile(HamKaasGraph *graph, const HamKaasCompileOptions *options,
                    HamKaasModel **model /* out */);

/// Sets `*text` to the graph as it is now: HamKaasDescribeScript or
/// HamKaasDescribeGraph, before any optimization. The caller frees it with
/// HamKaasTextFree. The script is of the oldest version that can say it.
HAMKAAS_API HamKaasError HamKaasGraphDescribe(HamKaasGraph *graph,
                                              int32_t description,
                                              char **text /* out */);

#ifdef __cplusplus
}
#endif

#endif // HAMKAAS_C_GRAPH_H
