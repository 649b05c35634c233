# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Bash's completions of the last word, a line each: complete.bash TOOL WORD...
#
# The words are given as readline has them: '=' is one of its own.

compopt() { echo "(compopt $*)"; }
tool=$1
source /dev/stdin <<<"$("$tool" --print-completion=bash)"
read -r _ _ function name <<<"$(complete -p "$tool")"
COMP_WORDS=("$@")
COMP_CWORD=$(($# - 1))
"$function" "$name" "${@: -1}" "${@: -2:1}"
printf '%s\n' "${COMPREPLY[@]}"
