# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The headers of MLIR cost 4 s a file, and the dialect's 0.3 s; precompiled once
# they cost 0.1 s.
#
# CMake's own target_precompile_headers names the header by an absolute path, and
# ccache reads the whole binary, so that no other folder could use what one has
# compiled. Here the path is relative to the build folder, where all compilers
# run, and ccache reads the checksum of the preprocessed header in its place.
string(TOUPPER "${CMAKE_BUILD_TYPE}" config)
separate_arguments(precompiled_flags UNIX_COMMAND
  "${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${config}}")
list(APPEND precompiled_flags -std=c++20 -fPIC ${HAMKAAS_CXX_FLAGS}
  ${HAMKAAS_SANITIZE_FLAGS})
foreach(folder ${MLIR_INCLUDE_DIRS} ${LLVM_INCLUDE_DIRS})
  list(APPEND precompiled_flags -isystem ${folder})
endforeach()
file(RELATIVE_PATH precompiled_header ${CMAKE_BINARY_DIR}
  ${PROJECT_SOURCE_DIR}/cmake/Precompiled.h)
file(RELATIVE_PATH precompiled_include ${CMAKE_BINARY_DIR}
  ${PROJECT_SOURCE_DIR}/include)
list(APPEND precompiled_flags -I${precompiled_include} -Iinclude)
# Included by the dialect's own header; those of operations change more often.
set(precompiled_inputs)
foreach(part Dialect Enums Attrs Interfaces)
  list(APPEND precompiled_inputs
    ${PROJECT_BINARY_DIR}/include/HamKaas/Dialect/HamKaas/IR/HamKaas${part}.h.inc)
endforeach()
add_custom_command(
  OUTPUT precompiled.pch
  COMMAND ${CMAKE_CXX_COMPILER} ${precompiled_flags} -x c++-header
          ${precompiled_header} -fpch-instantiate-templates -Xclang
          -fno-pch-timestamp -MD -MF precompiled.pch.d -MT precompiled.pch
          -o precompiled.pch
  WORKING_DIRECTORY ${CMAKE_BINARY_DIR}
  DEPENDS ${PROJECT_SOURCE_DIR}/cmake/Precompiled.h ${precompiled_inputs}
  DEPFILE ${CMAKE_BINARY_DIR}/precompiled.pch.d
  COMMENT "Precompiling the headers of MLIR and the dialect" VERBATIM)
# A command of its own, for it runs beside the other; no file compiles yet.
add_custom_command(
  OUTPUT precompiled.pch.sum
  COMMAND ${CMAKE_CXX_COMPILER} ${precompiled_flags} -x c++-header
          ${precompiled_header} -E -MD -MF precompiled.pch.sum.d
          -MT precompiled.pch.sum -o precompiled.ii
  COMMAND ${CMAKE_COMMAND} -E sha256sum precompiled.ii > precompiled.pch.sum
  COMMAND ${CMAKE_COMMAND} -E rm precompiled.ii
  WORKING_DIRECTORY ${CMAKE_BINARY_DIR}
  DEPENDS ${PROJECT_SOURCE_DIR}/cmake/Precompiled.h ${precompiled_inputs}
  DEPFILE ${CMAKE_BINARY_DIR}/precompiled.pch.sum.d
  COMMENT "Taking the checksum of the precompiled headers" VERBATIM)
add_custom_target(HamKaasPrecompiledHeader
  DEPENDS ${CMAKE_BINARY_DIR}/precompiled.pch
          ${CMAKE_BINARY_DIR}/precompiled.pch.sum)
add_dependencies(HamKaasPrecompiledHeader
  HamKaasDialectIncGen HamKaasInterfacesIncGen)
