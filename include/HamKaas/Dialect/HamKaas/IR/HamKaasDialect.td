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
    Operations on tensors of static shape with value semantics: nothing about
    memory, loops or devices. A model in the form GRAPH is one function `@main`
    of these operations. Parameters are immutable `ml_program.global`s, state
    that lasts from run to run are mutable ones.

    Arguments and results of `@main` carry the name the user gave them as
    `hamkaas.name`.
  }];
  let useDefaultAttributePrinterParser = 1;
  let hasConstantMaterializer = 1;
  let hasOperationAttrVerify = 1;
  let extraClassDeclaration = [{
    /// Name of an input, output, parameter or state, on arguments and results.
    static constexpr llvm::StringLiteral nameAttrName = "hamkaas.name";
    /// What an argument of `@main` or `@prepare` is: "input", "output",
    /// "parameter", "constants", "state", and in PLANNED "workspace".
    static constexpr llvm::StringLiteral regionAttrName = "hamkaas.region";
    /// Position of a tensor within its region's table.
    static constexpr llvm::StringLiteral indexAttrName = "hamkaas.index";
    /// The KernelAttr of a kernel function.
    static constexpr llvm::StringLiteral kernelAttrName = "hamkaas.kernel";
    /// On a function that is the body of a loop.
    static constexpr llvm::StringLiteral loopAttrName = "hamkaas.loop";
    /// Number of iterations of a kernel's outermost loop, which may be split
    /// among threads.
    static constexpr llvm::StringLiteral tilesAttrName = "hamkaas.tiles";
    /// On the declaration of a kernel whose code is in a `gpu.module`: its
    /// number among the functions there, and that of the one with its run-time
    /// checks, if it has any, with the arguments whose elements they read.
    static constexpr llvm::StringLiteral deviceKernelAttrName =
        "hamkaas.device_kernel";
    static constexpr llvm::StringLiteral deviceChecksAttrName =
        "hamkaas.device_checks";
    static constexpr llvm::StringLiteral checkedAttrName = "hamkaas.checked";
    /// The MatmulAttr of a group or a kernel that a library for GPUs may compute,
    /// and on the declaration of one that it does the number of the product.
    static constexpr llvm::StringLiteral matmulAttrName = "hamkaas.matmul";
    static constexpr llvm::StringLiteral deviceMatmulAttrName =
        "hamkaas.device_matmul";
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
    /// On an input of a kernel of whose elements none is read after the
    /// element of the result at the same index was written: the result may take
    /// the place of that input, and does if nothing else needs it.
    static constexpr llvm::StringLiteral inPlaceAttrName = "hamkaas.inplace";
    /// On groups and calls of kernels: the elements of the first operand become
    /// those of the last one, in their order.
    static constexpr llvm::StringLiteral copyAttrName = "hamkaas.copy";
    /// From KERNELS on, the tensor that an input, output, parameter or state is
    /// in GRAPH; in PLANNED these are bytes. Before, it is there only if elements
    /// are stored as another type, such as booleans as bytes.
    static constexpr llvm::StringLiteral typeAttrName = "hamkaas.type";
    /// PLANNED, on `@main`: arrays of dictionaries, one a tensor of the region,
    /// with `name` (a state's) or `index` (a constant's), `offset` and `type`.
    static constexpr llvm::StringLiteral statesAttrName = "hamkaas.states";
    static constexpr llvm::StringLiteral constantsAttrName =
        "hamkaas.constants";
    /// PLANNED, on `@main` and `@prepare`: an array of dictionaries, one a
    /// buffer of the workspace, with `offset`, `bytes`, and the steps (calls and
    /// copies, counted from 0) `first` and `last` that use it.
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
    void addLoopOps();
    void addMathOps();
    void addMovementOps();
    void addProgramOps();
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
    `tile` holds the sizes the family's code generator chose, empty before it
    ran: rows, columns and depth of the register and cache tile for a
    contraction, elements for the others. If it is set before, a contraction
    takes it over: columns are a multiple of the vector width, or, if the right
    side is packed, of the width of its panels.

    Example: `#hamkaas.kernel<contraction, tile = [8, 48, 512]>`
  }];
  let parameters = (ins
    EnumParameter<HamKaas_KernelFamily>:$family,
    OptionalArrayRefParameter<"int64_t">:$tile
  );
  let assemblyFormat = "`<` $family (`,` `tile` `=` `[` $tile^ `]`)? `>`";
}

def HamKaas_MatmulActivation : I32EnumAttr<
    "MatmulActivation", "what a product of matrices ends with", [
      I32EnumAttrCase<"None", 0, "none">,
      I32EnumAttrCase<"Relu", 1, "relu">,
      I32EnumAttrCase<"GeluTanh", 2, "gelu_tanh">
    ]> {
  let cppNamespace = "::hamkaas";
  let genSpecializedAttr = 0;
}

def HamKaas_MatmulAttr : AttrDef<HamKaas_Dialect, "Matmul"> {
  let mnemonic = "matmul";
  let summary = "products of matrices as libraries compute them";
  let description = [{
    What is a `HamKaasMatmul` in the program: for each batch, `left * right + bias
    + addend` and an activation, of matrices of float32 that are dense and
    row-major. `left` to `addend` are numbers of arguments, -1 where there is
    none; the result is the last argument. `alignment` are bytes of which all
    addresses are multiples.

    Example: `#hamkaas.matmul<batches = 1, rows = 128, columns = 1000,
    depth = 784, left = 0, right = 1, bias = 2, addend = -1, activation = relu,
    alignment = 4>`
  }];
  let parameters = (ins "int64_t":$batches, "int64_t":$rows, "int64_t":$columns,
    "int64_t":$depth, "int32_t":$left, "int32_t":$right, "int32_t":$bias,
    "int32_t":$addend, EnumParameter<HamKaas_MatmulActivation>:$activation,
    "int32_t":$alignment);
  let assemblyFormat = "`<` struct(params) `>`";
  let extraClassDeclaration = [{
    MatmulAttr withAlignment(int32_t bytes) const {
      return get(getContext(), getBatches(), getRows(), getColumns(), getDepth(),
                 getLeft(), getRight(), getBias(), getAddend(), getActivation(),
                 bytes);
    }
  }];
}

include "HamKaas/Dialect/HamKaas/IR/TargetAttr.td"

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

/// Sizes are bounded so that no count of elements or bytes can wrap, and no
/// kernel has to think of a dimension of 0.
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
