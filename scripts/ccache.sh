# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# To be sourced in the root of the project: lets ccache find a file again that
# was compiled in another build folder, and use precompiled headers.
export CCACHE_BASEDIR="${CCACHE_BASEDIR:-$PWD}"
export CCACHE_NOHASHDIR="${CCACHE_NOHASHDIR:-1}"
export CCACHE_SLOPPINESS="${CCACHE_SLOPPINESS:-pch_defines,time_macros,include_file_mtime,include_file_ctime}"
export CCACHE_PCH_EXTSUM="${CCACHE_PCH_EXTSUM:-1}"
