# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The functions that every folder of lib, tools and test uses, and the compile
# flags that hold for all of them.

# The distribution's LLVM is built without RTTI and without exceptions; classes
# that derive from its classes must be, too.
set(HAMKAAS_CXX_FLAGS -fno-rtti -fno-exceptions -fvisibility-inlines-hidden
    -Wall -Wextra -Wno-unused-parameter -Werror=return-type)
# Inline less than -O3 does. The compiler spends its time in LLVM and MLIR, which
# are built already, so this saves an eighth of the build and costs nothing there.
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  list(APPEND HAMKAAS_CXX_FLAGS -mllvm -inline-threshold=45)
endif()
set(HAMKAAS_SANITIZE_FLAGS)
if(HAMKAAS_SANITIZE)
  # NOTE: -fno-sanitize=vptr because there is no RTTI to check.
  # NOTE: -fno-sanitize=function because calls through pointers would read what
  # clang puts before each function. Code of a model and of an engine has nothing
  # there, and where its first page begins, not even memory.
  set(HAMKAAS_SANITIZE_FLAGS -fsanitize=address,undefined
      -fno-sanitize=vptr,function -fno-sanitize-recover=undefined
      -fno-omit-frame-pointer -g1)
endif()
add_compile_options(${HAMKAAS_SANITIZE_FLAGS})
# The cache of compiled code tells compilers apart by their build identifiers.
add_link_options(-fuse-ld=lld -Wl,--build-id=sha1 ${HAMKAAS_SANITIZE_FLAGS})

# In the tree of LLVM, whose flags may differ between folders, CMake precompiles
# the headers for each target.
if(HAMKAAS_IS_ALONE)
  include(HamKaasPrecompile)
endif()

function(hamkaas_use_mlir target)
  if(NOT HAMKAAS_IS_ALONE)
    target_compile_options(${target} PRIVATE
      $<$<COMPILE_LANGUAGE:CXX>:${HAMKAAS_CXX_FLAGS}>)
    target_precompile_headers(${target} PRIVATE
      $<$<COMPILE_LANGUAGE:CXX>:${PROJECT_SOURCE_DIR}/cmake/Precompiled.h>)
    add_dependencies(${target} HamKaasHeaders)
    return()
  endif()
  # A precompiled header serves only files compiled as it was: -fPIC for all,
  # where CMake would use -fPIE for programs.
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
  target_compile_options(${target} PRIVATE -fPIC
    $<$<COMPILE_LANGUAGE:CXX>:${HAMKAAS_CXX_FLAGS}>
    "$<$<COMPILE_LANGUAGE:CXX>:SHELL:-include-pch precompiled.pch>")
  # Not part of what -MD lists.
  get_target_property(sources ${target} SOURCES)
  set_property(SOURCE ${sources} APPEND PROPERTY
    OBJECT_DEPENDS ${CMAKE_BINARY_DIR}/precompiled.pch)
  add_dependencies(${target} HamKaasPrecompiledHeader)
endfunction()

# add_hamkaas_library(Name sources... [DEPENDS tablegen targets]
#                     [LINK_LIBS libraries])
function(add_hamkaas_library name)
  cmake_parse_arguments(ARG "" "" "DEPENDS;LINK_LIBS" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  hamkaas_use_mlir(${name})
  set_property(GLOBAL APPEND PROPERTY HAMKAAS_LIBRARIES ${name})
  target_link_libraries(${name} PUBLIC ${ARG_LINK_LIBS})
  target_include_directories(${name} INTERFACE
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
    $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/include>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  if(ARG_DEPENDS)
    add_dependencies(${name} ${ARG_DEPENDS})
  endif()
  install(TARGETS ${name} EXPORT HamKaasCompilerTargets)
endfunction()

# add_hamkaas_tool(name sources... [LINK_LIBS libraries])
function(add_hamkaas_tool name)
  cmake_parse_arguments(ARG "" "" "LINK_LIBS" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  hamkaas_use_mlir(${name})
  target_link_libraries(${name} PRIVATE ${ARG_LINK_LIBS} MLIR LLVM)
  # Plug-ins take the dialect from the tool that loads them.
  set_target_properties(${name} PROPERTIES ENABLE_EXPORTS ON)
  install(TARGETS ${name} EXPORT HamKaasToolsTargets)
endfunction()

# hamkaas_document_tool(name)
# Installs the manual page of a tool, and its completion for bash, zsh and fish,
# which the tool makes of its options.
function(hamkaas_document_tool name)
  if(HAMKAAS_SANITIZE)
    return()  # Nobody installs these, and they need settings to run.
  endif()
  set(folder ${PROJECT_BINARY_DIR}/share/hamkaas)
  file(MAKE_DIRECTORY ${folder})
  set(files)
  foreach(shell bash zsh fish)
    set(file ${folder}/${name}.${shell})
    add_custom_command(OUTPUT ${file}
      COMMAND ${name} --print-completion=${shell} > ${file}
      DEPENDS ${name} VERBATIM)
    list(APPEND files ${file})
  endforeach()
  add_custom_command(OUTPUT ${folder}/${name}.1
    COMMAND ${name} --print-man > ${folder}/${name}.1
    DEPENDS ${name} VERBATIM)
  add_custom_target(${name}-documents ALL DEPENDS ${files} ${folder}/${name}.1)
  # Where each of them looks.
  install(FILES ${folder}/${name}.bash RENAME ${name}
          DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
  install(FILES ${folder}/${name}.zsh RENAME _${name}
          DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
  install(FILES ${folder}/${name}.fish
          DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
  install(FILES ${folder}/${name}.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
endfunction()

# hamkaas_tablegen(target file.td  output option [output option]...)
# Generates each `output` with mlir-tblgen option(s), separated by commas.
# Descriptions become comments there. They are left out, so that a description
# can change without compiling anything again.
function(hamkaas_tablegen target td)
  set(LLVM_TARGET_DEFINITIONS ${td})
  set(outputs)
  set(pairs ${ARGN})
  while(pairs)
    list(POP_FRONT pairs output options)
    string(REPLACE "," ";" options "${options}")
    mlir_tablegen(${output}.full ${options}
                  EXTRA_INCLUDES ${PROJECT_SOURCE_DIR}/include)
    add_custom_command(OUTPUT ${output}
      COMMAND sed "/^ *\\/\\//d" ${output}.full > ${output}.new
      COMMAND ${CMAKE_COMMAND} -E copy_if_different ${output}.new ${output}
      COMMAND ${CMAKE_COMMAND} -E rm ${output}.new
      DEPENDS ${CMAKE_CURRENT_BINARY_DIR}/${output}.full VERBATIM)
    list(APPEND outputs ${CMAKE_CURRENT_BINARY_DIR}/${output})
  endwhile()
  add_custom_target(${target} DEPENDS ${outputs})
  add_dependencies(HamKaasHeaders ${target})
endfunction()

# add_hamkaas_doc(name file.td generator [options])
# Generates build/docs/reference/name.md. A test compares it with the committed
# docs/reference/name.md, which the target `update-docs` writes.
function(add_hamkaas_doc name td)
  set(LLVM_TARGET_DEFINITIONS ${td})
  mlir_tablegen(${name}.md ${ARGN} EXTRA_INCLUDES ${PROJECT_SOURCE_DIR}/include)
  hamkaas_copy_doc(${name})
endfunction()

# hamkaas_copy_doc(name)
# The same for a page that the folder has generated already.
function(hamkaas_copy_doc name)
  set(generated ${CMAKE_CURRENT_BINARY_DIR}/${name}.md)
  set(doc ${PROJECT_BINARY_DIR}/docs/reference/${name}.md)
  add_custom_command(OUTPUT ${doc}
    COMMAND ${CMAKE_COMMAND} -E copy ${generated} ${doc}
    DEPENDS ${generated} VERBATIM)
  add_custom_target(HamKaasDoc${name} DEPENDS ${doc})
  add_dependencies(reference-docs HamKaasDoc${name})
endfunction()

# hamkaas_update_parts(file file.td)
# Makes the generated parts of a file of the project again: build/updated/file.
function(hamkaas_update_parts file td)
  set(output ${PROJECT_BINARY_DIR}/updated/${file})
  get_filename_component(folder ${output} DIRECTORY)
  file(MAKE_DIRECTORY ${folder})
  get_filename_component(tables ${td} DIRECTORY)
  file(GLOB tables CONFIGURE_DEPENDS ${tables}/*.td)
  add_custom_command(OUTPUT ${output}
    COMMAND hamkaas-tblgen --update=${PROJECT_SOURCE_DIR}/${file} ${td}
            -I ${PROJECT_SOURCE_DIR}/include -I ${LLVM_MAIN_INCLUDE_DIR}
            -o ${output}
    DEPENDS hamkaas-tblgen ${tables} ${PROJECT_SOURCE_DIR}/${file} VERBATIM)
  string(MAKE_C_IDENTIFIER ${file} name)
  add_custom_target(HamKaasParts_${name} DEPENDS ${output})
  add_dependencies(reference-docs HamKaasParts_${name})
  add_custom_target(HamKaasUpdate_${name}
    COMMAND ${CMAKE_COMMAND} -E copy_if_different
            ${output} ${PROJECT_SOURCE_DIR}/${file}
    DEPENDS ${output} VERBATIM)
  add_dependencies(update-docs HamKaasUpdate_${name})
endfunction()

# All generated headers: a single target keeps the order of the build simple.
add_custom_target(HamKaasHeaders)

add_custom_target(reference-docs ALL)
add_custom_target(update-docs
  COMMAND ${CMAKE_COMMAND} -E copy_directory
          ${PROJECT_BINARY_DIR}/docs/reference
          ${PROJECT_SOURCE_DIR}/docs/reference VERBATIM)
add_dependencies(update-docs reference-docs)
