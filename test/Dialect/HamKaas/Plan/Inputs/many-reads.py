# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes a program in which many kernels read one input; the last call of a
kernel that writes its first argument is given that input, too."""

import sys

count = int(sys.argv[1])
kind = "tensor<1x4xf32>"
attributes = "attributes {hamkaas.kernel = #hamkaas.kernel<elementwise>}"
print(f"""
func.func private @add(%x: {kind}, %y: {kind}, %out: {kind}) -> {kind} {attributes} {{
  %0 = linalg.add ins(%x, %y : {kind}, {kind}) outs(%out : {kind}) -> {kind}
  return %0 : {kind}
}}
func.func private @exp(%x: {kind}, %y: {kind}) -> {kind} {attributes} {{
  %0 = linalg.exp ins(%y : {kind}) outs(%x : {kind}) -> {kind}
  return %0 : {kind}
}}
func.func @main(%x: tensor<4xf32> {{hamkaas.region = #hamkaas.region<input>}}, %out: {kind} {{bufferization.writable = true, hamkaas.region = #hamkaas.region<output>}}) -> {kind} {{
  %row = tensor.expand_shape %x [[0, 1]] output_shape [1, 4] : tensor<4xf32> into {kind}
  %y0 = tensor.empty() : {kind}
  %z0 = call @add(%row, %row, %y0) : ({kind}, {kind}, {kind}) -> {kind}""")
for i in range(1, count):
    print(f"  %y{i} = tensor.empty() : {kind}")
    print(f"  %z{i} = call @add(%z{i - 1}, %row, %y{i}) : ({kind}, {kind}, {kind}) -> {kind}")
print(f"""
  %w = call @exp(%row, %z{count - 1}) : ({kind}, {kind}) -> {kind}
  %0 = bufferization.materialize_in_destination %w in %out : ({kind}, {kind}) -> {kind}
  return %0 : {kind}
}}""")
