# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Settings of a build in the tree of LLVM, as a project of LLVM_EXTERNAL_PROJECTS:
# what the packages of LLVM, MLIR and LLD give otherwise.

foreach(target LLVM MLIR MLIRTableGen LLVMTableGen lldELF lldCommon)
  if(NOT TARGET ${target})
    message(FATAL_ERROR "expected LLVM to be configured with "
      "-DLLVM_ENABLE_PROJECTS=mlir;lld -DLLVM_BUILD_LLVM_DYLIB=ON "
      "-DLLVM_LINK_LLVM_DYLIB=ON, got no target ${target}")
  endif()
endforeach()

set(MLIR_MAIN_SRC_DIR ${LLVM_MAIN_SRC_DIR}/../mlir)
set(LLVM_INCLUDE_DIRS ${LLVM_MAIN_INCLUDE_DIR} ${LLVM_BINARY_DIR}/include)
set(MLIR_INCLUDE_DIRS ${MLIR_MAIN_SRC_DIR}/include
    ${LLVM_BINARY_DIR}/tools/mlir/include)
set(LLD_INCLUDE_DIRS ${LLVM_MAIN_SRC_DIR}/../lld/include)
list(APPEND CMAKE_MODULE_PATH ${MLIR_MAIN_SRC_DIR}/cmake/modules)
