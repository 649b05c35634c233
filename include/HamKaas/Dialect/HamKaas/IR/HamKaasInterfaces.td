//===- HamKaasInterfaces.td - What passes may ask an op ----*- tablegen -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_DIALECT_HAMKAAS_IR_HAMKAASINTERFACES
#define HAMKAAS_DIALECT_HAMKAAS_IR_HAMKAASINTERFACES

include "mlir/IR/OpBase.td"

def KernelOpInterface : OpInterface<"KernelOpInterface"> {
  let cppNamespace = "::hamkaas";
  let description = [{
    The role of a GRAPH operation in a kernel.
  }];
  let methods = [
    InterfaceMethod<
      "The family of kernels whose root this op can be; `View` for an op that "
      "only reinterprets storage and costs nothing.",
      "::hamkaas::KernelFamily", "getKernelFamily">,
    InterfaceMethod<
      "Floating point operations of one evaluation, those of the formula in "
      "the op's description: a multiply-add counts as two, a sign change, "
      "comparison, square root or transcendental function as one. At most the "
      "largest int64_t.",
      "int64_t", "getFlops", (ins), "",
      [{
        return ::hamkaas::getElementCount($_op->getResult(0).getType());
      }]>,
    InterfaceMethod<
      "True if recomputing an element is faster than reading it from memory.",
      "bool", "isCheap", (ins), "",
      [{
        return $_op.getFlops() <=
               ::hamkaas::getElementCount($_op->getResult(0).getType());
      }]>,
    InterfaceMethod<
      "True if each element of the result depends only on the elements of the "
      "operands at the same index, or at index 0 of broadcast dimensions. "
      "Such an op can follow any other within one loop nest.",
      "bool", "isPointwise", (ins), "", [{ return false; }]>,
    InterfaceMethod<
      "True if the program checks values of the operands before it runs the "
      "kernel. A kernel has at most one such operation: its call has one error "
      "message.",
      "bool", "checksValues", (ins), "", [{ return false; }]>,
    InterfaceMethod<
      "True if the elements of the operands are read in order and only a few "
      "times, so that the kernel may compute them as it reads.",
      "bool", "readsInOrder", (ins), "",
      [{
        return $_op.isPointwise() ||
               $_op.getKernelFamily() == ::hamkaas::KernelFamily::Row;
      }]>,
    InterfaceMethod<
      "The operand whose storage the result takes over when nothing reads the "
      "old value later, or null.",
      "::mlir::OpOperand *", "getUpdatedOperand", (ins), "",
      [{ return nullptr; }]>,
    InterfaceMethod<
      "The weights whose columns, along the last dimension, each determine "
      "one column of the result linearly: a factor of a result column can be "
      "folded into them. Null if there are none.",
      "::mlir::OpOperand *", "getColumnWeights", (ins), "",
      [{ return nullptr; }]>
  ];
}

def LinalgLoweringOpInterface : OpInterface<"LinalgLoweringOpInterface"> {
  let cppNamespace = "::hamkaas";
  let description = [{
    Lowering to linalg on tensors. Implemented by external models in
    lib/Conversion/HamKaasToLinalg, so that the dialect does not depend on
    linalg.
  }];
  let methods = [
    InterfaceMethod<
      "Creates ops that compute the result from `operands`, which stand for "
      "the op's own and have their storage types, and returns the result in "
      "its storage type. An op with an updated operand overwrites it in "
      "destination-passing style; any other writes to `tensor.empty`s.",
      "::mlir::Value", "lowerToLinalg",
      (ins "::mlir::OpBuilder &":$builder, "::mlir::ValueRange":$operands)>
  ];
}

def ReferenceSemanticsOpInterface
    : OpInterface<"ReferenceSemanticsOpInterface"> {
  let cppNamespace = "::hamkaas";
  let description = [{
    The meaning of an operation as plain loops, for the reference interpreter.
    Implemented by external models in lib/Interpreter. Shares no code with any
    lowering; sums are formed in double. Elements of the result need not be
    values of its type yet: the interpreter rounds or wraps them.
  }];
  let methods = [
    InterfaceMethod<
      "Computes the result, whose type is set and whose elements are zero. "
      "Emits an error at the op and fails where the operands' values do not "
      "allow it.",
      "::llvm::LogicalResult", "interpret",
      (ins "::llvm::ArrayRef<const ::hamkaas::ReferenceTensor *>":$operands,
           "::hamkaas::ReferenceTensor &":$result)>
  ];
}

#endif // HAMKAAS_DIALECT_HAMKAAS_IR_HAMKAASINTERFACES
