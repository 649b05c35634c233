//===- Registration.cpp - Dialects and passes of the tools ---- -*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Driver/Registration.h"
#include "HamKaas/CodeGen/Kernel/Passes.h"
#include "HamKaas/Conversion/HamKaasToLinalg/HamKaasToLinalg.h"
#include "HamKaas/Conversion/ProgramToLLVM/Passes.h"
#include "HamKaas/Dialect/HamKaas/Graph/Passes.h"
#include "HamKaas/Dialect/HamKaas/Graph/PermutableOps.h"
#include "HamKaas/Dialect/HamKaas/IR/HamKaas.h"
#include "HamKaas/Dialect/HamKaas/Kernels/Passes.h"
#include "HamKaas/Dialect/HamKaas/Plan/BufferizableOps.h"
#include "HamKaas/Dialect/HamKaas/Plan/Passes.h"
#include "HamKaas/Engine/Passes.h"
#include "HamKaas/Gradient/GradientOpInterface.h"
#include "HamKaas/Gradient/Passes.h"
#include "HamKaas/Interpreter/ReferenceSemantics.h"
#include "HamKaas/Program/Descriptor.h"
#include "HamKaas/Target/Pipelines.h"
#include "HamKaas/Target/Targets.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Bufferization/Transforms/FuncBufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/Linalg/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/SCF/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Tensor/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Vector/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/GPU/GPUToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/CommandLine.h"

using namespace mlir;

void hamkaas::registerDialects(DialectRegistry &registry) {
  registry.insert<HamKaasDialect, affine::AffineDialect, arith::ArithDialect,
                  bufferization::BufferizationDialect, cf::ControlFlowDialect,
                  func::FuncDialect, gpu::GPUDialect, linalg::LinalgDialect,
                  LLVM::LLVMDialect, math::MathDialect, memref::MemRefDialect,
                  ml_program::MLProgramDialect, nvgpu::NVGPUDialect,
                  NVVM::NVVMDialect, scf::SCFDialect, tensor::TensorDialect,
                  vector::VectorDialect>();
  arith::registerBufferizableOpInterfaceExternalModels(registry);
  bufferization::func_ext::registerBufferizableOpInterfaceExternalModels(
      registry);
  linalg::registerBufferizableOpInterfaceExternalModels(registry);
  scf::registerBufferizableOpInterfaceExternalModels(registry);
  tensor::registerBufferizableOpInterfaceExternalModels(registry);
  vector::registerBufferizableOpInterfaceExternalModels(registry);
  registerBuiltinDialectTranslation(registry);
  registerGPUDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  registerNVVMDialectTranslation(registry);
  registerBufferizableOps(registry);
  registerGradientRules(registry);
  registerLinalgLowerings(registry);
  registerPermutableOps(registry);
  registerReferenceSemantics(registry);
  registerTargets(registry);
}

void hamkaas::registerPasses() {
  registerTransformsPasses();
  registerHamKaasGraphPasses();
  registerHamKaasGradientPasses();
  registerHamKaasEnginePasses();
  registerHamKaasKernelsPasses();
  registerHamKaasPlanPasses();
  registerHamKaasKernelCodeGenPasses();
  for (const Target *target : getTargets())
    target->registerPasses();
  bufferization::registerBufferizationPasses();
  registerHamKaasProgramToLLVMPasses();
  registerHamKaasTargetPasses();
  registerPipelines();
}

void hamkaas::printVersion(llvm::raw_ostream &stream) {
  stream << compilerVersion() << " with LLVM " << LLVM_VERSION_STRING << '\n';
}

void hamkaas::registerVersion() { llvm::cl::SetVersionPrinter(printVersion); }
