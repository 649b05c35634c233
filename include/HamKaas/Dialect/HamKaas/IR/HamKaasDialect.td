//===- HamKaasDialect.td - Attributes and types ------------*- tablegen -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_DIALECT_HAMKAAS_IR_HAMKAASDIALECT
#define HAMKAAS_DIALECT_HAMKAAS_IR_HAMKAASDIALECT

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"

def HamKaas_Dialect : Dialect {
  let name = "hamkaas";
  let cppNamespace = "::hamkaas";
  let summary = "neural networks as graphs of tensor operations";
  let description = [{
    Operations on tensors of static shape with value semantics, without memory,
    loops or devices. A model in the form GRAPH is one function `@main`
    of these operations. Parameters are immutable `ml_program.global`s, state
    that lasts from run to run are mutable ones.

    Arguments and results of `@main` carry the name the user gave them as
    `hamkaas.name`.
  }];
  let useDefaultAttributePrinterParser = 1;
  let hasConstantMaterializer = 1;
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;
  let extraClassDeclaration = [{
    // The dialect's attributes on operations of other dialects. Each has a rule
    // in DiscardableAttributes.cpp, which says where it may stand and what its
    // value is; an attribute without a rule is an error. Upstream's
    // `discardableAttrs` gives accessors only: it checks nothing, and knows none
    // on arguments.

    /// Name of an input, output, parameter or state, on arguments and results.
    static constexpr llvm::StringLiteral nameAttrName = "hamkaas.name";
    /// The MemoryRegionAttr of an argument or result of `@main`, `@prepare` or
    /// the body of a loop.
    static constexpr llvm::StringLiteral regionAttrName = "hamkaas.region";
    /// Number of a constant, on the argument of `@main`, and on the result of
    /// `@prepare`, later an argument, that it is.
    static constexpr llvm::StringLiteral indexAttrName = "hamkaas.index";
    /// The KernelAttr of a kernel function.
    static constexpr llvm::StringLiteral kernelAttrName = "hamkaas.kernel";
    /// On a function that is the body of a loop.
    static constexpr llvm::StringLiteral loopAttrName = "hamkaas.loop";
    /// Number of iterations of a kernel's outermost loop, which may be split
    /// among threads.
    static constexpr llvm::StringLiteral tilesAttrName = "hamkaas.tiles";
    /// A kernel that @prepare alone calls.
    static constexpr llvm::StringLiteral runsOnceAttrName =
        "hamkaas.runs_once";
    /// A kernel whose operations stay in their order.
    static constexpr llvm::StringLiteral keepsOrderAttrName =
        "hamkaas.keeps_order";
    /// Marks the outermost loop of a kernel.
    static constexpr llvm::StringLiteral tileLoopAttrName = "hamkaas.tile_loop";
    /// Marks a loop of nontemporal stores: whole vectors at multiples of their
    /// size in memory.
    static constexpr llvm::StringLiteral streamLoopAttrName =
        "hamkaas.stream_loop";
    /// The TileRunnerAttr of a kernel for a GPU whose lanes are distributed.
    static constexpr llvm::StringLiteral tileRunnerAttrName =
        "hamkaas.tile_runner";
    /// On a kernel that thread blocks run: the warps of a block, which run
    /// consecutive iterations of its tile loop.
    static constexpr llvm::StringLiteral blockWarpsAttrName =
        "hamkaas.block_warps";
    /// On a store in a GPU kernel: each thread stores its own value, to an
    /// address that no other thread writes.
    static constexpr llvm::StringLiteral laneStoreAttrName =
        "hamkaas.lane_store";
    /// The DeviceKernelAttr of the declaration of a kernel whose code is in a
    /// `gpu.module`.
    static constexpr llvm::StringLiteral deviceKernelAttrName =
        "hamkaas.device_kernel";
    /// On a kernel in a `gpu.module`: the bytes of dynamic shared memory that a
    /// block needs.
    static constexpr llvm::StringLiteral sharedBytesAttrName =
        "hamkaas.shared_bytes";
    /// TARGET, on a declared function: it is one of the C library.
    static constexpr llvm::StringLiteral libraryAttrName = "hamkaas.library";
    /// On groups and calls of kernels, for reports: the ops that were fused,
    /// "matmul+add+relu", and their floating point operations.
    static constexpr llvm::StringLiteral opsAttrName = "hamkaas.ops";
    static constexpr llvm::StringLiteral flopsAttrName = "hamkaas.flops";
    /// PLANNED, on calls of kernels: the number of the call among those of
    /// `@main`, with the ones in its loops, or among those of `@prepare`. It is
    /// the index into the program's table of calls, by which reports, profiles
    /// and run-time errors name the call.
    static constexpr llvm::StringLiteral callIndexAttrName =
        "hamkaas.call_index";
    /// On an input of a kernel that reads no element after writing the result's
    /// element at the same index: the result may replace that input, and does
    /// if nothing else needs it.
    static constexpr llvm::StringLiteral inPlaceAttrName = "hamkaas.inplace";
    /// On groups and calls of kernels that copy the elements of the first
    /// operand to the last one, in order.
    static constexpr llvm::StringLiteral copyAttrName = "hamkaas.copy";
    /// PLANNED, on calls of kernels and copies that run once more, because their
    /// result is computed again in place of being kept.
    static constexpr llvm::StringLiteral recomputedAttrName =
        "hamkaas.recomputed";
    /// On a mutable global, "parameter" if a training step trains it, "moment"
    /// if it is the optimizer's memory of one; for reports.
    static constexpr llvm::StringLiteral roleAttrName = "hamkaas.role";
    /// From KERNELS on, the tensor that an input, output, parameter or state is
    /// in GRAPH; in PLANNED these are bytes. Before, it is there only if elements
    /// are stored as another type, such as booleans as bytes.
    static constexpr llvm::StringLiteral typeAttrName = "hamkaas.type";
    /// PLANNED: an array of StateAttr. On `@main` and bodies of loops one a state,
    /// in the state region; on `@prepare` one a state that is not zero at first,
    /// with the place of its contents in the constants region.
    static constexpr llvm::StringLiteral statesAttrName = "hamkaas.states";
    /// PLANNED, on `@main`, `@prepare` and bodies of loops: an array of
    /// BufferAttr, one a buffer of the workspace.
    static constexpr llvm::StringLiteral buffersAttrName = "hamkaas.buffers";
    /// PLANNED: the least workspace in bytes that any plan needs.
    static constexpr llvm::StringLiteral lowerBoundAttrName =
        "hamkaas.workspace_lower_bound";

  private:
    // The operations of each file, beside their definitions.
    void addArithmeticOps();
    void addConstantOps();
    void addContractionOps();
    void addDimensionOps();
    void addElementwiseOps();
    void addEngineOps();
    void addLoopOps();
    void addMathOps();
    void addMovementOps();
    void addProgramOps();
    void addQuantizationOps();
    void addReductionOps();
    void addRegionOps();
    void addRowOps();
    void addViewOps();
  public:
  }];
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

def HamKaas_KernelFamily : I32EnumAttr<
    "KernelFamily", "how the loops of a kernel are formed", [
      I32EnumAttrCase<"View", 0, "view">,
      I32EnumAttrCase<"Elementwise", 1, "elementwise">,
      I32EnumAttrCase<"Row", 2, "row">,
      I32EnumAttrCase<"Contraction", 3, "contraction">,
      I32EnumAttrCase<"Movement", 4, "movement">,
      I32EnumAttrCase<"Reduction", 5, "reduction">,
      I32EnumAttrCase<"Loops", 6, "loops">,
      I32EnumAttrCase<"Transform", 7, "transform">,
      I32EnumAttrCase<"Attention", 8, "attention">
    ]> {
  let cppNamespace = "::hamkaas";
  let genSpecializedAttr = 0;
}

def HamKaas_KernelFamilyAttr
    : EnumAttr<HamKaas_Dialect, HamKaas_KernelFamily, "family">;

def HamKaas_KernelAttr : AttrDef<HamKaas_Dialect, "Kernel"> {
  let mnemonic = "kernel";
  let summary = "marks a function as a kernel of one family";
  let description = [{
    `tile` holds the sizes that the family's emitter chose, and is empty before
    it ran: rows, columns and depth of the register and cache tile for a
    contraction, elements for the others.

    A contraction keeps a tile that is set before. Columns are then a multiple
    of the vector width, or of the panel width if the right side is packed.

    Example: `#hamkaas.kernel<contraction, tile = [8, 48, 512]>`
  }];
  let parameters = (ins
    EnumParameter<HamKaas_KernelFamily>:$family,
    OptionalArrayRefParameter<"int64_t">:$tile
  );
  let assemblyFormat = "`<` $family (`,` `tile` `=` `[` $tile^ `]`)? `>`";
  let genVerifyDecl = 1;
}

def HamKaas_MemoryRegion : I32EnumAttr<
    "MemoryRegion", "memory that an argument of a program lies in", [
      I32EnumAttrCase<"Input", 0, "input">,
      I32EnumAttrCase<"Output", 1, "output">,
      I32EnumAttrCase<"Parameter", 2, "parameter">,
      I32EnumAttrCase<"Constants", 3, "constants">,
      I32EnumAttrCase<"State", 4, "state">,
      I32EnumAttrCase<"Workspace", 5, "workspace">
    ]> {
  let cppNamespace = "::hamkaas";
  let genSpecializedAttr = 0;
}

def HamKaas_MemoryRegionAttr
    : EnumAttr<HamKaas_Dialect, HamKaas_MemoryRegion, "region"> {
  let summary = "memory that an argument of a program lies in";
  let description = [{
    `@main` has inputs, outputs, constants, state and, in PLANNED, a workspace;
    `@prepare` has parameters, constants and a workspace; the body of a loop has
    inputs, state, outputs and a workspace.

    Example: `%arg0: memref<512xi8> {hamkaas.region =
    #hamkaas.region<workspace>}`
  }];
  let assemblyFormat = "`<` $value `>`";
}

def HamKaas_StateAttr : AttrDef<HamKaas_Dialect, "State"> {
  let mnemonic = "state";
  let summary = "a tensor in the state region";
  let description = [{
    The user's name, the first byte, and the type in GRAPH.

    Example: `#hamkaas.state<"cache", offset = 256, type = tensor<4x8xf32>>`
  }];
  let parameters = (ins StringRefParameter<>:$name, "int64_t":$offset,
                        "::mlir::RankedTensorType":$type);
  let assemblyFormat =
      "`<` $name `,` `offset` `=` $offset `,` `type` `=` $type `>`";
  let genVerifyDecl = 1;
}

def HamKaas_BufferAttr : AttrDef<HamKaas_Dialect, "Buffer"> {
  let mnemonic = "buffer";
  let summary = "a buffer of the workspace";
  let description = [{
    `first` and `last` are the steps (calls and copies, counted from 0) between
    which it is in use.

    Example: `#hamkaas.buffer<offset = 0, bytes = 4096, first = 0, last = 1>`
  }];
  let parameters = (ins "int64_t":$offset, "int64_t":$bytes, "int64_t":$first,
                        "int64_t":$last);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

def HamKaas_DeviceKernelAttr : AttrDef<HamKaas_Dialect, "DeviceKernel"> {
  let mnemonic = "device_kernel";
  let summary = "functions of the device code that are a kernel";
  let description = [{
    `function` is the number of the kernel's function among those of the
    `gpu.module`, `checks` that of the one with its run-time checks, if it has
    any, and `checked` are the arguments whose elements these read.

    Example: `#hamkaas.device_kernel<2, checks = 1, checked = [0]>`
  }];
  let parameters = (ins "int64_t":$function,
                        DefaultValuedParameter<"int64_t", "-1">:$checks,
                        OptionalArrayRefParameter<"int64_t">:$checked);
  let assemblyFormat = [{
    `<` $function (`,` `checks` `=` $checks^)?
    (`,` `checked` `=` `[` $checked^ `]`)? `>`
  }];
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    bool hasChecks() const { return getChecks() >= 0; }
  }];
}

def HamKaas_TileRunner : I32EnumAttr<
    "TileRunner", "unit of a GPU that runs a tile of a kernel", [
      I32EnumAttrCase<"Thread", 0, "thread">,
      I32EnumAttrCase<"Warp", 1, "warp">
    ]> {
  let cppNamespace = "::hamkaas";
  let genSpecializedAttr = 0;
}

def HamKaas_TileRunnerAttr
    : EnumAttr<HamKaas_Dialect, HamKaas_TileRunner, "tile_runner"> {
  let assemblyFormat = "`<` $value `>`";
}

def HamKaas_EngineAttr : AttrDef<HamKaas_Dialect, "Engine"> {
  let mnemonic = "engine";
  let summary = "kernel of an engine library";
  let description = [{
    A `HamKaasEngineCall` of the program: engine `id` of the file `library`
    computes the group that `group` describes, in the text form of
    `HamKaas/Runtime/Engine/EngineGroup.h`. `knobs` are as in "rows=64". It needs
    `workspace` bytes and packs the constant inputs to `packed` bytes; this is
    the packing itself if `packs`.

    Example: `#hamkaas.engine<id = "sample", version = "1", library =
    "/usr/lib/hamkaas/engines/libsample.so", group = "hamkaas-group 1...",
    knobs = "", workspace = 0, packed = 0, packs = false>`
  }];
  let parameters = (ins StringRefParameter<>:$id, StringRefParameter<>:$version,
    StringRefParameter<>:$library, StringRefParameter<>:$group,
    StringRefParameter<>:$knobs, "int64_t":$workspace, "int64_t":$packed,
    "bool":$packs);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

include "HamKaas/Dialect/HamKaas/IR/TargetAttr.td"

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

/// Sizes are bounded so that no count of elements or bytes overflows, and no
/// kernel has to handle a dimension of 0.
class HamKaas_TensorOf<list<Type> elementTypes, string elements>
    : RankedTensorOf<elementTypes,
                     [CPred<"::hamkaas::isSupportedShape($_self)">],
                     "tensor of static shape and 1 to 2^47 - 1 elements"> {
  let summary = "tensor of static shape and 1 to 2^47 - 1 elements that are " #
                elements;
}

/// Signed integers are MLIR's signless ones; `i1` is a boolean.
defvar HamKaas_FloatTypes = [F32, F64, F16, BF16];
defvar HamKaas_IntegerTypes = [I64, I32, I16, I8, UI64, UI32, UI16, UI8];

def HamKaas_Float32Tensor : HamKaas_TensorOf<[F32], "f32">;
def HamKaas_FloatTensor : HamKaas_TensorOf<HamKaas_FloatTypes, "floats">;
def HamKaas_NumericTensor
    : HamKaas_TensorOf<!listconcat(HamKaas_FloatTypes, HamKaas_IntegerTypes),
                       "floats or integers">;
def HamKaas_IntegerTensor
    : HamKaas_TensorOf<HamKaas_IntegerTypes, "integers">;
def HamKaas_IntegralTensor
    : HamKaas_TensorOf<!listconcat(HamKaas_IntegerTypes, [I1]),
                       "integers or booleans (i1)">;
def HamKaas_BooleanTensor : HamKaas_TensorOf<[I1], "booleans (i1)">;
def HamKaas_Tensor
    : HamKaas_TensorOf<!listconcat(HamKaas_FloatTypes, HamKaas_IntegerTypes,
                                   [I1]),
                       "floats, integers or booleans (i1)">;

/// Indices of elements or rows.
def HamKaas_IndexTensor : HamKaas_TensorOf<[I64, I32], "i64 or i32">;

/// A position or count that is known only at run time.
def HamKaas_Position : Type<
    CPred<"::hamkaas::isPosition($_self)">, "tensor<1xi64>">,
    BuildableType<"::mlir::RankedTensorType::get({1}, $_builder.getI64Type())">;

#endif // HAMKAAS_DIALECT_HAMKAAS_IR_HAMKAASDIALECT
