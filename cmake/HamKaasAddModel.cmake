# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# hamkaas_add_model(target MODEL [NAME name] [DIM NAME=N...]
#                   [TARGET_CPU level] [WEIGHTS file] [OPTIONS option...]
#                   [DEPENDS file...])
#
# Compiles MODEL (a script, .mlir or .onnx) while `target` is built, links it
# into the target with the runtime, and adds the folder of its header NAME.h.
# The functions in there begin with NAME, by default that of the file.
#
#   DIM         sizes of dimensions that an ONNX model leaves open
#   TARGET_CPU  host, x86-64, x86-64-v2, -v3 or -v4; x86-64 if it is left out, so
#               that the program runs on every machine
#   WEIGHTS     a safetensors file with the parameters, which become part of the
#               target
#   OPTIONS     options of hamkaas-compile
#   DEPENDS     other files that the model reads, such as external data
#
# The target is one of this folder, and links libraries with PRIVATE or PUBLIC.
# Paths are relative to this folder. The model is compiled again when one of the
# files or the compiler changes.

include_guard()

function(_hamkaas_check_target target)
  foreach(tool hamkaas-compile HamKaasRuntime)
    if(NOT TARGET HamKaas::${tool})
      message(FATAL_ERROR "hamkaas_add_model: expected find_package(HamKaas) "
        "with the components Tools and Runtime, got no HamKaas::${tool}")
    endif()
  endforeach()
  if(NOT TARGET ${target})
    message(FATAL_ERROR
      "hamkaas_add_model: expected a target, got '${target}'")
  endif()
  get_target_property(type ${target} TYPE)
  get_target_property(folder ${target} SOURCE_DIR)
  if(NOT type MATCHES "^(EXECUTABLE|(STATIC|SHARED|MODULE)_LIBRARY)$")
    message(FATAL_ERROR "hamkaas_add_model: expected '${target}' to be a "
      "program or a library, got ${type}")
  endif()
  if(NOT folder STREQUAL CMAKE_CURRENT_SOURCE_DIR)
    message(FATAL_ERROR "hamkaas_add_model: expected a target of "
      "${CMAKE_CURRENT_SOURCE_DIR}, got '${target}' of ${folder}")
  endif()
  if(CMAKE_SYSTEM_PROCESSOR AND
     NOT CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$")
    message(FATAL_ERROR "hamkaas_add_model: expected the target system to be "
      "x86_64, got ${CMAKE_SYSTEM_PROCESSOR}")
  endif()
endfunction()

# Sets `variable` to the absolute path of a file that is there, or that a rule of
# this folder makes.
function(_hamkaas_find_file variable file)
  set(path ${file})
  cmake_path(ABSOLUTE_PATH path NORMALIZE)
  get_source_file_property(isMade ${path} GENERATED)
  if(NOT EXISTS ${path} AND NOT isMade)
    # Relative paths of outputs are in the build folder.
    set(path ${file})
    cmake_path(ABSOLUTE_PATH path BASE_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}
               NORMALIZE)
    get_source_file_property(isMade ${path} GENERATED)
    if(NOT isMade)
      message(FATAL_ERROR "hamkaas_add_model: expected a file, got '${file}'")
    endif()
  endif()
  set(${variable} ${path} PARENT_SCOPE)
endfunction()

function(_hamkaas_check_arguments)
  if(ARG_UNPARSED_ARGUMENTS)
    list(JOIN ARG_UNPARSED_ARGUMENTS " " arguments)
    message(FATAL_ERROR "hamkaas_add_model: expected NAME, DIM, TARGET_CPU, "
      "WEIGHTS, OPTIONS or DEPENDS, got '${arguments}'")
  endif()
  if(ARG_KEYWORDS_MISSING_VALUES)
    list(JOIN ARG_KEYWORDS_MISSING_VALUES ", " keywords)
    message(FATAL_ERROR
      "hamkaas_add_model: expected a value after ${keywords}")
  endif()
  foreach(dimension IN LISTS ARG_DIM)
    if(NOT dimension MATCHES "^.+=[1-9][0-9]*$")
      message(FATAL_ERROR "hamkaas_add_model: expected DIM NAME=N with N of at "
        "least 1, got '${dimension}'")
    endif()
  endforeach()
  if(NOT ARG_TARGET_CPU MATCHES "^(host|x86-64(-v[234])?)$")
    message(FATAL_ERROR "hamkaas_add_model: expected TARGET_CPU host, x86-64, "
      "x86-64-v2, x86-64-v3 or x86-64-v4, got '${ARG_TARGET_CPU}'")
  endif()
  foreach(option IN LISTS ARG_OPTIONS)
    if(option MATCHES "^(-o.*|--?emit(=.*)?)$")
      message(FATAL_ERROR "hamkaas_add_model: expected OPTIONS that leave the "
        "output alone, got '${option}'")
    endif()
  endforeach()
  if(NOT ARG_NAME MATCHES "^[A-Za-z][A-Za-z0-9_]*$")
    message(FATAL_ERROR "hamkaas_add_model: expected NAME to be a C identifier "
      "that begins with a letter, got '${ARG_NAME}'")
  endif()
endfunction()

function(hamkaas_add_model target model)
  cmake_parse_arguments(PARSE_ARGV 2 ARG "" "NAME;TARGET_CPU;WEIGHTS"
                        "DIM;OPTIONS;DEPENDS")
  _hamkaas_check_target(${target})
  if(NOT ARG_NAME)
    cmake_path(GET model STEM LAST_ONLY stem)
    string(REGEX REPLACE "[^A-Za-z0-9]" "_" ARG_NAME "${stem}")
    if(NOT ARG_NAME MATCHES "^[A-Za-z]")
      string(PREPEND ARG_NAME "model_")
    endif()
  endif()
  if(NOT ARG_TARGET_CPU)
    set(ARG_TARGET_CPU x86-64)
  endif()
  _hamkaas_check_arguments()
  get_target_property(names ${target} HAMKAAS_MODELS)
  if(ARG_NAME IN_LIST names)
    message(FATAL_ERROR "hamkaas_add_model: expected models of '${target}' with "
      "names of their own, got '${ARG_NAME}' twice")
  endif()
  set_property(TARGET ${target} APPEND PROPERTY HAMKAAS_MODELS ${ARG_NAME})

  _hamkaas_find_file(path ${model})
  set(files ${path})
  set(options --target-cpu=${ARG_TARGET_CPU})
  if(ARG_WEIGHTS)
    _hamkaas_find_file(weights ${ARG_WEIGHTS})
    list(APPEND files ${weights})
    list(APPEND options --weights=${weights})
  endif()
  foreach(dimension IN LISTS ARG_DIM)
    list(APPEND options --dim=${dimension})
  endforeach()
  foreach(file IN LISTS ARG_DEPENDS)
    _hamkaas_find_file(other ${file})
    list(APPEND files ${other})
  endforeach()

  set(folder ${CMAKE_CURRENT_BINARY_DIR}/hamkaas-models/${target})
  file(MAKE_DIRECTORY ${folder})
  set(outputs ${folder}/${ARG_NAME}.o ${folder}/${ARG_NAME}.h)
  # NOTE: not the target as the command, which a cross-compiling project would
  # run by its emulator.
  add_custom_command(OUTPUT ${outputs}
    COMMAND $<TARGET_FILE:HamKaas::hamkaas-compile> ${path} ${options}
            ${ARG_OPTIONS} -o ${folder}/${ARG_NAME}.o
    DEPENDS ${files} HamKaas::hamkaas-compile
            $<TARGET_FILE:HamKaas::hamkaas-compile>
    COMMENT "Compiling model ${ARG_NAME}"
    VERBATIM)
  set_source_files_properties(${folder}/${ARG_NAME}.o PROPERTIES
    EXTERNAL_OBJECT TRUE)
  target_sources(${target} PRIVATE ${outputs})
  target_include_directories(${target} PRIVATE ${folder})
  target_link_libraries(${target} PRIVATE HamKaas::HamKaasRuntime m)
endfunction()
