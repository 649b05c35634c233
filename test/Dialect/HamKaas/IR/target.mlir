// RUN: hamkaas-opt %s -split-input-file | hamkaas-opt -split-input-file | FileCheck %s

// CHECK: module attributes {hamkaas.target = #hamkaas.target<"cpu", chip = "x86-64-v3">}
module attributes {hamkaas.target = #hamkaas.target<"cpu", chip = "x86-64-v3">} {}

// -----

// Defaults are not printed.

// CHECK: #hamkaas.target<"cuda", chip = "sm_80">
module attributes {hamkaas.target = #hamkaas.target<"cuda", chip = "sm_80", precision = exact>} {}

// -----

// CHECK: #hamkaas.target<"cuda", chip = "sm_80", precision = tf32, binaries = ["sm_80", "sm_90"]>
module attributes {hamkaas.target = #hamkaas.target<"cuda", chip = "sm_80", precision = tf32, binaries = ["sm_80", "sm_90"]>} {}

// -----

// CHECK: #hamkaas.target<"cuda-emulation", chip = "sm_80", precision = "3xtf32">
module attributes {hamkaas.target = #hamkaas.target<"cuda-emulation", chip = "sm_80", precision = "3xtf32">} {}

// -----

// CHECK: #hamkaas.target<"cuda", chip = "sm_80", binaries = ["sm_80"]>
module attributes {hamkaas.target = #hamkaas.target<"cuda", chip = "sm_80", binaries = ["sm_80"]>} {}
